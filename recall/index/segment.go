package index

import (
	"context"
	"encoding/binary"
	"sort"
)

// segment reads one segment's chunks through the cache.
type segment struct {
	id           int64
	head         *head
	chunk        func(ctx context.Context, segment, key int64) ([]byte, error)
	fetch        func(ctx context.Context, keys []chunkKey) error // makes chunk find them in the cache
	far          bool                                             // see [Store.Far]
	lists        *cache[listKey, *postings]
	numbersCache *cache[chunkKey, []int64] // decoded numbers
	gone         bitset                    // forgotten documents
}

type listKey struct {
	segment int64
	term    string
}

// postings is a term's list with decoded skips, but encoded blocks.
type postings struct {
	df     int
	blocks []blockRef
	inline []byte // the blocks themselves if the list is short
	first  int64  // otherwise the key of their first chunk
}

// blockRef is the location of a block and bounds of its contents.
type blockRef struct {
	base, last uint32 // it holds documents in (base, last]
	chunk      uint32 // counted from postings.first
	from, to   uint32 // byte range in the chunk
	impact     uint8
}

// find returns a term's list, nil if no document has the term.
func (s *segment) find(ctx context.Context, term string) (*postings, error) {
	key := listKey{s.id, term}
	if p, ok := s.lists.get(key); ok {
		return p, nil
	}
	p, err := s.load(ctx, term)
	if err != nil {
		return nil, err
	}
	size := 64 + len(term)
	if p != nil {
		size += 24*len(p.blocks) + len(p.inline)
	}
	s.lists.put(key, p, size)
	return p, nil
}

func (s *segment) load(ctx context.Context, term string) (*postings, error) {
	at := s.dictOf(term)
	if at < 0 {
		return nil, nil
	}
	dict, err := s.chunk(ctx, s.id, int64(at))
	if err != nil {
		return nil, err
	}
	e, ok := lookUp(dict, term)
	if !ok {
		return nil, errCorrupt
	}
	if e.df == 0 {
		return nil, nil
	}
	return s.open(ctx, e)
}

// dictOf returns the dictionary chunk that has the term if any does, -1 for none.
func (s *segment) dictOf(term string) int {
	at := sort.SearchStrings(s.head.firsts, term)
	if at == len(s.head.firsts) || s.head.firsts[at] != term {
		at--
	}
	return at
}

// entry is what a dictionary says of a term: how many documents have it, and where the
// list of these is.
type entry struct {
	df     int
	inline []byte // the list if it is short
	skips  int64  // else the key of the chunk with its skips, which its blocks follow
}

// open decodes the skips of the list of an entry.
func (s *segment) open(ctx context.Context, e entry) (*postings, error) {
	p, sc := &postings{df: e.df, first: e.skips + 1}, scanner{b: e.inline}
	if e.skips != 0 {
		var err error
		if sc.b, err = s.chunk(ctx, s.id, e.skips); err != nil {
			return nil, err
		}
	}
	p.readSkips(&sc)
	if sc.bad || len(p.blocks) == 0 {
		return nil, errCorrupt
	}
	if e.skips == 0 {
		p.inline = append([]byte{}, sc.b...)
	}
	return p, nil
}

// blockOf returns the first block with a document at or after doc.
func (p *postings) blockOf(doc uint32) int {
	return sort.Search(len(p.blocks), func(i int) bool { return p.blocks[i].last >= doc })
}

// lookUp searches a dictionary chunk. df is 0 if the term is not there. ok is false if the
// chunk is damaged.
func lookUp(dict []byte, term string) (found entry, ok bool) {
	ok = eachTerm(dict, func(t []byte, e entry) bool {
		if string(t) < term {
			return true
		}
		if string(t) == term {
			found = e
		}
		return false
	})
	return found, ok
}

// eachTerm calls f with every entry of a dictionary chunk until f returns false. It
// returns false if the chunk is damaged.
func eachTerm(dict []byte, f func(term []byte, e entry) bool) bool {
	s := scanner{b: dict}
	var term []byte
	for len(s.b) > 0 {
		shared := s.uvarint()
		if shared > uint64(len(term)) {
			return false
		}
		term = append(term[:shared], s.take(s.uvarint())...)
		e := entry{df: int(s.uvarint())}
		if where := s.uvarint(); where&1 == 1 {
			e.skips = listKeys + int64(where>>1)
		} else {
			e.inline = s.take(where >> 1)
		}
		if s.bad {
			return false
		}
		if !f(term, e) {
			return true
		}
	}
	return true
}

// readSkips decodes the list of blocks and derives in which chunk each block is, by the
// rule of [writer.putList].
func (p *postings) readSkips(s *scanner) {
	count := s.uvarint()
	if count > uint64(len(s.b)) {
		s.bad = true
		return
	}
	p.blocks = make([]blockRef, count)
	last, chunk, at := uint32(0), uint32(0), uint32(0)
	for i := range p.blocks {
		r := blockRef{base: last}
		last += uint32(s.uvarint())
		r.last, r.impact = last, s.byte()
		length := s.uvarint()
		if length > listChunk {
			s.bad = true
			return
		}
		size := uint32(length)
		if at+size > listChunk {
			chunk, at = chunk+1, 0
		}
		r.chunk, r.from, r.to = chunk, at, at+size
		at += size
		p.blocks[i] = r
	}
}

// block decodes one block of a list.
func (s *segment) block(ctx context.Context, p *postings, i int, into *block) error {
	r, data := p.blocks[i], p.inline
	if data == nil {
		var err error
		if data, err = s.chunk(ctx, s.id, p.first+int64(r.chunk)); err != nil {
			return err
		}
	}
	if int(r.to) > len(data) || !into.decode(data[r.from:r.to], r.base) {
		return errCorrupt
	}
	return nil
}

// number returns the number of a document.
func (s *segment) number(ctx context.Context, doc uint32) (int64, error) {
	ns, err := s.numbers(ctx, int(doc)/numberSpan)
	if err != nil {
		return 0, err
	}
	if int(doc)%numberSpan >= len(ns) {
		return 0, errCorrupt
	}
	return ns[int(doc)%numberSpan], nil
}

func (s *segment) numbers(ctx context.Context, chunk int) ([]int64, error) {
	key := chunkKey{s.id, numberKeys + int64(chunk)}
	if ns, ok := s.numbersCache.get(key); ok {
		return ns, nil
	}
	blob, err := s.chunk(ctx, s.id, key.key)
	if err != nil {
		return nil, err
	}
	ns, err := decodeNumbers(blob)
	if err == nil {
		s.numbersCache.put(key, ns, 8*numberSpan)
	}
	return ns, err
}

func decodeNumbers(blob []byte) ([]int64, error) {
	out := make([]int64, 0, numberSpan)
	n := int64(0)
	for len(blob) > 0 {
		d, size := binary.Varint(blob)
		if size <= 0 {
			return nil, errCorrupt
		}
		n += d
		out = append(out, n)
		blob = blob[size:]
	}
	return out, nil
}

// locate returns the position of document n of a scope if the segment has it.
func (s *segment) locate(ctx context.Context, n int64, scope string) (doc uint32, ok bool, err error) {
	if !s.head.covers(n) {
		return 0, false, nil
	}
	for _, p := range s.head.projectsOf(scope) {
		if doc, ok, err = s.place(ctx, p, n); ok || err != nil {
			break
		}
	}
	return doc, ok, err
}

// place returns the position of document n in a project's run.
func (s *segment) place(ctx context.Context, p project, n int64) (uint32, bool, error) {
	lo, hi := int(p.from), int(p.to)
	at := s.numbersOf(p, n)
	ns, err := s.numbers(ctx, at)
	if err != nil {
		return 0, false, err
	}
	from, to := max(lo-at*numberSpan, 0), min(hi-at*numberSpan, len(ns))
	i := from + sort.Search(to-from, func(i int) bool { return ns[from+i] >= n })
	if i < to && ns[i] == n {
		return uint32(at*numberSpan + i), true, nil
	}
	return 0, false, nil
}

// numbersOf returns the chunk of numbers that has document n of a project's run, if any
// does. The first chunk may begin with another project, so its first number is not
// compared.
func (s *segment) numbersOf(p project, n int64) int {
	first, last := int(p.from)/numberSpan, (int(p.to)-1)/numberSpan
	return first + sort.Search(last-first, func(i int) bool { return s.head.numbers[first+1+i] > n })
}

// bitset is a set of a segment's documents; nil is empty.
type bitset []uint64

func newBitset(docs uint32) bitset { return make(bitset, (docs+63)/64) }

func (b bitset) has(doc uint32) bool { return b != nil && b[doc>>6]&(1<<(doc&63)) != 0 }

func (b bitset) set(doc uint32, on bool) {
	if on {
		b[doc>>6] |= 1 << (doc & 63)
	} else {
		b[doc>>6] &^= 1 << (doc & 63)
	}
}
