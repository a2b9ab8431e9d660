package memory

import (
	"context"

	"wake/domain"
	"wake/recall"
	"wake/repository"
)

// How much of a message is made findable, in bytes. What tools print is long and
// seldom asked for; its beginning says what it is.
const (
	indexedOfMessage = 64 << 10
	indexedOfTool    = 4 << 10
)

// messageDocuments are messages that were analysed before their place was known, by
// the hash of their payload; nil is one that says nothing a person would ask for.
type messageDocuments map[string]*recall.Document

// add analyses the message of an event, if it is one and whole.
func (m messageDocuments) add(e domain.Event) {
	if e.Type == domain.EventMessage && e.Hash != "" {
		m[e.Hash] = messageDocument(e)
	}
}

// of returns the document of an event, which the caller may change.
func (m messageDocuments) of(e domain.Event) *recall.Document {
	d, analysed := m[e.Hash]
	if !analysed || e.Type != domain.EventMessage || e.Erased {
		return messageDocument(e)
	}
	if d == nil {
		return nil
	}
	own := *d
	own.Time = e.At.Unix()
	return &own
}

// indexMessages puts what was said into the search index, each message behind
// the one before it in its session. docs are those that are analysed already.
func (s *Service) indexMessages(ctx context.Context, tx repository.Tx, owner domain.Session, events []domain.Event, docs messageDocuments) error {
	stream := messageStream(owner)
	prev := int64(-1) // not looked up yet
	for _, e := range events {
		d := docs.of(e)
		if d == nil {
			continue
		}
		var err error
		if prev < 0 {
			if prev, err = tx.LastInStream(ctx, stream); err != nil {
				return err
			}
		}
		d.Project, d.Stream, d.Prev = owner.Project, recall.StreamOf(owner.Project, owner.ID), prev
		prev, err = tx.PutDocument(ctx, domain.Document{
			DocumentSource: domain.DocumentSource{SessionID: owner.ID, Seq: e.Seq}, Space: domain.MessageSpace, Scope: owner.Project,
			Stream: stream, Prev: prev, Data: d.Encode(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func messageStream(owner domain.Session) int64 {
	return int64(recall.StreamOf("messages of "+owner.Project, owner.ID))
}

// findable returns the message of an event; false for events that say nothing a
// person would ask for.
func findable(e domain.Event) (domain.Message, bool) {
	if e.Type != domain.EventMessage || e.Erased {
		return domain.Message{}, false
	}
	m, err := e.Message()
	return m, err == nil && m.Content != "" && m.Role != domain.RoleSystem && m.Kind != domain.MetaMessage && m.Kind != domain.CommandMessage
}

// messageDocument analyses the message of an event; nil where there is nothing to
// find. Session and place are the caller's to set.
func messageDocument(e domain.Event) *recall.Document {
	m, ok := findable(e)
	if !ok {
		return nil
	}
	most := indexedOfMessage
	if m.Role == domain.RoleTool {
		most = indexedOfTool
	}
	return recall.NewDocument(recall.Entry{Content: headOf(m.Content, most), Source: string(m.Role), Time: e.At})
}

// headOf is the beginning of a text, at most n bytes of whole characters.
func headOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}
