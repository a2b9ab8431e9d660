package main

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"wake/domain"
	"wake/transcript"
)

// adoptSpool takes over hooks that an older wake spooled under the database's path as
// it was given, which may be relative. It does not take those of a PostgreSQL address:
// these are meant for processes whose environment adds nothing to the address.
func (a *app) adoptSpool(db string) {
	mine := a.spool(db)
	older := spool{dir: filepath.Join(filepath.Dir(mine.dir), domain.HashText(db)[:16])}
	if older == mine || isPostgres(db) {
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
	if filepath.IsAbs(db) {
		return true
	}
	h, err := transcript.ReadHook(w.Client, w.Input)
	return err == nil && filepath.Join(cmp.Or(w.Dir, h.Folder), db) == absoluteAddress(db)
}
