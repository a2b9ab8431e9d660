package memory

import (
	"cmp"
	"context"
	"sync"
	"time"

	"wake/domain"
	"wake/repository"
)

// Accesses and predictions are written after the answer, in small batches. A crash may
// lose the last batch, but nobody waits for it. Rows about what was only shown also
// wait for a pause: a search beside the writing takes up to three times as long,
// because the pages it has read become invalid.
const (
	laterDelay = 200 * time.Millisecond // how long a write is delayed; also the length of a pause
	shownDelay = 20 * time.Second       // how long shown rows wait at most for a pause
	laterStep  = 1000                   // rows per write, so that a save need not wait long
	laterFull  = 20_000                 // rows that are written without waiting for a pause
	laterMost  = 40_000                 // rows kept while the database is unavailable; the oldest are dropped
)

// laterQueue holds bookkeeping until it is written.
type laterQueue struct {
	mu      sync.Mutex
	batch   batch
	timer   *time.Timer
	due     time.Time  // when the timer fires at the latest
	writing sync.Mutex // one batch at a time, so that Close waits for the last
}

type batch struct {
	accesses []domain.Access
	outcomes []domain.Outcome
}

func (b batch) empty() bool { return len(b.accesses) == 0 && len(b.outcomes) == 0 }

func (b batch) write(ctx context.Context, tx repository.Tx) error {
	if err := tx.RecordAccesses(ctx, b.accesses); err != nil {
		return err
	}
	return tx.RecordPredictions(ctx, b.outcomes)
}

// touch queues an access of each context.
func (s *Service) touch(by Caller, how domain.How, contexts []domain.ContextSnapshot) {
	delay := shownDelay
	if how.Counts() {
		delay = laterDelay
	}
	list := accessesOf(by, how, contexts, s.now())
	s.later.add(len(list), delay, s.flush, func(b *batch) { b.accesses = newest(append(b.accesses, list...)) })
}

func accessesOf(by Caller, how domain.How, contexts []domain.ContextSnapshot, at time.Time) []domain.Access {
	list := make([]domain.Access, len(contexts))
	for i, c := range contexts {
		list[i] = domain.Access{ContextN: c.N, ContextID: c.ID, Project: c.Project, At: at, How: how, Via: by.Via, Actor: by.Actor, SessionID: by.SessionID}
	}
	return list
}

// recordNamed records, within a save, that the contexts it names were used.
func recordNamed(ctx context.Context, tx repository.Tx, by Caller, named []domain.ContextSnapshot, at time.Time) error {
	if len(named) == 0 {
		return nil
	}
	return tx.RecordAccesses(ctx, accessesOf(by, domain.Used, named, at))
}

// recordSaved records a new context in the access log, because prediction learns only
// from the log.
func recordSaved(ctx context.Context, tx repository.Tx, by Caller, c domain.ContextSnapshot) error {
	by.SessionID = cmp.Or(c.SessionID, by.SessionID)
	return tx.RecordAccesses(ctx, accessesOf(by, domain.Saved, []domain.ContextSnapshot{c}, c.Timestamp))
}

// newest drops the oldest rows of a list that is too long.
func newest[T any](list []T) []T { return list[max(0, len(list)-laterMost):] }

// add queues n rows and makes sure that flush runs in the next pause, or within delay.
func (q *laterQueue) add(n int, delay time.Duration, flush func(), put func(*batch)) {
	if n == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	put(&q.batch)
	latest := time.Now().Add(delay)
	if q.timer == nil {
		q.due, q.timer = latest, time.AfterFunc(laterDelay, flush)
		return
	}
	switch {
	case len(q.batch.accesses) >= laterFull:
		q.due = time.Now()
	case latest.Before(q.due):
		q.due = latest
	}
	q.timer.Reset(min(laterDelay, time.Until(q.due)))
}

// take removes the oldest rows from the queue.
func (q *laterQueue) take() batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
	return batch{accesses: head(&q.batch.accesses), outcomes: head(&q.batch.outcomes)}
}

func head[T any](list *[]T) []T {
	n := min(len(*list), laterStep)
	taken := (*list)[:n:n]
	*list = (*list)[n:]
	return taken
}

// putBack returns a batch that could not be written to the front of the queue.
func (q *laterQueue) putBack(b batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.batch.accesses = newest(append(b.accesses, q.batch.accesses...))
	q.batch.outcomes = newest(append(b.outcomes, q.batch.outcomes...))
}

// flush is [Service.Flush] for callers that go on if it fails.
func (s *Service) flush() {
	if err := s.Flush(context.Background()); err != nil {
		s.Log.Warn("bookkeeping waits for the database", "error", err)
	}
}

// Flush writes the queued rows now. On an error they stay queued.
func (s *Service) Flush(ctx context.Context) error {
	s.later.writing.Lock()
	defer s.later.writing.Unlock()
	for {
		b := s.later.take()
		if b.empty() {
			return nil
		}
		err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return b.write(ctx, tx) })
		if err != nil {
			s.later.putBack(b)
			return err
		}
	}
}
