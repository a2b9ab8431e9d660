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

// indexMessages puts what was said into the search index, each message behind
// the one before it in its session.
func (s *Service) indexMessages(ctx context.Context, tx repository.Tx, owner domain.Session, events []domain.Event) error {
	stream := messageStream(owner)
	prev := int64(-1) // not looked up yet
	for _, e := range events {
		entry, ok := messageEntry(owner, e)
		if !ok {
			continue
		}
		var err error
		if prev < 0 {
			if prev, err = tx.LastInStream(ctx, stream); err != nil {
				return err
			}
		}
		entry.Prev = prev
		prev, err = tx.PutDocument(ctx, domain.Document{
			DocumentSource: domain.DocumentSource{SessionID: owner.ID, Seq: e.Seq}, Space: domain.MessageSpace, Scope: owner.Project,
			Stream: stream, Prev: prev, Data: recall.NewDocument(entry).Encode(),
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

// messageEntry is what recall is told of a message; false for events that say
// nothing a person would ask for.
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
		most = indexedOfTool
	}
	return recall.Entry{Project: owner.Project, Session: owner.ID, Content: headOf(m.Content, most), Source: string(m.Role), Time: e.At}, true
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
