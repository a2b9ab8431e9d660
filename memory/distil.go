package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"wake/domain"
	"wake/recall"
	"wake/repository"
	"wake/transcript"
)

// distilMark is the key of the event that says a session was distilled up to
// its place; a session that went on is distilled again.
const distilMark = "distilled"

// Distil makes contexts of what a session decided and learnt, by rules, with the
// session and event as their place; the model's queue polishes them later. The
// contexts have ids that follow from their source, so that nothing is kept twice
// and nothing that was forgotten comes back. It returns how many are new.
func (s *Service) Distil(ctx context.Context, sessionID string) (int, error) {
	owner, err := s.Store.Session(ctx, sessionID)
	if err != nil {
		return 0, err
	}
	return s.distil(ctx, owner)
}

func (s *Service) distil(ctx context.Context, owner domain.Session) (int, error) {
	if !owner.DeletedAt.IsZero() {
		return 0, nil
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventMessage, domain.EventFinding}})
	if err != nil {
		return 0, err
	}
	made := transcript.Distil(owner, events, transcript.DistilCap)
	if made.Contexts, err = s.unsaid(ctx, owner.ID, made.Contexts); err != nil {
		return 0, err
	}
	if made.Contexts, err = s.unmade(ctx, owner.Project, made.Contexts); err != nil {
		return 0, err
	}
	im := &importing{s: s, req: ImportRequest{Format: "distilled", Project: owner.Project}, links: made.Links, safe: repository.Durable}
	im.ready = map[*domain.ContextSnapshot]readyContext{}
	for i := range made.Contexts {
		c := &made.Contexts[i]
		c.SessionID, c.Kind = owner.ID, domain.Semantic
		im.contexts, im.ready[c] = append(im.contexts, c), im.makeReady(c)
	}
	if err := im.storeContexts(ctx); err != nil {
		return 0, err
	}
	return im.answer.Contexts.Taken, s.markDistilled(ctx, owner)
}

// saidAgain is the share of a distilled context's words from which a context that
// was saved in the session says the same.
const saidAgain = 0.7

// unsaid leaves out what the assistant saved in the session by itself.
func (s *Service) unsaid(ctx context.Context, sessionID string, made []domain.ContextSnapshot) ([]domain.ContextSnapshot, error) {
	saved, err := s.Store.Contexts(ctx, domain.ContextQuery{SessionID: sessionID, Order: domain.Newest, Limit: domain.MaxList, WithContent: true})
	if err != nil {
		return nil, err
	}
	said := make([][]string, len(saved)) // once for all: a client may wait
	for i, have := range saved {
		said[i] = recall.Analyze(headOf(have.Content, relateBytes))
	}
	return slices.DeleteFunc(made, func(c domain.ContextSnapshot) bool {
		own := distinct(recall.Analyze(c.Content))
		for i, have := range saved {
			if have.ID != c.ID && covered(own, said[i]) >= saidAgain {
				return true
			}
		}
		return false
	}), nil
}

// unmade leaves out what another session gave already, word for word: a fork begins with
// what was said before it.
func (s *Service) unmade(ctx context.Context, project string, made []domain.ContextSnapshot) ([]domain.ContextSnapshot, error) {
	var left []domain.ContextSnapshot
	for _, c := range made {
		there, err := s.Store.ContextByHash(ctx, project, domain.HashText(c.Content))
		switch {
		case domain.KindOf(err) == domain.KindNotFound || err == nil && there.ID == c.ID:
			left = append(left, c)
		case err != nil:
			return nil, err
		}
	}
	return left, nil
}

// covered is the share of terms that others has too.
func covered(terms, others []string) float64 {
	n := 0
	for _, t := range terms {
		if slices.Contains(others, t) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(terms)))
}

func (s *Service) markDistilled(ctx context.Context, owner domain.Session) error {
	return s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		return tx.PutCursor(ctx, domain.IngestCursor{Source: distilCursor(owner.ID), SessionID: owner.ID, Offset: owner.LastSeq, UpdatedAt: s.now()})
	})
}

func distilCursor(sessionID string) string { return distilMark + ":" + sessionID }

// When a server distils by itself: a session that ended, or has been quiet for a
// while, and not those of long ago.
const (
	distilQuiet = 30 * time.Minute
	distilPast  = 7 * 24 * time.Hour
	distilMost  = 20 // sessions of one round
)

// distilDue distils sessions that ended or fell quiet since they were last
// distilled. One that cannot be read keeps no other from it.
func (s *Service) distilDue(ctx context.Context) error {
	if s.NoDistil {
		return nil
	}
	now := s.now()
	recent, err := s.Store.Sessions(ctx, domain.SessionQuery{Since: now.Add(-distilPast), Limit: 200})
	if err != nil {
		return err
	}
	done := 0
	for _, owner := range recent {
		if done == distilMost || ctx.Err() != nil {
			break
		}
		distilled, failed := s.distilOnce(ctx, owner, now)
		if err = errors.Join(err, failed); distilled {
			done++
		}
	}
	return err
}

// distilOnce distils a session if it is due, and reports whether it was.
func (s *Service) distilOnce(ctx context.Context, owner domain.Session, now time.Time) (bool, error) {
	if owner.Status == domain.SessionActive && now.Sub(owner.UpdatedAt) < distilQuiet {
		return false, nil
	}
	mark, err := s.Store.Cursor(ctx, distilCursor(owner.ID))
	if err != nil || mark.Offset >= owner.LastSeq {
		return false, err
	}
	_, err = s.Distil(ctx, owner.ID)
	return err == nil, err
}
