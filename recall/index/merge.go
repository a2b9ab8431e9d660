package index

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
)

// dropped marks documents that are not copied.
const dropped = math.MaxUint32

// merge rewrites neighbouring segments as one, term by term, without the documents
// whose rows were erased.
func (ix *Index) merge(ctx context.Context, segs []*segment) error {
	m := merger{ctx: ctx, store: ix.store, segs: segs}
	ix.mu.RLock()
	version := ix.seen.version
	for _, s := range segs {
		m.gone = append(m.gone, slices.Clone(s.gone)) // a copy, because questions go on to mark removals
	}
	ix.mu.RUnlock()
	out, err := ix.output(ctx, version) // if the version rises later, Activate finds out
	if err != nil {
		return err
	}
	if err := m.plan(); err != nil {
		return err
	}
	w := writer{put: out.put}
	if err := m.terms(&w); err != nil {
		return err
	}
	if err := w.finish(&m.head, m.ns); err != nil {
		return err
	}
	return ix.finish(ctx, out, &m.head, segs)
}

type merger struct {
	ctx   context.Context
	store Store
	segs  []*segment
	head  head
	ns    []int64    // document numbers in their new order
	moved [][]uint32 // new positions of the documents, per segment
	gone  []bitset   // what was removed when the merge began, per segment
}

// plan assigns new positions to all documents: by project, then by number.
func (m *merger) plan() error {
	m.head.low, m.head.high = m.segs[0].head.low, m.segs[len(m.segs)-1].head.high
	names := map[string]bool{}
	for _, s := range m.segs {
		m.moved = append(m.moved, make([]uint32, s.head.docs()))
		for _, p := range s.head.projects {
			names[p.name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := m.planProject(name); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) planProject(name string) error {
	p := project{name: name, from: uint32(len(m.ns))}
	for i, s := range m.segs {
		run, ok := s.head.project(name)
		if !ok {
			continue
		}
		before := len(m.ns)
		if err := m.planRun(i, run); err != nil {
			return err
		}
		kept, all := uint64(len(m.ns)-before), uint64(max(1, run.to-run.from))
		p.terms += run.terms * kept / all // how long each of its documents is, no segment says
		p.passages += run.passages * kept / all
	}
	p.to = uint32(len(m.ns))
	if p.to > p.from {
		m.head.projects = append(m.head.projects, p)
	}
	return nil
}

func (m *merger) planRun(i int, run project) error {
	s := m.segs[i]
	var ns []int64
	for doc := run.from; doc < run.to; doc++ {
		if len(ns) == 0 || doc%numberSpan == 0 {
			var err error
			if ns, err = s.numbers(m.ctx, int(doc)/numberSpan); err != nil {
				return err
			}
		}
		if int(doc%numberSpan) >= len(ns) {
			return errCorrupt
		}
		n := ns[doc%numberSpan]
		erased, err := m.erased(i, doc, n)
		if err != nil {
			return err
		}
		if erased {
			m.moved[i][doc] = dropped
			continue
		}
		m.moved[i][doc] = uint32(len(m.ns))
		m.ns = append(m.ns, n)
	}
	return nil
}

// erased reports whether a document was erased permanently: its row no longer exists,
// so it cannot come back.
func (m *merger) erased(i int, doc uint32, n int64) (bool, error) {
	if !m.gone[i].has(doc) {
		return false, nil
	}
	rows, err := countRows(m.ctx, m.store, []int64{n})
	return err == nil && rows == 0, err
}

// terms merges the dictionaries, which are in byte order.
func (m *merger) terms(w *writer) error {
	walks := make([]*walk, len(m.segs))
	for i, s := range m.segs {
		walks[i] = newWalk(m.ctx, m.store, s.id, s.head)
		if err := walks[i].advance(); err != nil {
			return err
		}
	}
	for {
		term, ok := lowest(walks)
		if !ok {
			return nil
		}
		ps, err := m.gather(walks, term)
		if err != nil {
			return err
		}
		if len(ps) > 0 {
			if err := w.add(term, ps); err != nil {
				return err
			}
		}
	}
}

func lowest(walks []*walk) (string, bool) {
	term, ok := "", false
	for _, w := range walks {
		if !w.done && (!ok || w.term() < term) {
			term, ok = w.term(), true
		}
	}
	return term, ok
}

// gather collects a term's postings from all segments, with their new positions.
func (m *merger) gather(walks []*walk, term string) ([]posting, error) {
	var ps []posting
	for i, w := range walks {
		if w.done || w.term() != term {
			continue
		}
		err := w.postings(func(p posting) {
			if p.doc = m.moved[i][p.doc]; p.doc != dropped {
				ps = append(ps, p)
			}
		})
		if err != nil {
			return nil, err
		}
		if err := w.advance(); err != nil {
			return nil, err
		}
	}
	byDoc := func(a, b posting) int { return cmp.Compare(a.doc, b.doc) }
	if !slices.IsSortedFunc(ps, byDoc) {
		slices.SortFunc(ps, byDoc)
	}
	return ps, m.ctx.Err()
}

// walk iterates over a segment's dictionary.
type walk struct {
	ctx     context.Context
	seg     *segment
	chunk   int // next dictionary chunk
	entries []termEntry
	done    bool
}

type termEntry struct {
	term string
	entry
}

func newWalk(ctx context.Context, store Store, id int64, h *head) *walk {
	return &walk{ctx: ctx, seg: &segment{id: id, head: h, chunk: uncached(store)}}
}

// uncached reads chunks without the cache, which is for questions. It keeps the last one,
// because a chunk has several blocks of a list.
func uncached(store Store) func(ctx context.Context, segment, key int64) ([]byte, error) {
	var last chunkKey
	var blob []byte
	return func(ctx context.Context, segment, key int64) (_ []byte, err error) {
		if k := (chunkKey{segment, key}); blob == nil || k != last {
			last = k
			blob, err = store.Chunk(ctx, segment, key)
		}
		return blob, err
	}
}

func (w *walk) term() string { return w.entries[0].term }

func (w *walk) advance() error {
	if len(w.entries) > 1 {
		w.entries = w.entries[1:]
		return nil
	}
	if w.chunk == len(w.seg.head.firsts) {
		w.done = true
		return nil
	}
	dict, err := w.seg.chunk(w.ctx, w.seg.id, int64(w.chunk))
	if err != nil {
		return err
	}
	w.chunk++
	w.entries = nil
	ok := eachTerm(dict, func(term []byte, e entry) bool {
		w.entries = append(w.entries, termEntry{string(term), e})
		return true
	})
	if !ok || len(w.entries) == 0 {
		return errCorrupt
	}
	return nil
}

// postings calls f with every posting of the current term.
func (w *walk) postings(f func(posting)) error {
	list, err := w.seg.open(w.ctx, w.entries[0].entry)
	if err != nil {
		return err
	}
	var bl block
	for i := range list.blocks {
		if err := w.seg.block(w.ctx, list, i, &bl); err != nil {
			return err
		}
		for i := range bl.n {
			if bl.docs[i] >= w.seg.head.docs() {
				return errCorrupt
			}
			f(posting{bl.docs[i], bl.impacts[i]})
		}
	}
	return nil
}
