package index

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"wake/recall"
)

// tail holds in memory what was saved after the last segment, by project. Its documents
// share one vocabulary, whose numbers identify words.
type tail struct {
	words    *recall.Vocabulary
	docs     map[int64]*recall.Document
	projects map[string]*projectTail
	base     int64    // segments hold everything up to this number
	last     int64    // highest number seen
	times    []uint32 // scratch: occurrences of each word in a document
}

// projectTail is the tail of one project. Removed documents stay in it, because they
// may come back, but are not counted: processes that have read them must answer like
// those that started later, when the row was gone.
type projectTail struct {
	ns    []int64 // ascending
	posts map[uint32][]tailPosting
	gone  map[uint32]bool // indexes in ns

	docs, terms, passages int // without removed documents
}

type tailPosting struct {
	at    uint32 // index in ns
	tf    uint32
	terms uint32 // length of the document
}

func newTail(after int64, words *recall.Vocabulary) *tail {
	return &tail{words: words, docs: map[int64]*recall.Document{}, projects: map[string]*projectTail{}, base: after, last: after}
}

// add adds a document that uses the tail's vocabulary.
func (t *tail) add(d *recall.Document) {
	t.docs[d.N] = d
	list := t.begin(d.N, d.Project, len(d.Seq), len(d.Passages))
	t.count(d, list)
}

// begin adds a document without its words, which the caller passes to the returned
// function.
func (t *tail) begin(n int64, project string, terms, passages int) (list func(word, tf uint32)) {
	t.last = max(t.last, n)
	f := t.projects[project]
	if f == nil {
		f = &projectTail{posts: map[uint32][]tailPosting{}, gone: map[uint32]bool{}}
		t.projects[strings.Clone(project)] = f
	}
	at := uint32(len(f.ns))
	f.ns = append(f.ns, n)
	f.docs++
	f.terms += terms
	f.passages += passages
	return func(word, tf uint32) {
		f.posts[word] = append(f.posts[word], tailPosting{at, tf, uint32(terms)})
	}
}

// remove marks document n of a project as gone or back if the tail has it.
func (t *tail) remove(n int64, project string, gone bool) {
	f, d := t.projects[project], t.docs[n]
	if f == nil || d == nil {
		return
	}
	at, ok := slices.BinarySearch(f.ns, n)
	if !ok || f.gone[uint32(at)] == gone {
		return
	}
	by := 1
	if gone {
		f.gone[uint32(at)], by = true, -1
	} else {
		delete(f.gone, uint32(at))
	}
	f.docs += by
	f.terms += by * len(d.Seq)
	f.passages += by * len(d.Passages)
}

// count calls fn once for every index term of a document, as eachPosting does, but with
// the term's number.
func (t *tail) count(d *recall.Document, fn func(word, tf uint32)) {
	lists := [][]uint32{d.Seq, d.Wholes, t.words.Numbers(d.SpeakerTerms())}
	for _, list := range lists {
		for _, word := range list {
			if int(word) >= len(t.times) {
				t.times = append(t.times, make([]uint32, int(word)+1-len(t.times))...)
			}
			t.times[word]++
		}
	}
	for _, list := range lists {
		for _, word := range list {
			if n := t.times[word]; n > 0 {
				t.times[word] = 0
				fn(word, n)
			}
		}
	}
}

// postings returns the documents of a project that have a term.
func (t *tail) postings(f *projectTail, term string) []tailPosting {
	word, ok := t.words.Number(term)
	if !ok {
		return nil
	}
	return f.posts[word]
}

// counted is what counts of a project's tail.
type counted struct {
	*projectTail
	out map[uint32]bool // indexes of documents that do not count

	docs, terms, passages int
}

// counted counts a project's documents that are not removed, and of the removed ones
// those that are back; nil is none.
func (t *tail) counted(f *projectTail, back func(n int64) bool) counted {
	c := counted{projectTail: f, out: f.gone, docs: f.docs, terms: f.terms, passages: f.passages}
	if back == nil || len(f.gone) == 0 {
		return c
	}
	c.out = map[uint32]bool{}
	for at := range f.gone {
		if d := t.docs[f.ns[at]]; back(d.N) {
			c.docs, c.terms, c.passages = c.docs+1, c.terms+len(d.Seq), c.passages+len(d.Passages)
		} else {
			c.out[at] = true
		}
	}
	return c
}

// df returns how many documents that count have a term.
func (t *tail) df(c counted, term string) int {
	list := t.postings(c.projectTail, term)
	if len(c.out) == 0 {
		return len(list)
	}
	n := 0
	for _, p := range list {
		if !c.out[p.at] {
			n++
		}
	}
	return n
}

// eachPosting calls f once for every index term of a document: its words, its
// compounds and its speaker's name.
func eachPosting(d *recall.Document, f func(term string, tf int)) {
	terms, counts := d.Counts()
	for i, t := range terms {
		if counts[i] > 0 {
			f(t, counts[i])
		}
	}
	for _, t := range d.SpeakerTerms() {
		f(t, 1)
	}
}

// scope returns the tails of a project; the empty name means all projects.
func (t *tail) scope(name string) []*projectTail {
	if name != "" {
		if f := t.projects[name]; f != nil {
			return []*projectTail{f}
		}
		return nil
	}
	out := make([]*projectTail, 0, len(t.projects))
	for _, name := range slices.Sorted(maps.Keys(t.projects)) {
		out = append(out, t.projects[name])
	}
	return out
}

// search offers the tail's documents that match, from oldest to newest whatever their projects.
func (t *tail) search(scope []*projectTail, terms []recall.Weighted, mean float64, admit func(int64) bool, offer func(n int64, score float32)) {
	var found []scored
	for _, f := range scope {
		scores := make([]float32, len(f.ns))
		for _, w := range terms {
			even, scale := scoreOf(w)
			for _, p := range t.postings(f, w.Term) {
				scores[p.at] += even + float32(impactOf(int(p.tf), int(p.terms), mean))*scale
			}
		}
		for at, v := range scores {
			if v > 0 && admit(f.ns[at]) {
				found = append(found, scored{f.ns[at], v})
			}
		}
	}
	slices.SortFunc(found, func(a, b scored) int { return cmp.Compare(a.n, b.n) })
	for _, d := range found {
		offer(d.n, d.score)
	}
}

// scored is a document of the tail with its score.
type scored struct {
	n     int64
	score float32
}
