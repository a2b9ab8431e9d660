package memory

import (
	"cmp"
	"context"
	"sync"
	"time"

	"wake/domain"
	"wake/repository"
)

// Accesses and predictions are written after the answer, in small batches: a crash
// may lose the last batch, and nobody waits for it. What was only shown also waits
// for a pause, because a question beside the writing takes up to three times as
// long: it finds the pages that it has read invalid.
const (
	laterDelay = 200 * time.Millisecond // and how long a pause is
	shownDelay = 20 * time.Second       // of what was shown, where no pause comes
	laterStep  = 1000                   // rows written at once, so that a save beside it need not wait long
	laterFull  = 20_000                 // rows that wait for no pause
	laterMost  = 40_000                 // rows kept while the database is away; the oldest go first
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
	s.later.accesses(accessesOf(by, how, contexts, s.now()), delay, s.flush)
}

func accessesOf(by Caller, how domain.How, contexts []domain.ContextSnapshot, at time.Time) []domain.Access {
	list := make([]domain.Access, len(contexts))
	for i, c := range contexts {
		list[i] = domain.Access{ContextN: c.N, ContextID: c.ID, Project: c.Project, At: at, How: how, Via: by.Via, Actor: by.Actor, SessionID: by.SessionID}
	}
	return list
}

// recordNamed records, inside a save, that the named contexts were used.
func recordNamed(ctx context.Context, tx repository.Tx, by Caller, named []domain.ContextSnapshot, at time.Time) error {
	if len(named) == 0 {
		return nil
	}
	return tx.RecordAccesses(ctx, accessesOf(by, domain.Used, named, at))
}

// recordSaved notes in the access log that a context begins: prediction learns
// from the log alone.
func recordSaved(ctx context.Context, tx repository.Tx, by Caller, c domain.ContextSnapshot) error {
	by.SessionID = cmp.Or(c.SessionID, by.SessionID)
	return tx.RecordAccesses(ctx, accessesOf(by, domain.Saved, []domain.ContextSnapshot{c}, c.Timestamp))
}

func (q *laterQueue) accesses(list []domain.Access, delay time.Duration, flush func()) {
	q.add(func(b *batch) { b.accesses = newest(append(b.accesses, list...)) }, len(list), delay, flush)
}

func (q *laterQueue) outcomes(list []domain.Outcome, flush func()) {
	q.add(func(b *batch) { b.outcomes = newest(append(b.outcomes, list...)) }, len(list), laterDelay, flush)
}

func newest[T any](list []T) []T { return list[max(0, len(list)-laterMost):] }

// add queues n rows and makes sure that flush runs in the next pause, and within
// delay.
func (q *laterQueue) add(put func(*batch), n int, delay time.Duration, flush func()) {
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

// take takes the oldest off the queue.
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

// putBack returns a batch that could not be written to the head of the queue.
func (q *laterQueue) putBack(b batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.batch.accesses = newest(append(b.accesses, q.batch.accesses...))
	q.batch.outcomes = newest(append(b.outcomes, q.batch.outcomes...))
}

// flush is [Service.Flush] for those who go on without it.
func (s *Service) flush() {
	if err := s.Flush(context.Background()); err != nil {
		s.Log.Warn("bookkeeping waits for the database", "error", err)
	}
}

// Flush writes what is queued now. On an error it stays queued.
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
