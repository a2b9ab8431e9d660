package index

import (
	"maps"
	"slices"

	"wake/recall"
)

// tail holds in memory what was saved after the last segment, by project.
type tail struct {
	docs     map[int64]*recall.Document
	projects map[string]*fresh
	base     int64 // segments hold what is not above
	last     int64 // highest number seen
}

// fresh is the tail of one project.
type fresh struct {
	ns              []int64
	posts           map[string][]freshPosting
	terms, passages int
}

type freshPosting struct {
	at    uint32 // place in ns
	tf    uint32
	terms uint32 // length of the document
}

func newTail(after int64) *tail {
	return &tail{docs: map[int64]*recall.Document{}, projects: map[string]*fresh{}, base: after, last: after}
}

// add takes a document in and keeps it in the given words.
func (t *tail) add(d *recall.Document, words *recall.Vocabulary) {
	t.docs[d.N] = words.Keep(d)
	t.last = max(t.last, d.N)
	f := t.projects[d.Project]
	if f == nil {
		f = &fresh{posts: map[string][]freshPosting{}}
		t.projects[d.Project] = f
	}
	at := uint32(len(f.ns))
	f.ns = append(f.ns, d.N)
	f.terms += len(d.Seq)
	f.passages += len(d.Passages)
	eachPosting(d, func(term string, tf int) {
		f.posts[term] = append(f.posts[term], freshPosting{at, uint32(tf), uint32(len(d.Seq))})
	})
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
	seen := ""
	for _, t := range d.SpeakerTerms() {
		if t != seen {
			f(t, 1)
		}
		seen = t
	}
}

// scope lists the projects that a name stands for; the empty name means all.
func (t *tail) scope(name string) []*fresh {
	if name != "" {
		if f := t.projects[name]; f != nil {
			return []*fresh{f}
		}
		return nil
	}
	out := make([]*fresh, 0, len(t.projects))
	for _, name := range slices.Sorted(maps.Keys(t.projects)) {
		out = append(out, t.projects[name])
	}
	return out
}

// search adds the tail's documents to the running.
func (t *tail) search(scope []*fresh, terms []recall.Weighted, mean float64, admit func(int64) bool, offer func(n int64, score float32)) {
	for _, f := range scope {
		scores := make([]float32, len(f.ns))
		for _, w := range terms {
			even, scale := scoreOf(w)
			for _, p := range f.posts[w.Term] {
				scores[p.at] += even + float32(impactOf(int(p.tf), int(p.terms), mean))*scale
			}
		}
		for at, v := range scores {
			if v > 0 && admit(f.ns[at]) {
				offer(f.ns[at], v)
			}
		}
	}
}
