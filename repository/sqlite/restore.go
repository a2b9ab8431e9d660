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
	"wake/files"
	"wake/migrations"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// Restore replaces the database at path by a copy of backup. It returns the new name of
// the previous database, which stays beside the new one, or "" if there was none. The
// copy is checked before anything is moved, and after an error everything is as before.
// Processes that have the database open write nothing to the new one: their calls
// return an error that says to open it again. On Windows they have to close it first.
//
// A backup that does not exist, is not a database of wake, or is the file at path is an
// Invalid error; a damaged one is an Unavailable error.
func Restore(ctx context.Context, backup, path string, progress func(done, total int)) (aside string, err error) {
	from, err := openCopy(ctx, backup)
	if err != nil {
		return "", err
	}
	defer from.Close()
	if path, err = absolute(path); err != nil {
		return "", err
	}
	path = files.Resolve(path)
	if there, err := files.Stat(path); err == nil && os.SameFile(there, from.file) {
		return "", domain.Invalid("%s is the database itself; name a copy of it", backup)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", domain.Unavailable("the folder of the database %s cannot be made: %v; give another path with --db", path, domain.Reason(err))
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

// openCopy opens a copy of a database of this or an older wake for reading.
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
	if wal, err := os.Stat(files.Resolve(path) + "-wal"); err != nil || wal.Size() == 0 {
		e.immutable = true // otherwise reading would leave an empty -wal beside it
	}
	have, err := e.startReading(ctx)
	if err == nil {
		_, err = e.openedVersion(ctx) // refuses the copy of a newer wake
	}
	if isNoDatabase(err) || domain.KindOf(err) == domain.KindInvalid || err == nil && have == 0 {
		err = domain.Invalid("%s is no copy that wake backup made; name one (what wake export wrote goes in with wake import)", path)
	}
	if err != nil {
		return nil, errors.Join(e.openError(err), e.Close())
	}
	return e, nil
}

// moveAside renames the database at path, or what is left of it, and returns its new
// name, or "" if there was none. A -wal without a database is moved too: it would
// damage the copy, and may hold data that a database moved away by hand lacks.
func moveAside(ctx context.Context, path string) (string, error) {
	if _, err := os.Lstat(path); err == nil && !isEmpty(path) { // from an empty file SQLite would delete it
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

// checkNoRestoreAside refuses to create a database at a path from which a restore has
// moved one aside. If a restore was killed before the copy got its name, or the copy
// was deleted, a new, empty database would hide that data is missing.
func checkNoRestoreAside(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil // creating the file will report this
	}
	for _, entry := range slices.Backward(entries) { // the last one is the newest
		aside := filepath.Join(filepath.Dir(path), entry.Name())
		if strings.HasPrefix(aside, asidePrefix(path)) && strings.HasSuffix(aside, ".db") {
			return domain.Unavailable("there is no database at %s any more, but one that a restore put aside: %s; bring that or "+
				"another copy back with wake restore FILE, or, to begin anew, move it to another folder", path, aside)
		}
	}
	return nil
}

// emptyWAL writes back the -wal of the database at path as far as it can: a process
// that opens the file between the two renames must not miss data that only the -wal
// holds.
func emptyWAL(ctx context.Context, path string) {
	db, err := openDB(dsn(path, url.Values{}), 1)
	if err != nil {
		return
	}
	_, _ = db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`) // a damaged file is moved as it is
	_ = db.Close()
}

// moveDatabase renames a database and the files beside it, and reports whether there
// was any.
func moveDatabase(from, to string) (moved bool, err error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		err := files.Rename(from+suffix, to+suffix)
		if files.IsOpen(err) {
			return moved, domain.Unavailable("the database %s could not be moved, because a program has it open; nothing was changed: "+
				"end your assistants, and each wake.exe that the Task Manager still shows, then try again", from)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return moved, domain.Unavailable("the database could not be moved: %v", err)
		}
		moved = moved || err == nil
	}
	return moved, nil
}
