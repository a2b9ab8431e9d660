package memory

import (
	"cmp"
	"context"
	"slices"

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
	if err := purgeTitles(ctx, tx, places[0].owner); err != nil {
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
	p.forgetAttributes(*was)
	if err := purgeDerived(ctx, tx, p.owner, p.seq); err != nil {
		return err
	}
	if err := s.purgeDistilled(ctx, tx, p, gone); err != nil {
		return err
	}
	beside, err := besideMessage(ctx, tx, p.owner, *was)
	for _, seq := range beside {
		err = cmp.Or(err, s.purgePlace(ctx, tx, place{p.owner, seq}, gone))
	}
	return err
}

// forgetAttributes empties what the session has from an event. It stays empty even if a
// transcript still tells it.
func (p place) forgetAttributes(told domain.Event) {
	about, err := domain.PayloadAs[domain.About](told)
	if err != nil { // of another type
		return
	}
	for name, value := range about.Attributes {
		if p.owner.Attributes[name] == value {
			p.owner.Attributes[name] = ""
		}
	}
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

// purgeDistilled erases the contexts that were distilled from the event.
func (s *Service) purgeDistilled(ctx context.Context, tx repository.Tx, p place, gone *PurgedEvent) error {
	for _, forgotten := range []bool{false, true} {
		made, err := tx.Contexts(ctx, domain.ContextQuery{SessionID: p.owner.ID, Forgotten: forgotten})
		if err != nil {
			return err
		}
		for _, c := range made {
			if !c.IsDistilled() || c.Seq != p.seq && !distilledWith(c, p.seq) {
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

// distilledWith reports whether a context quotes the event in addition to its own one,
// such as the question that a decision answers.
func distilledWith(c domain.ContextSnapshot, seq int64) bool {
	with, _ := c.Metadata["distilled_with"].([]any)
	return slices.ContainsFunc(with, func(n any) bool { return n == float64(seq) })
}

// purgeTitles erases the title that forks of a session have from it, and forks of these. It
// may say what was purged, even in a fork that never had the event.
func purgeTitles(ctx context.Context, tx repository.Tx, from domain.Session) error {
	if from.Title == "" {
		return nil
	}
	all, err := tx.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	if err != nil {
		return err
	}
	for _, fork := range forksUnder(from.ID, all) {
		if fork.Title != from.Title && fork.Opened.Title != from.Title {
			continue
		}
		if err := purgeTitle(ctx, tx, fork); err != nil {
			return err
		}
	}
	return nil
}

// forksUnder returns the forks of a session, and forks of these.
func forksUnder(id string, all []domain.Session) (forks []domain.Session) {
	line := []string{id}
	for i := 0; i < len(line); i++ {
		for _, o := range all {
			if o.ForkedFrom == line[i] {
				forks, line = append(forks, o), append(line, o.ID)
			}
		}
	}
	return forks
}

// purgeTitle erases the title of a session and of its checkpoints.
func purgeTitle(ctx context.Context, tx repository.Tx, owner domain.Session) error {
	return purgeManifests(ctx, tx, owner, 0, func(m *domain.Manifest) { m.Title = "" })
}

// purgeDerived erases what was made from an event of a session.
func purgeDerived(ctx context.Context, tx repository.Tx, owner domain.Session, seq int64) error {
	later := domain.EventQuery{SessionID: owner.ID, After: seq, Types: []domain.EventType{domain.EventRestored}}
	if _, err := tx.EraseEvents(ctx, later, bare); err != nil {
		return err
	}
	owner.Error, owner.LatestStatus = "", ""
	return purgeManifests(ctx, tx, owner, seq, func(m *domain.Manifest) { m.LastUserText, m.Task, m.Goals, m.Title = "", "", nil, "" })
}

// purgeManifests clears the manifests of a session's checkpoints from an event on, and stores
// the session without its title and what was computed with it.
func purgeManifests(ctx context.Context, tx repository.Tx, owner domain.Session, from int64, clear func(*domain.Manifest)) error {
	points, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: owner.ID, Deleted: true})
	if err != nil {
		return err
	}
	for _, c := range points {
		if c.Seq < from {
			continue
		}
		clear(&c.Manifest)
		if err := tx.PutCheckpoint(ctx, c); err != nil {
			return err
		}
	}
	owner.SnapshotSeq, owner.Title, owner.Opened.Title = 0, "", ""
	if err := tx.DropProjections(ctx, owner.ID, false); err != nil {
		return err
	}
	return tx.SaveSession(ctx, owner)
}
