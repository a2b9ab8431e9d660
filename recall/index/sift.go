package index

import (
	"context"
	"errors"
	"slices"

	"wake/recall"
)

// Sieve returns those of the documents that may be found.
type Sieve func(ctx context.Context, ns []int64) ([]int64, error)

// ScopeWhere is [Index.Scope] for a filter that admits so many documents that listing
// them would take long. It finds documents first and filters them afterwards. If too
// few of them pass, Top returns [ErrFewPass].
func (ix *Index) ScopeWhere(ctx context.Context, project string, sieve Sieve) (*Scope, error) {
	s, err := ix.Scope(ctx, project, nil)
	if err == nil {
		s.sieve = sieve
	}
	return s, err
}

// ErrFewPass says that so few documents pass the filter that listing them is better
// than sifting.
var ErrFewPass = errors.New("index: few of the documents found may be found")

// mostSifted is the most documents that are sifted for one question.
const mostSifted = 1 << 15

// sift returns the k documents with the highest scores among those that pass.
func (s *Scope) sift(ctx context.Context, terms []recall.Weighted, k int) ([]recall.Found, error) {
	for n := 4 * k; n <= mostSifted; n *= 4 {
		found, err := s.top(ctx, terms, n)
		if err != nil {
			return nil, err
		}
		ns := make([]int64, len(found))
		for i, f := range found {
			ns[i] = f.N
		}
		passed, err := s.sieve(ctx, ns)
		if err != nil {
			return nil, err
		}
		if len(passed) >= k || len(found) < n {
			pass := setOf(passed)
			found = slices.DeleteFunc(found, func(f recall.Found) bool { return !pass[f.N] })
			return found[:min(k, len(found))], nil
		}
	}
	return nil, ErrFewPass
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}
