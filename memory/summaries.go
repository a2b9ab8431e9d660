package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/secret"
)

// Limits of the queue of summaries.
const (
	summaryTries  = 3                // useless answers of the model after which the extract stays
	summaryRetry  = 10 * time.Minute // until the next try; longer than one takes
	summaryAtOnce = 20               // jobs per round
)

// queueSummary queues a new context for the model, if there is one and it has
// something to do.
func (s *Service) queueSummary(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot) error {
	if s.Model == nil || !wantsSummary(c) && s.Model.EmbedName() == "" {
		return nil
	}
	return tx.QueueSummaries(ctx, []domain.SummaryJob{{ContextID: c.ID, NotBefore: c.SavedAt}})
}

// wantsSummary reports whether neither a caller nor a model has written the summary.
func wantsSummary(c *domain.ContextSnapshot) bool {
	return c.SummaryBy == domain.ByExtract || c.SummaryBy == ""
}

// recalculateSummaries queues the contexts that lack a model's summary or embedding and
// works through the queue, including postponed jobs, until it is empty, the model is unavailable or
// req.Patience is over.
func (s *Service) recalculateSummaries(ctx context.Context, req RecalculateRequest, a *RecalculateAnswer) error {
	if s.Model == nil {
		a.Notes = append(a.Notes, "no model is set, so summaries stay as extracted; start Ollama and pass --ollama to have them polished")
		return nil
	}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.QueueMissing(ctx, a.Project, s.Model.EmbedName(), s.now())
	})
	if err == nil {
		a.Queued, err = s.Store.WaitingSummaries(ctx, a.Project)
	}
	if err != nil {
		return err
	}
	s.refused.Clear() // the model may have been too slow then
	if err := s.workQueue(ctx, req, a); domain.KindOf(err) == domain.KindUnavailable {
		a.Notes = append(a.Notes, err.Error())
		if err := s.embedAllWaiting(ctx, req, a); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	a.Queued, err = s.Store.WaitingSummaries(ctx, a.Project)
	return err
}

// workQueue works through the queue until nothing is due.
func (s *Service) workQueue(ctx context.Context, req RecalculateRequest, a *RecalculateAnswer) error {
	until := s.patience(req)
	for {
		worked, err := s.workSummaries(ctx, a.Project, until)
		a.Summaries += worked.done
		if req.Progress != nil {
			req.Progress("summaries", a.Summaries, max(a.Queued, a.Summaries))
		}
		if err != nil || worked.tried == 0 {
			return err
		}
	}
}

// patience is the time until which a request is worked on; zero means until all is done.
func (s *Service) patience(req RecalculateRequest) time.Time {
	if req.Patience > 0 {
		return s.now().Add(req.Patience)
	}
	return time.Time{}
}

// worked counts the jobs of one round.
type worked struct{ tried, done int }

// workSummaries does the project's ("" means all) due jobs of one round. It begins none
// at until or later, unless until is zero. An Unavailable error means that the model or
// the database is unavailable; the jobs stay queued.
func (s *Service) workSummaries(ctx context.Context, project string, until time.Time) (worked, error) {
	var w worked
	for w.tried < summaryAtOnce && ctx.Err() == nil {
		if !until.IsZero() && !s.now().Before(until) {
			break
		}
		job, err := s.claimSummary(ctx, project)
		if err != nil || job == nil {
			return w, err
		}
		w.tried++
		done, err := s.workSummary(ctx, *job)
		if err != nil {
			if ctx.Err() != nil {
				s.releaseSummary(ctx, *job)
			}
			return w, err
		}
		if done {
			w.done++
		}
	}
	return w, ctx.Err()
}

// claimSummary returns the project's next due job and postpones it, so that no other process asks
// the model for the same; nil if none is due. If this process is killed, the job is due
// again after summaryRetry.
func (s *Service) claimSummary(ctx context.Context, project string) (job *domain.SummaryJob, err error) {
	due, err := s.Store.DueSummaries(ctx, project, s.now(), 1)
	if err != nil || len(due) == 0 {
		return nil, err // without taking the writer's lock
	}
	err = s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		due, err := tx.DueSummaries(ctx, project, s.now(), 1)
		if err != nil || len(due) == 0 {
			return err
		}
		job = &due[0]
		claimed := *job
		claimed.NotBefore = s.now().Add(summaryRetry)
		return tx.QueueSummaries(ctx, []domain.SummaryJob{claimed})
	})
	return job, err
}

// releaseSummary makes a claimed job due as it was.
func (s *Service) releaseSummary(ctx context.Context, job domain.SummaryJob) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer stop()
	_ = s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { // if it fails, the job is due again later
		return tx.QueueSummaries(ctx, []domain.SummaryJob{job})
	})
}

// workSummary does one job. Summary and embedding are stored as soon as each is made. A
// text that the model cannot summarise is no error; its extract stays.
func (s *Service) workSummary(ctx context.Context, job domain.SummaryJob) (bool, error) {
	contexts, err := s.Store.ContextsByID(ctx, []string{job.ContextID}, true)
	if err != nil {
		return false, err
	}
	if len(contexts) == 0 {
		return false, s.finishSummary(ctx, job.ContextID)
	}
	c := &contexts[0]
	useless := s.improveSummary(ctx, c)
	if useless != nil && domain.KindOf(useless) != domain.KindInvalid {
		return false, s.summaryFailed(ctx, job, useless)
	}
	if err := cmp.Or(s.embed(ctx, c), useless); err != nil {
		return false, s.summaryFailed(ctx, job, err)
	}
	return true, s.finishSummary(ctx, c.ID)
}

// improveSummary stores the model's summary and tags, unless a caller or a model has
// written them before. Only the embedding is missing then.
func (s *Service) improveSummary(ctx context.Context, c *domain.ContextSnapshot) error {
	if !wantsSummary(c) {
		return nil
	}
	made, err := s.Model.Summarize(ctx, c.Content)
	if err != nil {
		return err
	}
	c.Summary = secret.Mask(made.Text)
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return s.polish(ctx, tx, c, made.Tags) })
}

// polish stores the summary that the model made of c, and its tags. What was changed
// meanwhile stays.
func (s *Service) polish(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot, tags []string) error {
	extracted := cleanTags(s.Extract.Summarize(c.Content).Tags)
	changed, err := tx.UpdateContext(ctx, c.ID, s.now(), func(now *domain.ContextSnapshot) error {
		if !wantsSummary(now) {
			return nil
		}
		now.Summary, now.SummaryBy = c.Summary, s.Model.Name()
		if len(tags) > 0 && slices.Equal(now.Tags, extracted) {
			now.Tags = cleanTags(tags)
		}
		return nil
	})
	if domain.KindOf(err) == domain.KindNotFound {
		return nil
	}
	if err != nil || slices.Equal(changed.Tags, c.Tags) {
		return err
	}
	return s.reindexContext(ctx, tx, &changed)
}

// summaryFailed postpones a job. Only a text with which the model cannot do anything
// counts as a try; after the last one the job is dropped and the extract stays. Any other
// cause is returned: the model or the database is unavailable.
func (s *Service) summaryFailed(ctx context.Context, job domain.SummaryJob, cause error) error {
	useless := domain.KindOf(cause) == domain.KindInvalid
	job.NotBefore, job.LastError = s.now().Add(summaryRetry), domain.Clip(cause.Error(), 500)
	if useless {
		job.Attempts++
	}
	if job.Attempts >= summaryTries {
		s.Log.Warn("the model cannot summarise a context; its extract stays", "id", job.ContextID, "error", cause)
		return s.finishSummary(ctx, job.ContextID)
	}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.QueueSummaries(ctx, []domain.SummaryJob{job})
	})
	if !useless {
		return cause
	}
	return err
}

func (s *Service) finishSummary(ctx context.Context, id string) error {
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.FinishSummary(ctx, id) })
}
