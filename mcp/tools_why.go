package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

type chainArgs struct {
	ID        string           `arg:"id,required"`
	Direction domain.Direction `arg:"direction" enum:"causes|effects|both" default:"causes"`
	MaxDepth  int              `arg:"max_depth" default:"20"`
	Limit     int              `arg:"limit" default:"200"`
	AsOf      time.Time        `arg:"as_of"`
	Format    string           `arg:"format" enum:"text|json|mermaid|dot" also:"graphviz=dot|markdown=text|md=text|plain=text|diagram=mermaid"`
}

func (s *Server) chain(ctx context.Context, r request[chainArgs]) (memory.ChainAnswer, error) {
	a := r.args
	answer, err := s.service.Chain(ctx, memory.ChainRequest{
		By: r.by, ID: a.ID, Direction: a.Direction, MaxDepth: a.MaxDepth, Limit: a.Limit, AsOf: a.AsOf, Format: a.Format, Room: room(r.by),
	})
	fitChain(&answer, room(r.by))
	return answer, err
}

func tellChain(p *page, args chainArgs, a memory.ChainAnswer) {
	p.line("%s in the chain of %s.", domain.Many(len(a.Nodes), "context"), a.ID)
	for _, c := range a.Cycles {
		p.line("Cycle: %s", strings.Join(c, " → "))
	}
	if len(a.Lost) > 0 {
		p.line("Causes that are not in this memory: %s", domain.Clip(strings.Join(a.Lost, ", "), 300))
	}
	text, drawn := a.Reasoning, false
	if args.Format != "" && args.Format != "text" && a.Rendered != "" {
		text, drawn = a.Rendered, true
	}
	const head = "Told from the links:"
	told := quotation{a.ID, domain.FromTool, timeOf(a.Nodes, a.ID), text}
	whole := p.fits(head, told)
	p.item(head, told, maxText)
	switch missing := missingIn(a.Nodes, p.b.String()); {
	case a.Truncated:
		p.line("There is more.")
		p.next("causal_chain", repeated(widened(args, a))...)
	case drawn && !whole:
		p.line("Shortened here; the whole drawing is in this answer's data. A smaller limit draws less.")
	case !drawn && len(missing) > 0:
		p.line("%d more are in this answer's data but not in this text.", len(missing))
		p.next("load_context", "ids", asJSON(missing[:min(len(missing), 6)]))
	}
}

// missingIn returns the ids of a chain that are not in a text.
func missingIn(nodes []memory.ChainNode, text string) (ids []string) {
	for _, n := range nodes {
		if !strings.Contains(text, n.ID) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// widened returns the arguments for more of a truncated chain: larger limits, or if
// these do not help, the chain of its farthest context.
func widened(args chainArgs, a memory.ChainAnswer) chainArgs {
	const more = 5
	if a.Crowded || args.MaxDepth == memory.MaxChainDepth && args.Limit == memory.MaxChainReach {
		far := slices.MaxFunc(a.Nodes, func(a, b memory.ChainNode) int { return cmp.Compare(max(a.Depth, -a.Depth), max(b.Depth, -b.Depth)) })
		args.ID = far.ID
		return args
	}
	args.MaxDepth = min(cmp.Or(args.MaxDepth, memory.ChainDepth)*more, memory.MaxChainDepth)
	args.Limit = min(cmp.Or(args.Limit, memory.ChainReach)*more, memory.MaxChainReach)
	return args
}

// timeOf is the time of a context of the chain.
func timeOf(nodes []memory.ChainNode, id string) time.Time {
	for _, n := range nodes {
		if n.ID == id {
			return n.Timestamp
		}
	}
	return time.Time{}
}

type predictArgs struct {
	Project  string        `arg:"project" help:"* = all"`
	After    string        `arg:"after" help:"id in use now"`
	Limit    int           `arg:"limit" default:"5"`
	MinScore float64       `arg:"min_score"`
	Horizon  time.Duration `arg:"horizon" default:"24h"`
}

func (s *Server) predict(ctx context.Context, r request[predictArgs]) (memory.PredictAnswer, error) {
	a := r.args
	answer, err := s.service.Predict(ctx, memory.PredictRequest{
		By: r.by, Project: a.Project, After: a.After, Limit: a.Limit, MinScore: a.MinScore, Horizon: a.Horizon,
	})
	fitList(&answer.Predictions, "predictions", room(r.by), &answer.Notes)
	return answer, err
}

func tellPredict(p *page, args predictArgs, a memory.PredictAnswer) {
	if len(a.Predictions) == 0 { // a note says why
		if args.MinScore == 0 {
			p.line("Nothing to predict from yet. Contexts that are saved and opened again teach wake what is needed next.")
		}
		return
	}
	p.line("Probably needed within %s, most likely first.", a.Horizon)
	for i, c := range a.Predictions {
		if !p.prediction(c) {
			p.line("%d more are in this answer's data but not in this text.", len(a.Predictions)-i)
			break
		}
	}
	if r := a.Record; r.Comparable() {
		p.line("Record: of %d earlier uses, %.0f %% were among the first 5 (last used first: %.0f %%).", r.Questions, r.Methods[0].Hit5*100, hit5(r, "lru")*100)
	}
	p.next("load_context", "ids", asJSON([]string{a.Predictions[0].ID}))
}

// hit5 is how often a method had the right context among its first five.
func hit5(r memory.PredictionRecord, method string) float64 {
	for _, m := range r.Methods {
		if m.Name == method {
			return m.Hit5
		}
	}
	return 0
}

// prediction writes an item about a context that is probably needed.
func (p *page) prediction(c memory.Prediction) bool {
	return p.item(predictionLine(c), quotation{c.ID, c.Origin, c.SavedAt, c.Summary}, 300)
}

func predictionLine(c memory.Prediction) string {
	parts := []string{c.ID, day(c.Timestamp), "project " + memory.Name(c.Project), fmt.Sprintf("%.0f %%", c.Probability*100), fmt.Sprintf("score %.2f", c.Score)}
	if !c.EvenBy.IsZero() {
		parts = append(parts, "as likely as not by "+day(c.EvenBy))
	}
	if c.Opened {
		parts = append(parts, "already opened in this session")
	}
	return "* " + strings.Join(append(parts, domain.Clip(cmp.Or(c.Why, strings.Join(c.Reasons, ", ")), 200)), " · ")
}
