// Package indextest provides what tests and measurements of the index share.
package indextest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"wake/recall"
)

// Memory is an index.Store in memory.
type Memory struct {
	mu       sync.Mutex
	ns       []int64
	docs     map[int64][]byte
	next     map[int64]int64
	removals []removal
	removal  int64 // the last id
	heads    map[int64][]byte
	chunks   map[int64]map[int64][]byte
	version  int64
	segments int64
	begun    map[int64]int64 // version at which each segment was begun
}

var errChanged = errors.New("the segments have changed meanwhile")

type removal struct {
	id, n   int64
	project string
	gone    bool
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{docs: map[int64][]byte{}, next: map[int64]int64{}, heads: map[int64][]byte{}, chunks: map[int64]map[int64][]byte{}, begun: map[int64]int64{}}
}

// Save adds a document; numbers must rise.
func (m *Memory) Save(d *recall.Document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ns = append(m.ns, d.N)
	m.docs[d.N] = d.Encode()
	if d.Prev != 0 {
		m.next[d.Prev] = d.N
	}
}

// Forget records that a document is gone, or back.
func (m *Memory) Forget(n int64, project string, gone bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.removal++
	m.removals = append(m.removals, removal{m.removal, n, project, gone})
}

// Erase deletes the row of a document permanently.
func (m *Memory) Erase(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.docs, n)
	m.ns = slices.DeleteFunc(m.ns, func(x int64) bool { return x == n })
}

// Bytes is how much the rows and the active and inactive chunks take.
func (m *Memory) Bytes() (rows, chunks int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.docs {
		rows += len(d)
	}
	for _, c := range m.chunks {
		for _, b := range c {
			chunks += len(b)
		}
	}
	for _, h := range m.heads {
		chunks += len(h)
	}
	return rows, chunks
}

// State implements index.Store.
func (m *Memory) State(context.Context) (doc, rem, version int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.ns) > 0 {
		doc = m.ns[len(m.ns)-1]
	}
	return doc, m.removal, m.version, nil
}

// Rows implements index.Store.
func (m *Memory) Rows(_ context.Context, after int64, limit int, take func(int64, []byte) error) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, found := slices.BinarySearch(m.ns, after)
	if found {
		at++
	}
	ns := m.ns[at:min(at+limit, len(m.ns))]
	return len(ns), m.lend(ns, take)
}

// Docs implements index.Store.
func (m *Memory) Docs(_ context.Context, ns []int64, take func(int64, []byte) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lend(ns, take)
}

// lend passes copies of documents on. Whoever keeps one notices that it is lost.
func (m *Memory) lend(ns []int64, take func(int64, []byte) error) error {
	for _, n := range ns {
		doc, ok := m.docs[n]
		if !ok {
			continue
		}
		lent := slices.Clone(doc)
		if err := take(n, lent); err != nil {
			return err
		}
		clear(lent)
	}
	return nil
}

// Next implements index.Store.
func (m *Memory) Next(_ context.Context, ns []int64) ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]int64, len(ns))
	for i, n := range ns {
		out[i] = m.next[n]
	}
	return out, nil
}

// Removals implements index.Store.
func (m *Memory) Removals(_ context.Context, after int64, limit int, take func(id, n int64, project string, gone bool)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.removals {
		if r.id > after && limit > 0 {
			take(r.id, r.n, r.project, r.gone)
			limit--
		}
	}
	return nil
}

// DropRemovals implements index.Store.
func (m *Memory) DropRemovals(_ context.Context, version int64, ids []int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if version != m.version {
		return errChanged
	}
	m.removals = slices.DeleteFunc(m.removals, func(r removal) bool {
		_, there := m.docs[r.n]
		return !there && r.n != 0 && r.id < m.removal && slices.Contains(ids, r.id)
	})
	return nil
}

// Segments implements index.Store.
func (m *Memory) Segments(context.Context) (ids []int64, heads [][]byte, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.heads {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, cmp.Compare)
	for _, id := range ids {
		heads = append(heads, m.heads[id])
	}
	return ids, heads, nil
}

// Chunk implements index.Store.
func (m *Memory) Chunk(_ context.Context, segment, key int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.chunks[segment][key]
	if !ok {
		return nil, fmt.Errorf("segment %d has no chunk %d", segment, key)
	}
	return b, nil
}

// Far implements index.Store: what is fetched ahead is tested too.
func (m *Memory) Far() bool { return true }

// Chunks implements index.Store.
func (m *Memory) Chunks(ctx context.Context, segments, keys []int64, take func(segment, key int64, blob []byte)) error {
	for i := range keys {
		blob, err := m.Chunk(ctx, segments[i], keys[i])
		if err != nil {
			return err
		}
		take(segments[i], keys[i], blob)
	}
	return nil
}

// NewSegment implements index.Store.
func (m *Memory) NewSegment(_ context.Context, version int64) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if version != m.version {
		return 0, errChanged
	}
	m.segments++
	m.begun[m.segments] = m.version
	return m.segments, nil
}

// PutChunks implements index.Store.
func (m *Memory) PutChunks(_ context.Context, segment int64, keys []int64, blobs [][]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.chunks[segment] == nil {
		m.chunks[segment] = map[int64][]byte{}
	}
	for i, k := range keys {
		m.chunks[segment][k] = slices.Clone(blobs[i])
	}
	return nil
}

// Activate implements index.Store.
func (m *Memory) Activate(_ context.Context, segment int64, head []byte, replaces []int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(head) > 0 && m.begun[segment] != m.version {
		return errChanged
	}
	for _, id := range replaces {
		delete(m.heads, id)
	}
	if len(head) > 0 {
		m.heads[segment] = slices.Clone(head)
	}
	m.version++
	return nil
}

// Sweep implements index.Store.
func (m *Memory) Sweep(_ context.Context, limit int) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	deleted := 0
	for id, chunks := range m.chunks {
		_, active := m.heads[id]
		if began, known := m.begun[id]; active || known && began == m.version {
			continue
		}
		for k := range chunks {
			if deleted == limit {
				return deleted, nil
			}
			delete(chunks, k)
			deleted++
		}
		if len(chunks) == 0 {
			delete(m.chunks, id)
		}
	}
	return deleted, nil
}
