package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"wake/domain"
	"wake/transcript"
)

// exportedSessions returns the sessions of a project, or one session with its
// children, in the order in which they started.
func (ex *exporting) exportedSessions(ctx context.Context) (list []domain.Session, err error) {
	if ex.req.SessionID != "" {
		list, err = ex.s.family(ctx, ex.req.SessionID)
	} else {
		list, err = ex.everySession(ctx)
	}
	slices.SortFunc(list, func(a, b domain.Session) int {
		if c := a.StartedAt.Compare(b.StartedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, err
}

// family returns a session with all its descendants.
func (s *Service) family(ctx context.Context, id string) ([]domain.Session, error) {
	head, err := sessionByID(ctx, s.Store, id)
	if err != nil {
		return nil, err
	}
	list := []domain.Session{head}
	known := map[string]bool{head.ID: true}
	for i := 0; i < len(list); i++ {
		children, err := s.Store.Sessions(ctx, domain.SessionQuery{ParentID: list[i].ID, Forgotten: true})
		if err != nil {
			return nil, err
		}
		for _, c := range children {
			if !known[c.ID] {
				known[c.ID] = true
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// allSessions writes the sessions, beginning with the one at the mark.
func (ex *exporting) allSessions(ctx context.Context) error {
	from := max(0, slices.IndexFunc(ex.sessions, func(o domain.Session) bool { return o.ID == ex.mark.Session }))
	for _, owner := range ex.sessions[from:] {
		if ex.mark.Session != owner.ID {
			ex.mark.Session, ex.mark.N = owner.ID, 0
			if err := ex.writeSession(owner); err != nil {
				return err
			}
		}
		if err := ex.events(ctx, owner); err != nil {
			return err
		}
		if err := ex.points(ctx, owner.ID); err != nil {
			return err
		}
	}
	return nil
}

// writeSession writes the session's own row. The place of its state snapshot is of no
// use in another store.
func (ex *exporting) writeSession(owner domain.Session) error {
	owner.SnapshotSeq = 0
	ex.answer.Sessions++
	return ex.lines.Write(transcript.Item{Session: &owner})
}

// events writes the log up to where it ended when the export began.
func (ex *exporting) events(ctx context.Context, owner domain.Session) error {
	var lost []domain.Event
	var failed error
	rows := rowReader[domain.Event]{most: exportEvents, last: owner.LastSeq, number: func(e *domain.Event) int64 { return e.Seq },
		read: func(ctx context.Context, after int64, limit int) ([]domain.Event, error) {
			return ex.s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, After: after, Until: owner.LastSeq, Limit: limit})
		},
		gap: func(after, before int64) { lost, failed = ex.lostEvents(ctx, owner, after, before) }}
	for ex.mark.N < owner.LastSeq {
		lost = nil
		page, err := rows.next(ctx, ex.mark.N)
		if page = append(lost, page...); err != nil || failed != nil || len(page) == 0 {
			return cmp.Or(err, failed)
		}
		for i := range page {
			if err := ex.writeEvent(&page[i]); err != nil {
				return err
			}
		}
		if err := ex.reached(page[len(page)-1].Seq); err != nil {
			return err
		}
	}
	return nil
}

func (ex *exporting) writeEvent(e *domain.Event) error {
	if e.Damaged != "" && e.Damaged != notRead { // which is told of by its range
		ex.unread("the content of event %d of session %s: %s", e.Seq, e.SessionID, e.Damaged)
	}
	ex.answer.Events++
	return ex.lines.Write(transcript.Item{Event: e})
}

// points writes the checkpoints, hand-offs and threshold firings of a session.
func (ex *exporting) points(ctx context.Context, sessionID string) error {
	var items []transcript.Item
	checkpoints, err := ex.s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: sessionID, OldestFirst: true, Deleted: true})
	if checkpoints, err = spared(ex, "the checkpoints of session "+sessionID, checkpoints, err); err != nil {
		return err
	}
	for i := range checkpoints {
		items = append(items, transcript.Item{Checkpoint: &checkpoints[i]})
	}
	handoffs, err := ex.s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: sessionID})
	if handoffs, err = spared(ex, "the hand-offs of session "+sessionID, handoffs, err); err != nil {
		return err
	}
	slices.Reverse(handoffs) // the oldest first
	for i := range handoffs {
		items = append(items, transcript.Item{Handoff: &handoffs[i]})
	}
	firings, err := ex.s.Store.Firings(ctx, sessionID)
	if firings, err = spared(ex, "the thresholds of session "+sessionID, firings, err); err != nil {
		return err
	}
	for i := range firings {
		items = append(items, transcript.Item{Firing: &firings[i]})
	}
	for _, item := range items {
		if err := ex.lines.Write(item); err != nil {
			return err
		}
	}
	ex.answer.Others += len(items)
	return nil
}
