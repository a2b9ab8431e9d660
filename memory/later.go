package memory

import (
	"context"
	"sync"
	"time"

	"wake/domain"
	"wake/repository"
)

// Accesses and shown predictions are written after the answer, in small
// batches: a crash may lose the last batch, and nobody waits for it.
const (
	laterDelay = 200 * time.Millisecond
	laterMost  = 10_000 // rows kept while the database is away; the oldest go first
)

// laterQueue holds bookkeeping until it is written.
type laterQueue struct {
	mu      sync.Mutex
	batch   batch
	timer   *time.Timer
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
	s.later.accesses(accessesOf(by, how, contexts, s.now()), s.flushSoon)
}

func accessesOf(by Caller, how domain.How, contexts []domain.ContextSnapshot, at time.Time) []domain.Access {
	list := make([]domain.Access, len(contexts))
	for i, c := range contexts {
		list[i] = domain.Access{ContextN: c.N, ContextID: c.ID, Project: c.Project, Tier: c.Memory.Tier, At: at, How: how, Via: by.Via, Actor: by.Actor, SessionID: by.SessionID}
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
	by.SessionID = orElse(c.SessionID, by.SessionID)
	return tx.RecordAccesses(ctx, accessesOf(by, domain.Saved, []domain.ContextSnapshot{c}, c.Timestamp))
}

func (q *laterQueue) accesses(list []domain.Access, flush func()) {
	q.add(func(b *batch) { b.accesses = newest(append(b.accesses, list...)) }, len(list), flush)
}

func (q *laterQueue) outcomes(list []domain.Outcome, flush func()) {
	q.add(func(b *batch) { b.outcomes = newest(append(b.outcomes, list...)) }, len(list), flush)
}

func newest[T any](list []T) []T { return list[max(0, len(list)-laterMost):] }

// add queues n rows and makes sure that flush runs soon.
func (q *laterQueue) add(put func(*batch), n int, flush func()) {
	if n == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	put(&q.batch)
	if q.timer == nil {
		q.timer = time.AfterFunc(laterDelay, flush)
	}
}

// take empties the queue.
func (q *laterQueue) take() batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
	b := q.batch
	q.batch = batch{}
	return b
}

// putBack returns a batch that could not be written to the head of the queue.
func (q *laterQueue) putBack(b batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.batch.accesses = newest(append(b.accesses, q.batch.accesses...))
	q.batch.outcomes = newest(append(b.outcomes, q.batch.outcomes...))
}

func (s *Service) flushSoon() {
	if err := s.Flush(context.Background()); err != nil {
		s.Log.Warn("bookkeeping waits for the database", "error", err)
	}
}

// Flush writes what is queued now. On an error it stays queued.
func (s *Service) Flush(ctx context.Context) error {
	s.later.writing.Lock()
	defer s.later.writing.Unlock()
	b := s.later.take()
	if b.empty() {
		return nil
	}
	err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return b.write(ctx, tx) })
	if err != nil {
		s.later.putBack(b)
	}
	return err
}
