package memory

import (
	"context"
	"strings"

	"wake/domain"
)

// isBlockKey reports whether a key is that of a block of an API message. It ends in the
// block's number among those that the file holds of the message.
func isBlockKey(key domain.Key) bool { return strings.HasPrefix(string(key), "a:") }

// newBlocks returns the stems of messages with a block that seems new. An older wake,
// which numbered calls too, may have stored it under a higher number.
func (h heldKeys) newBlocks(events []domain.Event) []domain.Key {
	var stems []domain.Key
	for _, e := range events {
		if _, held := h.places[e.Key]; !held && isBlockKey(e.Key) && h.isNumbered(e) {
			stems = append(stems, stemOf(e.Key))
		}
	}
	return distinct(stems)
}

// heldBlocks are the blocks of a message that the session holds.
type heldBlocks struct {
	keys   []domain.Key
	bySaid map[string]domain.Key // by content; nil as long as the file has the session's numbers
	gone   domain.Key            // of a block that was erased or is unreadable; it could have had any content
}

// blockKey returns the key of a block: the one under which the session holds it, or a
// free one. A file that begins within a message counts its blocks from there. So if a
// number belongs to the block of another row, the contents of the message's blocks
// decide instead. An erased block is not brought back.
func (m *matching) blockKey(ctx context.Context, e domain.Event) (domain.Key, error) {
	stem := stemOf(e.Key)
	blocks := m.held.blocks[stem]
	if blocks.bySaid == nil {
		if !m.moved(e) {
			return e.Key, nil
		}
		if err := m.read(ctx, &blocks); err != nil {
			return "", err
		}
		m.held.blocks[stem] = blocks
	}
	if key, held := blocks.bySaid[blockSays(e)]; held {
		return key, nil
	}
	if blocks.gone != "" {
		return blocks.gone, nil
	}
	key := m.held.free(stem)
	blocks.bySaid[blockSays(e)] = key
	return key, nil
}

// moved reports whether a message's blocks have other numbers in the session than in
// the file: the number of e belongs to another row, or the row of e has another
// number.
func (m *matching) moved(e domain.Event) bool {
	if _, taken := m.held.places[e.Key]; taken {
		return m.held.isOfAnother(e)
	}
	key, held := m.held.rows[rowUnder{stemOf(e.Key), e.Source.ID}]
	return held && m.addedAt(m.held.places[key].Seq) == nil
}

// read reads the contents of a message's blocks.
func (m *matching) read(ctx context.Context, blocks *heldBlocks) error {
	blocks.bySaid = map[string]domain.Key{}
	for _, key := range blocks.keys {
		held, err := m.eventAt(ctx, m.held.places[key].Seq)
		switch {
		case err != nil:
			return err
		case held == nil:
		case held.Erased || held.Damaged != "":
			blocks.gone = key
		default:
			blocks.bySaid[blockSays(*held)] = key
		}
	}
	return nil
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
