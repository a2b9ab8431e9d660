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
// holds already. A held event that has no place in the source yet gets it.
func (a *appending) known(ctx context.Context, tx repository.Tx) ([]domain.Event, error) {
	events, err := a.keyed(ctx, tx)
	if err != nil {
		return nil, err
	}
	held, err := a.held(ctx, tx, events)
	if err != nil {
		return nil, err
	}
	a.answer.Seqs = make([]int64, len(events))
	fresh := make([]domain.Event, 0, len(events))
	next := a.session.LastSeq
	for i, e := range events {
		if e.Key, err = a.keyOf(ctx, tx, held, e, fresh); err != nil {
			return nil, err
		}
		if there, ok := held.places[e.Key]; ok && e.Key != "" {
			a.answer.Repeated++
			a.answer.Seqs[i] = there.Seq
			if err := a.learnPlace(ctx, tx, held, e, there, fresh); err != nil {
				return nil, err
			}
			continue
		}
		next++
		a.answer.Seqs[i] = next
		if e.Key != "" {
			held.put(e.Key, domain.EventPlace{Seq: next, Source: e.Source})
		}
		fresh = append(fresh, e)
	}
	return fresh, nil
}

// keyOf returns the key under which the session stores or holds an event.
func (a *appending) keyOf(ctx context.Context, tx repository.Tx, held heldKeys, e domain.Event, fresh []domain.Event) (domain.Key, error) {
	if held.isBlock(e) {
		return a.blockKey(ctx, tx, held, e, fresh)
	}
	return held.countedKey(e), nil
}

// learnPlace gives an event that came from a hook its place in the source when its row
// arrives. A row with an id replaces one without. From then on the event belongs to
// that row.
func (a *appending) learnPlace(ctx context.Context, tx repository.Tx, held heldKeys, e domain.Event, there domain.EventPlace, fresh []domain.Event) error {
	if e.Source.Name == "" || there.Source.Name != "" && (there.Source.ID != "" || e.Source.ID == "") {
		return nil
	}
	there.Source = e.Source
	held.put(e.Key, there)
	if there.Seq > a.session.LastSeq {
		fresh[there.Seq-a.session.LastSeq-1].Source = e.Source
		return nil
	}
	return tx.PlaceEvent(ctx, a.session.ID, there.Seq, e.Source)
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
// beginning. The ids of rows tell them apart (I5).
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

// held looks up the events' keys in one query, and in a second one the neighbouring
// keys wherever a number may belong to another row.
func (a *appending) held(ctx context.Context, tx repository.Tx, events []domain.Event) (heldKeys, error) {
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
