package memory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"wake/domain"
	"wake/session"
)

// ResumeBudget is the default budget of a resume, in tokens.
const ResumeBudget = 2_000

// Resume returns the working context of a session and changes nothing. It uses the
// first of these that works: the cache, if it fits the prompt, with the events since;
// the state snapshot and the log after it; the whole log. If the log has no messages,
// it builds a context from what was saved (004-04).
func (s *Service) Resume(ctx context.Context, req ResumeRequest) (ResumeAnswer, error) {
	budget, err := budgetOf(req.TokenBudget, ResumeBudget)
	if err != nil {
		return ResumeAnswer{}, err
	}
	owner, note, passedOver, err := s.resumed(ctx, req)
	if err != nil {
		return ResumeAnswer{}, err
	}
	state, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil {
		return ResumeAnswer{}, err
	}
	v := &view{s: s, logAt: logAt{s.Store, owner.ID, &state.State}, owner: owner, by: req.By, alerts: state.alerts, budget: budget, alone: req.TextOnly}
	source := state.source
	if v.cached = v.fitCache(ctx, promptHash(req)); v.cached != nil {
		source = FromCache
	}
	if state.Messages.Count == 0 {
		source, v.cached = FromRebuild, nil
	}
	a, err := v.tellWhole(ctx, source, note, req)
	if err != nil {
		return ResumeAnswer{}, err
	}
	s.raise(ctx, owner.ID, v.alerts)
	a.PassedOver = passedOver
	return a, nil
}

// tellWhole tells as much as fits into req.Whole together with a door's words, or at
// least where the messages are. It returns Invalid if there is no room even for that.
func (v *view) tellWhole(ctx context.Context, source ResumeSource, note string, req ResumeRequest) (ResumeAnswer, error) {
	over := func(a ResumeAnswer) int64 {
		if req.Cost == nil {
			return 0
		}
		return req.Cost(a) - req.Whole
	}
	for {
		a, err := v.tell(ctx, source)
		if err != nil {
			return ResumeAnswer{}, err
		}
		a.Notes = append(notes(note), a.Notes...)
		n := over(a)
		if n <= 0 {
			return a, nil
		}
		if v.budget == 1 {
			break
		}
		v.budget = max(1, v.budget-max(n, v.budget/8))
	}
	least := v.answer(source)
	least.Notes, least.Earlier = notes(note), v.earlier(v.state.Messages.Count)
	if n := over(least); n > 0 {
		return ResumeAnswer{}, domain.Invalid("token_budget is %d; the least that can be told of session %s takes %d", req.Whole, v.owner.ID, req.Whole+n)
	}
	return least, nil
}

// resumed resolves the session of a resume request. passedOver is whether a newer one
// had only just begun.
func (s *Service) resumed(ctx context.Context, req ResumeRequest) (found domain.Session, note string, passedOver bool, err error) {
	if req.AgentID == "" || req.Ref.SessionID != "" {
		found, note, err = s.readSession(ctx, req.Ref, req.By)
		if err != nil || note == "" {
			return found, note, false, err
		}
		if begun, err := s.begun(ctx, found); err != nil || begun {
			return found, note, false, err
		}
		before, note, err := s.begunBefore(ctx, found, note)
		return before, note, before.ID != found.ID, err
	}
	q := domain.SessionQuery{AgentID: req.AgentID, Limit: 1}
	if req.Ref.Project != "" { // otherwise in all projects
		q.Project = s.readProject(req.Ref.Project)
	}
	list, err := s.ownFirst(ctx, s.Store, q)
	if err != nil {
		return domain.Session{}, "", false, err
	}
	if len(list) == 0 {
		return domain.Session{}, "", false, domain.Advise(domain.NotFound("no session of the agent %q%s is known", req.AgentID, in(q.Project)), domain.ListSessions)
	}
	return list[0], "", false, nil
}

// begun reports whether a session has more than the prompt that asks to resume. Hooks
// open a session at each start; such a one has nothing to resume. What its client put in
// before the prompt does not count, nor what wake was asked since.
func (s *Service) begun(ctx context.Context, o domain.Session) (bool, error) {
	const most = 20 // messages of one that has just begun
	if o.HumanMsgs > 1 || o.Messages > most || o.Epoch > 1 {
		return true, nil
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: o.ID, Types: []domain.EventType{domain.EventMessage}})
	answered := false
	for _, e := range events {
		m, err := e.Message()
		if err != nil {
			continue // it was erased, or is damaged
		}
		switch {
		case m.Role == domain.RoleAssistant:
			answered = true
		case m.Role == domain.RoleTool && !strings.Contains(m.Content, NotInstructions):
			return true, nil
		case m.Role == domain.RoleTool:
			answered = false // what was said before it was a part of asking
		}
	}
	return answered, err
}

// begunBefore returns the newest other session of the project that has a message, or if
// there is none, the fresh one.
func (s *Service) begunBefore(ctx context.Context, fresh domain.Session, note string) (domain.Session, string, error) {
	list, err := s.ownFirst(ctx, s.Store, domain.SessionQuery{Project: fresh.Project, OwnStart: true, Limit: 100})
	if err != nil {
		return domain.Session{}, "", err
	}
	i := slices.IndexFunc(list, func(o domain.Session) bool { return o.ID != fresh.ID && o.Messages > 0 })
	if i < 0 {
		return fresh, note, nil
	}
	return list[i], fmt.Sprintf("no session was named; this is the one%s before the one just begun (%s)%s", in(fresh.Project), list[i].ID, s.whose(list[i])), nil
}

func promptHash(req ResumeRequest) string {
	if req.SystemPrompt != "" {
		return domain.HashText(req.SystemPrompt)
	}
	return req.PromptHash
}

// alertNotes turns alerts into notes, the first five in words.
func alertNotes(alerts []domain.Alert) []string {
	var out []string
	for i, a := range alerts {
		if i == 5 {
			return append(out, fmt.Sprintf("… and %d more; wake verify tells all", len(alerts)-i))
		}
		out = append(out, fmt.Sprintf("%s (%s): %s", a.Kind, a.Subject, a.Detail))
	}
	return out
}

// WorkingContext returns all messages of the session's epoch as a model would see
// them, with every tool call answered (I20). The newest session is meant by "".
func (s *Service) WorkingContext(ctx context.Context, sessionID string) ([]ContextMessage, error) {
	owner, err := s.sessionOrNewest(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	state, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil {
		return nil, err
	}
	all := reading{budget: math.MaxInt64, cost: func(session.Placed) int64 { return 0 }}
	if err := (logAt{s.Store, owner.ID, &state.State}).epochMessages(ctx, stretch{}, &all); err != nil {
		return nil, err
	}
	s.raise(ctx, owner.ID, append(state.alerts, all.alerts...))
	slices.Reverse(all.newestFirst)
	return contextMessages(session.CloseCalls(session.Join(all.newestFirst))), nil
}

func contextMessages(list []session.Placed) []ContextMessage {
	out := make([]ContextMessage, len(list))
	for i, m := range list {
		out[i] = ContextMessage{Seq: m.Seq, At: m.At, Pointer: m.Pointer, Message: m.Message}
	}
	return out
}
