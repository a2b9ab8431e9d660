package memory

import (
	"context"
	"time"

	"wake/domain"
	"wake/repository"
)

// joinSession makes saving a context an event of its session; the event holds the
// context's id. If the session is unknown or forgotten, its id remains a mere label.
func (s *Service) joinSession(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot, by Caller) error {
	found, err := namedSession(ctx, tx, SessionRef{SessionID: c.SessionID}, by)
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
	a := s.appending(AppendRequest{By: by, Ref: SessionRef{SessionID: found.ID}})
	if err := a.lock(ctx, tx); err != nil {
		return err
	}
	if err := a.append(ctx, tx, events); err != nil {
		return err
	}
	c.SessionID, c.Seq = found.ID, a.session.LastSeq
	return nil
}

// reportedLag is how long after a save its hook may arrive.
const reportedLag = 10 * time.Minute

// joinSaved makes the context that a tool call has just saved an event of the hook's
// session: the client tells its hooks, but not the MCP server, which session it is. A
// context that already has a session, or is older, stays as it is.
func (h *hooking) joinSaved(ctx context.Context) error {
	id := h.hook.Tool.SavedContext()
	if id == "" {
		return nil
	}
	owner, there, err := h.session(ctx, h.hook.SessionID)
	if err != nil || !there {
		return err
	}
	return h.s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		list, err := tx.ContextsByID(ctx, []string{id}, false)
		if err != nil || len(list) == 0 {
			return err
		}
		c := list[0]
		if c.SessionID != "" || h.at().Sub(c.SavedAt).Abs() > reportedLag {
			return nil
		}
		if err := h.s.joinSession(ctx, tx, &c, Caller{Via: h.by.Via, Actor: h.by.Actor, SessionID: owner.ID}); err != nil {
			return err
		}
		_, err = tx.UpdateContext(ctx, id, h.s.now(), func(was *domain.ContextSnapshot) error {
			was.SessionID, was.Seq = c.SessionID, c.Seq
			return nil
		})
		return err
	})
}
