package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// PurgeEvent erases the text of one event beyond recovery, with everything that
// was made of it: payload and blob, its copies in forks, what later restores carried
// of it, the sessions' snapshots, cached contexts, hand-offs, turn labels and the
// quotations in checkpoints, and the contexts that were distilled from it. The place
// stays, with the hash of what was there.
func (s *Service) PurgeEvent(ctx context.Context, sessionID string, seq int64) (PurgedEvent, error) {
	owner, err := sessionByID(ctx, s.Store, sessionID)
	if err != nil {
		return PurgedEvent{}, err
	}
	sessionID = owner.ID
	var gone PurgedEvent
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		places, err := placesOf(ctx, tx, sessionID, seq)
		if err != nil {
			return err
		}
		for _, p := range places {
			if err := s.purgePlace(ctx, tx, p, &gone); err != nil {
				return err
			}
		}
		if len(gone.IDs) == 0 {
			return domain.NotFound("session %s has no event %d that is not erased already", sessionID, seq)
		}
		left, err := eventAt(ctx, tx, sessionID, seq)
		if err != nil || left == nil {
			return err
		}
		gone.Event = *left
		return nil
	})
	s.sessions.mu.Lock()
	s.sessions.handoffs = session.HandoffCache{}
	s.sessions.mu.Unlock()
	// The error may be of the scrubbing, after the commit, and what was erased before
	// may still lie in the files: the index is purged all the same.
	scrubbed := s.purgeIndex(ctx, domain.MessageSpace)
	if len(gone.Contexts) > 0 {
		scrubbed = cmp.Or(scrubbed, s.purgeIndex(ctx, domain.ContextSpace))
	}
	if err := cmp.Or(scrubbed, err); err != nil {
		return gone, err
	}
	gone.Notes = s.echoes(ctx, gone.Texts[0])
	return gone, nil
}

// PurgeableEvent is the event that [Service.PurgeEvent] would erase, in a line, and wake's
// id of its session. It returns NotFound where there is none.
func (s *Service) PurgeableEvent(ctx context.Context, sessionID string, seq int64) (string, TimelineItem, error) {
	owner, err := sessionByID(ctx, s.Store, sessionID)
	if err != nil {
		return "", TimelineItem{}, err
	}
	found, err := eventAt(ctx, s.Store, owner.ID, seq)
	if err != nil {
		return "", TimelineItem{}, err
	}
	if found == nil {
		return "", TimelineItem{}, domain.NotFound("session %s has no event %d", owner.ID, seq)
	}
	return owner.ID, timelineItem(*found), nil
}

// place is where an event, or a fork's copy of it, stands.
type place struct {
	owner domain.Session
	seq   int64
}

// placesOf lists an event and its copies in all forks of its session, and of the
// session that it was copied from.
func placesOf(ctx context.Context, r repository.Reader, sessionID string, seq int64) ([]place, error) {
	root, err := rootPlace(ctx, r, sessionID, seq)
	if err != nil {
		return nil, err
	}
	all, err := r.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	if err != nil {
		return nil, err
	}
	places := []place{root}
	for i := 0; i < len(places); i++ {
		from := places[i]
		for _, fork := range all {
			copies, err := from.copiesIn(ctx, r, fork)
			if err != nil {
				return nil, err
			}
			places = append(places, copies...)
		}
	}
	return places, nil
}

// copiesIn are the copies of the event that another session has, if it was forked from
// this one behind it.
func (from place) copiesIn(ctx context.Context, r repository.Reader, fork domain.Session) (copies []place, err error) {
	if fork.ForkedFrom != from.owner.ID || fork.ForkedSeq < from.seq {
		return nil, nil
	}
	events, err := r.Events(ctx, domain.EventQuery{SessionID: fork.ID, Until: from.seq, Light: true})
	for _, e := range events {
		if e.Source.Pos == from.seq && e.Source.Name == domain.CopiedFrom(from.owner.ID) {
			copies = append(copies, place{fork, e.Seq})
		}
	}
	return copies, err
}

// rootPlace goes from a fork's copy back to where the event was first.
func rootPlace(ctx context.Context, r repository.Reader, sessionID string, seq int64) (place, error) {
	owner, err := r.Session(ctx, sessionID)
	if err != nil || owner.ForkedFrom == "" {
		return place{owner, seq}, err
	}
	copied, err := eventAt(ctx, r, sessionID, seq)
	if err != nil || copied == nil || copied.Source.Name != domain.CopiedFrom(owner.ForkedFrom) {
		return place{owner, seq}, err
	}
	return rootPlace(ctx, r, owner.ForkedFrom, copied.Source.Pos)
}

// purgePlace erases the event at one place, unless that was done before, and adds it
// to what is gone.
func (s *Service) purgePlace(ctx context.Context, tx repository.Tx, p place, gone *PurgedEvent) error {
	was, err := eventAt(ctx, tx, p.owner.ID, p.seq)
	if err != nil || was == nil {
		return err
	}
	n, err := tx.EraseEvents(ctx, domain.EventQuery{SessionID: p.owner.ID, After: p.seq - 1, Until: p.seq}, bare)
	if err != nil || n == 0 {
		return err
	}
	gone.IDs = append(gone.IDs, was.ID)
	gone.Texts = append(gone.Texts, saidIn(*was))
	gone.Places = append(gone.Places, EventPlace{p.owner.ID, p.seq})
	if about, err := domain.PayloadAs[domain.About](*was); err == nil {
		maps.DeleteFunc(p.owner.Attributes, func(name, value string) bool { return about.Attributes[name] == value })
	}
	if err := s.purgeDerived(ctx, tx, p.owner, p.seq); err != nil {
		return err
	}
	return s.purgeDistilled(ctx, tx, p, gone)
}

// saidIn is the text of a message; other events have none that lies elsewhere.
func saidIn(e domain.Event) string {
	if e.Type != domain.EventMessage || e.Damaged != "" {
		return ""
	}
	m, err := e.Message()
	if err != nil {
		return ""
	}
	return m.Content
}

// purgeDistilled erases the contexts that were made of what the event says.
func (s *Service) purgeDistilled(ctx context.Context, tx repository.Tx, p place, gone *PurgedEvent) error {
	for _, forgotten := range []bool{false, true} {
		made, err := tx.Contexts(ctx, domain.ContextQuery{SessionID: p.owner.ID, Forgotten: forgotten})
		if err != nil {
			return err
		}
		for _, c := range made {
			if c.Metadata["distilled_by"] == nil || c.Seq != p.seq && !distilledWith(c, p.seq) {
				continue
			}
			if err := tx.EraseContext(ctx, c.ID, s.now()); err != nil {
				return err
			}
			gone.Contexts = append(gone.Contexts, c.ID)
		}
	}
	return nil
}

// distilledWith reports whether a context quotes the event besides the one it is of:
// the question or the offer that a decision answers.
func distilledWith(c domain.ContextSnapshot, seq int64) bool {
	with, _ := c.Metadata["distilled_with"].([]any)
	return slices.ContainsFunc(with, func(n any) bool { return n == float64(seq) })
}

func (s *Service) purgeDerived(ctx context.Context, tx repository.Tx, owner domain.Session, seq int64) error {
	later := domain.EventQuery{SessionID: owner.ID, After: seq, Types: []domain.EventType{domain.EventRestored}}
	if _, err := tx.EraseEvents(ctx, later, bare); err != nil {
		return err
	}
	points, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: owner.ID, Deleted: true})
	if err != nil {
		return err
	}
	for _, c := range points {
		if c.Seq < seq {
			continue
		}
		c.Manifest.LastUserText, c.Manifest.Task, c.Manifest.Goals, c.Manifest.Title = "", "", nil, ""
		if err := tx.PutCheckpoint(ctx, c); err != nil {
			return err
		}
	}
	owner.SnapshotSeq, owner.Title, owner.Error, owner.LatestStatus, owner.Opened.Title = 0, "", "", "", ""
	if err := tx.DropProjections(ctx, owner.ID, false); err != nil {
		return err
	}
	return tx.SaveSession(ctx, owner)
}
