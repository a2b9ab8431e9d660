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
	entries, seqs := messageEntries(owner, events)
	if len(entries) == 0 {
		return nil
	}
	stream := messageStream(owner)
	document := func(i int, prev int64) domain.Document {
		entries[i].Prev = prev
		return domain.Document{DocumentSource: domain.DocumentSource{SessionID: owner.ID, Seq: seqs[i]}, Space: domain.MessageSpace,
			Scope: owner.Project, Stream: stream, Prev: prev, Data: recall.NewDocument(entries[i]).Encode()}
	}
	prev, err := tx.LastInStream(ctx, stream)
	if err != nil {
		return err
	}
	n, err := tx.PutDocument(ctx, document(0, prev))
	if err != nil {
		return err
	}
	var rest []domain.Document
	for i := 1; i < len(entries); i++ {
		rest = append(rest, document(i, n+int64(i)-1))
	}
	return tx.PutDocumentsBehind(ctx, n, rest)
}

func messageStream(owner domain.Session) int64 {
	return int64(recall.StreamOf("messages of "+owner.Project, owner.ID))
}

// messageEntries is what recall is told of the messages among events, and their places.
func messageEntries(owner domain.Session, events []domain.Event) (entries []recall.Entry, seqs []int64) {
	for _, e := range events {
		if entry, ok := messageEntry(owner, e); ok {
			entries, seqs = append(entries, entry), append(seqs, e.Seq)
		}
	}
	return entries, seqs
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
