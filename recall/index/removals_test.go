package index_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"wake/recall"
	"wake/recall/index"
	"wake/recall/index/indextest"
)

// listed is how many entries the list of removals has.
func (w *world) listed(t interface{ Fatal(...any) }) int {
	entries := 0
	err := w.store.Removals(context.Background(), 0, 1<<30, func(int64, int64, string, bool) { entries++ })
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func (w *world) erase(n int64) {
	w.store.Forget(n, w.docs[n].Project, true)
	w.store.Erase(n)
	delete(w.docs, n)
}

// keep does upkeep until nothing is left to do.
func keep(t interface{ Fatal(...any) }, ix *index.Index) {
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(context.Background()))
	}
}

// A process that has read documents which were replaced since counts as one that starts
// now, and never knew them.
func TestReplacedCountNoMore(t *testing.T) {
	ctx, terms := context.Background(), []string{"@anna"}
	w := newWorld(17)
	ix := index.New(w.store, index.Options{})
	stats := func(ix *index.Index) recall.Stats {
		return must[recall.Stats](t)(must[*index.Scope](t)(ix.Scope(ctx, "a", nil)).Stats(ctx, terms))
	}
	for range 40 {
		w.save("a", 5)
		old := w.n
		w.save("a", 5)
		stats(ix)
		w.erase(old)
		w.save("a", 3)
		if got, want := stats(ix), stats(index.New(w.store, index.Options{})); !reflect.DeepEqual(got, want) {
			t.Fatalf("it counts %+v, want %+v", got, want)
		}
	}
}

// As of an earlier time, a document that was erased or replaced since is gone also for a
// process that has read it, and one that may come back is there.
func TestAsThenErased(t *testing.T) {
	ctx, w := context.Background(), newWorld(19)
	ix := index.New(w.store, index.Options{})
	for range 6000 { // of which some go into a segment
		w.save("a", 3)
	}
	ns := slices.Sorted(maps.Keys(w.docs))
	asked := []int64{ns[0], ns[1], ns[2], ns[5000], ns[5001], ns[5002]}
	documents := func(ix *index.Index) []*recall.Document {
		scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
		scope.AsThen()
		return must[[]*recall.Document](t)(scope.Documents(ctx, asked))
	}
	must[bool](t)(ix.Maintain(ctx))
	if slices.Contains(documents(ix), nil) {
		t.Fatal("not everything is there")
	}
	for _, n := range []int64{asked[0], asked[5]} {
		w.erase(n)
	}
	for _, n := range []int64{asked[1], asked[4]} {
		w.store.Forget(n, "a", true)
	}
	for name, ix := range map[string]*index.Index{"old": ix, "new": index.New(w.store, index.Options{})} {
		for i, d := range documents(ix) {
			if erased := i == 0 || i == 5; (d == nil) != erased {
				t.Errorf("%s: document %d of the six is there: %v", name, i, d != nil)
			}
		}
	}
}

// An entry leaves the list of removals once its document has no row and is in no
// segment, and not before. The last one stays, as do those of documents that may come
// back.
func TestRemovalsLeaveTheList(t *testing.T) {
	w := newWorld(13)
	for range 5500 {
		w.save("a", 3)
	}
	first := slices.Sorted(maps.Keys(w.docs))
	ix := index.New(w.store, index.Options{})
	for _, n := range first[:4000] {
		w.erase(n)
	}
	if keep(t, ix); w.listed(t) != 4000 {
		t.Fatalf("%d of 4000 entries are left where no segment came to their documents", w.listed(t))
	}
	for range 3000 {
		w.save("a", 3)
	}
	if keep(t, ix); w.listed(t) != 1 {
		t.Errorf("%d entries are left of documents that are in no segment", w.listed(t))
	}
	for _, n := range first[4000:5000] {
		w.erase(n)
	}
	for _, n := range first[5000:5100] {
		w.store.Forget(n, "a", true)
	}
	if keep(t, ix); w.listed(t) != 1101 {
		t.Errorf("%d of 1101 entries are left while a segment has their documents", w.listed(t))
	}
	for range 4 * 4096 {
		w.save("a", 3)
	}
	if keep(t, ix); w.listed(t) != 100 {
		t.Errorf("%d entries are left of 100 documents that may come back", w.listed(t))
	}
	for _, n := range first[5000:5100] {
		w.store.Forget(n, "a", false)
	}
	scope := must[*index.Scope](t)(index.New(w.store, index.Options{}).Scope(context.Background(), "a", nil))
	docs := must[[]*recall.Document](t)(scope.Documents(context.Background(), first[5000:5100]))
	if slices.Contains(docs, nil) {
		t.Error("what came back is not there")
	}
}

// Whichever of several processes does upkeep, and however long the others sleep, each
// finds what is there and nothing else.
func TestProcessesThatSleep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(rt, "seed"))
		all := make([]*index.Index, 3)
		for i := range all {
			all[i] = index.New(w.store, index.Options{})
		}
		s := sleepers{T: rt, world: w, gone: map[int64]bool{}}
		for range rapid.IntRange(2, 8).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 3000).Draw(rt, "saves") {
				w.save([]string{"a", "b"}[w.rnd.IntN(2)], 1+w.rnd.IntN(4))
			}
			if w.rnd.IntN(2) == 0 {
				s.ask(all[w.rnd.IntN(len(all))])
			}
			s.remove(rapid.IntRange(2, 40).Draw(rt, "one in"))
			for range rapid.IntRange(0, 12).Draw(rt, "steps") {
				must[bool](rt)(all[w.rnd.IntN(2)].Maintain(context.Background())) // the third never does
			}
			if w.rnd.IntN(2) == 0 {
				s.ask(all[w.rnd.IntN(len(all))])
			}
		}
		for _, ix := range append(all, index.New(w.store, index.Options{})) {
			s.ask(ix)
		}
	})
}

func sortedOnce(ns []int64) []int64 {
	slices.Sort(ns)
	return slices.Compact(ns)
}

// sleepers are processes that share a store and may not look at it for long.
type sleepers struct {
	*rapid.T
	*world
	ever []int64 // the numbers that documents were given
	gone map[int64]bool
}

// remove forgets, brings back and erases some of the documents.
func (s *sleepers) remove(of int) {
	for _, n := range slices.Sorted(maps.Keys(s.docs)) {
		if s.rnd.IntN(of) > 0 {
			continue
		}
		s.ever = append(s.ever, n)
		if s.rnd.IntN(3) > 0 {
			s.erase(n)
			delete(s.gone, n)
			continue
		}
		s.gone[n] = !s.gone[n]
		s.store.Forget(n, s.docs[n].Project, s.gone[n])
	}
}

// ask looks for the documents that have a frequent word, and reads some of all there
// ever were.
func (s *sleepers) ask(ix *index.Index) {
	ctx := context.Background()
	scope := must[*index.Scope](s)(ix.Scope(ctx, "", nil))
	var want, got []int64
	for n, d := range s.docs {
		if !s.gone[n] && slices.Contains(d.Terms(), "w0x") {
			want = append(want, n)
		}
	}
	for _, f := range must[[]recall.Found](s)(scope.Top(ctx, []recall.Weighted{{Term: "w0x", Weight: 1}}, 1<<30)) {
		got = append(got, f.N)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.Fatalf("found %d documents, %d are there", len(got), len(want))
	}
	ns := sortedOnce(append(slices.Clone(s.ever), slices.Collect(maps.Keys(s.docs))...))
	s.rnd.Shuffle(len(ns), func(i, j int) { ns[i], ns[j] = ns[j], ns[i] })
	ns = ns[:min(len(ns), 1000)]
	for i, d := range must[[]*recall.Document](s)(scope.Documents(ctx, ns)) {
		if _, there := s.docs[ns[i]]; (d != nil) != (there && !s.gone[ns[i]]) {
			s.Fatalf("document %d is there: %v, it is known: %v, forgotten: %v", ns[i], d != nil, there, s.gone[ns[i]])
		}
	}
}

// stalled is a store whose readers stop for a while before the list of removals is
// read, or after the state was.
type stalled struct {
	*indextest.Memory
	state, removals func()
}

func (s *stalled) State(ctx context.Context) (doc, removal, version int64, err error) {
	defer func() { once(&s.state) }()
	return s.Memory.State(ctx)
}

func (s *stalled) Removals(ctx context.Context, after int64, limit int, take func(id, n int64, project string, gone bool)) error {
	once(&s.removals)
	return s.Memory.Removals(ctx, after, limit, take)
}

func once(do *func()) {
	if now := *do; now != nil {
		*do = nil
		now()
	}
}

// Who was stopped in the middle of looking what is new, and misses a removal that left
// the list meanwhile, knows of it with the next question.
func TestStoppedWhileLooking(t *testing.T) {
	ctx := context.Background()
	for _, where := range []string{"state", "removals"} {
		w := newWorld(14)
		for range 1500 {
			w.save("a", 3)
		}
		ns := slices.Sorted(maps.Keys(w.docs))
		store := &stalled{Memory: w.store}
		ours := index.New(store, index.Options{})
		there := func(n int64) bool {
			scope := must[*index.Scope](t)(ours.Scope(ctx, "a", nil))
			return must[[]*recall.Document](t)(scope.Documents(ctx, []int64{n}))[0] != nil
		}
		if !there(ns[5]) {
			t.Fatal("a document is not there")
		}
		meanwhile := func() {
			w.erase(ns[5])
			w.erase(ns[6])
			for range 3000 {
				w.save("a", 3)
			}
			if keep(t, index.New(w.store, index.Options{})); w.listed(t) != 1 {
				t.Fatalf("%d entries are left", w.listed(t))
			}
		}
		w.erase(ns[4])
		if where == "state" {
			store.state = meanwhile
		} else {
			store.removals = meanwhile
		}
		there(ns[1])
		if store.state != nil || store.removals != nil {
			t.Fatal("nothing was stopped")
		}
		if there(ns[4]) || there(ns[5]) || there(ns[6]) || !there(ns[7]) {
			t.Errorf("%s: of four documents, the last of which is there, are there %v %v %v %v", where, there(ns[4]), there(ns[5]), there(ns[6]), there(ns[7]))
		}
	}
}
