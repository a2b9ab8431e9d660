package memory

import (
	"context"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/secret"
)

// Limits of the queue of summaries.
const (
	summaryTries   = 3                // useless answers of the model after which the extract stays
	summaryRetry   = 10 * time.Minute // until the next try
	summaryAtOnce  = 20               // jobs per round
	embedMaxLength = 8 << 10          // bytes; of a longer text only the summary is embedded
)

// queueSummary queues a new context for the model, if there is one and it has
// something to do.
func (s *Service) queueSummary(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot) error {
	if s.Model == nil || c.SummaryBy == domain.ByCaller && s.Model.EmbedName() == "" {
		return nil
	}
	return tx.QueueSummaries(ctx, []domain.SummaryJob{{ContextID: c.ID, NotBefore: c.SavedAt}})
}

// recalculateSummaries queues the contexts without a model's summary and works through
// the queue, including postponed jobs, until it is empty, the model is unavailable or
// req.Patience is over.
func (s *Service) recalculateSummaries(ctx context.Context, req RecalculateRequest, a *RecalculateAnswer) error {
	if s.Model == nil {
		a.Notes = append(a.Notes, "no model is set, so summaries stay as extracted; start Ollama and pass --ollama to have them polished")
		return nil
	}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.QueueMissing(ctx, a.Project, s.now())
	})
	if err == nil {
		a.Queued, err = s.Store.WaitingSummaries(ctx, a.Project)
	}
	if err != nil {
		return err
	}
	if err := s.workQueue(ctx, req, a); domain.KindOf(err) == domain.KindUnavailable {
		a.Notes = append(a.Notes, err.Error())
	} else if err != nil {
		return err
	}
	a.Queued, err = s.Store.WaitingSummaries(ctx, a.Project)
	return err
}

// workQueue works through the queue until nothing is due.
func (s *Service) workQueue(ctx context.Context, req RecalculateRequest, a *RecalculateAnswer) error {
	var until time.Time
	if req.Patience > 0 {
		until = s.now().Add(req.Patience)
	}
	for {
		worked, err := s.workSummaries(ctx, until)
		a.Summaries += worked.done
		if req.Progress != nil {
			req.Progress("summaries", a.Summaries, max(a.Queued, a.Summaries))
		}
		if err != nil || worked.tried == 0 {
			return err
		}
	}
}

// worked counts the jobs of one round.
type worked struct{ tried, done int }

// workSummaries does the due jobs of one round. It begins none at until or later,
// unless until is zero. An Unavailable error means that the model or the database is
// unavailable; the jobs stay queued.
func (s *Service) workSummaries(ctx context.Context, until time.Time) (worked, error) {
	var w worked
	jobs, err := s.Store.DueSummaries(ctx, s.now(), summaryAtOnce)
	if err != nil {
		return w, err
	}
	for _, job := range jobs {
		if ctx.Err() != nil {
			return w, ctx.Err()
		}
		if !until.IsZero() && !s.now().Before(until) {
			break
		}
		w.tried++
		done, err := s.workSummary(ctx, job)
		if err != nil {
			return w, err
		}
		if done {
			w.done++
		}
	}
	return w, nil
}

// workSummary does one job. A text that the model cannot summarise is no error; its
// extract stays.
func (s *Service) workSummary(ctx context.Context, job domain.SummaryJob) (bool, error) {
	contexts, err := s.Store.ContextsByID(ctx, []string{job.ContextID}, true)
	if err != nil {
		return false, err
	}
	if len(contexts) == 0 {
		return false, s.finishSummary(ctx, job.ContextID)
	}
	c := contexts[0]
	made, err := s.summaryOf(ctx, c)
	if err != nil {
		return false, s.summaryFailed(ctx, job, err)
	}
	vectors, err := s.embed(ctx, c, made.Text)
	if err != nil {
		return false, s.summaryFailed(ctx, job, err)
	}
	return true, s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		if err := s.polish(ctx, tx, c, made); err != nil {
			return err
		}
		if err := tx.PutEmbeddings(ctx, vectors); err != nil {
			return err
		}
		return tx.FinishSummary(ctx, c.ID)
	})
}

// summaryOf returns the caller's summary if there is one, since only the embedding is
// missing then, else the model's.
func (s *Service) summaryOf(ctx context.Context, c domain.ContextSnapshot) (domain.Summary, error) {
	if c.SummaryBy == domain.ByCaller {
		return domain.Summary{Text: c.Summary, Tags: c.Tags}, nil
	}
	return s.Model.Summarize(ctx, c.Content)
}

// polish stores the model's summary and tags. Those given by the caller, or changed
// meanwhile, stay.
func (s *Service) polish(ctx context.Context, tx repository.Tx, c domain.ContextSnapshot, made domain.Summary) error {
	if c.SummaryBy == domain.ByCaller {
		return nil
	}
	extracted := cleanTags(s.Extract.Summarize(c.Content).Tags)
	changed, err := tx.UpdateContext(ctx, c.ID, s.now(), func(now *domain.ContextSnapshot) error {
		now.Summary, now.SummaryBy = secret.Mask(made.Text), s.Model.Name()
		if len(made.Tags) > 0 && slices.Equal(now.Tags, extracted) { // they were not changed meanwhile
			now.Tags = cleanTags(made.Tags)
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

func (s *Service) embed(ctx context.Context, c domain.ContextSnapshot, summary string) ([]domain.Embedding, error) {
	if s.Model.EmbedName() == "" {
		return nil, nil
	}
	text := secret.Mask(c.Content)
	if len(text) > embedMaxLength {
		text = summary
	}
	vectors, err := s.Model.Embed(ctx, []string{text})
	if err != nil || len(vectors) == 0 {
		return nil, err
	}
	return []domain.Embedding{{ContextID: c.ID, Model: s.Model.EmbedName(), Vector: vectors[0]}}, nil
}

// summaryFailed postpones a job. It returns an error if the model is unavailable,
// which does not count as a try. After the last useless answer the job is dropped and
// the extract stays.
func (s *Service) summaryFailed(ctx context.Context, job domain.SummaryJob, cause error) error {
	away := domain.KindOf(cause) == domain.KindUnavailable
	job.NotBefore, job.LastError = s.now().Add(summaryRetry), domain.Clip(cause.Error(), 500)
	if !away {
		job.Attempts++
	}
	if job.Attempts >= summaryTries {
		s.Log.Warn("the model cannot summarise a context; its extract stays", "id", job.ContextID, "error", cause)
		return s.finishSummary(ctx, job.ContextID)
	}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.QueueSummaries(ctx, []domain.SummaryJob{job})
	})
	if away {
		return cause
	}
	return err
}

func (s *Service) finishSummary(ctx context.Context, id string) error {
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.FinishSummary(ctx, id) })
}
