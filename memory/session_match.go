package memory

import (
	"context"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// The session holds an event if it holds its key. Most keys name a row or a call of the
// source. Those of a person's messages, of compactions and of a message's blocks end in a
// number instead: the nth message in the same words, the nth compaction, the nth block. But
// files of one session may hold different parts of it, and each counts from its own
// beginning: what a file takes for the first "go on" may be the third of the session. Where
// a client's rows have the same ids in every file, these tell such events apart (I5):
//
//   - If the number of a message or a compaction is that of another row, it gets the one
//     under which the session holds its own row, or the next free one
//     ([heldKeys.countedKey]).
//   - If the number of a block is that of another row, the contents of the message's
//     blocks decide ([matching.blockKey]).
//   - AutoByteus may give a call the id of an earlier one. Then its row names it
//     ([heldKeys.callKey]).
//   - What a hook stored has no row yet. The first row with its key becomes its own
//     ([matching.learnPlace]).
//   - An older wake made the keys of Gemini's prompts from the files that they name, too.
//     Such a prompt is known by its row and its words ([matching.formerKey]).
//   - It made those of Claude Code's and Codex's prompts in parts from all of their text, not
//     from what a hook is told. Such a prompt is known by its row ([heldKeys.findWhole]).

// unheld gives human messages without a key one, and returns the events that the session
// does not hold yet.
func (a *appending) unheld(ctx context.Context, tx repository.Tx) ([]domain.Event, error) {
	events, err := a.keyed(ctx, tx)
	if err != nil {
		return nil, err
	}
	held, err := a.heldAmong(ctx, tx, events)
	if err != nil {
		return nil, err
	}
	a.answer.Seqs = make([]int64, len(events))
	m := &matching{appending: a, tx: tx, held: held, added: make([]domain.Event, 0, len(events))}
	for i, e := range events {
		if a.answer.Seqs[i], err = m.take(ctx, e); err != nil {
			return nil, err
		}
	}
	a.answer.Accepted = len(m.added)
	return m.added, nil
}

// keyed gives each human message without a key that of its next occurrence.
func (a *appending) keyed(ctx context.Context, tx repository.Tx) ([]domain.Event, error) {
	events := append([]domain.Event(nil), a.req.Events...)
	seen := map[domain.Key]int64{}
	for i := range events {
		e := &events[i]
		if !e.Human || e.Key != "" {
			continue
		}
		m, err := e.Message()
		if err != nil {
			return nil, err
		}
		prefix := domain.HumanKeyPrefix(m.Content)
		if _, counted := seen[prefix]; !counted {
			held, err := tx.CountKeys(ctx, a.session.ID, prefix)
			if err != nil {
				return nil, err
			}
			seen[prefix] = held[0]
		}
		seen[prefix]++
		e.Key = domain.HumanKey(m.Content, int(seen[prefix]))
	}
	return events, nil
}

// matching compares the events of an append, one after the other, with those that the
// session holds.
type matching struct {
	*appending
	tx    repository.Tx
	held  heldKeys
	added []domain.Event // those that the session does not hold; they follow its last event
}

// take adds the event to the new ones, unless the session holds it, and returns its
// place in the log. A held event that has no place in the source yet gets it.
func (m *matching) take(ctx context.Context, e domain.Event) (seq int64, err error) {
	if e.Key, err = m.keyOf(ctx, e); err != nil {
		return 0, err
	}
	if there, ok := m.held.places[e.Key]; ok && e.Key != "" {
		m.answer.Repeated++
		if err := m.learnPlace(ctx, e, there); err != nil {
			return 0, err
		}
		return there.Seq, m.addMedia(ctx, e, there)
	}
	return m.add(e), nil
}

// add adds the event to the new ones and returns its place in the log.
func (m *matching) add(e domain.Event) (seq int64) {
	m.added = append(m.added, e)
	seq = m.session.LastSeq + int64(len(m.added))
	if e.Key != "" {
		m.held.put(e.Key, domain.EventPlace{Seq: seq, Source: e.Source})
	}
	return seq
}

// addMedia adds the pictures and files of a person's message that a hook told first: it
// was given only the text.
func (m *matching) addMedia(ctx context.Context, e domain.Event, there domain.EventPlace) error {
	if !e.Human || e.Source == (domain.SourcePos{}) || there.Source.Name != "" {
		return nil
	}
	said, err := e.Message()
	if err != nil || len(said.Media) == 0 {
		return err
	}
	key := mediaKey(e.Key)
	known, err := m.tx.EventPlaces(ctx, m.session.ID, []domain.Key{key})
	if _, added := m.held.places[key]; err != nil || added || len(known) > 0 {
		return err
	}
	held, err := m.eventAt(ctx, there.Seq)
	if err != nil || held == nil || held.Erased {
		return err
	}
	if known, err := held.Message(); err != nil || len(known.Media) > 0 {
		return nil // (what cannot be read may have had them)
	}
	added, err := domain.NewEvent(e.At, key, domain.Message{Role: domain.RoleUser, Kind: domain.MetaMessage, Media: said.Media})
	if err != nil {
		return err
	}
	added.Source = e.Source
	events := []domain.Event{added}
	if err := m.s.prepare(events); err != nil {
		return err
	}
	m.add(events[0])
	return nil
}

// mediaKey is the key of the pictures and files of a message, where these are an event of
// their own.
func mediaKey(message domain.Key) domain.Key { return domain.RowKey("media of", string(message)) }

// mediaOf returns the key of the message whose pictures and files an event of their own has;
// false for any other event.
func mediaOf(e domain.Event) (message domain.Key, is bool) {
	key, is := strings.CutPrefix(string(e.Key), string(mediaKey("")))
	return domain.Key(key), is
}

// eventAt returns an event of the session or a new one, nil if there is none.
func (m *matching) eventAt(ctx context.Context, seq int64) (*domain.Event, error) {
	if added := m.addedAt(seq); added != nil {
		return added, nil
	}
	return eventAt(ctx, m.tx, m.session.ID, seq)
}

// keyOf returns the key under which the session holds an event, or is to hold it.
func (m *matching) keyOf(ctx context.Context, e domain.Event) (domain.Key, error) {
	switch {
	case m.held.former != nil && e.Human && e.Source.ID != "":
		return m.formerKey(ctx, e)
	case m.held.whole[e.Source] != "":
		return m.held.whole[e.Source], nil
	case m.held.calls && m.held.callKey(e) != "":
		return m.held.callKey(e), nil
	case !m.held.isNumbered(e):
		return e.Key, nil
	case isBlockKey(e.Key):
		return m.blockKey(ctx, e)
	}
	return m.held.countedKey(e), nil
}

// formerKey returns the key under which an older wake stored a prompt of Gemini, perhaps with
// what was told before it, or the prompt's own.
func (m *matching) formerKey(ctx context.Context, e domain.Event) (domain.Key, error) {
	if _, held := m.held.places[e.Key]; held && !m.held.isOfAnother(e) {
		return e.Key, nil
	}
	key, known := m.held.former[e.Source.ID]
	if !known {
		return m.held.toldKey(e)
	}
	there, err := eventAt(ctx, m.tx, m.session.ID, m.held.places[key].Seq)
	if err != nil || there == nil {
		return e.Key, err
	}
	if there.Erased {
		return key, nil
	}
	was, err := there.Message()
	if err != nil {
		return e.Key, nil
	}
	if is, err := e.Message(); err != nil || is.Content != was.Content && is.Content != transcript.Words(transcript.ClientGemini, was.Content) {
		return m.held.countedKey(e), err
	}
	return key, nil
}

// addedAt returns the new event with a place in the log, nil if the session holds that
// place.
func (m *matching) addedAt(seq int64) *domain.Event {
	if seq <= m.session.LastSeq {
		return nil
	}
	return &m.added[seq-m.session.LastSeq-1]
}

// learnPlace gives an event that came from a hook its place in the source when its row
// arrives. A row with an id replaces one without. From then on the event belongs to
// that row. But a call that was made in this session stays its own, and counts, though a
// row takes it for a copy.
func (m *matching) learnPlace(ctx context.Context, e domain.Event, there domain.EventPlace) error {
	if e.Source.Name == "" || there.Source.Name != "" && (there.Source.ID != "" || e.Source.ID == "") {
		return nil
	}
	if e.Source.Copied() && !there.Source.Copied() && !m.held.isNumbered(e) {
		return nil
	}
	there.Source = e.Source
	m.held.put(e.Key, there)
	if added := m.addedAt(there.Seq); added != nil {
		added.Source = e.Source
		return nil
	}
	return m.tx.PlaceEvent(ctx, m.session.ID, there.Seq, e.Source)
}
