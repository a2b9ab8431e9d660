package mcp

import (
	"cmp"
	"context"
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
		tellRest(p, missing)
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
