package main

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"wake/domain"
	"wake/transcript"
)

// adoptSpool takes over what an older wake kept under the path of the database as it was
// given, relative perhaps. What lies under an address of PostgreSQL alone is of those for
// whom the environment adds nothing to it.
func (a *app) adoptSpool(db string) {
	mine := a.spool(db)
	older := spool{dir: filepath.Join(filepath.Dir(mine.dir), domain.HashText(db)[:16])}
	if older == mine || isPostgres(db) {
		return
	}
	for waiting := range older.oldest(time.Now()) {
		if waiting.read() != nil || !waiting.isFor(db) || os.MkdirAll(mine.dir, 0o700) != nil {
			continue // it waits there for whom it is meant
		}
		_ = os.Rename(waiting.path, filepath.Join(mine.dir, filepath.Base(waiting.path))) // another process may be first
	}
}

// isFor reports whether a hook, which ran in its own folder, meant the same database by an
// address as this process does.
func (w *spooled) isFor(db string) bool {
	if filepath.IsAbs(db) {
		return true
	}
	h, err := transcript.ReadHook(w.Client, w.Input)
	return err == nil && filepath.Join(cmp.Or(w.Dir, h.Folder), db) == absoluteAddress(db)
}
