package memory

import (
	"cmp"
	"context"
	"encoding/json"

	"wake/causality"
	"wake/domain"
)

// Limits of a chain: how far it goes, and how many contexts it has.
const (
	ChainDepth    = 20 // unless asked for more
	MaxChainDepth = 1000
	ChainReach    = 200 // unless asked for more
	MaxChainReach = 10_000
)

// Chain tells why a context came to be, or what followed from it. That context counts
// as used. Chain returns NotFound for an unknown id.
func (s *Service) Chain(ctx context.Context, req ChainRequest) (ChainAnswer, error) {
	depth, err := bounded("max_depth", req.MaxDepth, ChainDepth, MaxChainDepth)
	if err != nil {
		return ChainAnswer{}, err
	}
	limit, err := bounded("limit", req.Limit, ChainReach, MaxChainReach)
	if err != nil {
		return ChainAnswer{}, err
	}
	if req.ID == "" {
		return ChainAnswer{}, domain.Advise(domain.Invalid("id is missing"), domain.FindContexts)
	}
	if err := s.contextID(ctx, &req.ID); err != nil {
		return ChainAnswer{}, err
	}
	ch, a, err := s.walkWithin(ctx, req, depth, limit)
	if domain.KindOf(err) == domain.KindNotFound {
		return a, s.notYet(ctx, req)
	}
	for _, n := range ch.Nodes {
		if n.Context.ID == req.ID {
			s.touch(req.By, domain.Used, []domain.ContextSnapshot{n.Context})
		}
	}
	return a, err
}

// walkWithin is walk with fewer contexts, the nearest ones, where all of them have no room in
// the answer.
func (s *Service) walkWithin(ctx context.Context, req ChainRequest, depth, limit int) (causality.Chain, ChainAnswer, error) {
	ch, a, err := s.walk(ctx, req, depth, limit)
	all := a.Nodes
	for err == nil && req.Room > 0 && limit > 1 {
		cost := tokensOf(a)
		if cost <= int64(req.Room) {
			break
		}
		limit = max(min(limit, len(a.Nodes))*req.Room/int(cost)*9/10, 1)
		ch, a, err = s.walk(ctx, req, depth, limit)
		a.Crowded = true
	}
	if a.Crowded {
		a.Notes = append(a.Notes, leftOut(all, a.Nodes))
	}
	return ch, a, err
}

// walk reads a chain of at most limit contexts and tells it.
func (s *Service) walk(ctx context.Context, req ChainRequest, depth, limit int) (ch causality.Chain, a ChainAnswer, err error) {
	direction := cmp.Or(req.Direction, domain.Causes)
	walk, err := s.Store.Walk(ctx, domain.ChainQuery{ID: req.ID, Direction: direction, Limit: limit, AsOf: req.AsOf})
	if err != nil {
		return ch, a, err
	}
	walk = causality.Nearest(req.ID, walk, direction, limit)
	s.warm(walk.Contexts)
	ch = causality.Build(req.ID, walk, direction, depth)
	if beside := ch.Unnamed(); len(beside) > 0 {
		if ch.Named, err = s.namedThat(ctx, beside, domain.Filters{AsOf: req.AsOf}, false); err != nil {
			return ch, a, err
		}
	}
	a = chainAnswer(ch)
	a.Rendered, err = render(ch, req.Format)
	return ch, a, err
}

// notYet explains a context that does not exist, or was not there at req.AsOf.
func (s *Service) notYet(ctx context.Context, req ChainRequest) error {
	found, err := mustKnow(ctx, s.Store, []string{req.ID})
	if err != nil {
		return err
	}
	why := "it was forgotten then, and brought back later"
	if saved := found[0].SavedAt; saved.After(req.AsOf) {
		why = "it was saved later, at " + domain.FormatTime(saved)
	}
	return domain.NotFound("as of %s there was no context %s: %s", domain.FormatTime(req.AsOf), req.ID, why)
}

func chainAnswer(ch causality.Chain) ChainAnswer {
	a := ChainAnswer{
		ID: ch.Start, Nodes: make([]ChainNode, len(ch.Nodes)), Edges: ch.Edges,
		Reasoning: causality.Tell(ch), Cycles: ch.Cycles, Lost: ch.Lost, Truncated: ch.Truncated,
	}
	if a.Edges == nil {
		a.Edges = []domain.Link{}
	}
	for i, n := range ch.Nodes {
		c := n.Context
		a.Nodes[i] = ChainNode{ID: c.ID, Depth: n.Depth, Project: c.Project, Summary: c.Summary,
			Timestamp: c.Timestamp, Tier: c.Memory.Tier, SupersededBy: c.SupersededBy}
		if c.Causality != nil {
			a.Nodes[i].ActionType, a.Nodes[i].Rationale = c.Causality.ActionType, c.Causality.Rationale
		}
	}
	return a
}

// render draws the chain in the requested format.
func render(ch causality.Chain, format string) (string, error) {
	switch format {
	case "", "text":
		return causality.Text(ch), nil
	case "mermaid":
		return causality.Mermaid(ch), nil
	case "dot":
		return causality.Dot(ch), nil
	case "json":
		a := chainAnswer(ch)
		raw, err := json.Marshal(map[string]any{"nodes": a.Nodes, "edges": a.Edges})
		return string(raw), err
	}
	return "", domain.Invalid("format %q is unknown; use text, json, mermaid or dot", format)
}
