package memory

import "testing"

// KeepRows lets learning keep at most n rows of contexts in memory until the test
// ends.
func KeepRows(t *testing.T, n int) {
	was := rowsKept
	rowsKept = n
	t.Cleanup(func() { rowsKept = was })
}
