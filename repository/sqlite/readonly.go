package sqlite

import (
	"context"
	"os"

	"wake/domain"
)

// startReadOnly opens a file that cannot be written. Where not even the -shm
// beside it can be made, and no -wal waits to be read, the file cannot change and
// is read as it is.
func (e *engine) startReadOnly(ctx context.Context) error {
	if err := e.remember(); err != nil {
		return err
	}
	err := e.openReaders(ctx)
	if err == nil {
		return nil
	}
	if st, statErr := os.Stat(followed(e.path) + "-wal"); statErr == nil && st.Size() > 0 {
		return err
	}
	closeDB(e.readDB)
	e.immutable = true
	return e.openReaders(ctx)
}

func (e *engine) openReaders(ctx context.Context) (err error) {
	if e.readDB, err = openDB(e.readerDSN(), readers); err != nil {
		return err
	}
	t, err := e.BeginRead(ctx)
	if err != nil {
		return err
	}
	defer t.Rollback()
	have, err := e.foundVersion(ctx, t)
	if err != nil {
		return err
	}
	if have < e.schema.Latest() {
		return domain.Unavailable("the database %s is of an older wake (version %d of its tables) and cannot be upgraded, because it is read-only; "+
			"make the file and its folder writable once", e.path, have)
	}
	return nil
}
