package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"wake/distil"
	"wake/domain"
	"wake/repository"
)

// Distil makes contexts of what was decided and learnt in a session, by rules; each
// names the session and event that it came from. A model may improve their summaries
// later. Their ids follow from their source, so nothing is stored twice and nothing
// forgotten comes back. Distil returns the number of new contexts.
func (s *Service) Distil(ctx context.Context, sessionID string) (int, error) {
	owner, err := s.Store.Session(ctx, sessionID)
	if err != nil {
		return 0, err
	}
	return s.distil(ctx, owner, distilling{safe: repository.Durable})
}

// distilling says how a session is distilled.
type distilling struct {
	by      Caller
	safe    repository.Durability
	midTurn bool // the last turn goes on, so what it has found so far may prove wrong: it is left out
}

// distilledTypes are the types of events that contexts are made of.
var distilledTypes = []domain.EventType{domain.EventMessage, domain.EventFinding}

func (s *Service) distil(ctx context.Context, owner domain.Session, how distilling) (int, error) {
	if !owner.DeletedAt.IsZero() {
		return 0, nil
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: distilledTypes})
	if err != nil {
		return 0, err
	}
	if events, err = s.inForce(ctx, owner, events); err != nil {
		return 0, err
	}
	if how.midTurn {
		events = slices.DeleteFunc(events, func(e domain.Event) bool { return e.Turn >= owner.Turn })
	}
	return s.keep(ctx, owner, events, how)
}

// keep makes and stores contexts of the events of a session that are in force.
func (s *Service) keep(ctx context.Context, owner domain.Session, events []domain.Event, how distilling) (int, error) {
	made := distil.Session(owner, events, distil.Cap)
	if err := s.leaveOutKept(ctx, owner, events, &made); err != nil {
		return 0, err
	}
	im := &importing{s: s, req: ImportRequest{By: how.by, Format: "distilled", Project: owner.Project}}
	st := &importStep{importing: im, links: made.Links, safe: how.safe, ready: map[*domain.ContextSnapshot]readyContext{}}
	for i := range made.Contexts {
		c := &made.Contexts[i]
		c.SessionID, c.Kind = owner.ID, domain.Semantic
		st.contexts, st.ready[c] = append(st.contexts, c), im.makeReady(c)
	}
	if err := st.storeContexts(ctx); err != nil {
		return 0, err
	}
	if err := s.unsayPurged(ctx, owner.ID, made.Contexts); err != nil {
		return 0, err
	}
	return im.answer.Contexts.Taken, s.markDistilled(ctx, owner)
}

// unsayPurged erases contexts that quote events which were purged while they were
// being made. (Later purges find these contexts themselves.) It goes on after a
// failure, because nothing else would erase the others.
func (s *Service) unsayPurged(ctx context.Context, sessionID string, made []domain.ContextSnapshot) (all error) {
	for _, c := range made {
		for _, seq := range c.DistilledFrom() {
			e, err := eventAt(ctx, s.Store, sessionID, seq)
			if err == nil && e != nil && e.Erased {
				_, err = s.Purge(ctx, c.ID)
			}
			if domain.KindOf(err) != domain.KindNotFound {
				all = errors.Join(all, err)
			}
		}
	}
	return all
}

func (s *Service) markDistilled(ctx context.Context, owner domain.Session) error {
	return s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		return tx.PutCursor(ctx, domain.IngestCursor{Source: distilCursor(owner.ID), SessionID: owner.ID, Offset: owner.LastSeq, UpdatedAt: s.now()})
	})
}

// distilCursor names the cursor that records how far a session was distilled. A
// session that goes on is distilled again.
func distilCursor(sessionID string) string { return "distilled:" + sessionID }

// A server distils sessions that ended or have been quiet for a while, but not old
// ones.
const (
	distilQuiet = 30 * time.Minute
	distilPast  = 7 * 24 * time.Hour
	distilMost  = 20 // sessions in one round
)

// distilDue distils the sessions that ended or fell quiet since they were last
// distilled. It goes on after a session that fails.
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
	return errors.Join(err, ctx.Err())
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
