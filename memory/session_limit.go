package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
)

// limitSessions is how many of a client's newest sessions are searched for compactions.
// Those of sub-agents, of which there may be dozens to one of a person, seldom have any.
const limitSessions = 50

// learnLimit sets a session's limit, at its first usage event, to the tokens at which
// its client has compacted automatically with the same model. The window that clients
// report is well above that. Later the session's own compactions are a better measure.
func (a *appending) learnLimit(ctx context.Context, tx repository.Tx, events []domain.Event) error {
	s := &a.session
	told := slices.ContainsFunc(events, func(e domain.Event) bool { return e.Type == domain.EventUsage })
	if !told || a.req.Import || s.Client == "" || s.LearnedLimit > 0 || s.Tokens > 0 {
		return nil
	}
	var err error
	s.LearnedLimit, err = seenLimit(ctx, tx, s.Client, modelIn(s.Model, events))
	return err
}

// modelIn returns the model of the last assistant message that names one, else model.
func modelIn(model string, events []domain.Event) string {
	for _, e := range events {
		if e.Type != domain.EventMessage || e.Role != domain.RoleAssistant {
			continue
		}
		if m, err := e.Message(); err == nil && m.Model != "" {
			model = m.Model
		}
	}
	return model
}

// seenLimit is the median of the tokens at which the client has compacted
// automatically; 0 if it never has.
func seenLimit(ctx context.Context, r repository.Reader, client, model string) (int64, error) {
	recent, err := r.Sessions(ctx, domain.SessionQuery{Client: client, OwnStart: true, Limit: limitSessions})
	if err != nil {
		return 0, err
	}
	var seen []int64
	for _, s := range recent {
		if s.Model != model || s.Epoch == 1 {
			continue
		}
		compactions, err := r.Events(ctx, domain.EventQuery{SessionID: s.ID, Types: []domain.EventType{domain.EventCompaction}, Light: true})
		if err != nil {
			return 0, err
		}
		for _, c := range payloads[domain.Compaction](compactions) {
			if c.Trigger == "auto" && c.TokensBefore > 0 {
				seen = append(seen, c.TokensBefore)
			}
		}
	}
	if len(seen) == 0 {
		return 0, nil
	}
	slices.Sort(seen)
	return seen[len(seen)/2], nil
}
