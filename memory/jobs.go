package memory

import (
	"context"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/tiers"
)

// Periodic work is done by one of the many processes that share a database: the
// one that holds the lease.
const (
	leaseName  = "periodic work"
	leaseFor   = 2 * time.Minute
	jobsEvery  = time.Minute     // how often a server looks whether there is work
	tiersEvery = 5 * time.Minute // how often tiers and predictions are refreshed
	cleanEvery = time.Hour
)

// RunJobs does periodic work until ctx ends. holder names this process among
// all that share the database.
func (s *Service) RunJobs(ctx context.Context, holder string) {
	jobs := jobRunner{s: s, holder: holder}
	ticker := time.NewTicker(jobsEvery)
	defer ticker.Stop()
	for {
		if err := jobs.runOnce(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("periodic work is put off", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// jobRunner remembers when this process did what.
type jobRunner struct {
	s         *Service
	holder    string
	refreshed time.Time
	cleaned   time.Time
}

// runOnce does what is due, if this process gets the lease; every step renews it.
func (j *jobRunner) runOnce(ctx context.Context) error {
	for _, step := range []func(context.Context) error{j.refresh, j.cleanUp, j.summaries} {
		held, err := j.lease(ctx)
		if err != nil || !held {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lease takes or renews the lease; false without an error means that another
// process works.
func (j *jobRunner) lease(ctx context.Context) (bool, error) {
	err := j.s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		_, err := tx.TakeLease(ctx, leaseName, j.holder, j.s.now(), leaseFor)
		return err
	})
	if domain.KindOf(err) == domain.KindConflict {
		return false, nil
	}
	return err == nil, err
}

func (j *jobRunner) refresh(ctx context.Context) error {
	now := j.s.now()
	if now.Sub(j.refreshed) < tiersEvery {
		return nil
	}
	j.refreshed = now
	if _, err := j.s.recalculateTiers(ctx, ""); err != nil {
		return err
	}
	_, err := j.s.recalculatePredictions(ctx, "", nil)
	return err
}

// cleanUp erases what was forgotten long ago and gives the space back.
func (j *jobRunner) cleanUp(ctx context.Context) error {
	now := j.s.now()
	if now.Sub(j.cleaned) < cleanEvery {
		return nil
	}
	j.cleaned = now
	return j.s.CleanUp(ctx)
}

// CleanUp erases what was forgotten more than 30 days ago and gives the space
// back to the disk, in small steps.
func (s *Service) CleanUp(ctx context.Context) error {
	for n := stepRows; n == stepRows; {
		err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) (err error) {
			n, err = tx.CleanUp(ctx, s.now().Add(-tiers.Quiet), stepRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	for more := true; more; {
		var err error
		if more, err = s.Store.Compact(ctx); err != nil {
			return err
		}
	}
	return nil
}

// summaries works the model's queue; a model that is away is no failure of the
// periodic work.
func (j *jobRunner) summaries(ctx context.Context) error {
	if j.s.Model == nil {
		return nil
	}
	if _, err := j.s.workSummaries(ctx); err != nil {
		j.s.Log.Info("summaries wait for the model", "reason", err)
	}
	return ctx.Err()
}
