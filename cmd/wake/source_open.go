package main

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"wake/domain"
	"wake/files"
	"wake/memory"
	"wake/transcript"
)

// open sets what a request reads from, and returns a function to close it. On an
// error, nothing is left open.
func (src source) open(ctx context.Context, req *memory.ImportRequest) (func() error, error) {
	nothing := func() error { return nil }
	switch {
	case src.format == transcript.MemoryMD:
		return nothing, src.openMarkdown(req)
	case src.isDatabase():
		return src.openDatabase(ctx, req)
	}
	f, err := files.Open(src.path)
	if err != nil {
		return nothing, domain.NotFound("it cannot be read: %v", domain.Reason(err))
	}
	if info, err := f.Stat(); err == nil {
		req.At = info.ModTime()
	}
	packed := false
	file := stoppable{f, ctx}
	if src.unpackedByReader() {
		req.Source = file
	} else if req.Source, packed, err = transcript.Unpacked(file); err != nil {
		return nothing, errors.Join(domain.Invalid("%s cannot be unpacked: %v", src.path, domain.Reason(err)), f.Close())
	}
	req.Whole = req.Whole || packed
	return f.Close, nil
}

// stoppable is a file whose reading ends with a context: a single line may take hours.
type stoppable struct {
	*os.File
	ctx context.Context
}

// Read implements [io.Reader].
func (f stoppable) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// unpackedByReader reports whether the reader of the document unpacks it itself, to
// save what it can of a damaged one.
func (src source) unpackedByReader() bool {
	return src.format == transcript.AIAgent && strings.HasSuffix(src.path, ".gz") && !strings.HasSuffix(src.path, ".jsonl.gz")
}

// openMarkdown opens a folder of Markdown memories, given the folder or a file in it, or one
// file in another folder, where anything may lie beside it.
func (src source) openMarkdown(req *memory.ImportRequest) error {
	info, err := os.Stat(src.path)
	if err != nil {
		return domain.NotFound("%s cannot be read: %v", src.path, domain.Reason(err))
	}
	root := src.path
	if !info.IsDir() {
		root = filepath.Dir(root)
	}
	req.Name = root // the same in all cases
	if info.IsDir() || holdsMemories(root) {
		req.Items = transcript.ReadMemoryFolder(os.DirFS(root))
	} else {
		req.Items = transcript.ReadMemoryFile(os.DirFS(root), filepath.Base(src.path))
	}
	return nil
}

// holdsMemories reports whether a folder is one of memories: it has their index, or Claude's
// name for it.
func holdsMemories(root string) bool {
	return filepath.Base(root) == "memory" || fileExists(filepath.Join(root, "MEMORY.md"))
}

// isDatabase distinguishes another product's SQLite file from its exports and dumps.
func (src source) isDatabase() bool {
	if src.format != transcript.Engram && src.format != transcript.ClaudeMem && src.format != transcript.WakeIQX {
		return false
	}
	head, err := headOf(src.path)
	return err == nil && (bytes.HasPrefix(head, []byte(sqliteMagic)) || filepath.Ext(src.path) == ".db")
}

// mustWait reports whether the source must not be read before those ahead of it are
// stored. They may decide the project of a memory folder; and while a database is
// read, its product cannot write to it.
func (src source) mustWait() bool { return src.format == transcript.MemoryMD || src.isDatabase() }

// openDatabase opens another product's SQLite file without changing it.
func (src source) openDatabase(ctx context.Context, req *memory.ImportRequest) (func() error, error) {
	db, err := openForeign(src.path)
	if err != nil {
		return nil, err
	}
	tables := func(table string) iter.Seq2[transcript.Row, error] { return foreignRows(ctx, db, table) }
	req.Items, err = transcript.ReadTables(src.format, strings.TrimSuffix(filepath.Base(src.path), filepath.Ext(src.path)), tables)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db.Close, nil
}
