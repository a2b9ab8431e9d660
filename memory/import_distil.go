package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// DistilImport makes contexts of the decisions in the sessions that an import touched,
// and adds what came of them to its answer. It is a step of its own so that the next
// source can be read meanwhile. Where it was stopped, or an error ended it, the next
// import of the source finds these sessions again. [Service.SecureImports] keeps the contexts
// from a power cut.
func (s *Service) DistilImport(ctx context.Context, a *ImportAnswer) error {
	if s.NoDistil {
		return nil
	}
	for _, id := range a.undistilled {
		owner, err := s.Store.Session(ctx, id)
		if err != nil {
			return err
		}
		n, err := s.distil(ctx, owner, Caller{Via: viaPast}, repository.Relaxed)
		if err != nil {
			return err
		}
		a.share(owner.Project).Contexts += n
		a.Distilled += n
	}
	return nil
}

// findUndistilled notes whose decisions are contexts not yet. Wake's own lines bring
// what was distilled.
func (im *importing) findUndistilled(ctx context.Context) error {
	if im.req.Format == transcript.Wake {
		return nil
	}
	im.answer.undistilled = slices.Clone(im.answer.Sessions)
	missed, err := im.missed(ctx)
	if missed != "" && !slices.Contains(im.answer.undistilled, missed) {
		im.answer.undistilled = append(im.answer.undistilled, missed)
	}
	return err
}

// missed is the session that an earlier import of the source took in, if it was
// stopped before it came to the decisions.
func (im *importing) missed(ctx context.Context) (string, error) {
	if im.earlier == "" {
		return "", nil
	}
	mark, err := im.s.Store.Cursor(ctx, distilCursor(im.earlier))
	if err != nil || mark.Offset > 0 {
		return "", err
	}
	_, err = im.s.Store.Session(ctx, im.earlier)
	if domain.KindOf(err) == domain.KindNotFound {
		return "", nil
	}
	return im.earlier, err
}
