//go:build !unix && !windows

package sqlite

import "os"

// writable reports whether the file can be written.
func writable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode()&0o200 != 0
}
