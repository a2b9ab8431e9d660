package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// DistilImport distils the sessions that an import touched and adds the result to its
// answer. It is a separate step so that the next source can be read meanwhile. If it
// is interrupted or fails, the next import of the source finds these sessions again.
// [Service.SecureImports] makes its contexts durable.
func (s *Service) DistilImport(ctx context.Context, a *ImportAnswer) error {
	if s.NoDistil {
		return nil
	}
	for _, id := range a.undistilled {
		owner, err := s.Store.Session(ctx, id)
		if err != nil {
			return err
		}
		n, err := s.distil(ctx, owner, distilling{by: Caller{Via: viaPast}, safe: repository.Relaxed})
		if err != nil {
			return err
		}
		a.share(owner.Project).Contexts += n
		a.Distilled += n
	}
	return nil
}

// findUndistilled lists the sessions to be distilled. Wake's own lines already contain
// the distilled contexts.
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

// missed returns the session of an earlier import of the source, if that was
// interrupted before it was distilled.
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
