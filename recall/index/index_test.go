package index_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"wake/recall"
	"wake/recall/index"
	"wake/recall/index/indextest"
)

// zipfText makes a text whose words are as unevenly common as those of prose.
func zipfText(z *rand.Zipf, words int) string {
	var sb strings.Builder
	for range words {
		fmt.Fprintf(&sb, "w%dx ", z.Uint64())
	}
	return sb.String()
}

type world struct {
	store *indextest.Memory
	docs  map[int64]*recall.Document
	n     int64
	rnd   *rand.Rand
	zipf  *rand.Zipf
}

func newWorld(seed uint64) *world {
	rnd := rand.New(rand.NewPCG(seed, 1))
	return &world{store: indextest.NewMemory(), docs: map[int64]*recall.Document{}, rnd: rnd, zipf: rand.NewZipf(rnd, 1.2, 4, 3000)}
}

func (w *world) save(project string, words int) {
	w.n += 1 + int64(w.rnd.IntN(3))
	d := recall.NewDocument(recall.Entry{N: w.n, Project: project, Content: zipfText(w.zipf, words), Source: "Anna", Time: time.Unix(w.n, 0)})
	w.docs[d.N] = d
	w.store.Save(d)
}

// bruteDF counts a term in a project's documents, the forgotten ones included.
func (w *world) bruteDF(project, term string) int {
	n := 0
	for _, d := range w.docs {
		if (project == "" || d.Project == project) && slices.Contains(d.Terms(), term) {
			n++
		}
	}
	return n
}

func must[T any](t interface{ Fatal(...any) }) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// checkSifted compares what is found among listed documents with what is sifted out.
func checkSifted(rt *rapid.T, w *world, project string, terms []recall.Weighted) {
	ctx, ix, of := context.Background(), index.New(w.store, index.Options{}), int64(1+w.rnd.IntN(40))
	listed := []int64{}
	for n := range w.docs {
		if n%of == 0 {
			listed = append(listed, n)
		}
	}
	sifted := must[*index.Scope](rt)(ix.ScopeWhere(ctx, project, func(_ context.Context, ns []int64) ([]int64, error) {
		return slices.DeleteFunc(slices.Clone(ns), func(n int64) bool { return n%of != 0 }), nil
	}))
	want := must[[]recall.Found](rt)(must[*index.Scope](rt)(ix.Scope(ctx, project, listed)).Top(ctx, terms, 10))
	same := func(a, b recall.Found) bool { return a.Score == b.Score && (a.N == b.N || project == "") }
	if got := must[[]recall.Found](rt)(sifted.Top(ctx, terms, 10)); !slices.EqualFunc(got, want, same) {
		rt.Fatalf("sifted %v, listed %v", got, want)
	}
	whole := must[*index.Scope](rt)(ix.Scope(ctx, project, nil))
	if got := must[[]recall.Found](rt)(whole.TopAmong(ctx, terms, listed, 10)); !slices.EqualFunc(got, want, same) {
		rt.Fatalf("among them %v, listed %v", got, want)
	}
	if pass := must[[]bool](rt)(sifted.Admits(ctx, []int64{of + 1})); of > 1 && pass[0] {
		rt.Fatalf("%d passes where every %dth does", of+1, of)
	}
}

// checkThen asks about a time when nothing was gone.
func checkThen(rt *rapid.T, w *world, project string, terms []recall.Weighted) {
	ctx, ix := context.Background(), index.New(w.store, index.Options{})
	all, matching := []int64{}, 0
	for n, d := range w.docs {
		all = append(all, n)
		if (project == "" || d.Project == project) && slices.ContainsFunc(terms, func(t recall.Weighted) bool { return slices.Contains(d.Terms(), t.Term) }) {
			matching++
		}
	}
	listed := must[*index.Scope](rt)(ix.Scope(ctx, project, all))
	sifted := must[*index.Scope](rt)(ix.ScopeWhere(ctx, project, func(_ context.Context, ns []int64) ([]int64, error) { return ns, nil }))
	for _, scope := range []*index.Scope{listed, sifted} {
		scope.AsThen()
		found := must[[]recall.Found](rt)(scope.Top(ctx, terms, 1<<12))
		if len(found) != min(matching, 1<<12) {
			rt.Fatalf("found %d documents of then, %d had the terms", len(found), matching)
		}
		ns := make([]int64, len(found))
		for i, f := range found {
			ns[i] = f.N
		}
		docs, pass := must[[]*recall.Document](rt)(scope.Documents(ctx, ns)), must[[]bool](rt)(scope.Admits(ctx, ns))
		if slices.Contains(docs, nil) || slices.Contains(pass, false) {
			rt.Fatal("a document found is not there, or may not be found")
		}
	}
}

// The index finds what scoring every document finds, whatever is in segments,
// merged or fresh, forgotten or back. (issue 5: deleting and importing keep it
// right)
func TestIndexAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		w := newWorld(rapid.Uint64().Draw(rt, "seed"))
		ix := index.New(w.store, index.Options{})
		gone := map[int64]bool{}
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 3000).Draw(rt, "saves") {
				w.save([]string{"a", "b", "c"}[w.rnd.IntN(3)], 1+w.rnd.IntN(10))
			}
			for n, d := range w.docs {
				if w.rnd.IntN(50) == 0 {
					gone[n] = !gone[n]
					w.store.Forget(n, d.Project, gone[n])
				}
			}
			for range rapid.IntRange(0, 5).Draw(rt, "steps") {
				must[bool](rt)(ix.Maintain(ctx))
			}
		}
		other := index.New(w.store, index.Options{}) // another process
		for range 5 {
			project := []string{"", "a", "b", "c"}[w.rnd.IntN(4)]
			var terms []recall.Weighted
			for range 1 + w.rnd.IntN(6) {
				terms = append(terms, recall.Weighted{Term: recall.Analyze(fmt.Sprintf("w%dx", w.zipf.Uint64()))[0], Weight: 0.5 + w.rnd.Float64()*5, Even: w.rnd.IntN(4) == 0})
			}
			terms = distinct(terms)
			checkTop(rt, w, must[*index.Scope](rt)(ix.Scope(ctx, project, nil)), other, project, terms, gone)
		}
	})
}

func checkTop(rt *rapid.T, w *world, scope *index.Scope, other *index.Index, project string, terms []recall.Weighted, gone map[int64]bool) {
	ctx := context.Background()
	want := must[[]recall.Found](rt)(scope.Top(ctx, terms, 1<<30)) // no pruning
	for _, f := range want {
		if gone[f.N] || project != "" && w.docs[f.N].Project != project {
			rt.Fatalf("found %d, which is gone or elsewhere", f.N)
		}
	}
	matching := 0
	for n, d := range w.docs {
		if !gone[n] && (project == "" || d.Project == project) && slices.ContainsFunc(terms, func(t recall.Weighted) bool { return slices.Contains(d.Terms(), t.Term) }) {
			matching++
		}
	}
	if len(want) != matching {
		rt.Fatalf("found %d documents, %d have the terms", len(want), matching)
	}
	for _, f := range want {
		if even := evenOf(w.docs[f.N], terms); f.Score < even-1e-3 || f.Score > even+1e-3 && !slices.ContainsFunc(terms, func(t recall.Weighted) bool { return !t.Even }) {
			rt.Fatalf("%d scores %v, its even terms alone weigh %v", f.N, f.Score, even)
		}
	}
	var names []string
	for _, t := range terms {
		names = append(names, t.Term)
	}
	few := must[*index.Scope](rt)(index.New(w.store, index.Options{}).ScopeOf(ctx, project, names))
	for _, f := range []recall.Finder{scope, few, must[*index.Scope](rt)(other.Scope(ctx, project, nil))} {
		got := must[[]recall.Found](rt)(f.Top(ctx, terms, 20))
		if len(got) != min(20, len(want)) {
			rt.Fatalf("got %d hits, want %d", len(got), min(20, len(want)))
		}
		for i := range got {
			if d := got[i].Score - want[i].Score; d > 1e-3 || d < -1e-3 {
				rt.Fatalf("hit %d scores %v, want %v", i, got[i].Score, want[i].Score)
			}
			if project != "" && got[i].Score == want[i].Score && got[i].N != want[i].N {
				rt.Fatalf("hit %d is %d, want %d, which is older and scores the same", i, got[i].N, want[i].N)
			}
		}
	}
	checkSifted(rt, w, project, terms)
	checkThen(rt, w, project, terms)
	st := must[recall.Stats](rt)(scope.Stats(ctx, names))
	if of := must[recall.Stats](rt)(few.Stats(ctx, names)); !slices.Equal(of.DF, st.DF) || of.Docs != st.Docs || of.MeanTerms != st.MeanTerms || of.MeanPassage != st.MeanPassage {
		rt.Fatalf("of the few terms %+v, of all %+v", of, st)
	}
	counts := must[[]int](rt)(scope.Frequencies(ctx, append(names, "nowhere", names[0])))
	for i, name := range names {
		if want := w.bruteDF(project, name); st.DF[i] != want || counts[i] != want {
			rt.Fatalf("%q is in %d documents, the index says %d and %d", name, want, st.DF[i], counts[i])
		}
	}
	beginning := names[0][:1]
	longer := must[[]string](rt)(scope.Completions(ctx, beginning, 1<<30))
	for n, d := range w.docs {
		for _, t := range d.Terms() {
			there := !gone[n] && (project == "" || d.Project == project) && len(t) > 1 && strings.HasPrefix(t, beginning)
			if there && !slices.Contains(longer, t) {
				rt.Fatalf("%q is not among the completions of %q", t, beginning)
			}
		}
	}
	if n := len(names); counts[n] != 0 || counts[n+1] != counts[0] {
		rt.Fatalf("counts %v: the last but one should be 0, the last as the first", counts)
	}
}

// distinct drops the terms that are there already.
func distinct(terms []recall.Weighted) []recall.Weighted {
	var out []recall.Weighted
	for _, t := range terms {
		if !slices.ContainsFunc(out, func(o recall.Weighted) bool { return o.Term == t.Term }) {
			out = append(out, t)
		}
	}
	return out
}

// evenOf is what the even terms that a document has weigh together.
func evenOf(d *recall.Document, terms []recall.Weighted) float64 {
	sum := 0.0
	for _, t := range terms {
		if t.Even && slices.Contains(d.Terms(), t.Term) {
			sum += t.Weight
		}
	}
	return sum
}

// A save by another process is found by the next question, before any upkeep.
func TestSavesAreFoundAtOnce(t *testing.T) {
	ctx := context.Background()
	w := newWorld(1)
	ix := index.New(w.store, index.Options{})
	for range 10 {
		w.save("a", 5)
		d := w.docs[w.n]
		scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
		found := must[[]recall.Found](t)(scope.Top(ctx, []recall.Weighted{{Term: d.Terms()[0], Weight: 1}}, 100))
		if !slices.ContainsFunc(found, func(f recall.Found) bool { return f.N == d.N }) {
			t.Fatalf("document %d is not found", d.N)
		}
	}
}

// Who has a word twice in their name has said each text once, in the tail as in a
// segment.
func TestNameWithAWordTwice(t *testing.T) {
	ctx := context.Background()
	w := newWorld(11)
	const count = 2100
	for n := range int64(count) {
		w.store.Save(recall.NewDocument(recall.Entry{N: n + 1, Project: "a", Content: "hello", Source: "Anna Bob Anna"}))
	}
	ix := index.New(w.store, index.Options{})
	for _, where := range []string{"tail", "segment"} {
		scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
		if st := must[recall.Stats](t)(scope.Stats(ctx, []string{"@anna", "@bob"})); st.DF[0] != count || st.DF[1] != count {
			t.Errorf("%s: the speakers have said %v of %d documents", where, st.DF, st.Docs)
		}
		for _, f := range must[[]recall.Found](t)(scope.Top(ctx, []recall.Weighted{{Term: "@anna", Weight: 1, Even: true}}, 10)) {
			if f.Score != 1 {
				t.Errorf("%s: document %d scores %v", where, f.N, f.Score)
			}
		}
		for more := true; more; {
			more = must[bool](t)(ix.Maintain(ctx))
		}
	}
}

// Erased documents leave the index with the next merge; so do their words.
func TestErasedDocumentsLeaveWithAMerge(t *testing.T) {
	ctx := context.Background()
	w := newWorld(2)
	ix := index.New(w.store, index.Options{})
	secret := recall.NewDocument(recall.Entry{N: 1, Project: "a", Content: "hunter2secret", Time: time.Unix(1, 0)})
	w.n = 1
	w.store.Save(secret)
	for range 4 * 4096 {
		w.save("a", 3)
	}
	w.store.Forget(1, "a", true)
	w.store.Erase(1)
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(ctx))
	}
	scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
	if st := must[recall.Stats](t)(scope.Stats(ctx, []string{secret.Terms()[0]})); st.DF[0] != 0 {
		t.Errorf("the erased document's word is still in %d documents", st.DF[0])
	}
}

// With a limit only the documents named are found.
func TestOnly(t *testing.T) {
	ctx := context.Background()
	w := newWorld(3)
	ix := index.New(w.store, index.Options{})
	for range 6000 {
		w.save("a", 8)
	}
	must[bool](t)(ix.Maintain(ctx))
	var only []int64
	for n := range w.docs {
		if n%7 == 0 {
			only = append(only, n)
		}
	}
	scope := must[*index.Scope](t)(ix.Scope(ctx, "a", only))
	found := must[[]recall.Found](t)(scope.Top(ctx, []recall.Weighted{{Term: "w1x", Weight: 1}, {Term: "w2x", Weight: 1}}, 1<<20))
	if len(found) == 0 {
		t.Fatal("nothing found")
	}
	for _, f := range found {
		if f.N%7 != 0 {
			t.Fatalf("found %d", f.N)
		}
	}
}

// What comes after a document is known too where another process has put it into a
// segment before this one looked again.
func TestNextBehindASegment(t *testing.T) {
	ctx := context.Background()
	w := newWorld(7)
	entry := recall.Entry{N: 1, Project: "a", Content: "the last word so far", Time: time.Unix(1, 0)}
	w.store.Save(recall.NewDocument(entry))
	ours := index.New(w.store, index.Options{})
	next := func() int64 {
		scope := must[*index.Scope](t)(ours.Scope(ctx, "a", nil))
		return must[[]int64](t)(scope.Next(ctx, []int64{1}))[0]
	}
	if n := next(); n != 0 {
		t.Fatalf("after the last document comes %d", n)
	}
	entry.N, entry.Prev = 2, 1
	w.store.Save(recall.NewDocument(entry))
	for w.n = 2; w.n < 9000; {
		w.save("a", 3)
	}
	theirs := index.New(w.store, index.Options{})
	for more := true; more; {
		more = must[bool](t)(theirs.Maintain(ctx))
	}
	if n := next(); n != 2 {
		t.Errorf("after document 1 comes %d, want 2", n)
	}
}

// Two runs of upkeep after a crash leave no blobs behind.
func TestLeftoversAreSwept(t *testing.T) {
	ctx := context.Background()
	w := newWorld(4)
	for range 100 {
		w.save("a", 5)
	}
	if err := w.store.PutChunks(ctx, 99, []int64{1, 2}, [][]byte{{1}, {2}}); err != nil {
		t.Fatal(err)
	}
	ix := index.New(w.store, index.Options{})
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(ctx))
	}
	if _, chunks := w.store.Bytes(); chunks != 0 {
		t.Errorf("%d bytes are left", chunks)
	}
}

// counting counts the rows that are read and what is written into segments.
type counting struct {
	*indextest.Memory
	rows    int
	written int // bytes of chunks
}

func (c *counting) PutChunks(ctx context.Context, segment int64, keys []int64, blobs [][]byte) error {
	for _, b := range blobs {
		c.written += len(b)
	}
	return c.Memory.PutChunks(ctx, segment, keys, blobs)
}

func (c *counting) Rows(ctx context.Context, after int64, limit int, take func(int64, []byte) error) (int, error) {
	rows, err := c.Memory.Rows(ctx, after, limit, take)
	c.rows += rows
	return rows, err
}

// Upkeep after a large import reads each row once and keeps none, however many
// wait: what waits may be more than memory holds. What it writes grows with the
// logarithm of the segments, not with their number.
func TestUpkeepAfterAnImport(t *testing.T) {
	w := newWorld(5)
	const docs = 100_000
	for range docs {
		w.save("a", 3)
	}
	store := &counting{Memory: w.store}
	ix := index.New(store, index.Options{})
	for more := true; more; {
		more = must[bool](t)(ix.Maintain(context.Background()))
	}
	if store.rows > docs {
		t.Errorf("%d rows were read of %d", store.rows, docs)
	}
	if _, held := store.Bytes(); store.written > 4*held {
		t.Errorf("%d bytes were written to hold %d", store.written, held)
	}
	scope := must[*index.Scope](t)(ix.Scope(context.Background(), "a", nil))
	none := func(context.Context, []int64) ([]int64, error) { return nil, nil }
	sifted := must[*index.Scope](t)(ix.ScopeWhere(context.Background(), "a", none))
	common := []recall.Weighted{{Term: "w0x", Weight: 1}, {Term: "w1x", Weight: 1}, {Term: "w2x", Weight: 1}, {Term: "w3x", Weight: 1}}
	if found, err := sifted.Top(context.Background(), common, 100); !errors.Is(err, index.ErrFewPass) {
		t.Errorf("of very many that do not pass %d are found, %v", len(found), err)
	}
	if st := must[recall.Stats](t)(scope.Stats(context.Background(), nil)); st.Docs != docs {
		t.Errorf("the index has %d documents, want %d", st.Docs, docs)
	}
}
