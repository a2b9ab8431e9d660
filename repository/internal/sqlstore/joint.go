package sqlstore

import (
	"cmp"
	"context"
	"sync"
	"time"

	"wake/repository"
)

// A joint transaction keeps other processes waiting until its time is over, as a large
// write does, and then lets them go first for a moment.
const (
	jointTime = 25 * time.Millisecond
	jointRest = 2 * time.Millisecond
)

// joint commits relaxed writes together, see [repository.Store]. Each of them is a
// savepoint of an open transaction, which reads see too.
type joint struct {
	engine Engine

	mu     sync.Mutex  // guards what follows
	open   Transaction // nil if everything is committed
	due    time.Time   // when it must be committed
	next   time.Time   // when another may be opened
	lost   error       // why a transaction was lost; nothing is written after that, since it may build on what is gone
	untold error       // lost, until a write has reported it
}

// write runs fn in a savepoint of its own.
func (j *joint) write(ctx context.Context, fn func(repository.Tx) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.begin(ctx); err != nil {
		return err
	}
	err := j.part(fn)
	if time.Now().Before(j.due) {
		return err
	}
	lost := j.commit()
	if err != nil {
		j.untold = cmp.Or(lost, j.untold) // the caller is told of err alone
		return err
	}
	return lost
}

// begin opens a transaction, unless one is open. Where no further write ends it in time,
// a timer does.
func (j *joint) begin(ctx context.Context) error {
	if j.lost != nil || j.open != nil {
		return j.tell()
	}
	time.Sleep(time.Until(j.next))
	t, err := j.engine.BeginWrite(ctx, repository.Relaxed)
	if err != nil {
		return j.engine.Error(err)
	}
	j.open, j.due = t, time.Now().Add(jointTime)
	time.AfterFunc(jointTime, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.open == t {
			j.untold = j.commit()
		}
	})
	return nil
}

// part runs fn, and takes back what it did if it fails or panics.
func (j *joint) part(fn func(repository.Tx) error) (err error) {
	if err := j.exec("SAVEPOINT part"); err != nil {
		return err
	}
	end := "ROLLBACK TO part; RELEASE part"
	defer func() {
		if failed := j.exec(end); failed != nil { // after some errors SQLite has taken back everything
			j.lost = cmp.Or(err, failed)
			_ = j.open.Rollback()
			j.open, err = nil, j.lost
		}
	}()
	if err = j.engine.Error(fn(newTx(j.engine, j.open))); err == nil {
		end = "RELEASE part"
	}
	return err
}

func (j *joint) exec(script string) error {
	return j.engine.Error(exec(context.Background(), j.open, script))
}

func (j *joint) commit() error {
	if j.open == nil {
		return nil
	}
	t := j.open
	j.open, j.next = nil, time.Now().Add(jointRest)
	j.lost = j.engine.Error(t.Commit())
	return j.lost
}

// apart commits what waits for it, then makes another kind of write.
func (j *joint) apart(write func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := cmp.Or(j.commit(), j.tell()); err != nil {
		return err
	}
	return write()
}

// pause commits what waits for it, and lets nobody write while fn runs.
func (j *joint) pause(fn func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.untold = cmp.Or(j.commit(), j.untold)
	fn()
}

// tell returns why a transaction was lost, if one was.
func (j *joint) tell() error {
	j.untold = nil
	return j.lost
}

// end commits what waits for it. It reports what was lost if no write has.
func (j *joint) end() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return cmp.Or(j.commit(), j.untold)
}

// read runs fn in the open transaction and reports whether there is one.
func (j *joint) read(fn func(Querier) error) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.open == nil {
		return false, nil
	}
	return true, j.engine.Error(fn(j.open))
}
