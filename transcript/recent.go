package transcript

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
		for i, o := range r.Order {
			if o == id {
				r.Order = append(r.Order[:i:i], r.Order[i+1:]...)
				break
			}
		}
	}
	return v, ok
}
