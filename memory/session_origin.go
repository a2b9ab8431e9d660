package memory

import (
	"context"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// mostOrigins is how many forks of forks are followed.
const mostOrigins = 3

// origin collects what a fork goes on from, if the fork has no copy of it. It is nil if that
// session is not known.
func (v *view) origin(ctx context.Context, chars int) (*session.Story, error) {
	of := v.owner.Attributes[transcript.HistoryOf]
	if of == "" || v.forks == mostOrigins {
		return nil, nil
	}
	owner, err := v.r.SessionByClient(ctx, v.owner.Client, of)
	if domain.KindOf(err) == domain.KindNotFound || err == nil && !owner.DeletedAt.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if owner.LastSeq, err = v.beforeFork(ctx, owner); err != nil {
		return nil, err
	}
	state, err := stateAt(ctx, v.r, owner, owner.LastSeq)
	if err != nil {
		return nil, err
	}
	owner.UpdatedAt = v.owner.StartedAt
	at := &view{s: v.s, logAt: logAt{v.r, owner.ID, &state.State}, owner: owner, by: v.by, counted: v.counted, forks: v.forks + 1}
	story, err := at.story(ctx, chars)
	v.counted = at.counted
	story.Heading, story.Source, story.Notes = "\n# Before, in the session that this one was forked from", "the log up to the fork", alertNotes(state.alerts)
	story.Lasting = nil // the fork tells it
	return &story, err
}

// beforeFork returns the last event that the session had before the owner was forked from it.
func (v *view) beforeFork(ctx context.Context, from domain.Session) (last int64, err error) {
	last = from.LastSeq
	q := domain.EventQuery{SessionID: from.ID, Types: []domain.EventType{domain.EventMessage, domain.EventRestored}, Limit: foldPage, Light: true}
	err = backwards(ctx, v.r, q, []session.Span{{From: 1, To: last}}, func(e domain.Event) bool {
		order, same := transcript.CompareRows(e.Source.ID, v.owner.Attributes[transcript.HistoryEnd])
		later := e.At.After(v.owner.StartedAt) || same && order >= 0
		if later {
			last = e.Seq - 1
		}
		return later || !e.Human || !same
	})
	return last, err
}
