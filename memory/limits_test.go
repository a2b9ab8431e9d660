package memory

import "testing"

// ListMost lets a test see what happens where many contexts pass a filter: until it ends,
// at most n are listed.
func ListMost(t *testing.T, n int) { setFor(t, &mostListed, n) }

// KeepRows lets learning keep at most n rows of contexts in memory until the test ends.
func KeepRows(t *testing.T, n int) { setFor(t, &rowsKept, n) }

func setFor(t *testing.T, limit *int, n int) {
	was := *limit
	*limit = n
	t.Cleanup(func() { *limit = was })
}
