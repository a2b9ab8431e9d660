//go:build unix

package main

import (
	"fmt"
	"io/fs"
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

// isOwn reports whether a file is an ordinary one of this user's under a single name.
func isOwn(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && int(of.Uid) == os.Geteuid() && of.Nlink == 1
}

// readers names others who can read a file, by its mode; "" if only its owner can.
func readers(_ string, info fs.FileInfo) string {
	if info.Mode().Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("mode %o", info.Mode().Perm())
}

// keepPrivate does nothing: files that only their owner may read are made so.
func keepPrivate(string) error { return nil }
