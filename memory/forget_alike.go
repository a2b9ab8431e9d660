package memory

import (
	"context"
	"strings"

	"wake/domain"
	"wake/recall"
)

// Contexts that say the same are looked for among the alikeDepth likeliest, for at most
// alikeMost forgotten ones. Of fewer than alikeTerms words, most are in many others.
const (
	alikeDepth = 8
	alikeMost  = 10
	alikeTerms = 4
)

// noteAlike names contexts that stay and say nearly what is forgotten: what was overheard
// of it, or saved in other words. They would be told again.
func (w *forgetting) noteAlike(ctx context.Context) error {
	gone := map[string]bool{}
	for _, c := range w.going {
		gone[c.ID] = true
	}
	var named []string
	for _, c := range w.going[:min(alikeMost, len(w.going))] {
		near, err := w.s.near(ctx, c)
		if err != nil {
			return err
		}
		for _, have := range near {
			if !gone[have.ID] && saysSame(c, have) {
				gone[have.ID], named = true, append(named, have.ID)
			}
		}
	}
	if len(named) > 0 {
		w.answer.Notes = append(w.answer.Notes, "nearly the same is still said by "+domain.Many(len(named), "other context")+": "+strings.Join(named, ", "))
	}
	return nil
}

// near returns the contexts of the same project that a search for the context's words
// finds first.
func (s *Service) near(ctx context.Context, c domain.ContextSnapshot) ([]domain.ContextSnapshot, error) {
	f := searching{s: s, project: c.Project, q: recall.Understand(domain.Head(c.Summary, domain.MaxQuery)), now: s.now()}
	f.q.Order = recall.AnyTime // "the current port is 8443" asks for nothing
	if err := f.rank(ctx, domain.ContextSpace); err != nil {
		return nil, err
	}
	err := f.open(ctx, given{}, alikeDepth)
	return contextsIn(f.page), err
}

// saysSame reports whether nearly all words of one of two contexts are in the other.
func saysSame(a, b domain.ContextSnapshot) bool {
	x, y := distinct(recall.Analyze(a.Summary)), distinct(recall.Analyze(b.Summary))
	return min(len(x), len(y)) >= alikeTerms && max(covered(x, y), covered(y, x)) >= saidAgain
}
