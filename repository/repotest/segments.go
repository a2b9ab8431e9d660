package repotest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testSegments(t *testing.T, fresh Fresh) {
	for name, test := range map[string]func(*testing.T, Open){
		"Seen": testSegmentsSeen, "Killed": testSegmentKilled, "Conflict": testSegmentConflict, "Race": testSegmentRace, "Spaces": testSpacesApart,
	} {
		t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
	}
}

// begun is a segment with so many chunks that is not active yet.
func begun(t testing.TB, x repository.SearchIndex, chunks int) int64 {
	t.Helper()
	id := must(x.NewSegment(t.Context(), versionOf(t, x)))(t)
	var keys []int64
	var blobs [][]byte
	for k := range chunks {
		keys, blobs = append(keys, int64(k)), append(blobs, []byte{byte(id), byte(k)})
	}
	if err := x.PutChunks(t.Context(), id, keys, blobs); err != nil {
		t.Fatal(err)
	}
	return id
}

func activate(t testing.TB, x repository.SearchIndex, id int64, head string, replaces ...int64) {
	t.Helper()
	if err := x.Activate(t.Context(), id, []byte(head), replaces); err != nil {
		t.Fatal(err)
	}
}

// heads are the active segments as anybody sees them.
func heads(t testing.TB, x repository.SearchIndex) (out []string) {
	t.Helper()
	_, list, err := x.Segments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		out = append(out, string(h))
	}
	return out
}

func versionOf(t testing.TB, x repository.SearchIndex) int64 {
	t.Helper()
	_, _, v, err := x.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// sweep deletes what can be deleted and counts it.
func sweep(t testing.TB, x repository.SearchIndex) (total int) {
	t.Helper()
	for {
		n := must(x.Sweep(t.Context(), 3))(t)
		if total += n; n == 0 {
			return total
		}
	}
}

// Another store sees a segment from the moment on that it is active, and its
// version rises then; a replaced one can be swept. Spaces do not mix.
func testSegmentsSeen(t *testing.T, open Open) {
	x, other := open().SearchIndex(domain.ContextSpace), open().SearchIndex(domain.ContextSpace)
	messages := open().SearchIndex(domain.MessageSpace)
	before := versionOf(t, other)
	a := begun(t, x, 5)
	if got := heads(t, other); len(got) != 0 || versionOf(t, other) != before {
		t.Errorf("seen before it was active: %v", got)
	}
	activate(t, x, a, "a")
	if got := heads(t, other); !cmp.Equal(got, []string{"a"}) || versionOf(t, other) <= before {
		t.Errorf("seen: %v", got)
	}
	if got := must(other.Chunk(t.Context(), a, 4))(t); !cmp.Equal(got, []byte{byte(a), 4}) {
		t.Errorf("chunk %v", got)
	}
	b := begun(t, x, 2)
	got := map[[2]int64][]byte{}
	take := func(segment, key int64, blob []byte) { got[[2]int64{segment, key}] = blob }
	if err := other.Chunks(t.Context(), []int64{a, b, a}, []int64{0, 1, 3}, take); err != nil {
		t.Fatal(err)
	}
	if want := map[[2]int64][]byte{{a, 0}: {byte(a), 0}, {b, 1}: {byte(b), 1}, {a, 3}: {byte(a), 3}}; !cmp.Equal(got, want) {
		t.Errorf("chunks %v, want %v", got, want)
	}
	wantKind(t, other.Chunks(t.Context(), []int64{a, b}, []int64{0, 1 << 40}, take), domain.KindConflict)
	activate(t, x, b, "b", a)
	if got := heads(t, other); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("after the merge: %v", got)
	}
	if got := sweep(t, messages); got != 0 || len(heads(t, messages)) != 0 || versionOf(t, messages) != 0 {
		t.Errorf("messages have parts of contexts: %d", got)
	}
	if got := sweep(t, other); got != 5 {
		t.Errorf("swept %d, want 5", got)
	}
	_, err := x.Chunk(t.Context(), a, 0)
	wantKind(t, err, domain.KindConflict)
	must(x.Chunk(t.Context(), b, 1))(t)
}

// Each space has its own documents, versions and segments, and no part of one goes into
// the other.
func testSpacesApart(t *testing.T, open Open) {
	s := open()
	saveSome(t, s, 3)
	opened(t, s, anEvent(1, "one"))
	message := putDocument(t, s, ofMessage(1))
	x, messages := s.SearchIndex(domain.ContextSpace), s.SearchIndex(domain.MessageSpace)
	for _, c := range []struct {
		x    repository.SearchIndex
		want []int64
	}{{x, []int64{1, 2, 3}}, {messages, []int64{message}}} {
		var got []int64
		_, err := c.x.Rows(t.Context(), 0, 10, func(n int64, _ []byte) error { got = append(got, n); return nil })
		last, _, _, err2 := c.x.State(t.Context())
		if !cmp.Equal(got, c.want) || last != c.want[len(c.want)-1] || err != nil || err2 != nil {
			t.Errorf("documents %v, the last %d, %v, %v; want %v", got, last, err, err2, c.want)
		}
	}
	if rows, err := x.Rows(t.Context(), 1, 1, func(int64, []byte) error { return nil }); rows != 1 || err != nil {
		t.Errorf("one row behind the first is %d, %v", rows, err)
	}
	a := begun(t, x, 1)
	activate(t, x, a, "a")
	_, err := messages.NewSegment(t.Context(), versionOf(t, x))
	wantKind(t, err, domain.KindConflict)
	growing := begun(t, messages, 1)
	wantKind(t, x.PutChunks(t.Context(), growing, []int64{9}, [][]byte{{9}}), domain.KindConflict)
	wantKind(t, messages.PutChunks(t.Context(), growing+99, []int64{9}, [][]byte{{9}}), domain.KindConflict)
	wantKind(t, messages.Activate(t.Context(), growing, []byte("m"), []int64{a}), domain.KindConflict)
	activate(t, messages, growing, "m")
	if !cmp.Equal(heads(t, x), []string{"a"}) || !cmp.Equal(heads(t, messages), []string{"m"}) {
		t.Errorf("active are %q and %q", heads(t, x), heads(t, messages))
	}
}

// What a writer leaves that was killed before it activated its segment is in
// nobody's way, and is swept once the segments have changed.
func testSegmentKilled(t *testing.T, open Open) {
	x, other := open().SearchIndex(domain.ContextSpace), open().SearchIndex(domain.ContextSpace)
	left := begun(t, x, 4)
	if got := sweep(t, other); got != 0 {
		t.Errorf("swept %d chunks of a segment that may still be written", got)
	}
	b := begun(t, other, 1)
	activate(t, other, b, "b")
	if got := sweep(t, other); got != 4 || !cmp.Equal(heads(t, x), []string{"b"}) {
		t.Errorf("swept %d, left %v", got, heads(t, x))
	}
	if id := begun(t, x, 1); id <= b || id == left {
		t.Errorf("segment %d was there before", id)
	}
}

// Of two that change the segments at once the later one gets a conflict, however
// far it was, and has changed nothing.
func testSegmentConflict(t *testing.T, open Open) {
	s := open()
	x, other := s.SearchIndex(domain.ContextSpace), open().SearchIndex(domain.ContextSpace)
	a := begun(t, x, 1)
	activate(t, x, a, "a")
	known, late := versionOf(t, x), begun(t, x, 1)
	b := begun(t, other, 1)
	activate(t, other, b, "b", a)
	_, err := x.NewSegment(t.Context(), known)
	wantKind(t, err, domain.KindConflict)
	wantKind(t, x.PutChunks(t.Context(), late, []int64{7}, [][]byte{{1}}), domain.KindConflict)
	wantKind(t, x.Activate(t.Context(), late, []byte("late"), []int64{a}), domain.KindConflict)
	gone := begun(t, x, 1)
	wantKind(t, x.Activate(t.Context(), gone, []byte("gone"), []int64{a}), domain.KindConflict)
	if got := heads(t, x); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("active: %v", got)
	}
	cleared := begun(t, x, 1)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.ClearDocuments(ctx) })
	wantKind(t, x.Activate(t.Context(), cleared, []byte("old"), nil), domain.KindConflict)
	if got := heads(t, x); len(got) != 0 {
		t.Errorf("active after all was cleared: %v", got)
	}
}

// Many that build, replace and sweep at once leave segments that are whole.
func testSegmentRace(t *testing.T, open Open) {
	stores := []repository.Store{open(), open()}
	together(4, func(w int) {
		x := stores[w%2].SearchIndex(domain.ContextSpace)
		for range 8 {
			err := buildOne(t, x)
			if err != nil && domain.KindOf(err) != domain.KindConflict {
				t.Error(err)
			}
			if _, err := x.Sweep(t.Context(), 2); err != nil {
				t.Error(err)
			}
		}
	})
	x := stores[0].SearchIndex(domain.ContextSpace)
	sweep(t, x)
	active, _, err := x.Segments(t.Context())
	if err != nil || len(active) != 1 {
		t.Fatalf("active: %v, %v", active, err)
	}
	for k := range int64(4) {
		must(x.Chunk(t.Context(), active[0], k))(t)
	}
}

// buildOne puts a segment of four chunks in the place of all that are there.
func buildOne(t testing.TB, x repository.SearchIndex) error {
	_, _, version, err := x.State(t.Context())
	if err != nil {
		return err
	}
	replaces, _, err := x.Segments(t.Context())
	if err != nil {
		return err
	}
	id, err := x.NewSegment(t.Context(), version)
	for k := int64(0); k < 4 && err == nil; k++ {
		err = x.PutChunks(t.Context(), id, []int64{k}, [][]byte{{byte(k)}})
	}
	if err != nil {
		return err
	}
	return x.Activate(t.Context(), id, []byte("head"), replaces)
}
