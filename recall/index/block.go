package index

import (
	"encoding/binary"
	"math/bits"
)

// blockSize is the most postings in one block.
const blockSize = 128

// posting is a document, by its position in the segment, and the term's contribution to
// its score, from 1 to 255.
type posting struct {
	doc    uint32
	impact uint8
}

// block is a decoded run of postings.
type block struct {
	n       int
	docs    [blockSize]uint32
	impacts [blockSize]uint8
}

// appendBlock encodes up to blockSize postings: their count, the bits of the widest
// gap, the gaps, the impacts. The first gap is counted from base.
func appendBlock(b []byte, base uint32, ps []posting) []byte {
	width, prev := 0, base
	for _, p := range ps {
		width = max(width, bits.Len32(p.doc-prev))
		prev = p.doc
	}
	b = append(b, byte(len(ps)), byte(width))
	b = appendGaps(b, base, ps, width)
	for _, p := range ps {
		b = append(b, p.impact)
	}
	return b
}

func appendGaps(b []byte, prev uint32, ps []posting, width int) []byte {
	var acc uint64
	filled := 0
	for _, p := range ps {
		acc |= uint64(p.doc-prev) << filled
		prev = p.doc
		for filled += width; filled >= 8; filled -= 8 {
			b = append(b, byte(acc))
			acc >>= 8
		}
	}
	if filled > 0 {
		b = append(b, byte(acc))
	}
	return b
}

// decode decodes a block and returns false if it is damaged.
func (bl *block) decode(b []byte, base uint32) bool {
	if len(b) < 2 {
		return false
	}
	n, width := int(b[0]), int(b[1])
	gaps := (n*width + 7) / 8
	if n > blockSize || width > 32 || len(b) < 2+gaps+n {
		return false
	}
	bl.n = n
	bl.gaps(b[2:2+gaps], base, width)
	copy(bl.impacts[:n], b[2+gaps:2+gaps+n])
	return true
}

func (bl *block) gaps(b []byte, doc uint32, width int) {
	mask := uint64(1)<<width - 1
	bit, i := 0, 0
	for ; i < bl.n && bit>>3+8 <= len(b); i++ {
		word := binary.LittleEndian.Uint64(b[bit>>3:])
		doc += uint32(word >> (bit & 7) & mask)
		bl.docs[i] = doc
		bit += width
	}
	// The last bytes are read from a padded copy.
	for ; i < bl.n; i++ {
		var last [8]byte
		copy(last[:], b[min(bit>>3, len(b)):])
		doc += uint32(binary.LittleEndian.Uint64(last[:]) >> (bit & 7) & mask)
		bl.docs[i] = doc
		bit += width
	}
}
