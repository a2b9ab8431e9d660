package memory

import (
	"context"
	"slices"
	"strings"

	"wake/domain"
	"wake/recall"
	"wake/repository"
)

// How much of a message is searchable, in bytes. Output of tools is long and seldom
// searched for, and its beginning says what it is.
const (
	indexedOfMessage = 64 << 10
	indexedOfTool    = 4 << 10
)

// analysed holds the analysis of messages by the hashes of their events. Their places
// are added later.
type analysed map[string]*recall.Document

// add analyses an event if it is a searchable message.
func (a analysed) add(e domain.Event) {
	if a[e.Hash] != nil {
		return
	}
	if entry, ok := messageEntry(domain.Session{}, e); ok {
		a[e.Hash] = recall.NewDocument(entry)
	}
}

// of returns the document of a message.
func (a analysed) of(m foundMessage) *recall.Document {
	if d := a[m.hash]; d != nil {
		return d.At(m.Entry)
	}
	return recall.NewDocument(m.Entry)
}

// foundMessage is the searchable form of a message.
type foundMessage struct {
	recall.Entry
	seq  int64
	hash string
}

// indexMessages puts messages into the search index, each linked to the one before it
// in its session.
func (s *Service) indexMessages(ctx context.Context, tx repository.Tx, owner domain.Session, events []domain.Event, said analysed) error {
	found := messagesAmong(owner, events)
	if len(found) == 0 {
		return nil
	}
	stream := int64(recall.StreamOf("messages of "+owner.Project, owner.ID))
	return putDocuments(ctx, tx, slices.Repeat([]int64{stream}, len(found)), func(i int, prev int64) domain.Document {
		m := found[i]
		m.Prev = prev
		return domain.Document{DocumentSource: domain.DocumentSource{SessionID: owner.ID, Seq: m.seq}, Space: domain.MessageSpace,
			Scope: owner.Project, Stream: stream, Prev: prev, Data: said.of(m).Encode()}
	})
}

// messagesAmong returns the searchable messages among events.
func messagesAmong(owner domain.Session, events []domain.Event) (found []foundMessage) {
	for _, e := range events {
		if entry, ok := messageEntry(owner, e); ok {
			found = append(found, foundMessage{entry, e.Seq, e.Hash})
		}
	}
	return found
}

// messageEntry returns the searchable form of a message; false for events that nobody
// would search for.
func messageEntry(owner domain.Session, e domain.Event) (recall.Entry, bool) {
	if e.Type != domain.EventMessage || e.Erased {
		return recall.Entry{}, false
	}
	m, err := e.Message()
	if err != nil || m.Content == "" || m.Role == domain.RoleSystem || m.Kind == domain.MetaMessage || m.Kind == domain.CommandMessage {
		return recall.Entry{}, false
	}
	most := indexedOfMessage
	if m.Role == domain.RoleTool {
		if strings.Contains(m.Content, NotInstructions) {
			return recall.Entry{}, false // an answer of wake, whose texts are found where they are stored
		}
		most = indexedOfTool
	}
	return recall.Entry{Project: owner.Project, Session: owner.ID, Content: domain.Head(m.Content, most), Source: string(speaker(e)), Time: e.At}, true
}
