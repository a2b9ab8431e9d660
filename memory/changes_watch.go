package memory

import (
	"context"
	"time"

	"wake/domain"
)

// watchedSessions is how many of the sessions that changed last are compared at a look.
const watchedSessions = 50

// Watch sees in the store what any process changed: contexts that were saved,
// forgotten or brought back, and sessions with new events. Changes of links, tags and
// pins are only told by the process that makes them, through [Service.Subscribe]. It is
// not safe for concurrent use.
type Watch struct {
	s        *Service
	access   int64 // the last one seen
	sessions map[string]sessionMark
}

// sessionMark tells two states of a session apart.
type sessionMark struct {
	seq              int64
	updated, deleted time.Time
}

// Watch begins to watch the store. It costs a few index look-ups, as does each look.
func (s *Service) Watch(ctx context.Context) (*Watch, error) {
	w := &Watch{s: s}
	var err error
	if w.access, err = s.Store.LastAccess(ctx, ""); err != nil {
		return nil, err
	}
	_, err = w.changedSessions(ctx)
	return w, err
}

// Look returns what changed since the last look, in no particular order.
func (w *Watch) Look(ctx context.Context) ([]Change, error) {
	contexts, err := w.changedContexts(ctx)
	if err != nil {
		return contexts, err // those before the error will not be seen again
	}
	sessions, err := w.changedSessions(ctx)
	return append(contexts, sessions...), err
}

// changeOf says which entries of the access log are changes of a context.
var changeOf = map[domain.How]ChangeKind{domain.Saved: ContextSaved, domain.Gone: ContextGone, domain.Back: ContextChanged}

func (w *Watch) changedContexts(ctx context.Context) ([]Change, error) {
	const atOnce = 1000
	var changes []Change
	for {
		log, err := w.s.Store.AccessLog(ctx, "", w.access, atOnce)
		if err != nil {
			return changes, err
		}
		for _, a := range log {
			w.access = a.N
			if kind, ok := changeOf[a.How]; ok {
				changes = append(changes, Change{Kind: kind, ID: a.ContextID, Project: a.Project})
			}
		}
		if len(log) < atOnce {
			return changes, nil
		}
	}
}

func (w *Watch) changedSessions(ctx context.Context) ([]Change, error) {
	newest, err := w.s.Store.Sessions(ctx, domain.SessionQuery{Forgotten: true, Limit: watchedSessions})
	if err != nil {
		return nil, err
	}
	var changes []Change
	now := make(map[string]sessionMark, len(newest))
	for _, o := range newest {
		mark := sessionMark{o.LastSeq, o.UpdatedAt, o.DeletedAt}
		if now[o.ID] = mark; w.sessions[o.ID] != mark {
			changes = append(changes, Change{Kind: SessionChanged, ID: o.ID, Project: o.Project})
		}
	}
	w.sessions = now
	return changes, nil
}
