package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// Handoff does one action on hand-offs. An empty action is inferred from the
// arguments. Get returns Expired for a hand-off whose time is over, and NotFound if
// there is none.
func (s *Service) Handoff(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	meant := guessHandoff(req)
	action := cmp.Or(req.Action, meant)
	switch action {
	case HandoffGet, HandoffList, HandoffKeep:
		if meant == HandoffCreate || meant == HandoffAddFindings {
			return HandoffAnswer{}, domain.Invalid("action %s stores nothing of what you give; %s does", action, meant)
		}
	}
	switch action {
	case HandoffGet:
		return s.getHandoff(ctx, req)
	case HandoffList:
		return s.listHandoffs(ctx, req)
	case HandoffCreate:
		return s.createHandoff(ctx, req)
	case HandoffAddFindings:
		return s.addFindings(ctx, req)
	case HandoffKeep:
		return s.keepHandoff(ctx, req)
	}
	return HandoffAnswer{}, domain.Invalid("action %q is not known; it is one of get, list, create, add_findings, keep", req.Action)
}

// guessHandoff infers the action from the arguments: arguments that a hand-off would
// store mean that one is to be made or changed.
func guessHandoff(req HandoffRequest) HandoffAction {
	switch {
	case req.Task != "", len(req.Skills)+len(req.Tools) > 0, len(req.Findings) > 0 && req.ToMode != "":
		return HandoffCreate
	case len(req.Findings) > 0:
		return HandoffAddFindings
	case req.Important != nil && *req.Important:
		return HandoffKeep
	}
	return HandoffGet
}

// makeHandoff makes and stores a hand-off from a state.
func (s *Service) makeHandoff(ctx context.Context, tx repository.Tx, sessionID string, state *session.State, seq int64, h session.Handed) (domain.Handoff, error) {
	spoken, err := spokenMessages(ctx, tx, sessionID, state)
	if err != nil {
		return domain.Handoff{}, err
	}
	for _, m := range spoken {
		h.MessageSeqs = append(h.MessageSeqs, m.Seq)
	}
	if h.Findings, err = findings(ctx, tx, sessionID, state); err != nil {
		return domain.Handoff{}, err
	}
	if h.Reasoning, err = lastReasoning(ctx, tx, sessionID, state); err != nil {
		return domain.Handoff{}, err
	}
	h.Before = state
	out := session.NewHandoff(s.newEventID(), sessionID, seq, h, s.now())
	out.Messages = spoken
	return out, tx.PutHandoff(ctx, out)
}

// spokenMessages returns the last messages that a hand-off carries, oldest first.
func spokenMessages(ctx context.Context, r repository.Reader, sessionID string, state *session.State) ([]domain.HandoffMessage, error) {
	var out []domain.HandoffMessage
	err := backwards(ctx, r, sessionID, state.Spans(), 4*domain.HandoffMessages, func(e domain.Event) bool {
		if m, ok := spoken(e); ok {
			out = append(out, m)
		}
		return len(out) < domain.HandoffMessages
	}, domain.EventMessage)
	slices.Reverse(out)
	return out, err
}

// handedChars is up to which length a message is handed on as a whole. A long text
// that was pasted once should not fill the window again at each change of mode.
const handedChars = 8_000

// spoken returns the form of a message in a hand-off. It returns false for output of
// tools and messages without text.
func spoken(e domain.Event) (domain.HandoffMessage, bool) {
	m, err := e.Message()
	if err != nil || m.Content == "" || m.Role == domain.RoleTool || m.Kind != domain.PlainMessage {
		return domain.HandoffMessage{}, false
	}
	out := domain.HandoffMessage{Seq: e.Seq, Role: m.Role, Content: m.Content, At: e.At}
	if utf8.RuneCountInString(m.Content) > handedChars {
		out.Content, out.Pointer = "", session.MessageURI(e.SessionID, e.Seq)
	}
	return out, true
}

// lastReasoning returns the latest traces of reasoning in force, oldest first.
func lastReasoning(ctx context.Context, r repository.Reader, sessionID string, state *session.State) ([]domain.Reasoning, error) {
	if state.Reasoning.Count == 0 {
		return nil, nil
	}
	events, err := r.Events(ctx, domain.EventQuery{SessionID: sessionID, Until: state.LastSeq, Backward: true,
		Limit: 4 * domain.HandoffMessages, Types: []domain.EventType{domain.EventReasoning}})
	if err != nil {
		return nil, err
	}
	var out []domain.Reasoning
	for _, e := range events {
		if p, err := domain.PayloadAs[domain.Reasoning](e); err == nil && state.Covers(e.Seq) && len(out) < domain.HandoffMessages {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// getHandoff returns a hand-off that has not expired: the one with the id, else the
// session's newest one to the mode, else its newest.
func (s *Service) getHandoff(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	h, note, err := s.findHandoff(ctx, req, s.handedOver(req.ToMode))
	if err != nil {
		return HandoffAnswer{}, err
	}
	if err := s.alive(h); err != nil {
		return HandoffAnswer{}, err
	}
	if err := s.fillHandoff(ctx, &h); err != nil {
		return HandoffAnswer{}, err
	}
	a := handoffAnswer(h)
	a.Notes = notes(note)
	return a, nil
}

// alive refuses a hand-off that has expired (I8).
func (s *Service) alive(h domain.Handoff) error {
	if session.Alive(h, s.now()) {
		return nil
	}
	return domain.Advise(domain.Expired("hand-off %s expired at %s", h.ID, domain.FormatTime(h.ExpiresAt)), domain.MakeHandoff)
}

// resolver finds the session of a request. The note is not empty if it guessed.
type resolver func(context.Context, repository.Reader, SessionRef, Caller) (domain.Session, string, error)

// handedOver returns a resolver for taking a hand-off. If a guess leads to the user's
// own session, and that has no hand-off but the project's newest session has one, it
// returns the latter, which is a colleague's.
func (s *Service) handedOver(toMode string) resolver {
	return func(ctx context.Context, r repository.Reader, ref SessionRef, by Caller) (domain.Session, string, error) {
		own, note, err := s.readSession(ctx, r, ref, by)
		if err != nil || note == "" || s.Person == "" {
			return own, note, err
		}
		project := s.readProject(ref.Project)
		newest, how, err := s.newestSession(ctx, r, project, "")
		if err != nil || newest == nil {
			return own, note, err
		}
		for _, o := range []domain.Session{own, *newest} {
			list, err := r.Handoffs(ctx, domain.HandoffQuery{SessionID: o.ID, ToMode: toMode, AliveAt: s.now(), Limit: 1})
			if err != nil || len(list) > 0 && o.ID == own.ID {
				return own, note, err
			}
			if len(list) > 0 {
				return o, guessed(how, project, o) + s.whose(o), nil
			}
		}
		return own, note, nil
	}
}

// neverGuess is a resolver for writing requests.
func (s *Service) neverGuess(ctx context.Context, r repository.Reader, ref SessionRef, by Caller) (domain.Session, string, error) {
	owner, err := s.writeSession(ctx, r, ref, by)
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
	owner, note, err := resolve(ctx, s.Store, req.Ref, req.By)
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

func handoffAnswer(h domain.Handoff) HandoffAnswer {
	return HandoffAnswer{ID: h.ID, SessionID: h.SessionID, Handoff: &h, Text: PlainText(session.TellHandoff(h))}
}

func (s *Service) listHandoffs(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	limit, err := listLimit(req.Limit, sessionList, domain.MaxList)
	if err != nil {
		return HandoffAnswer{}, err
	}
	owner, note, err := s.readSession(ctx, s.Store, req.Ref, req.By)
	if err != nil {
		return HandoffAnswer{}, err
	}
	list, err := s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: owner.ID, ToMode: req.ToMode, Limit: limit + 1})
	if err != nil {
		return HandoffAnswer{}, err
	}
	more := len(list) > limit
	list = list[:min(len(list), limit)]
	var b strings.Builder
	fmt.Fprintf(&b, "Hand-offs of session %s: %s\n", owner.ID, howMany(len(list), more))
	for _, h := range list {
		state := "until " + shortTime(h.ExpiresAt)
		if !session.Alive(h, s.now()) {
			state = "expired"
		}
		fmt.Fprintf(&b, "- %s %s → %s at event %d, %s\n", h.ID, cmp.Or(h.FromMode, "start"), h.ToMode, h.Seq, state)
	}
	return HandoffAnswer{SessionID: owner.ID, Handoffs: list, Text: b.String(), Notes: notes(note)}, nil
}

// createHandoff makes a hand-off on request, for instance before the model is swapped
// (000-14). Findings in the request first become events of the session.
func (s *Service) createHandoff(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	if req.ToMode == "" {
		return HandoffAnswer{}, domain.Invalid("to_mode is missing; it names the mode that the hand-off is for")
	}
	if err := domain.CheckIDs(domain.Named{What: "to_mode", Value: req.ToMode}, domain.Named{What: "from_mode", Value: req.FromMode}); err != nil {
		return HandoffAnswer{}, err
	}
	if len(req.Findings) > 0 {
		if err := s.recordFindings(ctx, req.Ref, req.By, req.Findings); err != nil {
			return HandoffAnswer{}, err
		}
	}
	var h domain.Handoff
	err := s.inSession(ctx, req.Ref, req.By, func(tx repository.Tx, owner domain.Session) error {
		f, err := stateAt(ctx, tx, owner, owner.LastSeq)
		if err != nil {
			return err
		}
		given := session.Handed{FromMode: cmp.Or(req.FromMode, f.Mode), ToMode: req.ToMode, Important: req.Important != nil && *req.Important,
			Mode: domain.Mode{To: req.ToMode, Skills: req.Skills, Tools: req.Tools, Task: req.Task}}
		h, err = s.makeHandoff(ctx, tx, owner.ID, &f.State, owner.LastSeq, given)
		return err
	})
	if err != nil {
		return HandoffAnswer{}, err
	}
	s.keepInMemory(h)
	return handoffAnswer(h), nil
}

// recordFindings appends findings to the session that a request names.
func (s *Service) recordFindings(ctx context.Context, ref SessionRef, by Caller, list []domain.Finding) error {
	req := AppendRequest{By: by, Ref: ref}
	for _, f := range list {
		if f.Kind == "" {
			f.Kind = domain.FindingNote
		}
		e, err := domain.NewEvent(s.now(), "", f)
		if err != nil {
			return err
		}
		req.Events = append(req.Events, e)
	}
	_, err := s.Append(ctx, req)
	return err
}

// addFindings appends findings to the session and to a hand-off, durably (000-28): to
// the one with the id, else to the session's newest.
func (s *Service) addFindings(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	if len(req.Findings) == 0 {
		return HandoffAnswer{}, domain.Invalid("findings is missing; give [{kind: error|root_cause|fix|note, text: …}]")
	}
	h, _, err := s.findHandoff(ctx, req, s.neverGuess)
	if err != nil {
		return HandoffAnswer{}, err
	}
	if err := s.alive(h); err != nil {
		return HandoffAnswer{}, err
	}
	for i := range req.Findings {
		req.Findings[i].Mode = cmp.Or(req.Findings[i].Mode, h.FromMode, h.ToMode)
	}
	if err := s.recordFindings(ctx, SessionRef{SessionID: h.SessionID}, req.By, req.Findings); err != nil {
		return HandoffAnswer{}, err
	}
	err = s.inSession(ctx, SessionRef{SessionID: h.SessionID}, req.By, func(tx repository.Tx, owner domain.Session) error {
		f, err := stateAt(ctx, tx, owner, owner.LastSeq)
		if err != nil {
			return err
		}
		all, err := findings(ctx, tx, owner.ID, &f.State)
		if err != nil {
			return err
		}
		if h, err = tx.Handoff(ctx, h.ID); err != nil {
			return err
		}
		h.Findings = session.GroupFindings(all)
		return tx.PutHandoff(ctx, h)
	})
	if err != nil {
		return HandoffAnswer{}, err
	}
	err = s.fillHandoff(ctx, &h)
	return handoffAnswer(h), err
}

// keepHandoff makes a hand-off important, so that it is kept for seven days, or not
// important again.
func (s *Service) keepHandoff(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	h, _, err := s.findHandoff(ctx, req, s.neverGuess)
	if err != nil {
		return HandoffAnswer{}, err
	}
	if err := s.alive(h); err != nil {
		return HandoffAnswer{}, err
	}
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		if h, err = tx.Handoff(ctx, h.ID); err != nil {
			return err
		}
		h.Important = req.Important == nil || *req.Important
		h.ExpiresAt = session.Expiry(h)
		return tx.PutHandoff(ctx, h)
	})
	if err != nil {
		return HandoffAnswer{}, err
	}
	err = s.fillHandoff(ctx, &h)
	return handoffAnswer(h), err
}
