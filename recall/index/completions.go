package index

import (
	"context"
	"slices"
	"strings"
)

// Completions lists longer terms that begin with the given letters, up to a limit for
// the tail and for each segment. They may include terms of other projects.
func (s *Scope) Completions(ctx context.Context, beginning string, most int) ([]string, error) {
	s.ix.mu.RLock()
	defer s.ix.mu.RUnlock()
	var out []string
	for _, f := range s.ix.tail.scope(s.project) {
		for word := range f.posts {
			if t := s.ix.words.Word(word); len(t) > len(beginning) && strings.HasPrefix(t, beginning) {
				out = append(out, t)
			}
		}
	}
	slices.Sort(out) // the choice must not depend on the order of a map
	out = out[:min(most, len(out))]
	for _, seg := range s.ix.segs {
		found, err := seg.completions(ctx, beginning, most)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (s *segment) completions(ctx context.Context, beginning string, most int) (out []string, err error) {
	for dict := max(0, s.dictOf(beginning)); dict < len(s.head.firsts); dict++ {
		blob, err := s.chunk(ctx, s.id, int64(dict))
		if err != nil {
			return nil, err
		}
		more := true
		ok := eachTerm(blob, func(term []byte, _ entry) bool {
			t := string(term)
			if len(t) > len(beginning) && strings.HasPrefix(t, beginning) {
				out = append(out, t)
			}
			more = len(out) < most && (t <= beginning || strings.HasPrefix(t, beginning))
			return more
		})
		if !ok {
			return nil, errCorrupt
		}
		if !more {
			break
		}
	}
	return out, nil
}
