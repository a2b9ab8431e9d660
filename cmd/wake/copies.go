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
	var copies []string
	for _, file := range slices.Compact([]string{address, linkedTo(address)}) {
		beside, err := filepath.Glob(globQuote(strings.TrimSuffix(file, ".db")) + "*")
		if err != nil {
			return nil
		}
		copies = append(copies, slices.DeleteFunc(beside, func(path string) bool {
			own := slices.ContainsFunc([]string{"", "-wal", "-shm", "-journal"}, func(suffix string) bool { return path == file+suffix })
			return own || !containsAny(path, ids)
		})...)
	}
	return copies
}

// linkedTo returns the file to which a path leads if that is a link, else the path.
// What SQLite and a restore put beside a database is beside that file.
func linkedTo(path string) string {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return realPath(path)
	}
	return path
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
