package mcp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

type updateArgs struct {
	ID              string   `arg:"id,required"`
	Pinned          *bool    `arg:"pinned"`
	AddTags         []string `arg:"add_tags"`
	RemoveTags      []string `arg:"remove_tags"`
	CausedBy        *string  `arg:"caused_by" help:"id, or none to unlink"`
	AddDependencies []string `arg:"add_dependencies"`
	SupersededBy    *string  `arg:"superseded_by" help:"id, or none"`
}

// contextAnswer is one context, with notes.
type contextAnswer struct {
	domain.ContextSnapshot
	Notes []string `json:"notes,omitempty"`
}

func (s *Server) update(ctx context.Context, r request[updateArgs]) (contextAnswer, error) {
	a := r.args
	changed, err := s.service.Update(ctx, memory.UpdateRequest{
		ID: a.ID, Pinned: a.Pinned, AddTags: a.AddTags, RemoveTags: a.RemoveTags,
		CausedBy: linkArg(a.CausedBy), AddDependencies: a.AddDependencies, SupersededBy: linkArg(a.SupersededBy),
	})
	if err != nil {
		return contextAnswer{}, err
	}
	short, note := s.service.Shortened(changed, room(r.by))
	answer := contextAnswer{ContextSnapshot: short}
	if note != "" {
		answer.Notes = []string{note}
	}
	return answer, nil
}

// linkArg turns the id "none" into "", which removes a link. (An empty argument counts
// as absent.)
func linkArg(id *string) *string {
	if id != nil {
		*id = noneToEmpty(*id)
	}
	return id
}

// noneToEmpty turns the id "none" into "".
func noneToEmpty(s string) string {
	if strings.EqualFold(s, "none") {
		return ""
	}
	return s
}

func tellUpdate(p *page, _ updateArgs, a contextAnswer) {
	p.line("Changed.")
	if c := a.Causality; c != nil && len(c.Dependencies) > 0 {
		p.line("It depends on %s.", strings.Join(c.Dependencies, ", "))
	}
	p.context(a.ContextSnapshot, 600)
}

type statsArgs struct {
	Project string `arg:"project" help:"* = all"`
}

// statsAnswer is the state of the memory, with notes.
type statsAnswer struct {
	memory.StatsAnswer
	Notes []string `json:"notes,omitempty"`
}

func (s *Server) stats(ctx context.Context, r request[statsArgs]) (statsAnswer, error) {
	found, err := s.service.Stats(ctx, r.args.Project)
	return statsAnswer{StatsAnswer: found}, err
}

func tellStats(p *page, _ statsArgs, a statsAnswer) {
	p.line("%s in %s: %s.", domain.Many(a.Contexts, "context"), cmp.Or(memory.Name(a.Project), "all projects"), cmp.Or(counts(a.Tiers), "no tier holds any"))
	span := ""
	if a.Contexts > 0 {
		span = fmt.Sprintf("; from %s to %s", day(a.Oldest), day(a.Newest))
	}
	p.line("%d pinned, %d superseded, %d forgotten%s.", a.Pinned, a.Superseded, a.Forgotten, span)
	c := a.Causality
	p.line("Why: %d say why they exist, %d are roots; links: %s (%d found by wake); average chain %.1f, longest %d.",
		c.WithCause, c.Roots, cmp.Or(counts(c.Links), "none"), c.AutoLinks, c.AverageDepth, c.LongestDepth)
	if r := a.Prediction; r.Predicted > 0 {
		settled := "none has settled yet"
		if r.Settled > 0 {
			settled = fmt.Sprintf("%d of %d settled ones were used in time (Brier %.3f, base rate %.3f)", r.Hits, r.Settled, r.Brier, r.BrierBase)
		}
		p.line("Prediction: %d scored, average %.2f; %s.", r.Predicted, r.AverageScore, settled)
	}
	tellLearning(p, a.Learning)
	p.line("Bytes: %s. Summaries by: %s, %d waiting.", cmp.Or(counts(a.Bytes), "not counted"), cmp.Or(counts(a.Summaries), "nobody yet"), a.Queued)
	for _, h := range a.Health {
		p.line("%s: %s%s", h.Level, h.Text, prefixed(" → ", h.Action))
	}
}

// tellLearning says how good predictions were, and what they are based on.
func tellLearning(p *page, r memory.LearningRecord) {
	p.line("Record: %s.", strings.Join(r.Verdict, "; "))
	for _, m := range r.Methods {
		p.line("  %s (%s): first %.0f %%, in 5 %.0f %%, in 10 %.0f %%", m.Name, m.About, 100*m.Hit1, 100*m.Hit5, 100*m.Hit10)
	}
	if r.Learned == nil {
		return
	}
	const most = 4
	var signs []string
	for _, s := range r.Learned.Signs[:min(most, len(r.Learned.Signs))] {
		signs = append(signs, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Within))
	}
	p.line("Learned from %s: it goes by %s.", domain.Many(r.Learned.Lessons+r.Learned.StartLessons, "step"), strings.Join(signs, ", "))
}

// counts writes a map of numbers in the order of its keys, without zeros.
func counts[K ~string](m map[K]int64) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
		}
	}
	return strings.Join(parts, ", ")
}

type recalculateArgs struct {
	Project string `arg:"project"`
	What    string `arg:"what" enum:"tiers|predictions|summaries|all" also:"tier=tiers|prediction=predictions|scores=predictions|summary=summaries|everything=all"`
}

// modelPatience is how long a call waits for a model to write summaries. Many clients
// allow a call one minute; the periodic work does the rest.
const modelPatience = 20 * time.Second

func (s *Server) recalculate(ctx context.Context, r request[recalculateArgs]) (memory.RecalculateAnswer, error) {
	return s.service.Recalculate(ctx, memory.RecalculateRequest{Project: r.args.Project, What: r.args.What, Progress: r.progress, Patience: modelPatience})
}

func tellRecalculate(p *page, _ recalculateArgs, a memory.RecalculateAnswer) {
	p.line("Changed: %s, %s, %s.", domain.Many(a.Tiers, "tier"), domain.Many(a.Predictions, "prediction"), domain.Many(a.Summaries, "summary"))
	if a.Queued > 0 {
		p.line("Waiting for the model: %d; the periodic work goes on with them.", a.Queued)
	}
}
