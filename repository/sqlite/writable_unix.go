//go:build unix

package sqlite

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// writable reports whether the file and its folder, where SQLite puts its -wal,
// can be written.
func writable(path string) bool {
	return unix.Access(path, unix.W_OK) == nil && unix.Access(filepath.Dir(path), unix.W_OK) == nil
}
