package memory

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wake/domain"
	"wake/repository"
)

// isBlock reports whether the event is a block of an API message, whose key ends in its
// place among those that the file holds.
func (h heldKeys) isBlock(e domain.Event) bool {
	return h.ids && e.Source.ID != "" && strings.HasPrefix(string(e.Key), "a:")
}

// mixed are the stems of messages of which some blocks seem to be held and others not: those
// may be held under other numbers.
func (h heldKeys) mixed(events []domain.Event) []domain.Key {
	if len(h.places) == 0 {
		return nil
	}
	seen := map[domain.Key]bool{} // whether the block before is held
	for _, e := range events {
		if !h.isBlock(e) {
			continue
		}
		stem := stemOf(e.Key)
		_, held := h.places[e.Key]
		if before, again := seen[stem]; again && before != held {
			h.moved[stem] = true
		}
		seen[stem] = held
	}
	return slices.Collect(maps.Keys(h.moved))
}

// blockKey is the key of a block: that under which the session holds it, or a free one. A
// file that begins within a message counts its blocks from there, so where a number stands
// for a block of another row, what the blocks say decides, for the whole message. fresh are
// the events that are stored behind those of before.
func (a *appending) blockKey(ctx context.Context, tx repository.Tx, h heldKeys, e domain.Event, fresh []domain.Event) (domain.Key, error) {
	stem := stemOf(e.Key)
	there, taken := h.places[e.Key]
	if !h.moved[stem] && (!taken || there.Source.ID == "" || there.Source.ID == e.Source.ID) {
		return e.Key, nil
	}
	if taken { // mostly it is the same row, written again
		if same, err := a.holdsBlock(ctx, tx, there, e, fresh); err != nil || same {
			return e.Key, err
		}
	}
	h.moved[stem] = true
	free := domain.Key("")
	for n, left := 0, h.under(stem); left > 0 || free == ""; n++ {
		key := stem + domain.Key(strconv.Itoa(n))
		there, taken := h.places[key]
		if !taken {
			if free == "" {
				free = key
			}
			continue
		}
		left--
		if same, err := a.holdsBlock(ctx, tx, there, e, fresh); err != nil || same {
			return key, err
		}
	}
	return free, nil
}

// under counts the keys that begin with a stem.
func (h heldKeys) under(stem domain.Key) int {
	n := 0
	for key := range h.places {
		if strings.HasPrefix(string(key), string(stem)) {
			n++
		}
	}
	return n
}

// holdsBlock reports whether the event at a place says what another one says. One that was
// erased, or cannot be read any more, may have said anything: it is not brought back.
func (a *appending) holdsBlock(ctx context.Context, tx repository.Tx, at domain.EventPlace, e domain.Event, fresh []domain.Event) (bool, error) {
	if at.Seq > a.session.LastSeq {
		return sameBlock(fresh[at.Seq-a.session.LastSeq-1], e), nil
	}
	held, err := tx.Events(ctx, domain.EventQuery{SessionID: a.session.ID, After: at.Seq - 1, Until: at.Seq})
	if err != nil || len(held) == 0 {
		return false, err
	}
	return held[0].Erased || held[0].Damaged != "" || sameBlock(held[0], e), nil
}

func sameBlock(a, b domain.Event) bool {
	return a.Type == b.Type && blockText(a) == blockText(b)
}

// blockText is what a block says.
func blockText(e domain.Event) string {
	if e.Type == domain.EventReasoning {
		r, _ := domain.PayloadAs[domain.Reasoning](e)
		return r.Content
	}
	m, _ := domain.PayloadAs[domain.Message](e)
	return m.Content
}
