package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"

	"wake/domain"
	"wake/files"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

const (
	backupPages  = 1024 // copied per step: 4 MiB
	compactPages = 256  // freed per step: well under 50 ms for the writer
)

// Backup implements [sqlstore.Engine].
func (e *engine) Backup(ctx context.Context, path string, progress func(done, total int)) error {
	if err := e.checkPlace(path); err != nil {
		return err
	}
	return e.copyAside(ctx, path, progress, func(findings []repository.Finding) error {
		if len(findings) > 0 {
			return domain.Unavailable("the backup is not sound and was not kept: %s; run wake doctor", findings[0].Detail)
		}
		return nil
	})
}

// checkPlace refuses a path at which the database itself is, or beside which another one
// that was there has left what it wrote last. SQLite would read that as part of the copy.
func (e *engine) checkPlace(path string) error {
	if there, err := files.Stat(path); err == nil && os.SameFile(there, e.file) {
		return domain.Invalid("a backup cannot go to %q, where the database is; give another path", path)
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if left, err := os.Stat(path + suffix); err == nil && left.Size() > 0 {
			return domain.Conflict("%s%s is left of another database, and would be read as part of the copy; move it away, or give another path", path, suffix)
		}
	}
	return nil
}

// copyAside copies the database to path. The copy grows under another name and is
// renamed only when it is complete and allowed accepts the findings about it.
func (e *engine) copyAside(ctx context.Context, path string, progress func(done, total int), allowed func([]repository.Finding) error) error {
	path, err := absolute(path)
	if err != nil {
		return err
	}
	removeParts(path, time.Now().Add(-partAge))
	part, err := newPart(path)
	if err != nil {
		return domain.Unavailable("%s cannot be written: %v; give another path", path, domain.Reason(err))
	}
	defer removeDatabase(part)
	if err := e.copyTo(ctx, part, progress); noRoom(err) {
		return domain.Unavailable("the copy was not made, because there is no room to write %s: free some space on its disk, "+
			"lift the limit on file sizes or give another path, then try again (%v)", path, err)
	} else if err != nil {
		return err
	}
	findings, err := verify(ctx, part)
	if err == nil {
		err = allowed(findings)
	}
	if err != nil {
		return err
	}
	if err := files.Rename(part, path); err != nil {
		return domain.Unavailable("the copy could not take the name %s: %v; give another path", path, domain.Reason(err))
	}
	return nil
}

const (
	partSuffix = ".part"
	partAge    = 24 * time.Hour // no running copy goes so long without a write
)

// newPart creates the empty file, unreadable for others, in which a copy for path
// grows. Each backup has a file of its own, because two backups to one path would
// destroy each other's.
func newPart(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+partSuffix)
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// removeParts removes the partial files of killed backups to path: those not written
// since the given time.
func removeParts(path string, since time.Time) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // the backup itself will report this
	}
	for _, entry := range entries {
		number, found := strings.CutPrefix(strings.TrimSuffix(entry.Name(), partSuffix), filepath.Base(path)+".")
		_, err := strconv.ParseUint(number, 10, 64)
		if !found || err != nil || !strings.HasSuffix(entry.Name(), partSuffix) {
			continue
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(since) {
			removeDatabase(filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
}

func removeDatabase(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(path + suffix)
	}
}

// copyTo copies one state of the database. A read transaction pins that state, so that
// the copy does not start over at each write of another process.
func (e *engine) copyTo(ctx context.Context, path string, progress func(done, total int)) error {
	t, err := e.BeginRead(ctx)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if _, err := version(ctx, t); err != nil { // the first read pins the state
		return err
	}
	return t.(*transaction).raw.Raw(func(c any) error { return copyPages(ctx, c, path, progress) })
}

// backuper is implemented by the driver's connection.
type backuper interface {
	NewBackup(dst string) (*sqlite.Backup, error)
}

func copyPages(ctx context.Context, c any, path string, progress func(done, total int)) error {
	b, err := c.(backuper).NewBackup(FileURL(path, nil))
	if err != nil {
		return err
	}
	for more := true; more; {
		if more, err = b.Step(backupPages); isBusy(err) {
			more, err = true, pauseFor(ctx, 10*time.Millisecond)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			b.Finish()
			return err
		}
		progress(b.PageCount()-b.Remaining(), b.PageCount())
	}
	return b.Finish()
}

func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// verify reads a whole copy and returns the damage found.
func verify(ctx context.Context, path string) ([]repository.Finding, error) {
	db, err := openDB(FileURL(path, nil), 1)
	if err != nil {
		return nil, err
	}
	findings, err := integrity(ctx, db)
	return findings, errors.Join(err, db.Close())
}

// integrity returns the damage that SQLite finds in a file.
func integrity(ctx context.Context, q sqlstore.Querier) ([]repository.Finding, error) {
	lines, err := sqlstore.Collect(ctx, q, sqlstore.Scalar[string], `PRAGMA integrity_check(20)`)
	if err != nil || strings.Join(lines, "") == "ok" {
		return nil, err
	}
	return []repository.Finding{{
		Subject: "integrity",
		Detail:  strings.Join(lines, "; "),
		Remedy:  replaceIt,
		Count:   len(lines),
	}}, nil
}

// CheckFiles implements [sqlstore.Engine].
func (e *engine) CheckFiles(ctx context.Context, q sqlstore.Querier, progress func(done, total int)) ([]repository.Finding, error) {
	found, err := integrity(ctx, q)
	if err != nil {
		return nil, err
	}
	triggers, err := sqlstore.Collect(ctx, q, sqlstore.Scalar[string], `SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	if len(triggers) > 0 { // a copy that somebody else handed over may have them
		found = append(found, repository.Finding{
			Subject: "triggers",
			Detail:  "others have put triggers into the file, which may change, keep or drop what is written: " + strings.Join(triggers, ", "),
			Remedy:  "drop them with sqlite3, unless you know what they do: DROP TRIGGER name",
			Count:   len(triggers),
		})
	}
	orphans, err := sqlstore.Collect(ctx, q, scanOrphan, `PRAGMA foreign_key_check`)
	if len(orphans) > 0 {
		found = append(found, repository.Finding{
			Subject: "foreign keys",
			Detail:  "rows of contexts that are gone, in " + strings.Join(slices.Compact(orphans), ", "),
			Remedy:  replaceIt,
			Count:   len(orphans),
		})
	}
	return found, err
}

// scanOrphan scans the table name of a row whose context no longer exists.
func scanOrphan(rows *sql.Rows, table *string) error {
	var row, parent, key any
	return rows.Scan(table, &row, &parent, &key)
}

// Compact implements [sqlstore.Engine].
func (e *engine) Compact(ctx context.Context) (more bool, err error) {
	t, err := e.BeginWrite(ctx, repository.Relaxed)
	if err != nil {
		return false, err
	}
	was, left, err := vacuumStep(ctx, t)
	if err != nil || left == was { // a file without auto_vacuum frees nothing
		return false, errors.Join(err, t.Rollback())
	}
	return left > 0, t.Commit()
}

// vacuumStep frees some pages, and returns how many free pages there were and are left.
func vacuumStep(ctx context.Context, q sqlstore.Querier) (was, left int, err error) {
	if was, err = freePages(ctx, q); err != nil || was == 0 {
		return was, was, err
	}
	if _, err = q.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, compactPages)); err == nil {
		left, err = freePages(ctx, q)
	}
	return was, left, err
}

func freePages(ctx context.Context, q sqlstore.Querier) (n int, err error) {
	err = q.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&n)
	return n, err
}
