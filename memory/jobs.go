package memory

import (
	"context"
	"sync"
	"time"

	"wake/domain"
	"wake/repository"
)

// Many processes may share a database. Periodic work is done by the one that holds the
// job's lease. It keeps the lease until the job is due again, so that the others do
// not repeat the work.
const (
	leaseFor  = 2 * time.Minute // while working, renewed in time
	jobsEvery = time.Minute     // how often a server looks whether something is due
)

// job is one kind of periodic work.
type job struct {
	name  string
	every time.Duration
	run   func(s *Service, ctx context.Context) error
	last  time.Time // when this process last did it
}

// periodicWork lists the jobs of a server that it does one after the other.
func periodicWork() []*job {
	return []*job{
		{name: "tiers and predictions", every: 5 * time.Minute, run: (*Service).refresh},
		{name: "search index", every: time.Minute, run: (*Service).tendIndex},
		{name: "purges", every: time.Hour, run: (*Service).finishPurgesDue},
		{name: "clean-up", every: time.Hour, run: (*Service).CleanUp},
		{name: "sessions", every: time.Hour, run: (*Service).CleanSessions},
		{name: "distilling", every: 5 * time.Minute, run: (*Service).distilDue},
	}
}

// RunJobs does periodic work until ctx ends. holder must be unique among the processes
// that share the database. A model may need hours for its queue, which must not hold up
// the other jobs.
func (s *Service) RunJobs(ctx context.Context, holder string) {
	var polishing sync.WaitGroup
	polishing.Go(func() {
		s.repeat(ctx, holder, []*job{{name: "summaries", every: time.Minute, run: (*Service).polishDue}})
	})
	s.repeat(ctx, holder, periodicWork())
	polishing.Wait()
}

// repeat does jobs, each when it is due, until ctx ends.
func (s *Service) repeat(ctx context.Context, holder string, jobs []*job) {
	ticker := time.NewTicker(jobsEvery)
	defer ticker.Stop()
	for {
		for _, j := range jobs {
			if err := j.runOnce(ctx, s, holder); err != nil && ctx.Err() == nil {
				s.Log.Warn("periodic work is put off", "job", j.name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// runOnce does the job if it is due and no other process has it.
func (j *job) runOnce(ctx context.Context, s *Service, holder string) error {
	if since := s.now().Sub(j.last); since >= 0 && since < j.every {
		return nil // (a last time in the future comes from a clock that was wrong)
	}
	held, err := s.lease(ctx, j.name, holder, leaseFor)
	if err != nil || !held {
		return err
	}
	if err := j.runHeld(ctx, s, holder); err != nil {
		if ctx.Err() != nil {
			s.releaseLease(ctx, j.name, holder)
		}
		return err
	}
	j.last = s.now()
	_, err = s.lease(ctx, j.name, holder, j.every)
	return err
}

// runHeld does the job and keeps its lease meanwhile, because a job may take longer: a
// model may need minutes for a round of summaries. If another process has taken the
// lease, as after a sleep of this machine, the job is left to it.
func (j *job) runHeld(ctx context.Context, s *Service, holder string) error {
	ctx, stop := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() {
		ticker := time.NewTicker(leaseFor / 2)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if held, err := s.lease(ctx, j.name, holder, leaseFor); err == nil && !held {
					stop()
				}
			}
		}
	})
	defer keeping.Wait()
	defer stop()
	return j.run(s, ctx)
}

// lease takes or renews a lease; false without an error means that another
// process has it.
func (s *Service) lease(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
	err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		_, err := tx.TakeLease(ctx, name, holder, s.now(), ttl)
		return err
	})
	if domain.KindOf(err) == domain.KindConflict {
		return false, nil
	}
	return err == nil, err
}

// releaseTime is for giving back what a stopped process had reserved. It delays its end.
const releaseTime = time.Second

// releaseLease ends a lease of this process, so that the next one can go on with the work.
func (s *Service) releaseLease(ctx context.Context, name, holder string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer stop()
	_, _ = s.lease(ctx, name, holder, 0) // if it fails, the lease expires
}

// refresh stores current tiers and scores.
func (s *Service) refresh(ctx context.Context) error {
	if _, err := s.recalculateTiers(ctx, ""); err != nil {
		return err
	}
	projects, err := s.projectNames(ctx, "")
	if err != nil {
		return err
	}
	_, err = s.refreshPredictions(ctx, projects)
	return err
}

// CleanUp erases what was forgotten more than 30 days ago and returns the space to the
// disk, in small steps. The search index may keep traces until its segments are
// merged; only a purge rewrites it at once.
func (s *Service) CleanUp(ctx context.Context) error {
	erased, now := 0, s.now()
	for n := stepRows; n == stepRows; erased += n {
		err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) (err error) {
			n, err = tx.CleanUp(ctx, now.Add(-domain.UndoWindow), now, stepRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	if erased > 0 {
		return s.Store.Scrub(ctx)
	}
	for more := true; more; {
		var err error
		if more, err = s.Store.Compact(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finishPurgesDue tries to finish purges. If it cannot, the next try is not sooner than
// otherwise: each may need room for a copy of the database.
func (s *Service) finishPurgesDue(ctx context.Context) error {
	if err := s.finishPurges(ctx); err != nil {
		s.Log.Warn("a purge is not finished", "error", err)
	}
	return ctx.Err()
}

// polishDue works through the model's queue. An unavailable model is not an error of
// the periodic work.
func (s *Service) polishDue(ctx context.Context) error {
	if s.Model == nil {
		return nil
	}
	if _, err := s.workSummaries(ctx, "", time.Time{}); err != nil {
		s.Log.Info("summaries wait for the model", "reason", err)
		if _, err := s.embedWaiting(ctx, "", time.Time{}); err != nil {
			s.Log.Info("embeddings wait for the model", "reason", err)
		}
	}
	return ctx.Err()
}
