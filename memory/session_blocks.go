package memory

import (
	"context"
	"strings"

	"wake/domain"
	"wake/repository"
)

// isBlock reports whether the event is a block of an API message. The key of a block
// ends in its number among the blocks that the file holds of the message.
func (h heldKeys) isBlock(e domain.Event) bool {
	return h.ids && e.Source.ID != "" && isBlockKey(e.Key)
}

func isBlockKey(key domain.Key) bool { return strings.HasPrefix(string(key), "a:") }

// unheld returns the stems of messages with a block that seems new. An older wake,
// which numbered calls too, may have stored it under a higher number.
func (h heldKeys) unheld(events []domain.Event) []domain.Key {
	var stems []domain.Key
	for _, e := range events {
		if _, held := h.places[e.Key]; !held && h.isBlock(e) {
			stems = append(stems, stemOf(e.Key))
		}
	}
	return distinct(stems)
}

// heldBlocks are the blocks of a message that the session holds, by their content.
type heldBlocks struct {
	keys map[string]domain.Key
	gone domain.Key // of a block that was erased or is unreadable; it could have had any content
}

// blockKey returns the key of a block: the one under which the session holds it, or a
// free one. A file that begins within a message counts its blocks from there. So if a
// number belongs to the block of another row, the contents of the message's blocks
// decide instead. An erased block is not brought back. fresh are the events to be
// stored after those of a.before.
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

// moved reports whether a message's blocks have other numbers in the session than in
// the file: the number of e belongs to another row, or the row of e has another
// number.
func (a *appending) moved(h heldKeys, stem domain.Key, e domain.Event) bool {
	if there, taken := h.places[e.Key]; taken {
		return there.Source.ID != "" && there.Source.ID != e.Source.ID
	}
	key, held := h.rows[numbered{stem, e.Source.ID}]
	return held && h.places[key].Seq <= a.session.LastSeq
}

// heldBlocks reads the contents of a message's blocks.
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

// blockSays distinguishes the blocks of a message.
func blockSays(e domain.Event) string {
	if e.Type == domain.EventReasoning {
		r, _ := domain.PayloadAs[domain.Reasoning](e)
		return "thinking:" + r.Content
	}
	m, _ := domain.PayloadAs[domain.Message](e)
	return "text:" + m.Content
}
