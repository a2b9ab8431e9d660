package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wake/recall"
	"wake/recall/index"
)

// The index finds what scoring every document finds, whatever is in segments,
// merged or fresh, forgotten or back. (issue 5: deleting and importing keep it
// right)
func TestIndexAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		w := newWorld(rapid.Uint64().Draw(rt, "seed"))
		ix := index.New(w.store, index.Options{})
		gone, fresh := map[int64]bool{}, true
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 3000).Draw(rt, "saves") {
				w.save([]string{"a", "b", "c"}[w.rnd.IntN(3)], 1+w.rnd.IntN(10))
			}
			must[*index.Scope](rt)(ix.Scope(ctx, "", nil)) // what is removed now, it has read
			for n, d := range w.docs {
				if w.rnd.IntN(50) == 0 {
					gone[n] = !gone[n]
					w.store.Forget(n, d.Project, gone[n])
				}
			}
			for range rapid.IntRange(0, 5).Draw(rt, "steps") {
				must[bool](rt)(ix.Maintain(ctx))
				fresh = false
			}
		}
		other := index.New(w.store, index.Options{}) // another process
		for range 5 {
			project := []string{"", "a", "b", "c"}[w.rnd.IntN(4)]
			var terms []recall.Weighted
			for range 1 + w.rnd.IntN(6) {
				terms = append(terms, recall.Weighted{Term: recall.Analyze(fmt.Sprintf("w%dx", w.zipf.Uint64()))[0], Weight: 0.5 + w.rnd.Float64()*5, Even: w.rnd.IntN(4) == 0})
			}
			trial{rt, w, ix, other, project, distinct(terms), gone, fresh}.check()
		}
	})
}

// trial is a question whose answers are held against those of every document.
type trial struct {
	*rapid.T
	w         *world
	ix, other *index.Index // of two processes
	project   string
	terms     []recall.Weighted
	gone      map[int64]bool
	fresh     bool // no segment can have been made
}

func (t trial) check() {
	all := t.checkAll()
	t.checkBest(all)
	t.checkSifted()
	t.checkThen()
	t.checkCounts()
	t.checkCompletions()
}

func (t trial) scope() *index.Scope {
	return must[*index.Scope](t)(t.ix.Scope(context.Background(), t.project, nil))
}

// few is the scope of a process that asks for the terms and ends.
func (t trial) few() *index.Scope {
	return must[*index.Scope](t)(index.New(t.w.store, index.Options{}).ScopeOf(context.Background(), t.project, t.names()))
}

func (t trial) top(f recall.Finder, k int) []recall.Found {
	return must[[]recall.Found](t)(f.Top(context.Background(), t.terms, k))
}

func (t trial) names() (names []string) {
	for _, w := range t.terms {
		names = append(names, w.Term)
	}
	return names
}

// in reports whether a document is of the project.
func (t trial) in(d *recall.Document) bool { return t.project == "" || d.Project == t.project }

// matches reports whether a document of the project has one of the terms.
func (t trial) matches(d *recall.Document) bool {
	return t.in(d) && slices.ContainsFunc(t.terms, func(w recall.Weighted) bool { return slices.Contains(d.Terms(), w.Term) })
}

// checkAll looks for every document that has a term, without pruning, and returns them.
func (t trial) checkAll() []recall.Found {
	all := t.top(t.scope(), 1<<30)
	matching := 0
	for n, d := range t.w.docs {
		if !t.gone[n] && t.matches(d) {
			matching++
		}
	}
	if len(all) != matching {
		t.Fatalf("found %d documents, %d have the terms", len(all), matching)
	}
	allEven := !slices.ContainsFunc(t.terms, func(w recall.Weighted) bool { return !w.Even })
	for _, f := range all {
		if t.gone[f.N] || !t.in(t.w.docs[f.N]) {
			t.Fatalf("found %d, which is gone or elsewhere", f.N)
		}
		if even := evenOf(t.w.docs[f.N], t.terms); f.Score < even-1e-3 || f.Score > even+1e-3 && allEven {
			t.Fatalf("%d scores %v, its even terms alone weigh %v", f.N, f.Score, even)
		}
	}
	return all
}

// checkBest looks for the best of all, from every scope there is.
func (t trial) checkBest(all []recall.Found) {
	theirs := must[*index.Scope](t)(t.other.Scope(context.Background(), t.project, nil))
	for _, f := range []recall.Finder{t.scope(), t.few(), theirs} {
		got := t.top(f, 20)
		if len(got) != min(20, len(all)) {
			t.Fatalf("got %d hits, want %d", len(got), min(20, len(all)))
		}
		for i, want := range all[:len(got)] {
			if d := got[i].Score - want.Score; d > 1e-3 || d < -1e-3 {
				t.Fatalf("hit %d scores %v, want %v", i, got[i].Score, want.Score)
			}
			if t.project != "" && got[i].Score == want.Score && got[i].N != want.N {
				t.Fatalf("hit %d is %d, want %d, which is older and scores the same", i, got[i].N, want.N)
			}
		}
	}
}

// checkSifted compares what is found among listed documents with what is sifted out.
func (t trial) checkSifted() {
	ctx, ix, of := context.Background(), index.New(t.w.store, index.Options{}), int64(1+t.w.rnd.IntN(40))
	listed := []int64{}
	for n := range t.w.docs {
		if n%of == 0 {
			listed = append(listed, n)
		}
	}
	sifted := must[*index.Scope](t)(ix.ScopeWhere(ctx, t.project, func(_ context.Context, ns []int64) ([]int64, error) {
		return slices.DeleteFunc(slices.Clone(ns), func(n int64) bool { return n%of != 0 }), nil
	}))
	want := t.top(must[*index.Scope](t)(ix.Scope(ctx, t.project, listed)), 10)
	same := func(a, b recall.Found) bool { return a.Score == b.Score && (a.N == b.N || t.project == "") }
	if got := t.top(sifted, 10); !slices.EqualFunc(got, want, same) {
		t.Fatalf("sifted %v, listed %v", got, want)
	}
	whole := must[*index.Scope](t)(ix.Scope(ctx, t.project, nil))
	if got := must[[]recall.Found](t)(whole.TopAmong(ctx, t.terms, listed, 10)); !slices.EqualFunc(got, want, same) {
		t.Fatalf("among them %v, listed %v", got, want)
	}
	if pass := must[[]bool](t)(sifted.Admits(ctx, []int64{of + 1})); of > 1 && pass[0] {
		t.Fatalf("%d passes where every %dth does", of+1, of)
	}
}

// checkThen asks about a time when nothing was gone.
func (t trial) checkThen() {
	ctx, ix := context.Background(), index.New(t.w.store, index.Options{})
	all, matching := []int64{}, 0
	for n, d := range t.w.docs {
		all = append(all, n)
		if t.matches(d) {
			matching++
		}
	}
	listed := must[*index.Scope](t)(ix.Scope(ctx, t.project, all))
	sifted := must[*index.Scope](t)(ix.ScopeWhere(ctx, t.project, func(_ context.Context, ns []int64) ([]int64, error) { return ns, nil }))
	for _, scope := range []*index.Scope{listed, sifted} {
		scope.AsThen()
		found := t.top(scope, 1<<12)
		if len(found) != min(matching, 1<<12) {
			t.Fatalf("found %d documents of then, %d had the terms", len(found), matching)
		}
		ns := make([]int64, len(found))
		for i, f := range found {
			ns[i] = f.N
		}
		docs, pass := must[[]*recall.Document](t)(scope.Documents(ctx, ns)), must[[]bool](t)(scope.Admits(ctx, ns))
		if slices.Contains(docs, nil) || slices.Contains(pass, false) {
			t.Fatal("a document found is not there, or may not be found")
		}
	}
}

// checkCounts compares in how many documents the terms are said to be: by all processes
// alike. Of what is gone, those count that a segment holds.
func (t trial) checkCounts() {
	ctx, names, scope := context.Background(), t.names(), t.scope()
	st := must[recall.Stats](t)(scope.Stats(ctx, names))
	theirs := must[*index.Scope](t)(t.other.Scope(ctx, t.project, nil))
	for _, s := range []*index.Scope{t.few(), theirs} {
		if of := must[recall.Stats](t)(s.Stats(ctx, names)); !slices.Equal(of.DF, st.DF) || of.Docs != st.Docs || of.MeanTerms != st.MeanTerms || of.MeanPassage != st.MeanPassage {
			t.Fatalf("another process says %+v, this one %+v", of, st)
		}
	}
	counts := must[[]int](t)(scope.Frequencies(ctx, append(names, "nowhere", names[0])))
	for i, name := range names {
		least := t.w.bruteDF(t.project, name, t.gone)
		if st.DF[i] < least || t.fresh && st.DF[i] > least || counts[i] != st.DF[i] {
			t.Fatalf("%q is in %d documents that are there, the index says %d and %d", name, least, st.DF[i], counts[i])
		}
	}
	if n := len(names); counts[n] != 0 || counts[n+1] != counts[0] {
		t.Fatalf("counts %v: the last but one should be 0, the last as the first", counts)
	}
}

// checkCompletions looks for all words that begin as a term does.
func (t trial) checkCompletions() {
	beginning := t.names()[0][:1]
	longer := must[[]string](t)(t.scope().Completions(context.Background(), beginning, 1<<30))
	for n, d := range t.w.docs {
		if t.gone[n] || !t.in(d) {
			continue
		}
		for _, word := range d.Terms() {
			if len(word) > 1 && strings.HasPrefix(word, beginning) && !slices.Contains(longer, word) {
				t.Fatalf("%q is not among the completions of %q", word, beginning)
			}
		}
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
