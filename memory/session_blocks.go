package memory

import (
	"context"
	"strings"

	"wake/domain"
	"wake/repository"
)

// isBlock reports whether the event is a block of an API message, whose key ends in its
// place among those that the file holds.
func (h heldKeys) isBlock(e domain.Event) bool {
	return h.ids && e.Source.ID != "" && isBlockKey(e.Key)
}

func isBlockKey(key domain.Key) bool { return strings.HasPrefix(string(key), "a:") }

// unheld are the stems of messages with a block that seems new. An older wake, which
// numbered calls too, may have kept it under a higher number.
func (h heldKeys) unheld(events []domain.Event) []domain.Key {
	var stems []domain.Key
	for _, e := range events {
		if _, held := h.places[e.Key]; !held && h.isBlock(e) {
			stems = append(stems, stemOf(e.Key))
		}
	}
	return distinct(stems)
}

// heldBlocks are the blocks of a message that the session holds, by what they say.
type heldBlocks struct {
	keys map[string]domain.Key
	gone domain.Key // of one that was erased, or cannot be read any more: it may have said anything
}

// blockKey is the key of a block: that under which the session holds it, or a free one. A
// file that begins within a message counts its blocks from there, so where a number stands
// for a block of another row, what the blocks say decides, for the whole message. What was
// erased is not brought back. fresh are the events that are stored behind those of before.
func (a *appending) blockKey(ctx context.Context, tx repository.Tx, h heldKeys, e domain.Event, fresh []domain.Event) (domain.Key, error) {
	stem := stemOf(e.Key)
	if h.blocks[stem] == nil {
		if !a.moved(h, stem, e) {
			return e.Key, nil
		}
		var err error
		if h.blocks[stem], err = a.heldBlocks(ctx, tx, h, stem, fresh); err != nil {
			return "", err
		}
	}
	blocks := h.blocks[stem]
	if key, held := blocks.keys[blockSays(e)]; held {
		return key, nil
	}
	if blocks.gone != "" {
		return blocks.gone, nil
	}
	key := h.free(stem)
	blocks.keys[blockSays(e)] = key
	return key, nil
}

// moved reports whether a message's blocks have other numbers in the session than in the
// file: a block's number stands for another row there, or its row for another number.
func (a *appending) moved(h heldKeys, stem domain.Key, e domain.Event) bool {
	if there, taken := h.places[e.Key]; taken {
		return there.Source.ID != "" && there.Source.ID != e.Source.ID
	}
	key, held := h.rows[numbered{stem, e.Source.ID}]
	return held && h.places[key].Seq <= a.session.LastSeq
}

// heldBlocks reads what the blocks of a message say.
func (a *appending) heldBlocks(ctx context.Context, tx repository.Tx, h heldKeys, stem domain.Key, fresh []domain.Event) (*heldBlocks, error) {
	blocks := &heldBlocks{keys: map[string]domain.Key{}}
	for _, key := range h.under[stem] {
		seq := h.places[key].Seq
		if seq > a.session.LastSeq {
			blocks.keys[blockSays(fresh[seq-a.session.LastSeq-1])] = key
			continue
		}
		held, err := eventAt(ctx, tx, a.session.ID, seq)
		switch {
		case err != nil:
			return nil, err
		case held == nil:
		case held.Erased || held.Damaged != "":
			blocks.gone = key
		default:
			blocks.keys[blockSays(*held)] = key
		}
	}
	return blocks, nil
}

// blockSays tells blocks of a message apart.
func blockSays(e domain.Event) string {
	if e.Type == domain.EventReasoning {
		r, _ := domain.PayloadAs[domain.Reasoning](e)
		return "thinking:" + r.Content
	}
	m, _ := domain.PayloadAs[domain.Message](e)
	return "text:" + m.Content
}
