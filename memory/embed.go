package memory

import (
	"context"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/secret"
)

// embedMaxLength is up to how many bytes a text is embedded itself; of a longer one, its
// summary is.
const embedMaxLength = 8 << 10

// embedAllWaiting is embedWaiting until nothing is left, or the model of embeddings is
// unavailable, too.
func (s *Service) embedAllWaiting(ctx context.Context, req RecalculateRequest, a *RecalculateAnswer) error {
	made, until := 0, s.patience(req)
	for {
		w, err := s.embedWaiting(ctx, a.Project, until)
		made += w.done
		if w.tried > 0 && err == nil {
			continue
		}
		if made > 0 {
			a.Notes = append(a.Notes, domain.Many(made, "embedding")+" were made meanwhile")
		}
		if domain.KindOf(err) == domain.KindUnavailable {
			return nil
		}
		return err
	}
}

// embedWaiting stores the embeddings of contexts whose summaries wait: their model may be
// missing, and that of the embeddings there. It tries those of one round, and none that was
// refused before, or these would be all that it ever tries.
func (s *Service) embedWaiting(ctx context.Context, project string, until time.Time) (w worked, err error) {
	if s.Model.EmbedName() == "" {
		return w, nil
	}
	waiting, err := s.Store.Unembedded(ctx, project, s.Model.EmbedName(), summaryAtOnce+s.countRefused())
	for _, job := range waiting {
		if err := ctx.Err(); err != nil || !until.IsZero() && !s.now().Before(until) {
			return w, err
		}
		if _, is := s.refused.Load(job.ContextID); is {
			continue
		}
		contexts, err := s.Store.ContextsByID(ctx, []string{job.ContextID}, true)
		if err != nil || len(contexts) == 0 {
			return w, err
		}
		w.tried++
		switch err := s.embed(ctx, &contexts[0]); {
		case err == nil:
			w.done++
		case domain.KindOf(err) == domain.KindInvalid: // it still waits for its summary, so that is no try
			s.refused.Store(job.ContextID, true)
		default:
			return w, err
		}
	}
	return w, err
}

func (s *Service) countRefused() (n int) {
	s.refused.Range(func(any, any) bool {
		n++
		return true
	})
	return n
}

// embed stores the embedding of a context, if a model makes embeddings.
func (s *Service) embed(ctx context.Context, c *domain.ContextSnapshot) error {
	if s.Model.EmbedName() == "" {
		return nil
	}
	text := secret.Mask(c.Content)
	if len(text) > embedMaxLength {
		text = c.Summary
	}
	vectors, err := s.Model.Embed(ctx, []string{text})
	if err != nil || len(vectors) == 0 {
		return err
	}
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.PutEmbeddings(ctx, []domain.Embedding{{ContextID: c.ID, Model: s.Model.EmbedName(), Vector: vectors[0]}})
	})
}
