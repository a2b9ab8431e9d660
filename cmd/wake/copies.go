package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wake/domain"
)

// copiesBeside lists files beside the database at address, its backups, that hold one
// of the ids. An id stands in its row as it is, where a text may be compressed or
// broken; and what was erased just now was still there when the copy was made. A file
// that cannot be read is left out.
func copiesBeside(address string, ids []string) []string {
	if isPostgres(address) {
		return nil
	}
	stem := strings.TrimSuffix(address, ".db")
	candidates, err := filepath.Glob(globQuote(stem) + "*")
	if err != nil {
		return nil
	}
	own := []string{address, address + "-wal", address + "-shm", address + "-journal"}
	return slices.DeleteFunc(candidates, func(path string) bool {
		return slices.Contains(own, path) || !holds(path, ids)
	})
}

// globQuote keeps a path from being read as a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// holds reads a file through and reports whether any of the ids is in it.
func holds(path string, ids []string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	block := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := io.ReadFull(f, block[kept:])
		seen := block[:kept+n]
		if slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(seen, []byte(id)) }) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(block, seen[len(seen)-domain.MaxID:]) // an id may lie across two blocks
	}
}
