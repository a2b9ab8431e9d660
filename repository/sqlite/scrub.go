package sqlite

import (
	"context"
	"errors"

	"wake/domain"
)

// Scrub implements [sqlstore.Engine]. It frees the unused pages, then writes back and
// empties the -wal file, which holds old pages. A file with a copy of a deleted row is
// written anew.
func (e *engine) Scrub(ctx context.Context, rows ...string) error {
	for more := true; more; {
		var err error
		if more, err = e.Compact(ctx); err != nil {
			return err
		}
	}
	if err := e.emptyWAL(ctx); err != nil {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	err := e.retryWhileBusy(ctx, func(ctx context.Context) error { return e.rewriteIfHeld(ctx, rows) })
	if err != nil {
		return domain.Unavailable("it is erased, but an unused part of %s may still hold a copy, as the file could not be written anew; run: sqlite3 %s VACUUM (%w)", e.path, e.path, err)
	}
	return e.emptyWAL(ctx)
}

func (e *engine) emptyWAL(ctx context.Context) error {
	err := e.retryWhileBusy(ctx, e.truncateWAL)
	if errors.Is(err, errReaders) {
		return domain.Unavailable("it is erased, but %s-wal still holds it, because another program reads the database; close it and run the same again", e.path)
	}
	return err
}

// errReaders says that a reader still uses an older state of the database.
var errReaders = errors.New("the log is being read")

// truncateWAL writes the -wal file back and empties it. Others may write between
// attempts.
func (e *engine) truncateWAL(ctx context.Context) error {
	c, err := e.takeWriter(ctx)
	if err != nil {
		return err
	}
	defer func() { e.writer <- c }()
	var busy, pages, done int
	err = c.raw.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &done)
	if err == nil && busy != 0 {
		return errReaders
	}
	return err
}

// rewriteIfHeld writes the whole database anew if it has a copy of one of the rows. When
// SQLite distributes the rows of a full page to others, it leaves copies in the unused part
// of the page, with secure_delete too, and only VACUUM removes them.
func (e *engine) rewriteIfHeld(ctx context.Context, rows []string) error {
	c, err := e.takeWriter(ctx)
	if err != nil {
		return err
	}
	defer func() { e.writer <- c }()
	held := false
	for _, row := range rows {
		if err := c.raw.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_dbpage WHERE instr(data, $1) > 0)`, []byte(row)).Scan(&held); err != nil {
			return err
		}
		if held {
			break
		}
	}
	if !held {
		return nil
	}
	if _, err := c.raw.ExecContext(ctx, `PRAGMA temp_store = file`); err != nil { // the copy may be larger than the memory
		return err
	}
	_, err = c.raw.ExecContext(ctx, `VACUUM`)
	_, back := c.raw.ExecContext(context.WithoutCancel(ctx), `PRAGMA temp_store = memory`)
	return errors.Join(err, back)
}
