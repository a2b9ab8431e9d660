package memory

import (
	"context"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

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
