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

// bruteDF counts a term in a project's documents, but for those that are gone.
func (w *world) bruteDF(project, term string, gone map[int64]bool) int {
	n := 0
	for _, d := range w.docs {
		if !gone[d.N] && (project == "" || d.Project == project) && slices.Contains(d.Terms(), term) {
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
		found := must[[]recall.Found](t)(scope.Top(ctx, []recall.Weighted{{Term: "@anna", Weight: 1, Even: true}}, 10))
		if len(found) != 10 || slices.ContainsFunc(found, func(f recall.Found) bool { return f.Score != 1 }) {
			t.Errorf("%s: found %v, want ten with a score of 1", where, found)
		}
		for more := true; more; {
			more = must[bool](t)(ix.Maintain(ctx))
		}
	}
}

// Erased documents leave the index with the next merge; so do their words, and their length no
// longer counts.
func TestErasedDocumentsLeaveWithAMerge(t *testing.T) {
	ctx := context.Background()
	w := newWorld(2)
	ix := index.New(w.store, index.Options{})
	upkeep := func() {
		for more := true; more; {
			more = must[bool](t)(ix.Maintain(ctx))
		}
	}
	for range 4096 {
		w.save("a", 20)
	}
	erased := w.n
	for range 2 * 4096 {
		w.save("a", 3)
	}
	upkeep()
	word := w.docs[erased].Terms()[0]
	for n := range w.docs {
		if n <= erased {
			w.erase(n)
		}
	}
	for range 4096 {
		w.save("a", 3)
	}
	upkeep()
	st := must[recall.Stats](t)(must[*index.Scope](t)(ix.Scope(ctx, "a", nil)).Stats(ctx, []string{word}))
	if want := w.bruteDF("a", word, nil); st.Docs != 3*4096 || st.DF[0] != want {
		t.Errorf("%d of %d documents have the word, want %d of %d", st.DF[0], st.Docs, want, 3*4096)
	}
	if st.MeanTerms != 3 {
		t.Errorf("a document has %g terms on average, want 3", st.MeanTerms)
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

// Of documents that say the same the newest are found, or the oldest if asked for, wherever
// they are.
func TestEqualDocuments(t *testing.T) {
	ctx := context.Background()
	w := newWorld(4)
	ix := index.New(w.store, index.Options{})
	const same = 9000 // in segments of several sizes, and behind them
	for n := range int64(same) {
		w.store.Save(recall.NewDocument(recall.Entry{N: n + 1, Project: "a", Content: "Deployed to staging, the smoke tests passed.", Time: time.Unix(n, 0)}))
		if n%4096 == 4095 {
			must[bool](t)(ix.Maintain(ctx))
		}
	}
	terms := []recall.Weighted{{Term: "deploy", Weight: 2}, {Term: "stage", Weight: 1.5}, {Term: "test", Weight: 1.1}}
	for _, oldest := range []bool{false, true} {
		scope := must[*index.Scope](t)(ix.Scope(ctx, "a", nil))
		if oldest {
			scope.OldestFirst()
		}
		found := must[[]recall.Found](t)(scope.Top(ctx, terms, 5000))
		if len(found) != 5000 {
			t.Fatalf("%d found", len(found))
		}
		for i, f := range found {
			want := int64(same - i)
			if oldest {
				want = int64(i + 1)
			}
			if f.N != want {
				t.Fatalf("oldest first %v: at %d stands %d, want %d", oldest, i, f.N, want)
			}
		}
	}
}

// So it is with those of several projects that are in no segment yet.
func TestEqualDocumentsOfProjects(t *testing.T) {
	w := newWorld(4)
	for i, project := range []string{"b", "a", "c", "a"} {
		w.store.Save(recall.NewDocument(recall.Entry{N: int64(i + 1), Project: project, Content: "Deployed to staging.", Time: time.Unix(int64(i), 0)}))
	}
	scope := must[*index.Scope](t)(index.New(w.store, index.Options{}).Scope(t.Context(), "", nil))
	for i, f := range must[[]recall.Found](t)(scope.Top(t.Context(), []recall.Weighted{{Term: "deploy", Weight: 2}}, 3)) {
		if want := int64(4 - i); f.N != want {
			t.Errorf("at %d stands %d, want %d", i, f.N, want)
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

// overtaken is a store in which something happens while rows are read.
type overtaken struct {
	*indextest.Memory
	meanwhile func()
}

func (s *overtaken) Rows(ctx context.Context, after int64, limit int, take func(int64, []byte) error) (int, error) {
	rows, err := s.Memory.Rows(ctx, after, limit, take)
	if do := s.meanwhile; do != nil {
		s.meanwhile = nil
		do()
	}
	return rows, err
}

// Who reads rows for a segment gives up where another process was faster, also where a
// question has learnt of that meanwhile.
func TestOvertakenUpkeep(t *testing.T) {
	ctx := context.Background()
	w := newWorld(12)
	for range 3000 {
		w.save("a", 3)
	}
	store := &overtaken{Memory: w.store}
	ours, theirs := index.New(store, index.Options{}), index.New(w.store, index.Options{})
	store.meanwhile = func() {
		must[bool](t)(theirs.Maintain(ctx))
		must[*index.Scope](t)(ours.Scope(ctx, "a", nil))
	}
	if _, err := ours.Maintain(ctx); err == nil {
		t.Error("the rows were put into a second segment")
	}
	scope := must[*index.Scope](t)(index.New(w.store, index.Options{}).Scope(ctx, "a", nil))
	if st := must[recall.Stats](t)(scope.Stats(ctx, nil)); st.Docs != 3000 {
		t.Errorf("the index has %d documents, want 3000", st.Docs)
	}
}
