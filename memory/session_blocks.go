package memory

import (
	"context"
	"strings"

	"wake/domain"
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
// decide instead. An erased block is not brought back.
func (m *matching) blockKey(ctx context.Context, e domain.Event) (domain.Key, error) {
	stem := stemOf(e.Key)
	if m.held.blocks[stem] == nil {
		if !m.moved(e) {
			return e.Key, nil
		}
		var err error
		if m.held.blocks[stem], err = m.heldBlocks(ctx, stem); err != nil {
			return "", err
		}
	}
	blocks := m.held.blocks[stem]
	if key, held := blocks.keys[blockSays(e)]; held {
		return key, nil
	}
	if blocks.gone != "" {
		return blocks.gone, nil
	}
	key := m.held.free(stem)
	blocks.keys[blockSays(e)] = key
	return key, nil
}

// moved reports whether a message's blocks have other numbers in the session than in
// the file: the number of e belongs to another row, or the row of e has another
// number.
func (m *matching) moved(e domain.Event) bool {
	if there, taken := m.held.places[e.Key]; taken {
		return there.Source.ID != "" && there.Source.ID != e.Source.ID
	}
	key, held := m.held.rows[numbered{stemOf(e.Key), e.Source.ID}]
	return held && m.freshAt(m.held.places[key].Seq) == nil
}

// heldBlocks reads the contents of a message's blocks.
func (m *matching) heldBlocks(ctx context.Context, stem domain.Key) (*heldBlocks, error) {
	blocks := &heldBlocks{keys: map[string]domain.Key{}}
	for _, key := range m.held.under[stem] {
		seq := m.held.places[key].Seq
		if fresh := m.freshAt(seq); fresh != nil {
			blocks.keys[blockSays(*fresh)] = key
			continue
		}
		held, err := eventAt(ctx, m.tx, m.session.ID, seq)
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
