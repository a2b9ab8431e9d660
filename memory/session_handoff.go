package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"

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

// getHandoff returns a hand-off that has not expired: the one with the id, else the
// session's newest one to the mode, else its newest.
func (s *Service) getHandoff(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	h, note, err := s.handoffToTake(ctx, req)
	if err != nil {
		return HandoffAnswer{}, err
	}
	a, err := s.wholeHandoff(ctx, h)
	a.Notes = notes(note)
	return a, err
}

// taskLength is how many characters of a task a list tells.
const taskLength = 120

func (s *Service) listHandoffs(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	limit, err := bounded("limit", req.Limit, sessionList, domain.MaxList)
	if err != nil {
		return HandoffAnswer{}, err
	}
	owner, note, err := s.readSession(ctx, req.Ref, req.By)
	if err != nil {
		return HandoffAnswer{}, err
	}
	list, err := s.Store.Handoffs(ctx, domain.HandoffQuery{SessionID: owner.ID, ToMode: req.ToMode, Limit: limit + 1})
	if err != nil {
		return HandoffAnswer{}, err
	}
	more := len(list) > limit
	list = append([]domain.Handoff{}, list[:min(len(list), limit)]...)
	var b strings.Builder
	fmt.Fprintf(&b, "Hand-offs of session %s: %s\n", owner.ID, howMany(len(list), more))
	for _, h := range list {
		state := "until " + shortTime(h.ExpiresAt)
		if !session.Alive(h, s.now()) {
			state = "expired"
		}
		fmt.Fprintf(&b, "- %s %s → %s at event %d, %s", h.ID, cmp.Or(h.FromMode, "start"), h.ToMode, h.Seq, state)
		if h.Task != "" {
			fmt.Fprintf(&b, ": %s", session.OneLine(PlainText(h.Task), taskLength))
		}
		b.WriteByte('\n')
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
		for i := range req.Findings {
			req.Findings[i].Mode = cmp.Or(req.Findings[i].Mode, req.FromMode) // else the session's
		}
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
		given := session.Handed{Mode: domain.Mode{To: req.ToMode, Skills: req.Skills, Tools: req.Tools, Task: req.Task},
			Before: &f.State, FromMode: req.FromMode, Important: req.Important != nil && *req.Important}
		h, err = s.makeHandoff(ctx, tx, owner.ID, owner.LastSeq, given)
		return err
	})
	if err != nil {
		return HandoffAnswer{}, err
	}
	s.keepInMemory(h)
	return handoffAnswer(h), nil
}

// addFindings appends findings to the session and to a hand-off, durably (000-28): to
// the one with the id, else to the session's newest.
func (s *Service) addFindings(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	if len(req.Findings) == 0 {
		return HandoffAnswer{}, domain.Invalid("findings is missing; give [{kind: error|root_cause|fix|note, text: …}]")
	}
	h, err := s.handoffToChange(ctx, req)
	if err != nil {
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
		all, err := logAt{tx, owner.ID, &f.State}.findings(ctx)
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
	return s.wholeHandoff(ctx, h)
}

// keepHandoff makes a hand-off important, so that it is kept for seven days, or not
// important again.
func (s *Service) keepHandoff(ctx context.Context, req HandoffRequest) (HandoffAnswer, error) {
	h, err := s.handoffToChange(ctx, req)
	if err != nil {
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
	return s.wholeHandoff(ctx, h)
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

// wholeHandoff answers with a stored hand-off and the texts of its messages.
func (s *Service) wholeHandoff(ctx context.Context, h domain.Handoff) (HandoffAnswer, error) {
	err := s.fillHandoff(ctx, &h)
	return handoffAnswer(h), err
}

func handoffAnswer(h domain.Handoff) HandoffAnswer {
	return HandoffAnswer{ID: h.ID, SessionID: h.SessionID, Handoff: &h, Text: PlainText(session.TellHandoff(h))}
}
