package transcript

import "slices"

// recent keeps the latest values put into it, so that a cursor stays small however long
// a session grows.
type recent[T any] struct {
	Order []string     `json:"order,omitempty"`
	Of    map[string]T `json:"of,omitempty"`
}

func (r *recent[T]) get(id string) (T, bool) {
	v, ok := r.Of[id]
	return v, ok
}

// put adds or replaces a value and drops the oldest if there are more than limit.
func (r *recent[T]) put(id string, v T, limit int) {
	if r.Of == nil {
		r.Of = map[string]T{}
	}
	if _, known := r.Of[id]; !known {
		r.Order = append(r.Order, id)
	}
	r.Of[id] = v
	for len(r.Order) > limit {
		delete(r.Of, r.Order[0])
		r.Order = r.Order[1:]
	}
}

// take removes a value and returns it.
func (r *recent[T]) take(id string) (T, bool) {
	v, ok := r.Of[id]
	if ok {
		delete(r.Of, id)
		drop(&r.Order, id)
	}
	return v, ok
}

// maxNewest is how much of a list is remembered.
const maxNewest = 64

// newest returns the part of a list that is remembered.
func newest(list []string) []string { return list[max(0, len(list)-maxNewest):] }

// countOf returns how many elements of a list are text.
func countOf(list []string, text string) (n int) {
	for _, s := range list {
		if s == text {
			n++
		}
	}
	return n
}

// drop removes the first occurrence of text from a list and reports whether there was
// one.
func drop(list *[]string, text string) bool {
	i := slices.Index(*list, text)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}
