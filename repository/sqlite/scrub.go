package sqlite

import (
	"cmp"
	"context"
	"errors"

	"wake/domain"
)

// Scrub implements [sqlstore.Engine]. It frees the unused pages, then writes back and
// empties the -wal file, which holds old pages.
func (e *engine) Scrub(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = e.Compact(ctx); err != nil {
			return err
		}
	}
	return e.emptyWAL(ctx)
}

// Rewrite implements [sqlstore.Engine]. When SQLite distributes the rows of a full page to
// others, it leaves copies, or parts of them, in unused places of the page, with
// secure_delete too. Only VACUUM removes them. It writes a copy of everything to the -wal,
// which a reader would keep there, so the -wal must be empty first.
func (e *engine) Rewrite(ctx context.Context) error {
	if err := e.Scrub(ctx); err != nil {
		return err
	}
	if err := e.retryWhileBusy(ctx, busyStep, e.vacuum); err != nil {
		return cmp.Or(e.Scrub(ctx), domain.Unavailable("it is erased, but unused parts of %s may still hold it, because the file could not be written anew (%v); "+
			"see that there is room for two copies of it, and run the same again", e.path, err))
	}
	return e.emptyWAL(ctx)
}

func (e *engine) emptyWAL(ctx context.Context) error {
	err := e.retryWhileBusy(ctx, readersTime, e.truncateWAL)
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
	if err := c.waitFor(ctx, readersTime); err != nil {
		return err
	}
	var busy, pages, done int
	err = c.raw.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &done)
	if err == nil && busy != 0 {
		err = errReaders
	}
	return errors.Join(err, c.waitFor(context.WithoutCancel(ctx), busyStep))
}

func (e *engine) vacuum(ctx context.Context) error {
	c, err := e.takeWriter(ctx)
	if err != nil {
		return err
	}
	defer func() { e.writer <- c }()
	if _, err := c.raw.ExecContext(ctx, `PRAGMA temp_store = file`); err != nil { // the copy may be larger than the memory
		return err
	}
	_, err = c.raw.ExecContext(ctx, `VACUUM`)
	_, back := c.raw.ExecContext(context.WithoutCancel(ctx), `PRAGMA temp_store = memory`)
	return errors.Join(err, back)
}
