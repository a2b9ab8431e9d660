package index

import (
	"encoding/binary"
)

// Sizes of chunks.
const (
	inlineMax  = 1 << 10 // bytes; longer lists of postings have chunks of their own
	dictChunk  = 8 << 10
	listChunk  = 16 << 10
	numberSpan = 1024 // document numbers per chunk
)

// Keys of a segment's chunks: dictionary chunks from 0, posting lists and document
// numbers each in a range of their own.
const (
	listKeys   = int64(1) << 32
	numberKeys = int64(1) << 33
)

// sink receives chunks.
type sink func(key int64, blob []byte) error

// writer writes the chunks of a segment. Terms must be added in byte order.
type writer struct {
	put    sink
	dict   []byte
	last   string // previous term in this chunk
	firsts []string
	lists  int64 // number of list chunks written
	blocks []byte
	skips  []byte
	buf    []byte
	sizes  []int // of the encoded blocks
}

// add writes one term's postings, which must be in order of documents.
func (w *writer) add(term string, ps []posting) error {
	w.encode(ps)
	entry := w.entry(term)
	if len(w.dict) > 0 && len(w.dict)+len(entry)+min(len(w.skips)+len(w.blocks), inlineMax) > dictChunk {
		if err := w.flush(); err != nil {
			return err
		}
		entry = w.entry(term)
	}
	if len(w.dict) == 0 {
		w.firsts = append(w.firsts, term)
	}
	w.last = term
	entry = binary.AppendUvarint(entry, uint64(len(ps)))
	if size := len(w.skips) + len(w.blocks); size <= inlineMax {
		entry = binary.AppendUvarint(entry, uint64(size)<<1)
		w.dict = append(append(append(w.dict, entry...), w.skips...), w.blocks...)
		return nil
	}
	entry = binary.AppendUvarint(entry, uint64(w.lists)<<1|1)
	w.dict = append(w.dict, entry...)
	return w.putList()
}

// entry encodes the term as the length of the prefix shared with the previous one and
// the rest.
func (w *writer) entry(term string) []byte {
	shared := 0
	if len(w.dict) > 0 {
		for shared < min(len(term), len(w.last)) && term[shared] == w.last[shared] {
			shared++
		}
	}
	w.buf = binary.AppendUvarint(w.buf[:0], uint64(shared))
	w.buf = appendString(w.buf, term[shared:])
	return w.buf
}

// encode encodes the postings as blocks, and the skip list that precedes them: the
// number of blocks and, for each, the distance to its last document, its highest impact
// and its length.
func (w *writer) encode(ps []posting) {
	w.blocks, w.skips, w.sizes = w.blocks[:0], w.skips[:0], w.sizes[:0]
	w.skips = binary.AppendUvarint(w.skips, uint64((len(ps)+blockSize-1)/blockSize))
	base := uint32(0)
	for len(ps) > 0 {
		part := ps[:min(blockSize, len(ps))]
		ps = ps[len(part):]
		before, last := len(w.blocks), part[len(part)-1].doc
		w.blocks = appendBlock(w.blocks, base, part)
		w.skips = binary.AppendUvarint(w.skips, uint64(last-base))
		w.skips = append(w.skips, highest(part))
		w.skips = binary.AppendUvarint(w.skips, uint64(len(w.blocks)-before))
		w.sizes = append(w.sizes, len(w.blocks)-before)
		base = last
	}
}

func highest(ps []posting) uint8 {
	top := uint8(0)
	for _, p := range ps {
		top = max(top, p.impact)
	}
	return top
}

// putList writes a long list: a chunk of skips, then the blocks in chunks that no block
// straddles.
func (w *writer) putList() error {
	if err := w.putNext(w.skips); err != nil {
		return err
	}
	from, end := 0, 0
	for _, size := range w.sizes {
		if end+size-from > listChunk {
			if err := w.putNext(w.blocks[from:end]); err != nil {
				return err
			}
			from = end
		}
		end += size
	}
	return w.putNext(w.blocks[from:end])
}

func (w *writer) putNext(blob []byte) error {
	w.lists++
	return w.put(listKeys+w.lists-1, append([]byte(nil), blob...))
}

// flush writes the current dictionary chunk.
func (w *writer) flush() error {
	if len(w.dict) == 0 {
		return nil
	}
	blob := append([]byte(nil), w.dict...)
	w.dict, w.last = w.dict[:0], ""
	return w.put(int64(len(w.firsts)-1), blob)
}

// finish writes the rest of the dictionary, then the numbers of the documents, and notes
// in the head what each chunk begins with.
func (w *writer) finish(h *head, ns []int64) error {
	if err := w.flush(); err != nil {
		return err
	}
	h.firsts = w.firsts
	for from := 0; from < len(ns); from += numberSpan {
		part := ns[from:min(from+numberSpan, len(ns))]
		var blob []byte
		prev := int64(0)
		for _, n := range part {
			blob = binary.AppendVarint(blob, n-prev)
			prev = n
		}
		if err := w.put(numberKeys+int64(len(h.numbers)), blob); err != nil {
			return err
		}
		h.numbers = append(h.numbers, part[0])
	}
	return nil
}
