package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wake/domain"
	"wake/session"
)

// handoffToTake returns the hand-off that a reading request names, if it has not expired.
// The note is not empty if its session was guessed.
func (s *Service) handoffToTake(ctx context.Context, req HandoffRequest) (h domain.Handoff, note string, err error) {
	if req.ID != "" {
		h, err = s.handoffByID(ctx, req.ID)
		return h, "", err
	}
	owner, note, err := s.handedOver(ctx, req)
	if err != nil {
		return h, "", err
	}
	h, err = s.newestHandoff(ctx, owner, req.ToMode)
	return h, note, err
}

// handoffToChange returns the hand-off that a writing request names, if it has not
// expired.
func (s *Service) handoffToChange(ctx context.Context, req HandoffRequest) (domain.Handoff, error) {
	if req.ID != "" {
		return s.handoffByID(ctx, req.ID)
	}
	owner, err := s.writeSession(ctx, s.Store, req.Ref, req.By)
	if err != nil {
		return domain.Handoff{}, err
	}
	return s.newestHandoff(ctx, owner, req.ToMode)
}

// prepared reports whether a hand-off was made since the mode of the state began, and is in
// force there. One that was made right behind a restore names the restore's own event, which
// is no part of the timeline.
func (l logAt) prepared(ctx context.Context, h domain.Handoff) (bool, error) {
	if h.Seq < l.state.ModeSeq || h.Seq > l.state.LastSeq {
		return false, nil
	}
	if l.state.Covers(h.Seq) || !l.state.Covers(h.Seq+1) {
		return l.state.Covers(h.Seq), nil
	}
	e, err := l.event(ctx, h.Seq)
	return e != nil && e.Type == domain.EventRestored, err
}

// handedOver returns the session to take a hand-off from. If a guess leads to a session
// that has none, as one that has just begun, it is the project's newest session that has
// one; a colleague's only if the user has none.
func (s *Service) handedOver(ctx context.Context, req HandoffRequest) (domain.Session, string, error) {
	guess, note, err := s.readSession(ctx, req.Ref, req.By)
	if err != nil || req.Ref.SessionID != "" || req.Ref.ClientSessionID != "" {
		return guess, note, err
	}
	const most = 20 // sessions that are looked at
	project := s.readProject(req.Ref.Project)
	if note == "" { // the connection has recorded or resumed it
		project = guess.Project
		own, err := s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: guess.ID, ToMode: req.ToMode, Limit: 1})
		if err != nil || len(own) > 0 {
			return guess, note, err
		}
	}
	recent, err := s.ownFirst(ctx, s.Store, domain.SessionQuery{Project: project, Limit: most})
	if err != nil {
		return guess, note, err
	}
	for _, o := range append([]domain.Session{guess}, recent...) {
		list, err := s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: o.ID, ToMode: req.ToMode, AliveAt: s.now(), Limit: 1})
		switch {
		case err != nil:
			return guess, note, err
		case len(list) > 0 && o.ID == guess.ID:
			return guess, note, nil
		case len(list) > 0:
			return o, fmt.Sprintf("no session was named; this is the newest one%s with a hand-off%s (%s)%s", in(project), toMode(req.ToMode), o.ID, s.whose(o)), nil
		}
	}
	return guess, note, nil
}

func (s *Service) handoffByID(ctx context.Context, id string) (domain.Handoff, error) {
	if err := completeID(ctx, &id, s.Store.HandoffIDsUnder); err != nil {
		return domain.Handoff{}, err
	}
	h, err := s.Store.Handoff(ctx, id)
	if err != nil {
		return h, err
	}
	owner, err := s.Store.Session(ctx, h.SessionID)
	if _, err = live(&owner, err); err != nil {
		return h, err
	}
	return h, s.alive(h)
}

// newestHandoff returns the session's newest hand-off to a mode, or to any for "".
func (s *Service) newestHandoff(ctx context.Context, owner domain.Session, mode string) (domain.Handoff, error) {
	q := domain.HandoffQuery{SessionID: owner.ID, ToMode: mode, AliveAt: s.now(), Limit: 1}
	list, err := s.Store.Handoffs(ctx, q)
	if err == nil && len(list) == 0 { // perhaps it has expired, which the error should say
		q.AliveAt = time.Time{}
		list, err = s.Store.Handoffs(ctx, q)
	}
	if err != nil {
		return domain.Handoff{}, err
	}
	if len(list) == 0 {
		return domain.Handoff{}, domain.Advise(domain.NotFound("session %s has no hand-off%s yet; a change of mode makes one", owner.ID, toMode(mode)), domain.MakeHandoff)
	}
	return list[0], s.alive(list[0])
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
	return domain.Advise(domain.Expired("hand-off %s expired at %s", h.ID, shortTime(h.ExpiresAt)), domain.MakeHandoff)
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
