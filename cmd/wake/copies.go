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

// copiesBeside lists files beside the database at address, such as backups, that
// contain one of the ids. It looks for ids because texts may be compressed or split.
// (What was erased just now was still in a copy made earlier.) Files that cannot be
// read are left out.
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
		return slices.Contains(own, path) || !containsAny(path, ids)
	})
}

// globQuote escapes a path for use in a glob pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// containsAny reports whether a file contains any of the ids.
func containsAny(path string, ids []string) bool {
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
		kept = copy(block, seen[len(seen)-domain.MaxID:]) // an id may span two blocks
	}
}
