package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wake/domain"
	"wake/session"
)

// resolver finds the session of a request. The note is not empty if it guessed.
type resolver func(context.Context, SessionRef, Caller) (domain.Session, string, error)

// handedOver returns a resolver for taking a hand-off. If a guess leads to the user's
// own session, and that has no hand-off but the project's newest session has one, it
// returns the latter, which is a colleague's.
func (s *Service) handedOver(toMode string) resolver {
	return func(ctx context.Context, ref SessionRef, by Caller) (domain.Session, string, error) {
		own, note, err := s.readSession(ctx, ref, by)
		if err != nil || note == "" || s.Person == "" {
			return own, note, err
		}
		project := s.readProject(ref.Project)
		newest, how, err := s.newestSession(ctx, project, "")
		if err != nil || newest == nil {
			return own, note, err
		}
		has := func(o domain.Session) (bool, error) {
			list, err := s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: o.ID, ToMode: toMode, AliveAt: s.now(), Limit: 1})
			return len(list) > 0, err
		}
		if ours, err := has(own); err != nil || ours {
			return own, note, err
		}
		if theirs, err := has(*newest); err != nil || !theirs {
			return own, note, err
		}
		return *newest, guessed(how, project, *newest) + s.whose(*newest), nil
	}
}

// neverGuess is a resolver for writing requests.
func (s *Service) neverGuess(ctx context.Context, ref SessionRef, by Caller) (domain.Session, string, error) {
	owner, err := s.writeSession(ctx, s.Store, ref, by)
	return owner, "", err
}

func (s *Service) findHandoff(ctx context.Context, req HandoffRequest, resolve resolver) (domain.Handoff, string, error) {
	if req.ID != "" {
		if err := completeID(ctx, &req.ID, s.Store.HandoffIDsUnder); err != nil {
			return domain.Handoff{}, "", err
		}
		h, err := s.Store.Handoff(ctx, req.ID)
		if err != nil {
			return h, "", err
		}
		owner, err := s.Store.Session(ctx, h.SessionID)
		_, err = live(&owner, err)
		return h, "", err
	}
	owner, note, err := resolve(ctx, req.Ref, req.By)
	if err != nil {
		return domain.Handoff{}, "", err
	}
	q := domain.HandoffQuery{SessionID: owner.ID, ToMode: req.ToMode, AliveAt: s.now(), Limit: 1}
	list, err := s.Store.Handoffs(ctx, q)
	if err == nil && len(list) == 0 { // perhaps it has expired, which the error should say
		q.AliveAt = time.Time{}
		list, err = s.Store.Handoffs(ctx, q)
	}
	if err != nil {
		return domain.Handoff{}, "", err
	}
	if len(list) == 0 {
		return domain.Handoff{}, "", domain.Advise(domain.NotFound("session %s has no hand-off%s yet; a change of mode makes one", owner.ID, toMode(req.ToMode)), domain.MakeHandoff)
	}
	return list[0], note, nil
}

func toMode(mode string) string {
	if mode == "" {
		return ""
	}
	return fmt.Sprintf(" to mode %q", mode)
}

// alive refuses a hand-off that has expired (I8).
func (s *Service) alive(h domain.Handoff) error {
	if session.Alive(h, s.now()) {
		return nil
	}
	return domain.Advise(domain.Expired("hand-off %s expired at %s", h.ID, domain.FormatTime(h.ExpiresAt)), domain.MakeHandoff)
}

// handoffToChange returns the hand-off that a writing request names, if it has not expired.
func (s *Service) handoffToChange(ctx context.Context, req HandoffRequest) (domain.Handoff, error) {
	h, _, err := s.findHandoff(ctx, req, s.neverGuess)
	if err != nil {
		return h, err
	}
	return h, s.alive(h)
}

// fillHandoff adds the texts of the messages, from memory if the hand-off was used
// recently. (Messages never change. What may change was read with the row.)
func (s *Service) fillHandoff(ctx context.Context, h *domain.Handoff) error {
	s.sessions.mu.Lock()
	cached, ok := s.sessions.handoffs.Get(h.ID)
	s.sessions.mu.Unlock()
	if ok {
		h.Messages = slices.Clone(cached.Messages)
		return nil
	}
	for _, seq := range h.MessageSeqs {
		e, err := eventAt(ctx, s.Store, h.SessionID, seq)
		if err != nil {
			return err
		}
		if e == nil || e.Erased {
			continue
		}
		if m, ok := spoken(*e); ok {
			h.Messages = append(h.Messages, m)
		}
	}
	s.keepInMemory(*h)
	return nil
}

func (s *Service) keepInMemory(h domain.Handoff) {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	h.Messages = slices.Clone(h.Messages)
	s.sessions.handoffs.Put(h)
}
