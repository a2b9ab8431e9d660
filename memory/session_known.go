package memory

import (
	"context"
	"strconv"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// known gives keys to human messages without one and takes out what the session
// holds already. What is held and did not know its place in the source learns it.
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

// keyOf is the key of an event in the session.
func (a *appending) keyOf(ctx context.Context, tx repository.Tx, held heldKeys, e domain.Event, fresh []domain.Event) (domain.Key, error) {
	if held.isBlock(e) {
		return a.blockKey(ctx, tx, held, e, fresh)
	}
	return held.countedKey(e), nil
}

// learnPlace gives an event that a hook told its place in the source, once its row comes. A
// row with an id takes the place of one without. From then on the event is that row's.
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

// keyed gives each human message without a key the key of its next occurrence.
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

// heldKeys tells which row stands behind a key. Keys that count (the nth prompt of some
// words, the nth compaction, the nth block of a message) need it: files of one session may
// hold different stretches of it, and each counts from its own beginning; the ids of rows
// tell them apart (I5).
type heldKeys struct {
	places map[domain.Key]domain.EventPlace // in the session, and of this append
	ids    bool                             // the client's rows have the same ids in every file
	rows   map[numbered]domain.Key          // the first of a row's keys among the places that end in a number
	next   map[domain.Key]int               // the number of a stem before which every key stands for a row
	under  map[domain.Key][]domain.Key      // the keys of a message's blocks among the places, by their stem
	blocks map[domain.Key]*heldBlocks       // of messages whose blocks have other numbers in the session than in the file
}

// numbered is a row under a key that ends in a number.
type numbered struct {
	stem domain.Key
	row  string
}

// put notes where the session has a key.
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

// held reads what the session has of the events' keys, in one question, and of the
// keys beside them where a number may stand for another row, in a second one.
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

// contested are the stems of the keys whose number stands for another row already,
// each once.
func (h heldKeys) contested(events []domain.Event) []domain.Key {
	var stems []domain.Key
	first := map[domain.Key]string{} // of these events
	for _, e := range events {
		if !h.counts(e) && !h.isBlock(e) {
			continue
		}
		row, ok := first[e.Key]
		if there := h.places[e.Key]; there.Source.ID != "" { // what a hook told is the first row's
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

// countedKey is the key of an event that is no block: that under which the session holds its
// row, or the next one when its own stands for another row.
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

// free is the first key of a stem that stands for no row: for nothing, or for what a hook
// told. What a message's block says tells it, so one without a row is not another's.
func (h heldKeys) free(stem domain.Key) domain.Key {
	for n := max(1, h.next[stem]); ; n++ {
		key := stem + domain.Key(strconv.Itoa(n))
		if there, taken := h.places[key]; !taken || there.Source.Name == "" && !isBlockKey(key) {
			h.next[stem] = n
			return key
		}
	}
}

// counts reports whether the event's key ends in a number that a file counted, and
// its row has an id that tells it from others.
func (h heldKeys) counts(e domain.Event) bool {
	return h.ids && e.Key != "" && e.Source.ID != "" && (e.Human || e.Type == domain.EventCompaction)
}

// stemOf is a key that counts, without its number.
func stemOf(key domain.Key) domain.Key { return key[:strings.LastIndexByte(string(key), ':')+1] }
