package prediction

// Kept is how many of an item's latest accesses a [History] keeps individually. Five, with a formula for
// older ones, rank as well as the whole history.
const Kept = 5

// Visit is one access of an item.
type Visit struct {
	At   int64 // seconds since 1970, UTC
	Step int64 // number of the step in its project's access log, from 1
}

// History is the bounded memory of one item's accesses. The zero value is an item that was never accessed.
type History struct {
	Count  int         // all accesses ever
	First  Visit       // the oldest access
	Recent [Kept]Visit // the newest accesses, newest first; the first min(Count, Kept) are set
}

// Add records an access. A visit older than the newest known one, from a clock that was set back, gets the
// newest one's time, so that the history stays in order.
func (h *History) Add(v Visit) {
	if h.Count > 0 {
		v.At = max(v.At, h.Recent[0].At)
		v.Step = max(v.Step, h.Recent[0].Step)
	} else {
		h.First = v
	}
	copy(h.Recent[1:], h.Recent[:Kept-1])
	h.Recent[0] = v
	h.Count++
}

// last returns the newest access and whether there was any.
func (h *History) last() (Visit, bool) {
	return h.Recent[0], h.Count > 0
}

// kept returns how many entries of Recent are set.
func (h *History) kept() int {
	return min(h.Count, Kept)
}
