package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// heldKeys are the keys among those of an append that are taken, with the rows they belong
// to. A stem is a key without its number.
type heldKeys struct {
	places map[domain.Key]domain.EventPlace // of the session's events and of this append's
	ids    bool                             // the client's rows have the same ids in every file
	loose  bool                             // but other files of it have no ids
	calls  bool                             // and the ids of its calls may come again
	rows   map[rowUnder]domain.Key          // the first numbered key of a row
	next   map[domain.Key]int               // by stem: every key with a lower number belongs to a row
	blocks map[domain.Key]heldBlocks        // by stem
	former map[string]domain.Key            // of Gemini's prompts by row, if some may have another key than now
	told   map[string][]domain.Key          // of those that a hook stored behind wake's brief, by a person's words
	whole  map[domain.SourcePos]domain.Key  // of prompts that an older wake keyed by all of their text, by row
}

// rowUnder identifies a row among those of a stem.
type rowUnder struct {
	stem domain.Key
	id   string
}

// newHeldKeys returns heldKeys of no key yet, for the rows that a client writes.
func newHeldKeys(client string) heldKeys {
	h := heldKeys{places: map[domain.Key]domain.EventPlace{}, rows: map[rowUnder]domain.Key{}, next: map[domain.Key]int{}, blocks: map[domain.Key]heldBlocks{}}
	switch client {
	case transcript.ClientClaudeCode, transcript.ClientCodex:
		h.ids = true
	case transcript.ClientOLLM, transcript.ClientGemini:
		h.ids, h.loose = true, true
	case transcript.ClientAutoByteus:
		h.ids, h.loose, h.calls = true, true, true
	}
	return h
}

// heldAmong looks up the events' keys in one query, and in a second one the neighbouring
// keys wherever a number may belong to another row.
func (a *appending) heldAmong(ctx context.Context, tx repository.Tx, events []domain.Event) (heldKeys, error) {
	asked := a.maybeHeld(events)
	h := newHeldKeys(a.session.Client)
	keys := make([]domain.Key, 0, len(asked))
	for _, e := range asked {
		keys = append(keys, e.Key)
	}
	if h.calls {
		keys = distinct(append(keys, callKeys(asked)...))
	}
	places, err := tx.EventPlaces(ctx, a.session.ID, keys)
	if err != nil {
		return h, err
	}
	h.putAll(places)
	beside, err := tx.EventPlacesUnder(ctx, a.session.ID, distinct(append(h.contested(events), h.newBlocks(asked)...)))
	if err != nil {
		return h, err
	}
	h.putAll(beside)
	switch a.session.Client {
	case transcript.ClientGemini:
		err = h.findFormer(ctx, tx, a.session.ID, asked)
	case transcript.ClientClaudeCode, transcript.ClientCodex:
		err = h.findWhole(ctx, tx, a.session, asked)
	}
	return h, err
}

// maybeHeld returns the events whose keys the session may hold.
func (a *appending) maybeHeld(events []domain.Event) (maybe []domain.Event) {
	if a.session.LastSeq == 0 {
		return nil
	}
	for _, e := range events {
		if e.Key != "" && !a.req.filled.lacks(string(e.Key)) {
			maybe = append(maybe, e)
		}
	}
	return maybe
}

// findWhole looks up the rows of prompts in parts that the session does not hold by their
// keys: an older wake may have made these from all of the text.
func (h *heldKeys) findWhole(ctx context.Context, tx repository.Tx, of domain.Session, asked []domain.Event) error {
	var stems []domain.Key
	for _, e := range asked {
		if _, held := h.places[e.Key]; !isPromptRow(e) || held && !h.isOfAnother(e) {
			continue
		}
		m, err := e.Message()
		if err != nil || strings.TrimSpace(m.Content) == m.Content && !strings.Contains(m.Content, "\n") {
			continue // it is the same text as a whole
		}
		stem := domain.HumanKeyPrefix(transcript.Words(of.Client, m.Content))
		if stem == stemOf(e.Key) && of.Client == transcript.ClientClaudeCode { // its key may be the older one, of an export
			stem = domain.HumanKeyPrefix(transcript.Words(of.Client, strings.TrimSpace(m.Content)))
		}
		if stem != stemOf(e.Key) {
			stems = append(stems, stem, stemOf(e.Key))
		}
	}
	if len(stems) == 0 {
		return nil
	}
	places, err := tx.EventPlacesUnder(ctx, of.ID, distinct(stems))
	byRow := map[domain.SourcePos]domain.Key{}
	for key, place := range places {
		h.put(key, place)
		byRow[anyFile(place.Source)] = key
	}
	h.whole = map[domain.SourcePos]domain.Key{}
	for _, e := range asked {
		if key, known := byRow[anyFile(e.Source)]; known && isPromptRow(e) {
			h.whole[e.Source] = key
		}
	}
	return err
}

// isPromptRow reports whether an event comes from a row with what a person wrote.
func isPromptRow(e domain.Event) bool {
	return e.Source.Name != "" && strings.HasPrefix(string(e.Key), string(domain.HumanKeys))
}

// anyFile is what identifies a row in whichever file of its session it stands: its id, else
// its place.
func anyFile(row domain.SourcePos) domain.SourcePos {
	if row.ID != "" {
		return domain.SourcePos{ID: row.ID}
	}
	return domain.SourcePos{Pos: row.Pos}
}

// findFormer looks up the session's prompts if it does not hold one by its key, or another row has that.
func (h *heldKeys) findFormer(ctx context.Context, tx repository.Tx, session string, asked []domain.Event) error {
	lacks := func(e domain.Event) bool {
		_, held := h.places[e.Key]
		return e.Human && e.Source.ID != "" && (!held || h.isOfAnother(e))
	}
	if !slices.ContainsFunc(asked, lacks) {
		return nil
	}
	prompts, err := tx.EventPlacesUnder(ctx, session, []domain.Key{domain.HumanKeys})
	if err != nil {
		return err
	}
	h.former, h.told = map[string]domain.Key{}, map[string][]domain.Key{}
	for _, key := range slices.SortedFunc(maps.Keys(prompts), func(a, b domain.Key) int { return cmp.Compare(prompts[a].Seq, prompts[b].Seq) }) {
		h.put(key, prompts[key])
		switch place := prompts[key].Source; {
		case place.ID != "":
			h.former[place.ID] = key
		case place.Name == "":
			if err := h.findTold(ctx, tx, session, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// findTold reads a prompt that a hook stored, and notes it if it is behind wake's brief.
func (h *heldKeys) findTold(ctx context.Context, tx repository.Tx, session string, key domain.Key) error {
	e, err := eventAt(ctx, tx, session, h.places[key].Seq)
	if err != nil || e == nil || e.Erased {
		return err
	}
	m, err := e.Message()
	if words := transcript.Words(transcript.ClientGemini, m.Content); err == nil && words != m.Content {
		h.told[words] = append(h.told[words], key)
	}
	return nil // what cannot be read is not known again
}

// toldKey returns the key of the first prompt in the words of e that a hook stored behind
// wake's brief, which thereby belongs to its row; if there is none, see [heldKeys.countedKey].
func (h heldKeys) toldKey(e domain.Event) (domain.Key, error) {
	m, err := e.Message()
	if err != nil || len(h.told[m.Content]) == 0 {
		return h.countedKey(e), err
	}
	key := h.told[m.Content][0]
	h.told[m.Content], h.former[e.Source.ID] = h.told[m.Content][1:], key
	return key, nil
}

// putAll adds keys of the session.
func (h heldKeys) putAll(places map[domain.Key]domain.EventPlace) {
	for key, place := range places {
		h.put(key, place)
	}
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
// tells whether the number is its own. That of a block is, where the row is the whole message.
func (h heldKeys) isNumbered(e domain.Event) bool {
	if !h.ids || e.Source.ID == "" || e.Key == "" {
		return false
	}
	if isBlockKey(e.Key) {
		return stemOf(e.Key) != stemOf(domain.AssistantKey(e.Source.ID, 0))
	}
	return e.Human || e.Type == domain.EventCompaction || transcript.IsSaidKey(e.Key)
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

// countedKey returns the key of a message by its words or of a compaction: its own, or if
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
// event of a hook or of a file without ids has it. A block is identified by its content,
// so a block without a row is not free.
func (h heldKeys) free(stem domain.Key) domain.Key {
	for n := max(1, h.next[stem]); ; n++ {
		key := stem + domain.Key(strconv.Itoa(n))
		if there, taken := h.places[key]; !taken || (there.Source.Name == "" || h.loose && there.Source.ID == "") && !isBlockKey(key) {
			h.next[stem] = n
			return key
		}
	}
}

// stemOf returns a counting key without its number.
func stemOf(key domain.Key) domain.Key { return key[:strings.LastIndexByte(string(key), ':')+1] }
