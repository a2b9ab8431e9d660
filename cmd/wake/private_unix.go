//go:build unix

package main

import (
	"os"
	"syscall"
)

// isPrivate reports whether a folder is this user's, and nobody else may put something
// into it.
func isPrivate(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
