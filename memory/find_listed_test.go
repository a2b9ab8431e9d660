package memory

import "testing"

// ListMost lets a test see what happens where many pass a filter.
func ListMost(t *testing.T, n int) {
	was := mostListed
	mostListed = n
	t.Cleanup(func() { mostListed = was })
}
