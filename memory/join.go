package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
)

// joinSession makes saving a context an event of its session, which holds the
// context's id. An unknown session id is only a label and opens nothing; so is
// one of a session that was forgotten.
func (s *Service) joinSession(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot, by Caller) error {
	named := SessionRef{SessionID: c.SessionID}
	found, err := namedSession(ctx, tx, named, by)
	if domain.KindOf(err) == domain.KindNotFound || err == nil && (found == nil || !found.DeletedAt.IsZero()) {
		return nil
	}
	if err != nil {
		return err
	}
	events, err := s.ownEvent(domain.RowKey("context", c.ID), domain.ContextSaved{ContextID: c.ID})
	if err != nil {
		return err
	}
	a := &appending{s: s, config: s.SessionConfig(), req: AppendRequest{By: by, Ref: SessionRef{SessionID: found.ID}}}
	if err := a.lock(ctx, tx); err != nil {
		return err
	}
	if err := a.append(ctx, tx, events); err != nil {
		return err
	}
	c.SessionID, c.Seq = found.ID, a.session.LastSeq
	return nil
}
