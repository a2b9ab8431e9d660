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
		copies = append(copies, slices.DeleteFunc(beside(file), func(path string) bool { return !containsAny(path, ids) })...)
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

// beside lists the files in a database's folder whose names begin like its own, without
// those that belong to it.
func beside(file string) []string {
	folder, own := filepath.Split(file)
	entries, _ := os.ReadDir(filepath.Clean(folder)) // without the folder there are none
	var all []string
	for _, e := range entries {
		isOwn := slices.Contains([]string{own, own + "-wal", own + "-shm", own + "-journal"}, e.Name())
		if !isOwn && strings.HasPrefix(e.Name(), strings.TrimSuffix(own, ".db")) {
			all = append(all, folder+e.Name())
		}
	}
	return all
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
