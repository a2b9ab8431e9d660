package index

import (
	"context"
	"sort"

	"wake/recall"
)

// cursor iterates over a term's postings in a run of documents.
type cursor struct {
	seg   *segment
	list  *postings
	even  float32 // see [scoreOf]
	scale float32
	bound float32 // the most that the term adds to any document
	at    int     // current block
	have  int     // decoded block, -1 for none
	pos   int     // position in the decoded block
	block *block
}

func newCursor(seg *segment, list *postings, w recall.Weighted, from uint32) *cursor {
	c := &cursor{seg: seg, list: list, have: -1, block: new(block)}
	c.even, c.scale = scoreOf(w)
	for _, b := range list.blocks {
		c.bound = max(c.bound, c.even+float32(b.impact)*c.scale)
	}
	c.skipTo(from)
	return c
}

// skipTo moves to the block that may hold doc. It never moves back.
func (c *cursor) skipTo(doc uint32) {
	blocks := c.list.blocks
	if c.at < len(blocks) && blocks[c.at].last < doc {
		c.at += sort.Search(len(blocks)-c.at, func(i int) bool { return blocks[c.at+i].last >= doc })
		c.pos = 0
	}
}

// open decodes the current block.
func (c *cursor) open(ctx context.Context) error {
	if c.have == c.at {
		return nil
	}
	c.have, c.pos = c.at, 0
	return c.seg.block(ctx, c.list, c.at, c.block)
}

// count returns how many documents of [from, to) have the term.
func (c *cursor) count(ctx context.Context, from, to uint32) (int, error) {
	n := 0
	for c.skipTo(from); c.at < len(c.list.blocks); c.at++ {
		r := c.list.blocks[c.at]
		inside := c.at > 0 && r.base+1 >= from && r.last < to && c.at+1 < len(c.list.blocks)
		if inside {
			n += blockSize
			continue
		}
		if c.at > 0 && r.base >= to {
			break
		}
		if err := c.open(ctx); err != nil {
			return 0, err
		}
		for _, d := range c.block.docs[:c.block.n] {
			if d >= from && d < to {
				n++
			}
		}
	}
	return n, nil
}

// window is a range of documents whose scores are summed up together.
type window struct {
	from, to uint32
	scores   [windowSize]float32
	seen     [windowSize / 64]uint64
}

const windowSize = 4096

func (w *window) reset(from, to uint32) {
	w.from, w.to = from, to
	clear(w.scores[:])
	clear(w.seen[:])
}

// add adds the term's postings in the window.
func (c *cursor) add(ctx context.Context, w *window) error {
	c.skipTo(w.from)
	for c.at < len(c.list.blocks) && (c.at == 0 || c.list.blocks[c.at].base < w.to) {
		if err := c.open(ctx); err != nil {
			return err
		}
		if c.addBlock(w) {
			return nil
		}
		c.at++
	}
	return nil
}

// addBlock adds the decoded block from pos on and reports whether it extends beyond the
// window.
func (c *cursor) addBlock(w *window) bool {
	bl := c.block
	for i := c.pos; i < bl.n; i++ {
		d := bl.docs[i]
		if d < w.from {
			continue
		}
		if d >= w.to {
			c.pos = i
			return true
		}
		at := d - w.from
		w.scores[at] += c.even + float32(bl.impacts[i])*c.scale
		w.seen[at>>6] |= 1 << (at & 63)
	}
	c.pos = bl.n
	return false
}

// impact returns what the term adds to doc. It must be called for documents in order.
func (c *cursor) impact(ctx context.Context, doc uint32) (float32, error) {
	c.skipTo(doc)
	if c.at == len(c.list.blocks) || c.at > 0 && c.list.blocks[c.at].base >= doc {
		return 0, nil
	}
	if err := c.open(ctx); err != nil {
		return 0, err
	}
	bl := c.block
	for c.pos < bl.n && bl.docs[c.pos] < doc {
		c.pos++
	}
	if c.pos < bl.n && bl.docs[c.pos] == doc {
		return c.even + float32(bl.impacts[c.pos])*c.scale, nil
	}
	return 0, nil
}
