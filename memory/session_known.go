package memory

import (
	"context"
	"strconv"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// known gives human messages without a key one, and drops the events that the session
// holds already.
func (a *appending) known(ctx context.Context, tx repository.Tx) ([]domain.Event, error) {
	events, err := a.keyed(ctx, tx)
	if err != nil {
		return nil, err
	}
	held, err := a.heldAmong(ctx, tx, events)
	if err != nil {
		return nil, err
	}
	a.answer.Seqs = make([]int64, len(events))
	m := &matching{appending: a, tx: tx, held: held, fresh: make([]domain.Event, 0, len(events))}
	for i, e := range events {
		if a.answer.Seqs[i], err = m.take(ctx, e); err != nil {
			return nil, err
		}
	}
	return m.fresh, nil
}

// matching compares the events of an append, one after the other, with those that the
// session holds.
type matching struct {
	*appending
	tx    repository.Tx
	held  heldKeys
	fresh []domain.Event // the new ones so far, to be stored after those of the session
}

// take adds the event to the new ones, unless the session holds it, and returns its
// place in the log. A held event that has no place in the source yet gets it.
func (m *matching) take(ctx context.Context, e domain.Event) (seq int64, err error) {
	if e.Key, err = m.keyOf(ctx, e); err != nil {
		return 0, err
	}
	if there, ok := m.held.places[e.Key]; ok && e.Key != "" {
		m.answer.Repeated++
		return there.Seq, m.learnPlace(ctx, e, there)
	}
	m.fresh = append(m.fresh, e)
	seq = m.session.LastSeq + int64(len(m.fresh))
	if e.Key != "" {
		m.held.put(e.Key, domain.EventPlace{Seq: seq, Source: e.Source})
	}
	return seq, nil
}

// keyOf returns the key under which the session stores or holds an event.
func (m *matching) keyOf(ctx context.Context, e domain.Event) (domain.Key, error) {
	if m.held.isBlock(e) {
		return m.blockKey(ctx, e)
	}
	return m.held.countedKey(e), nil
}

// freshAt returns the new event with a place in the log, nil if the session holds that
// place.
func (m *matching) freshAt(seq int64) *domain.Event {
	if seq <= m.session.LastSeq {
		return nil
	}
	return &m.fresh[seq-m.session.LastSeq-1]
}

// learnPlace gives an event that came from a hook its place in the source when its row
// arrives. A row with an id replaces one without. From then on the event belongs to
// that row.
func (m *matching) learnPlace(ctx context.Context, e domain.Event, there domain.EventPlace) error {
	if e.Source.Name == "" || there.Source.Name != "" && (there.Source.ID != "" || e.Source.ID == "") {
		return nil
	}
	there.Source = e.Source
	m.held.put(e.Key, there)
	if fresh := m.freshAt(there.Seq); fresh != nil {
		fresh.Source = e.Source
		return nil
	}
	return m.tx.PlaceEvent(ctx, m.session.ID, there.Seq, e.Source)
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
			if seen[prefix], err = tx.CountKeys(ctx, a.session.ID, prefix); err != nil {
				return nil, err
			}
		}
		seen[prefix]++
		e.Key = domain.HumanKey(m.Content, int(seen[prefix]))
	}
	return events, nil
}

// heldKeys maps keys to the rows they belong to. It is needed for keys that count: the
// nth prompt with the same words, the nth compaction, the nth block of a message.
// Files of one session may hold different parts of it, and each counts from its own
// beginning: what a file takes for the first "go on" may be the third of the session. The
// ids of rows tell them apart (I5). A stem is such a key without its number.
type heldKeys struct {
	places map[domain.Key]domain.EventPlace // of the session's events and of this append's
	ids    bool                             // the client's rows have the same ids in every file
	rows   map[numbered]domain.Key          // the first numbered key of a row
	next   map[domain.Key]int               // by stem: every key with a lower number belongs to a row
	under  map[domain.Key][]domain.Key      // by stem: the keys of a message's blocks
	blocks map[domain.Key]*heldBlocks       // by stem: messages whose blocks have other numbers in the session than in the file
}

// numbered identifies a row among those of a stem.
type numbered struct {
	stem domain.Key
	row  string
}

// put adds a key of the session.
func (h heldKeys) put(key domain.Key, at domain.EventPlace) {
	stem := stemOf(key)
	if _, there := h.places[key]; !there && isBlockKey(key) {
		h.under[stem] = append(h.under[stem], key)
	}
	if row := (numbered{stem, at.Source.ID}); at.Source.ID != "" && h.rows[row] == "" {
		h.rows[row] = key
	}
	h.places[key] = at
}

// heldAmong looks up the events' keys in one query, and in a second one the neighbouring
// keys wherever a number may belong to another row.
func (a *appending) heldAmong(ctx context.Context, tx repository.Tx, events []domain.Event) (heldKeys, error) {
	var asked []domain.Event
	var keys []domain.Key
	for _, e := range events {
		if e.Key != "" && a.session.LastSeq > 0 && !a.req.filled.lacks(string(e.Key)) {
			asked, keys = append(asked, e), append(keys, e.Key)
		}
	}
	h := heldKeys{ids: a.session.Client == transcript.ClientClaudeCode, places: map[domain.Key]domain.EventPlace{},
		rows: map[numbered]domain.Key{}, next: map[domain.Key]int{}, under: map[domain.Key][]domain.Key{}, blocks: map[domain.Key]*heldBlocks{}}
	places, err := tx.EventPlaces(ctx, a.session.ID, keys)
	if err != nil {
		return h, err
	}
	for key, place := range places {
		h.put(key, place)
	}
	beside, err := tx.EventPlacesUnder(ctx, a.session.ID, distinct(append(h.contested(events), h.unheld(asked)...)))
	for key, place := range beside {
		h.put(key, place)
	}
	return h, err
}

// contested returns the stems of the keys whose number already belongs to another row.
func (h heldKeys) contested(events []domain.Event) []domain.Key {
	var stems []domain.Key
	first := map[domain.Key]string{} // of these events
	for _, e := range events {
		if !h.counts(e) && !h.isBlock(e) {
			continue
		}
		row, ok := first[e.Key]
		if there := h.places[e.Key]; there.Source.ID != "" { // an event of a hook belongs to its first row
			row, ok = there.Source.ID, true
		}
		if !ok {
			first[e.Key] = e.Source.ID
		} else if row != e.Source.ID {
			stems = append(stems, stemOf(e.Key))
		}
	}
	return distinct(stems)
}

// countedKey returns the key of an event other than a block: the one under which the
// session holds its row, or the next free one if its own belongs to another row.
func (h heldKeys) countedKey(e domain.Event) domain.Key {
	there, held := h.places[e.Key]
	if !h.counts(e) || !held || there.Source.ID == "" || there.Source.ID == e.Source.ID {
		return e.Key
	}
	stem := stemOf(e.Key)
	if key, held := h.rows[numbered{stem, e.Source.ID}]; held {
		return key
	}
	return h.free(stem)
}

// free returns the first key of a stem that belongs to no row: it is unused, or an
// event of a hook has it. A block is identified by its content, so a block without a
// row is not free.
func (h heldKeys) free(stem domain.Key) domain.Key {
	for n := max(1, h.next[stem]); ; n++ {
		key := stem + domain.Key(strconv.Itoa(n))
		if there, taken := h.places[key]; !taken || there.Source.Name == "" && !isBlockKey(key) {
			h.next[stem] = n
			return key
		}
	}
}

// counts reports whether the event's key ends in a count, and its row has an id that
// distinguishes it.
func (h heldKeys) counts(e domain.Event) bool {
	return h.ids && e.Key != "" && e.Source.ID != "" && (e.Human || e.Type == domain.EventCompaction)
}

// stemOf returns a counting key without its number.
func stemOf(key domain.Key) domain.Key { return key[:strings.LastIndexByte(string(key), ':')+1] }
