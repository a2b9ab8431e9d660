package memory

import (
	"cmp"
	"context"
	"slices"
	"strconv"
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
//   - What a hook stored has no row yet. The first row with its key becomes its own
//     ([matching.learnPlace]).
//   - An older wake made the keys of Gemini's prompts from the files that they name, too.
//     Such a prompt is known by its row and its words ([matching.formerKey]).

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
			if seen[prefix], err = tx.CountKeys(ctx, a.session.ID, prefix); err != nil {
				return nil, err
			}
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
	case !m.held.isNumbered(e):
		return e.Key, nil
	case isBlockKey(e.Key):
		return m.blockKey(ctx, e)
	}
	return m.held.countedKey(e), nil
}

// formerKey returns the key under which an older wake stored a prompt of Gemini, or the
// prompt's own.
func (m *matching) formerKey(ctx context.Context, e domain.Event) (domain.Key, error) {
	key, known := m.held.former[e.Source.ID]
	if _, held := m.held.places[e.Key]; held || !known {
		return e.Key, nil
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
	if is, err := e.Message(); err != nil || is.Content != was.Content {
		return e.Key, err
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
// that row.
func (m *matching) learnPlace(ctx context.Context, e domain.Event, there domain.EventPlace) error {
	if e.Source.Name == "" || there.Source.Name != "" && (there.Source.ID != "" || e.Source.ID == "") {
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

// heldKeys are the keys among those of an append that are taken, with the rows they belong
// to. A stem is a key without its number.
type heldKeys struct {
	places map[domain.Key]domain.EventPlace // of the session's events and of this append's
	ids    bool                             // the client's rows have the same ids in every file
	rows   map[rowUnder]domain.Key          // the first numbered key of a row
	next   map[domain.Key]int               // by stem: every key with a lower number belongs to a row
	blocks map[domain.Key]heldBlocks        // by stem
	former map[string]domain.Key            // of Gemini's prompts by row, if some may have another key than now
}

// rowUnder identifies a row among those of a stem.
type rowUnder struct {
	stem domain.Key
	id   string
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
	h := heldKeys{ids: a.session.Client == transcript.ClientClaudeCode || a.session.Client == transcript.ClientCodex, places: map[domain.Key]domain.EventPlace{},
		rows: map[rowUnder]domain.Key{}, next: map[domain.Key]int{}, blocks: map[domain.Key]heldBlocks{}}
	places, err := tx.EventPlaces(ctx, a.session.ID, keys)
	if err != nil {
		return h, err
	}
	for key, place := range places {
		h.put(key, place)
	}
	beside, err := tx.EventPlacesUnder(ctx, a.session.ID, distinct(append(h.contested(events), h.newBlocks(asked)...)))
	for key, place := range beside {
		h.put(key, place)
	}
	if err == nil && a.session.Client == transcript.ClientGemini {
		err = h.findFormer(ctx, tx, a.session.ID, asked)
	}
	return h, err
}

// findFormer looks up the session's prompts if it does not hold one by its key.
func (h *heldKeys) findFormer(ctx context.Context, tx repository.Tx, session string, asked []domain.Event) error {
	lacks := func(e domain.Event) bool {
		_, held := h.places[e.Key]
		return e.Human && e.Source.ID != "" && !held
	}
	if !slices.ContainsFunc(asked, lacks) {
		return nil
	}
	prompts, err := tx.EventPlacesUnder(ctx, session, []domain.Key{domain.HumanKeys})
	h.former = map[string]domain.Key{}
	for key, place := range prompts {
		h.put(key, place)
		if place.Source.ID != "" {
			h.former[place.Source.ID] = key
		}
	}
	return err
}

// put adds a key of the session.
func (h heldKeys) put(key domain.Key, at domain.EventPlace) {
	stem := stemOf(key)
	if _, there := h.places[key]; !there && isBlockKey(key) {
		blocks := h.blocks[stem]
		blocks.keys = append(blocks.keys, key)
		h.blocks[stem] = blocks
	}
	if row := (rowUnder{stem, at.Source.ID}); at.Source.ID != "" && h.rows[row] == "" {
		h.rows[row] = key
	}
	h.places[key] = at
}

// isNumbered reports whether the event's key ends in a number, and its row has an id that
// tells whether the number is its own.
func (h heldKeys) isNumbered(e domain.Event) bool {
	return h.ids && e.Source.ID != "" && e.Key != "" && (e.Human || e.Type == domain.EventCompaction || isBlockKey(e.Key))
}

// isOfAnother reports whether the event's key belongs to another row.
func (h heldKeys) isOfAnother(e domain.Event) bool {
	row := h.places[e.Key].Source.ID
	return row != "" && row != e.Source.ID
}

// contested returns the stems of the keys whose number already belongs to another row.
func (h heldKeys) contested(events []domain.Event) []domain.Key {
	var stems []domain.Key
	first := map[domain.Key]string{} // of these events' rows, by key
	for _, e := range events {
		if !h.isNumbered(e) {
			continue
		}
		switch cmp.Or(h.places[e.Key].Source.ID, first[e.Key]) {
		case "": // an event of a hook belongs to its first row, too
			first[e.Key] = e.Source.ID
		case e.Source.ID:
		default:
			stems = append(stems, stemOf(e.Key))
		}
	}
	return distinct(stems)
}

// countedKey returns the key of a person's message or of a compaction: its own, or if
// that belongs to another row, the one under which the session holds its row, or the next
// free one.
func (h heldKeys) countedKey(e domain.Event) domain.Key {
	if !h.isOfAnother(e) {
		return e.Key
	}
	stem := stemOf(e.Key)
	if key, held := h.rows[rowUnder{stem, e.Source.ID}]; held {
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

// stemOf returns a counting key without its number.
func stemOf(key domain.Key) domain.Key { return key[:strings.LastIndexByte(string(key), ':')+1] }
