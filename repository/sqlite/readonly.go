package sqlite

import (
	"context"

	"wake/domain"
)

// startReadOnly opens a file that cannot be written.
func (e *engine) startReadOnly(ctx context.Context) error {
	have, err := e.startReading(ctx)
	if err == nil && have < e.schema.Latest() {
		if e.full && have == 0 {
			return domain.Unavailable("there is no room to create the database %s: free some space on its disk, or give another path with --db, then try again", e.path)
		}
		if e.full {
			return domain.Unavailable("the database %s is of an older wake (version %d of its tables), and there is no room to upgrade it; "+
				"free some space on its disk, then try again", e.path, have)
		}
		return domain.Unavailable("the database %s is of an older wake (version %d of its tables) and cannot be upgraded, because it is read-only; "+
			"make the file and its folder writable once", e.path, have)
	}
	return err
}

// startDamaged opens a file that SQLite refuses as a whole, such as one whose end is missing,
// so that what is left of it can be saved. It reports whether anything can be read.
func (e *engine) startDamaged(ctx context.Context) bool {
	e.readOnly, e.damaged = true, true
	have, err := e.startReading(ctx)
	return err == nil && have >= e.schema.Latest()
}

// startReading opens a file for reading and returns the version of its tables. If the
// -shm file beside it cannot be created and there is no -wal to be read, the file
// cannot change and is opened as immutable. After a full disk it can once there is room
// again, which [engine.checkInPlace] notices.
func (e *engine) startReading(ctx context.Context) (have int, err error) {
	if err := e.rememberFile(); err != nil {
		return 0, err
	}
	have, err = e.openReaders(ctx)
	if err == nil {
		return have, nil
	}
	if e.hasWAL() {
		return 0, err
	}
	closeDB(e.readDB)
	e.immutable = true
	return e.openReaders(ctx)
}

func (e *engine) openReaders(ctx context.Context) (have int, err error) {
	if e.readDB, err = openDB(e.readerDSN(), readers); err != nil {
		return 0, err
	}
	t, err := e.BeginRead(ctx)
	if err != nil {
		return 0, err
	}
	defer t.Rollback()
	return e.foundVersion(ctx, t)
}
