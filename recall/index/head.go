package index

import (
	"encoding/binary"
	"sort"
)

// headFormat is the first byte of a segment's head.
const headFormat = 1

// head describes the contents of a segment. It stays in memory while the segment is in
// use.
type head struct {
	low, high int64 // range of document numbers, [low, high)
	projects  []project
	firsts    []string // first term of each dictionary chunk
	numbers   []int64  // first document number of each chunk of numbers
}

// project is the run of a segment's documents that belong to one project, in order of
// their numbers.
type project struct {
	name            string
	from, to        uint32
	terms, passages uint64
}

func (h *head) docs() uint32 {
	if len(h.projects) == 0 {
		return 0
	}
	return h.projects[len(h.projects)-1].to
}

// covers reports whether the segment may hold document n.
func (h *head) covers(n int64) bool { return n >= h.low && n < h.high }

// project finds a project's run; the empty name means all documents.
func (h *head) project(name string) (project, bool) {
	if name == "" {
		return h.whole(), h.docs() > 0
	}
	if found := h.projectsOf(name); len(found) > 0 {
		return found[0], true
	}
	return project{}, false
}

// projectsOf returns the runs of all projects of a scope.
func (h *head) projectsOf(scope string) []project {
	if scope == "" {
		return h.projects
	}
	i := sort.Search(len(h.projects), func(i int) bool { return h.projects[i].name >= scope })
	if i < len(h.projects) && h.projects[i].name == scope {
		return h.projects[i : i+1]
	}
	return nil
}

func (h *head) whole() project {
	all := project{to: h.docs()}
	for _, p := range h.projects {
		all.terms += p.terms
		all.passages += p.passages
	}
	return all
}

func (h *head) encode() []byte {
	b := []byte{headFormat}
	b = binary.AppendUvarint(b, uint64(h.low))
	b = binary.AppendUvarint(b, uint64(h.high))
	b = binary.AppendUvarint(b, uint64(len(h.projects)))
	for _, p := range h.projects {
		b = appendString(b, p.name)
		b = binary.AppendUvarint(b, uint64(p.to-p.from))
		b = binary.AppendUvarint(b, p.terms)
		b = binary.AppendUvarint(b, p.passages)
	}
	b = binary.AppendUvarint(b, uint64(len(h.firsts)))
	for _, t := range h.firsts {
		b = appendString(b, t)
	}
	b = binary.AppendUvarint(b, uint64(len(h.numbers)))
	for _, n := range h.numbers {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func decodeHead(data []byte) (*head, error) {
	s := scanner{b: data}
	if s.byte() != headFormat {
		return nil, errCorrupt
	}
	h := &head{low: int64(s.uvarint()), high: int64(s.uvarint())}
	at := uint32(0)
	for range s.uvarint() {
		p := project{name: s.string(), from: at}
		at += uint32(s.uvarint())
		p.to, p.terms, p.passages = at, s.uvarint(), s.uvarint()
		h.projects = append(h.projects, p)
		if s.bad {
			return nil, errCorrupt
		}
	}
	for range s.uvarint() {
		h.firsts = append(h.firsts, s.string())
		if s.bad {
			return nil, errCorrupt
		}
	}
	for range s.uvarint() {
		h.numbers = append(h.numbers, int64(s.uvarint()))
		if s.bad {
			return nil, errCorrupt
		}
	}
	if s.bad || len(s.b) > 0 || len(h.numbers) != int(h.docs()+numberSpan-1)/numberSpan {
		return nil, errCorrupt
	}
	return h, nil
}
