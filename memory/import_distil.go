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
	for _, next := range a.undistilled {
		owner, n, err := s.distilImported(ctx, next, distilling{by: Caller{Via: viaPast}, safe: repository.Relaxed})
		if err != nil {
			return err
		}
		a.share(owner.Project).Contexts += n
		a.Distilled += n
	}
	return nil
}

// undistilled is a session still to be distilled.
type undistilled struct {
	id    string
	whole *wholeSession // nil if it must be read
}

// wholeSession is a session all of whose events one commit stored, and those of them that
// distilling reads.
type wholeSession struct {
	id      string
	lastSeq int64
	events  []domain.Event
}

// wholeOf returns the session that was appended to, if it has no other events, else nil.
func wholeOf(a RecordAnswer) *wholeSession {
	if int64(len(a.fresh)) < a.LastSeq {
		return nil
	}
	whole := &wholeSession{id: a.SessionID, lastSeq: a.LastSeq}
	for _, e := range a.fresh {
		if slices.Contains(distilledTypes, e.Type) {
			whole.events = append(whole.events, e)
		}
	}
	return whole
}

// distilImported distils a session, reading its events only if that is needed. Others may
// have added to it since, taken something back or forgotten it.
func (s *Service) distilImported(ctx context.Context, next undistilled, how distilling) (owner domain.Session, made int, err error) {
	if owner, err = s.Store.Session(ctx, next.id); err != nil {
		return owner, 0, err
	}
	if whole := next.whole; whole != nil && whole.lastSeq == owner.LastSeq && owner.DeletedAt.IsZero() {
		made, err = s.keep(ctx, owner, whole.events, how)
	} else {
		made, err = s.distil(ctx, owner, how)
	}
	return owner, made, err
}

// findUndistilled lists the sessions to be distilled. Wake's own lines already contain
// the distilled contexts, and a session that goes on is distilled at its end.
func (im *importing) findUndistilled(ctx context.Context) error {
	if im.req.Format == transcript.Wake || im.req.Live {
		return nil
	}
	missed, err := im.missed(ctx)
	due := im.answer.Sessions
	if missed != "" && !slices.Contains(due, missed) {
		due = append(slices.Clone(due), missed)
	}
	for _, id := range due {
		next := undistilled{id: id}
		if im.whole != nil && im.whole.id == id {
			next.whole = im.whole
		}
		im.answer.undistilled = append(im.answer.undistilled, next)
	}
	return err
}

// missed returns the session of an earlier import of the source, if that was
// interrupted before it was distilled.
func (im *importing) missed(ctx context.Context) (string, error) {
	if im.earlier == "" {
		return "", nil
	}
	known, err := im.s.Store.Session(ctx, im.earlier)
	if domain.KindOf(err) == domain.KindNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	mark, err := im.s.Store.Cursor(ctx, distilCursor(known.ID))
	if err != nil || mark.Offset >= known.LastSeq {
		return "", err
	}
	return known.ID, nil
}
