package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"wake/domain"
	"wake/files"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// briefUpgrade is the largest file, in bytes, that a brief process upgrades; copying it
// takes about half a second. With larger files, a brief process would often make half a
// copy and block the writers of other processes for nothing.
const briefUpgrade = 32 << 20

// migrate brings the tables up to date. If they are, it writes nothing and takes no
// lock, so that any number of processes can start at once.
func (e *engine) migrate(ctx context.Context) (err error) {
	have, err := e.openedVersion(ctx)
	if err != nil || have >= e.schema.Latest() {
		return err
	}
	if have > 0 && e.opts.Brief && e.file.Size() > briefUpgrade {
		return domain.Unavailable("the database %s is of an older wake, and too large to be upgraded while a client waits; "+
			"a new session's server upgrades it, and so does wake doctor", e.path)
	}
	if err := e.waitFor(ctx, upgradeTime); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.waitFor(context.WithoutCancel(ctx), busyStep)) }()
	t, err := e.lock(ctx, repository.Durable)
	if err != nil {
		return err
	}
	if err := e.upgrade(ctx, t); err != nil {
		t.Rollback()
		return err
	}
	return t.Commit()
}

// openedVersion returns the version of the tables, or a Conflict error if they were
// upgraded by a newer wake and this one may not write them.
func (e *engine) openedVersion(ctx context.Context) (have int, err error) {
	t, err := e.BeginRead(ctx)
	if err != nil {
		return 0, err
	}
	defer t.Rollback()
	if have, err = e.foundVersion(ctx, t); err != nil {
		return 0, err
	}
	return have, e.schema.MayOpen(ctx, t, have)
}

// foundVersion returns the version of the tables, or an Invalid error if they belong to
// another program. Many programs set user_version too.
func (e *engine) foundVersion(ctx context.Context, q sqlstore.Querier) (have int, err error) {
	if have, err = version(ctx, q); err != nil {
		return 0, err
	}
	var all, ours int
	err = q.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE name = 'context_snapshots') FROM sqlite_schema`).Scan(&all, &ours)
	if err == nil && (have < 0 || have == 0 && all > 0 || have != 0 && ours == 0) {
		err = domain.Invalid("%s is a database of another program; give another path with --db", e.path)
	}
	return have, err
}

// upgrade runs under the write lock. Another process may have upgraded the file first.
func (e *engine) upgrade(ctx context.Context, t *transaction) error {
	have, err := e.foundVersion(ctx, t)
	if err != nil || have >= e.schema.Latest() {
		return err
	}
	if have > 0 {
		if err := e.keepCopy(ctx, have); err != nil {
			return err
		}
	}
	if err := e.schema.Apply(ctx, t, have); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", e.schema.Latest()))
	return err
}

// keptCopies is how many copies of earlier versions are kept beside the database.
const keptCopies = 2

// keepCopy copies the database beside itself before an upgrade, and keeps the last 2
// copies. A reader of this process can copy while the process holds the write lock,
// because nothing has been written yet. Nobody else copies to that path now, so a
// partial file there is left from a killed process. Damage does not prevent the
// upgrade: without it, nobody could read the intact part or examine the rest.
func (e *engine) keepCopy(ctx context.Context, have int) error {
	removeParts(copyName(e.path, have), time.Now())
	takePlace := func([]repository.Finding) error {
		// Whoever has looked at an earlier copy may have left these; they would be read as part of
		// this one. Until it is complete, they belong to the earlier.
		for _, suffix := range []string{"-wal", "-shm", "-journal"} {
			os.Remove(copyName(e.path, have) + suffix)
		}
		return nil
	}
	if err := e.copyAside(ctx, copyName(e.path, have), func(int, int) {}, takePlace); err != nil {
		return domain.Unavailable("the database was not upgraded and is as it was, because the copy that is made first could not be written beside %s; "+
			"make room for it there, then start again (%v)", e.path, err)
	}
	older := copyVersions(e.path, have)
	for _, old := range older[:max(0, len(older)-keptCopies+1)] {
		if err := files.Remove(copyName(e.path, old)); err != nil && !os.IsNotExist(err) {
			return domain.Unavailable("an old copy could not be removed: %v", err)
		}
	}
	return nil
}

// copyVersions returns the versions below the given one that have copies, in ascending
// order. An upgrade may have skipped some.
func copyVersions(path string, below int) (there []int) {
	for v := 1; v < below; v++ {
		if _, err := os.Stat(copyName(path, v)); err == nil {
			there = append(there, v)
		}
	}
	return there
}

// copyName returns the path of the copy of a database whose tables had version have.
func copyName(path string, have int) string {
	return fmt.Sprintf("%s.v%d.bak", strings.TrimSuffix(path, ".bak"), have)
}

// waitFor sets how long SQLite itself waits for others.
func (e *engine) waitFor(ctx context.Context, d time.Duration) error {
	c, err := e.takeWriter(ctx)
	if err != nil {
		return err
	}
	defer func() { e.writer <- c }()
	return c.waitFor(ctx, d)
}
