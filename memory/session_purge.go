package memory

import (
	"cmp"
	"context"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// PurgeEvent erases the text of one event beyond recovery, with everything made from
// it: payload and blob, its copies in forks and in later restores, what repeats a message
// beside it, the sessions' snapshots, cached contexts, hand-offs, turn labels and the
// quotations in checkpoints, and the contexts distilled from it. The event keeps its place and its
// hash. It returns NotFound if there is none, or if it was erased already; even then it
// finishes an earlier purge.
func (s *Service) PurgeEvent(ctx context.Context, sessionID string, seq int64) (PurgedEvent, error) {
	owner, err := sessionByID(ctx, s.Store, sessionID)
	if err != nil {
		return PurgedEvent{}, err
	}
	var gone PurgedEvent
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) (err error) {
		gone, err = s.purgeEverywhere(ctx, tx, owner.ID, seq)
		return err
	})
	s.sessions.mu.Lock()
	s.sessions.handoffs = session.HandoffCache{}
	s.sessions.mu.Unlock()
	// What was erased earlier may still be in the files. So this is done in any case.
	finish := s.finishPurges
	if domain.KindOf(err) == domain.KindNotFound && gone.Erased {
		finish = s.purgeAgain
	}
	if err := cmp.Or(finish(ctx), err); err != nil {
		return gone, err
	}
	gone.Notes = s.echoes(ctx, gone.said)
	return gone, nil
}

// purgeEverywhere erases an event and its copies. It returns NotFound if there is none; the
// event returned is then the one that was erased earlier, if any.
func (s *Service) purgeEverywhere(ctx context.Context, tx repository.Tx, sessionID string, seq int64) (gone PurgedEvent, err error) {
	places, err := placesOf(ctx, tx, sessionID, seq)
	if err != nil {
		return gone, err
	}
	for _, p := range places {
		if err := s.purgePlace(ctx, tx, p, &gone); err != nil {
			return gone, err
		}
	}
	left, err := eventAt(ctx, tx, sessionID, seq)
	if err != nil {
		return gone, err
	}
	if left != nil {
		gone.Event = *left
	}
	if len(gone.IDs) == 0 {
		return gone, domain.NotFound("session %s has no event %d that is not erased already", sessionID, seq)
	}
	if err := purgeTitles(ctx, tx, places[0].owner.ID); err != nil {
		return gone, err
	}
	if err := purgeCursors(ctx, tx, gone.texts); err != nil {
		return gone, err
	}
	return gone, tx.OweRewrite(ctx)
}

// PurgeableEvent returns the event that [Service.PurgeEvent] would erase, or NotFound if
// there is none.
func (s *Service) PurgeableEvent(ctx context.Context, sessionID string, seq int64) (EventToPurge, error) {
	owner, err := sessionByID(ctx, s.Store, sessionID)
	if err != nil {
		return EventToPurge{}, err
	}
	found, err := eventAt(ctx, s.Store, owner.ID, seq)
	if err != nil {
		return EventToPurge{}, err
	}
	if found == nil {
		return EventToPurge{}, domain.NotFound("session %s has no event %d", owner.ID, seq)
	}
	return EventToPurge{EventPlace{owner.ID, seq}, timelineItem(*found), saidIn(*found)}, nil
}

// place is where an event is, or a copy of it in a fork.
type place struct {
	owner domain.Session
	seq   int64
}

// placesOf lists an event and all its copies: in the session it was copied from, and
// in all forks.
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

// copiesIn returns the copies of the event in another session, if that was forked from
// this one after the event.
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

// rootPlace follows a copy in a fork back to the original event.
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

// purgePlace erases the event at one place, unless it is erased already, and adds it
// to gone.
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
	gone.said = cmp.Or(gone.said, saidIn(*was))
	gone.Places = append(gone.Places, EventPlace{p.owner.ID, p.seq})
	if p.owner, err = tx.Session(ctx, p.owner.ID); err != nil { // as the purge of another place has left it
		return err
	}
	gone.noteTexts(p.owner, *was)
	notePurged(&p.owner, *was)
	p.forgetAttributes(*was)
	if err := purgeDerived(ctx, tx, p.owner, p.seq); err != nil {
		return err
	}
	if err := s.purgeDistilled(ctx, tx, p, gone); err != nil {
		return err
	}
	beside, err := besideMessage(ctx, tx, p.owner, *was)
	if err != nil {
		return err
	}
	for _, seq := range beside {
		if err := s.purgePlace(ctx, tx, place{p.owner, seq}, gone); err != nil {
			return err
		}
	}
	return nil
}

// saidIn is the text of a message, or of a command that a hook told of; other events return "".
func saidIn(e domain.Event) string {
	if e.Damaged != "" {
		return ""
	}
	if text, is := commandText(e); is {
		return text
	}
	m, err := e.Message()
	if err != nil {
		return ""
	}
	return m.Content
}
