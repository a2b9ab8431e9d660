package main

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"wake/transcript"
)

// adoptSpool takes over hooks that an older wake spooled under the database's address as
// it was given: a path, which may be relative, or a whole URL.
func (a *app) adoptSpool(db string) {
	mine, older := a.spool(db), a.spoolOf(db)
	if isPostgres(db) {
		older = a.spoolOf(a.databaseAt(db))
	}
	if older == mine {
		return
	}
	for waiting := range older.oldest(time.Now()) {
		if waiting.read() != nil || !waiting.isFor(db) || os.MkdirAll(mine.dir, 0o700) != nil {
			continue // it is meant for another database
		}
		_ = os.Rename(waiting.path, filepath.Join(mine.dir, filepath.Base(waiting.path))) // another process may be first
	}
}

// isFor reports whether a hook, in the folder where it ran, meant the same database by
// the address as this process does.
func (w *spooled) isFor(db string) bool {
	if filepath.IsAbs(db) || isPostgres(db) {
		return true
	}
	h, err := transcript.ReadHook(w.Client, w.Input)
	return err == nil && filepath.Join(cmp.Or(w.Dir, h.Folder), db) == absoluteAddress(db)
}
