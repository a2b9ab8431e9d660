package index

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// hit is a candidate document of a segment, or of the tail if seg is nil.
type hit struct {
	seg   *segment
	doc   uint32
	score float32
	order int32 // among equal ones the highest is kept
}

// compare orders hits, the better one last.
func (h hit) compare(o hit) int {
	return cmp.Or(cmp.Compare(grade(h.score), grade(o.score)), cmp.Compare(h.order, o.order))
}

// gradeStep is a power of two: as many neighbouring scores are of one grade.
const gradeStep = 256

// grade is what tells scores apart. Those within some hundred-thousandths of each other are equal: the order in
// which terms add to a score, and with it the last bits, differs between segments.
func grade(score float32) uint32 {
	return (math.Float32bits(score) + gradeStep/2) / gradeStep
}

// lowestOf is the lowest score of a grade.
func lowestOf(grade uint32) float32 {
	return math.Float32frombits(grade*gradeStep - gradeStep/2)
}

// topHits keeps the k best hits in a heap with the worst on top. Documents are offered
// from oldest to newest, and the newest of equal ones is kept, unless the oldest is asked for:
// what is said in the same words again and again counts as it was last said.
type topHits struct {
	k       int
	oldest  bool
	hits    []hit
	offered int32
}

// floor is the score that a hit must reach.
func (h *topHits) floor() float32 {
	if len(h.hits) < h.k {
		return math.SmallestNonzeroFloat32
	}
	return lowestOf(grade(h.hits[0].score))
}

func (h *topHits) offer(x hit) {
	x.order = h.offered
	if h.oldest {
		x.order = -h.offered
	}
	h.offered++
	if len(h.hits) < h.k {
		h.hits = append(h.hits, x)
		h.up(len(h.hits) - 1)
		return
	}
	if x.compare(h.hits[0]) > 0 {
		h.hits[0] = x
		h.down()
	}
}

// sort puts the best hits first. Equal ones stand in the order of offers, which in a segment with
// several projects is not that of numbers: a longer list then begins like a shorter one.
func (h *topHits) sort() {
	slices.SortFunc(h.hits, func(a, b hit) int { return b.compare(a) })
}

func (h *topHits) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if h.hits[i].compare(h.hits[parent]) >= 0 {
			return
		}
		h.hits[parent], h.hits[i] = h.hits[i], h.hits[parent]
		i = parent
	}
}

func (h *topHits) down() {
	for i := 0; ; {
		low := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(h.hits) && h.hits[child].compare(h.hits[low]) < 0 {
				low = child
			}
		}
		if low == i {
			return
		}
		h.hits[low], h.hits[i] = h.hits[i], h.hits[low]
		i = low
	}
}

// scorer scores a run of a segment's documents by the MaxScore algorithm. It works in
// windows of documents, with the most telling terms first. A document that cannot
// reach the floor with all remaining terms is dropped before these are read. Terms
// that cannot lift a document to the floor by themselves only add to documents found
// by others.
type scorer struct {
	ctx     context.Context
	cursors []*cursor
	rest    []float32 // the most that the terms from here on can add
	only    bitset    // nil means all
	gone    bitset
	top     *topHits
	win     window
	docs    []uint32
	keys    []chunkKey // scratch for prefetching
}

// scorers is a pool, because windows are large.
var scorers = sync.Pool{New: func() any { return new(scorer) }}

func newScorer(ctx context.Context, cursors []*cursor, only, gone bitset, top *topHits) *scorer {
	slices.SortFunc(cursors, func(a, b *cursor) int { return cmp.Compare(b.bound, a.bound) })
	s := scorers.Get().(*scorer)
	s.ctx, s.cursors, s.only, s.gone, s.top = ctx, cursors, only, gone, top
	s.rest = append(s.rest[:0], make([]float32, len(cursors)+1)...)
	for i := len(cursors) - 1; i >= 0; i-- {
		s.rest[i] = s.rest[i+1] + cursors[i].bound
	}
	return s
}

func (s *scorer) release() {
	s.ctx, s.cursors, s.only, s.gone, s.top = nil, nil, nil, nil, nil
	scorers.Put(s)
}

// prefetchMost is the most documents for which postings are fetched ahead.
const prefetchMost = 16 * windowSize

func (s *scorer) run(seg *segment, from, to uint32) error {
	ahead := from
	for stretch := uint32(windowSize); from < to; from += windowSize {
		lead := s.leading()
		if lead == 0 {
			return nil
		}
		if from >= ahead {
			ahead = min(from+stretch, to)
			if err := s.fetch(seg, s.cursors[:lead], from, ahead-1); err != nil {
				return err
			}
			stretch = min(2*stretch, prefetchMost) // the higher the floor, the surer it is that the same terms lead
		}
		if err := s.window(seg, lead, from, min(from+windowSize, to)); err != nil {
			return err
		}
	}
	return nil
}

// leading returns how many terms must be read for every document: no document reaches
// the floor without one of them.
func (s *scorer) leading() int {
	floor := s.top.floor()
	for i, r := range s.rest {
		if r < floor {
			return i
		}
	}
	return len(s.cursors)
}

func (s *scorer) window(seg *segment, lead int, from, to uint32) error {
	s.win.reset(from, to)
	for _, c := range s.cursors[:lead] {
		if err := c.add(s.ctx, &s.win); err != nil {
			return err
		}
	}
	s.collect(s.top.floor() - s.rest[lead])
	if len(s.docs) > 0 {
		if err := s.fetch(seg, s.cursors[lead:], s.docs[0], s.docs[len(s.docs)-1]); err != nil {
			return err
		}
	}
	for i := lead; i < len(s.cursors) && len(s.docs) > 0; i++ {
		if err := s.raise(s.cursors[i], s.top.floor()-s.rest[i+1]); err != nil {
			return err
		}
	}
	for _, d := range s.docs {
		s.top.offer(hit{seg: seg, doc: d, score: s.win.scores[d-from]})
	}
	return nil
}

// collect lists the documents of the window that reach the limit and may be found.
func (s *scorer) collect(limit float32) {
	s.docs = s.docs[:0]
	for i, m := range s.win.seen {
		for ; m != 0; m &= m - 1 {
			at := i*64 + bits.TrailingZeros64(m)
			doc := s.win.from + uint32(at)
			if s.win.scores[at] >= limit && !s.gone.has(doc) && (s.only == nil || s.only.has(doc)) {
				s.docs = append(s.docs, doc)
			}
		}
	}
}

// raise adds a term's contribution to the listed documents and drops those below the
// limit.
func (s *scorer) raise(c *cursor, limit float32) error {
	kept := s.docs[:0]
	for _, d := range s.docs {
		v, err := c.impact(s.ctx, d)
		if err != nil {
			return err
		}
		at := d - s.win.from
		s.win.scores[at] += v
		if s.win.scores[at] >= limit {
			kept = append(kept, d)
		}
	}
	s.docs = kept
	return nil
}
