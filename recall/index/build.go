package index

import (
	"cmp"
	"maps"
	"slices"

	"wake/recall"
)

// build writes a segment of documents, given in order of their numbers, and returns its
// head. It holds all postings in memory: batches are small, and larger segments come
// from merging.
func build(docs []*recall.Document, high int64, put sink) (*head, error) {
	h := &head{high: high}
	if len(docs) == 0 {
		return h, nil
	}
	h.low = docs[0].N
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b *recall.Document) int { return cmp.Compare(a.Project, b.Project) })
	means := h.measure(docs)
	posts := map[string][]posting{}
	for i, d := range docs {
		mean := means[d.Project]
		eachPosting(d, func(term string, tf int) {
			posts[term] = append(posts[term], posting{uint32(i), impactOf(tf, len(d.Seq), mean)})
		})
	}
	w := writer{put: put}
	for _, t := range slices.Sorted(maps.Keys(posts)) {
		if err := w.add(t, posts[t]); err != nil {
			return nil, err
		}
	}
	ns := make([]int64, len(docs))
	for i, d := range docs {
		ns[i] = d.N
	}
	return h, w.finish(h, ns)
}

// measure adds the projects' runs to the head and returns the mean length of their
// documents.
func (h *head) measure(docs []*recall.Document) map[string]float64 {
	for i, d := range docs {
		if i == 0 || d.Project != docs[i-1].Project {
			h.projects = append(h.projects, project{name: d.Project, from: uint32(i)})
		}
		p := &h.projects[len(h.projects)-1]
		p.to = uint32(i + 1)
		p.terms += uint64(len(d.Seq))
		p.passages += uint64(len(d.Passages))
	}
	means := map[string]float64{}
	for _, p := range h.projects {
		means[p.name] = float64(p.terms) / float64(p.to-p.from)
	}
	return means
}
