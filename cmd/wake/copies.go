package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// trace is a text by which copies of it are found in database files: short
// pieces of it, because SQLite may break a long text anywhere.
type trace [][]byte

const (
	tracePiece  = 24 // bytes; enough not to be found by chance
	tracePieces = 8
)

func traceOf(text string) trace {
	step := max(tracePiece, len(text)/tracePieces)
	var t trace
	for at := 0; at < len(text); at += step {
		t = append(t, []byte(text[at:min(at+tracePiece, len(text))]))
	}
	return t
}

// copiesBeside lists database files beside the one at address, its backups, that
// still hold the traced text. A file that cannot be read is left out.
func copiesBeside(address string, t trace) []string {
	if isPostgres(address) || len(t) == 0 {
		return nil
	}
	stem := strings.TrimSuffix(address, ".db")
	candidates, err := filepath.Glob(globQuote(stem) + "*")
	if err != nil {
		return nil
	}
	own := []string{address, address + "-wal", address + "-shm", address + "-journal"}
	return slices.DeleteFunc(candidates, func(path string) bool {
		return slices.Contains(own, path) || !holds(path, t)
	})
}

// globQuote keeps a path from being read as a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// holds reads a file through and reports whether any piece is in it.
func holds(path string, t trace) bool {
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
		if slices.ContainsFunc(t, func(piece []byte) bool { return bytes.Contains(seen, piece) }) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(block, seen[len(seen)-tracePiece:]) // a piece may lie across two blocks
	}
}
