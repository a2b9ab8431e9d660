package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/migrations"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// Restore puts a copy of a backup in the place of the database at path and returns under
// which name what was there lies beside it now, "" where nothing was. The copy is checked
// before anything is moved; with an error all is as it was. Processes that have the database
// open write nothing to the new one: they are told to open it again.
//
// A backup that is not there, is no database of wake or lies at path is an Invalid error,
// one that is not sound an Unavailable one.
func Restore(ctx context.Context, backup, path string, progress func(done, total int)) (aside string, err error) {
	from, err := openCopy(ctx, backup)
	if err != nil {
		return "", err
	}
	defer from.Close()
	if path, err = absolute(path); err != nil {
		return "", err
	}
	path = followed(path)
	if there, err := os.Stat(path); err == nil && os.SameFile(there, from.file) {
		return "", domain.Invalid("%s is the database itself; name a copy of it", backup)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", domain.Unavailable("the folder of the database cannot be made: %v; give another path with --db", err)
	}
	if err := checkLocal(filepath.Dir(path), fileSystem); err != nil {
		return "", err
	}
	err = from.copyAside(ctx, path, progress, func(findings []repository.Finding) (err error) {
		if len(findings) > 0 {
			return domain.Unavailable("%s is not sound, and nothing was changed: %s; name another copy", backup, findings[0].Detail)
		}
		aside, err = moveAside(ctx, path)
		return err
	})
	if err != nil && aside != "" {
		_, back := moveDatabase(aside, path)
		return "", errors.Join(err, back)
	}
	return aside, from.Error(err)
}

// openCopy opens a copy of a database, of this wake or an older one, for reading.
func openCopy(ctx context.Context, path string) (*engine, error) {
	known, err := migrations.SQLite()
	if err != nil {
		return nil, err
	}
	if path, err = absolute(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, domain.Invalid("there is no file %s; name one that wake backup made", path)
	}
	e := newEngine(path, Options{BusyTimeout: defaultBusyTimeout}, sqlstore.Schema{Migrations: known}, true)
	if wal, err := os.Stat(followed(path) + "-wal"); err != nil || wal.Size() == 0 {
		e.immutable = true // to read it as any other would leave an empty -wal beside it
	}
	have, err := e.startReading(ctx)
	if err == nil {
		_, err = e.openedVersion(ctx) // a newer wake's is refused
	}
	if err = e.openError(err); domain.KindOf(err) == domain.KindInvalid || err == nil && have == 0 {
		err = domain.Invalid("%s is no copy that wake backup made; name one (what wake export wrote goes in with wake import)", path)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// moveAside renames the database at path, or what is left of one, and returns its new
// name, "" where nothing was. A -wal alone goes too: it would damage the copy, and may hold
// what a database that was moved away by hand does not.
func moveAside(ctx context.Context, path string) (string, error) {
	if _, err := os.Lstat(path); err == nil {
		emptyWAL(ctx, path)
	}
	aside := asidePrefix(path) + time.Now().Format("20060102-150405.000") + ".db"
	moved, err := moveDatabase(path, aside)
	if !moved {
		return "", err
	}
	return aside, err
}

func asidePrefix(path string) string { return strings.TrimSuffix(path, ".db") + "-before-restore-" }

// notBegun refuses to begin a database at a path where a restore has put one aside: what
// was killed before the copy took its name, or deleted, must not be missed by what is new.
func notBegun(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil // to make the file will tell
	}
	for _, entry := range slices.Backward(entries) { // the last is the newest
		aside := filepath.Join(filepath.Dir(path), entry.Name())
		if strings.HasPrefix(aside, asidePrefix(path)) && strings.HasSuffix(aside, ".db") {
			return domain.Unavailable("there is no database at %s any more, but one that a restore put aside: %s; bring that or "+
				"another copy back with wake restore FILE, or, to begin anew, move it to another folder", path, aside)
		}
	}
	return nil
}

// emptyWAL writes the -wal of the database at path back, as far as it can: who opens the
// file between two renames must find nothing that only the -wal has.
func emptyWAL(ctx context.Context, path string) {
	db, err := openDB(dsn(path, url.Values{}), 1)
	if err != nil {
		return
	}
	_, _ = db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`) // a damaged file is moved as it is
	_ = db.Close()
}

// moveDatabase renames a database with what lies beside it, and reports whether there was
// anything.
func moveDatabase(from, to string) (moved bool, err error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		err := os.Rename(from+suffix, to+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return moved, domain.Unavailable("the database could not be moved: %v", err)
		}
		moved = moved || err == nil
	}
	return moved, nil
}
