package index_test

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"wake/recall"
	"wake/recall/index"
	"wake/recall/index/indextest"
)

// Questions are answered while other goroutines save and merge. (run with -race)
func TestQuestionsDuringUpkeep(t *testing.T) {
	ctx := context.Background()
	w := newWorld(5)
	for range 9000 {
		w.save("a", 6)
	}
	ix := index.New(w.store, index.Options{Blobs: 1 << 16, Documents: 1 << 16})
	var wg sync.WaitGroup
	done := make(chan struct{})
	for i := range 2 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 9))
			for {
				select {
				case <-done:
					return
				default:
				}
				scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
				terms := []recall.Weighted{{Term: "w1x", Weight: 1}, {Term: "w7x", Weight: 1 + rnd.Float64()}}
				found := must[[]recall.Found](t)(scope.Top(ctx, terms, 20))
				if len(found) != 20 {
					t.Errorf("%d hits", len(found))
				}
				if _, err := scope.Documents(ctx, []int64{found[0].N}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 6 {
		for range 2500 {
			w.save("a", 6)
		}
		for more := true; more; {
			more = must[bool](t)(ix.Maintain(ctx))
		}
	}
	close(done)
	wg.Wait()
}

// torn is a store whose blobs are damaged.
type torn struct {
	*indextest.Memory
	rnd *rand.Rand
}

func (s torn) Chunk(ctx context.Context, segment, key int64) ([]byte, error) {
	b, err := s.Memory.Chunk(ctx, segment, key)
	b = append([]byte(nil), b...)
	switch s.rnd.IntN(3) {
	case 0:
		b = b[:s.rnd.IntN(len(b)+1)]
	case 1:
		if len(b) > 0 {
			b[s.rnd.IntN(len(b))] ^= 1 << s.rnd.IntN(8)
		}
	}
	return b, err
}

func (s torn) Chunks(ctx context.Context, segments, keys []int64, take func(segment, key int64, blob []byte)) error {
	for i := range keys {
		blob, err := s.Chunk(ctx, segments[i], keys[i])
		if err != nil {
			return err
		}
		take(segments[i], keys[i], blob)
	}
	return nil
}

// Damaged blobs give an error or other hits, never a panic.
func TestDamagedBlobsDoNotPanic(t *testing.T) {
	ctx := context.Background()
	w := newWorld(6)
	ix := index.New(w.store, index.Options{})
	for range 9000 {
		w.save([]string{"a", "b"}[w.rnd.IntN(2)], 6)
	}
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(ctx))
	}
	failed := 0
	for i := range 300 {
		bad := index.New(torn{w.store, rand.New(rand.NewPCG(uint64(i), 1))}, index.Options{})
		scope, err := bad.Scope(ctx, "a", nil)
		if err != nil {
			t.Fatal(err)
		}
		terms := []recall.Weighted{{Term: "w1x", Weight: 1}, {Term: "w2x", Weight: 1}, {Term: "w900x", Weight: 4}}
		if _, err := scope.Stats(ctx, []string{"w1x", "w2x"}); err != nil {
			failed++
		}
		if _, err := scope.Top(ctx, terms, 20); err != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error("no damage was noticed")
	}
}

// overlong is a store whose lists say of a block that it ends before it begins, as a
// length does that is too large for the sum.
type overlong struct{ *indextest.Memory }

func (s overlong) Chunk(ctx context.Context, segment, key int64) ([]byte, error) {
	if key < 1<<32 || key >= 1<<33 { // not one of a list
		return s.Memory.Chunk(ctx, segment, key)
	}
	skips := []byte{2, 10, 1, 16} // two blocks, the first up to document 10 and of 16 bytes
	skips = append(binary.AppendUvarint(skips, 1<<20), 1)
	return binary.AppendUvarint(skips, 1<<32-10), nil
}

func (s overlong) Chunks(context.Context, []int64, []int64, func(int64, int64, []byte)) error {
	return nil
}

// A length that no block can have is damage.
func TestOverlongBlock(t *testing.T) {
	ctx := context.Background()
	w := newWorld(6)
	for range 9000 {
		w.save([]string{"a", "b"}[w.rnd.IntN(2)], 6)
	}
	ix := index.New(w.store, index.Options{})
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(ctx))
	}
	scope := must[*index.Scope](t)(index.New(overlong{w.store}, index.Options{}).Scope(ctx, "b", nil))
	if _, err := scope.Top(ctx, []recall.Weighted{{Term: "w1x", Weight: 1}}, 20); !errors.Is(err, recall.ErrIndex) {
		t.Errorf("got %v", err)
	}
	flaws := must[index.Flaws](t)(index.New(overlong{w.store}, index.Options{}).Check(ctx))
	if flaws.Segments == 0 {
		t.Error("the check finds no damage")
	}
}

// A store that fails makes the question fail, with its error.
func TestStoreErrorsComeThrough(t *testing.T) {
	broken := errors.New("disk gone")
	ix := index.New(failing{indextest.NewMemory(), broken}, index.Options{})
	if _, err := ix.Scope(context.Background(), "a", nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct {
	*indextest.Memory
	err error
}

func (s failing) State(context.Context) (int64, int64, int64, error) { return 0, 0, 0, s.err }

// With every segment taken away all rows are read anew, as a rebuild wants it.
func TestRebuild(t *testing.T) {
	ctx := context.Background()
	w := newWorld(7)
	ix := index.New(w.store, index.Options{})
	for range 5000 {
		w.save("a", 6)
	}
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(ctx))
	}
	before := must[recall.Stats](t)(must[*index.Scope](t)(ix.Scope(ctx, "a", nil)).Stats(ctx, []string{"w1x"}))
	ids, _, err := w.store.Segments(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Activate(ctx, 0, nil, ids); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		after := must[recall.Stats](t)(must[*index.Scope](t)(ix.Scope(ctx, "a", nil)).Stats(ctx, []string{"w1x"}))
		if after.Docs != before.Docs || after.DF[0] != before.DF[0] {
			t.Fatalf("%+v before, %+v after", before, after)
		}
		for more := true; more; {
			more = must[bool](t)(ix.Maintain(ctx))
		}
	}
}

// swapped is a store in whose place another may be put.
type swapped struct{ *indextest.Memory }

// A backup that takes the store's place, or a standby that missed what came last, gives
// the same numbers to other documents: nothing of the lost ones is found after it (or,
// where there are exactly as many, after the next save).
func TestStoreThatGoesBack(t *testing.T) {
	ctx := context.Background()
	for _, others := range []int64{0, 2, 5} {
		store, back := &swapped{indextest.NewMemory()}, indextest.NewMemory()
		save := func(m *indextest.Memory, n int64, text string) {
			m.Save(recall.NewDocument(recall.Entry{N: n, Project: "a", Content: text, Time: time.Unix(n, 0)}))
		}
		found := func(ix *index.Index, term string) int {
			return len(must[[]recall.Found](t)(must[*index.Scope](t)(ix.Scope(ctx, "a", nil)).Top(ctx, []recall.Weighted{{Term: term, Weight: 1}}, 100)))
		}
		ix := index.New(store, index.Options{})
		for n := range int64(10) {
			save(store.Memory, n+1, "w1x")
			save(back, n+1, "w1x")
		}
		for n := range int64(3) {
			save(store.Memory, n+11, "w2x")
			if got := found(ix, "w2x"); got != int(n)+1 {
				t.Fatalf("%d lost ones before", got)
			}
		}
		for n := range others {
			save(back, n+11, "w3x")
		}
		store.Memory = back
		if kept, lost, fresh := found(ix, "w1x"), found(ix, "w2x"), found(ix, "w3x"); kept != 10 || lost != 0 || fresh != int(others) {
			t.Errorf("%d others: %d kept, %d lost, %d fresh ones found", others, kept, lost, fresh)
		}
	}
}

// A check finds what is damaged or missing, and merges of it fail or make other
// segments, but never panic.
func TestCheck(t *testing.T) {
	ctx := context.Background()
	w := newWorld(8)
	ix := index.New(w.store, index.Options{})
	for range 9000 {
		w.save([]string{"a", "b"}[w.rnd.IntN(2)], 6)
	}
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(ctx))
	}
	if f := must[index.Flaws](t)(ix.Check(ctx)); f != (index.Flaws{}) {
		t.Fatalf("found %+v in a sound index", f)
	}
	found := 0
	for i := range 100 {
		bad := index.New(torn{w.store, rand.New(rand.NewPCG(uint64(i), 2))}, index.Options{})
		found += must[index.Flaws](t)(bad.Check(ctx)).Segments
	}
	if found < 95 {
		t.Errorf("damage was found in %d of 100 segments", found)
	}
	if f := must[index.Flaws](t)(index.New(holed{w.store}, index.Options{}).Check(ctx)); f.Segments == 0 {
		t.Error("chunks that are missing were not found")
	}
	if f := must[index.Flaws](t)(index.New(foreign{w.store}, index.Options{}).Check(ctx)); f.Documents != 9000 {
		t.Errorf("%d documents of another version were found, want 9000", f.Documents)
	}
	for range 3 * 2100 { // enough to merge
		w.save("a", 6)
	}
	for i := range 30 {
		bad := index.New(torn{w.store, rand.New(rand.NewPCG(uint64(i), 3))}, index.Options{})
		for more, err := true, error(nil); more && err == nil; {
			more, err = bad.Maintain(ctx)
		}
	}
}

// holed is a store whose chunks are gone.
type holed struct{ *indextest.Memory }

func (holed) Chunk(context.Context, int64, int64) ([]byte, error) { return nil, errors.New("gone") }

func (holed) Chunks(context.Context, []int64, []int64, func(int64, int64, []byte)) error {
	return errors.New("gone")
}

// foreign is a store whose documents another version wrote.
type foreign struct{ *indextest.Memory }

func (s foreign) Rows(ctx context.Context, after int64, limit int, take func(int64, []byte) error) (int, error) {
	return s.Memory.Rows(ctx, after, limit, func(n int64, doc []byte) error {
		return take(n, append([]byte{0}, doc[1:]...))
	})
}

// slow is a store that takes its time for the numbers of a segment, once, and says so.
type slow struct {
	*indextest.Memory
	begun chan struct{}
}

func (s *slow) Chunk(ctx context.Context, segment, key int64) ([]byte, error) {
	b, err := s.Memory.Chunk(ctx, segment, key)
	if begun := s.begun; begun != nil && key >= 1<<33 {
		s.begun = nil
		close(begun)
		time.Sleep(100 * time.Millisecond)
	}
	return b, err
}

// A question may take in a removal while its segment is merged. (run with -race)
func TestRemovalDuringAMerge(t *testing.T) {
	ctx := context.Background()
	w := newWorld(15)
	store := &slow{Memory: w.store}
	ix := index.New(store, index.Options{})
	for range 4 {
		for range 2100 {
			w.save("a", 3)
		}
		must[bool](t)(ix.Maintain(ctx))
	}
	begun, n := make(chan struct{}), slices.Min(slices.Collect(maps.Keys(w.docs)))
	store.begun = begun
	var wg sync.WaitGroup
	wg.Go(func() {
		<-begun
		w.store.Forget(n, "a", true)
		must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
	})
	must[bool](t)(ix.Maintain(ctx))
	wg.Wait()
	if store.begun != nil {
		t.Fatal("nothing was merged")
	}
	scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
	if docs := must[[]*recall.Document](t)(scope.Documents(ctx, []int64{n})); docs[0] != nil {
		t.Error("what was removed is there")
	}
}
