package recall

// Supersede moves what is no longer valid behind what replaced it. A replacement comes
// right before it, moved up if necessary. by returns the index in ranked of what
// replaced element i, or -1 if that is not in the list.
func Supersede[T any](ranked []T, by func(i int) int) []T {
	out, done := make([]T, 0, len(ranked)), make([]bool, len(ranked))
	var place func(i int)
	place = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		if j := by(i); j >= 0 {
			place(j)
		}
		out = append(out, ranked[i])
	}
	for i := range ranked {
		place(i)
	}
	return out
}
