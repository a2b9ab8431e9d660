//go:build unix

package main

import (
	"os"
	"syscall"
)

// isPrivate reports whether a folder belongs to this user and nobody else can write to
// it.
func isPrivate(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
