package memory

import (
	"context"
	"math"
	"slices"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

// purgeDerived erases what was made from an event of a session, and stores the session
// without its title.
func purgeDerived(ctx context.Context, tx repository.Tx, owner domain.Session, seq int64) error {
	later := domain.EventQuery{SessionID: owner.ID, After: seq, Types: []domain.EventType{domain.EventRestored}}
	if _, err := tx.EraseEvents(ctx, later, bare); err != nil {
		return err
	}
	owner.Error, owner.LatestStatus, owner.SnapshotSeq = "", "", 0
	purgeOwnTitle(&owner)
	if err := clearManifests(ctx, tx, owner, seq); err != nil {
		return err
	}
	if err := tx.DropProjections(ctx, owner.ID, false); err != nil {
		return err
	}
	return tx.SaveSession(ctx, owner)
}

// clearManifests removes what the checkpoints of a session quote from an event on, and the
// titles that it must not have.
func clearManifests(ctx context.Context, tx repository.Tx, owner domain.Session, from int64) error {
	points, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: owner.ID, Deleted: true})
	if err != nil {
		return err
	}
	for _, c := range points {
		if c.Seq >= from {
			clearManifest(&c.Manifest)
		}
		c.Manifest.Title = session.AllowedTitle(owner, c.Manifest.Title)
		if err := tx.PutCheckpoint(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// clearManifest removes what a checkpoint quotes.
func clearManifest(m *domain.Manifest) { m.LastUserText, m.Task, m.Goals, m.Title = "", "", nil, "" }

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

// purgeDistilled erases the contexts that were distilled from the event.
func (s *Service) purgeDistilled(ctx context.Context, tx repository.Tx, p place, gone *PurgedEvent) error {
	for _, forgotten := range []bool{false, true} {
		made, err := tx.Contexts(ctx, domain.ContextQuery{SessionID: p.owner.ID, Forgotten: forgotten})
		if err != nil {
			return err
		}
		for _, c := range made {
			if !slices.Contains(c.DistilledFrom(), p.seq) {
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

// besideMessage returns the places of the events of a session that belong to a message and
// repeat it: its pictures and files, what a hook noted of it before its transcript had it,
// and the names that the session got from it.
func besideMessage(ctx context.Context, r repository.Reader, owner domain.Session, said domain.Event) (seqs []int64, err error) {
	m, err := said.Message()
	if err != nil { // it is no message, or cannot be read
		return nil, nil
	}
	media, err := r.EventPlaces(ctx, owner.ID, []domain.Key{mediaKey(said.Key)})
	if err != nil {
		return nil, err
	}
	for _, place := range media {
		seqs = append(seqs, place.Seq)
	}
	events, err := r.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventNote, domain.EventAbout}})
	for _, e := range events {
		if notesPrompt(e, m, owner.Client) || namesAfter(e, m) {
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs, err
}

// notesPrompt reports whether an event is a hook's note of a prompt or a command.
func notesPrompt(e domain.Event, m domain.Message, client string) bool {
	note, err := domain.PayloadAs[domain.Note](e)
	if err != nil || note.Kind != forkPrompt && note.Kind != commandNote {
		return false
	}
	said := m.Content
	if m.Kind == domain.CommandMessage {
		said = transcript.Command(said)
	}
	words := func(text string) string { return strings.TrimSpace(transcript.Words(client, text)) }
	return words(note.Text) != "" && words(note.Text) == words(said)
}

// namesAfter reports whether an event names the session after a message.
func namesAfter(e domain.Event, m domain.Message) bool {
	about, err := domain.PayloadAs[domain.About](e)
	return err == nil && about.Title != "" && about.Title == session.TitleOf(m.Content)
}

// purgeTitles erases the titles that forks of a session have from it, and forks of these.
// They may say what was purged, even in a fork that never had the event.
func purgeTitles(ctx context.Context, tx repository.Tx, fromID string) error {
	from, err := tx.Session(ctx, fromID)
	if err != nil {
		return err
	}
	all, err := tx.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	if err != nil {
		return err
	}
	for _, fork := range forksUnder(from.ID, all) {
		if err := purgeTitle(ctx, tx, fork, from); err != nil {
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

// purgeTitle erases the titles of a fork and of its checkpoints that its origin lost.
func purgeTitle(ctx context.Context, tx repository.Tx, fork, origin domain.Session) error {
	title, opened := fork.Title, fork.Opened.Title
	inheritPurged(&fork, origin)
	if fork.Title != title || fork.Opened.Title != opened {
		if err := tx.DropProjections(ctx, fork.ID, false); err != nil {
			return err
		}
		fork.SnapshotSeq = 0
	}
	if err := clearManifests(ctx, tx, fork, math.MaxInt64); err != nil {
		return err
	}
	return tx.SaveSession(ctx, fork)
}
