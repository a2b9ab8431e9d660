package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

// How much a brief looks at. Its budget decides how much of that it tells.
const (
	BriefLikely    = 5 // predictions, most likely first
	briefDecisions = 5
	briefShare     = 3   // one part in so many of the room is kept for decisions
	briefLasting   = 600 // characters at most for what was noted for every session
)

// Brief tells, in at most budget characters, what matters in a project now: what was noted
// for every session, where its last one stands, what will probably be needed next,
// and the latest decisions. It returns "" for an empty project. The contexts in it count
// as handed out.
func (s *Service) Brief(ctx context.Context, by Caller, project string, budget int) (string, error) {
	likely, err := s.loadList(ctx, LoadRequest{By: by, Project: project, Mode: ModeLikely, Limit: BriefLikely})
	if err != nil {
		return "", err
	}
	last, err := s.lastSession(ctx, by, project)
	if err != nil {
		return "", err
	}
	decided, err := s.decided(ctx, project)
	if err != nil {
		return "", err
	}
	noted, err := lasting(ctx, s.Store, s.readProject(project))
	if err != nil {
		return "", err
	}
	told := newTelling(budget, fmt.Sprintf("wake remembers %s. %s", s.Scope(project), QuoteNotice),
		"More: search_context with a question, causal_chain with an id for the why.")
	for i := range noted {
		noted[i].Causality = nil // it holds without its reason, and there is little room
	}
	told.within(briefLasting, "Noted for every session:", noted)
	if last != "" {
		told.item("Last session here; resume with its id tells the rest:", last)
	}
	told.within(told.left-told.left/briefShare, "Probably needed next:", likely.Contexts)
	told.section("Latest decisions:", decided)
	told.section("Perhaps needed, too:", likely.Contexts) // if the decisions left room
	s.touch(by, domain.Handed, told.contexts)
	return told.String(), s.markTold(ctx, by.SessionID, told.contexts)
}

// At most mostLasting contexts are told as noted for every session. Preferences are those
// with the tag that distilling gives them, and models as well.
const (
	mostLasting   = 10
	preferenceTag = "preference"
	preferences   = 100 // how many of the newest are looked at, for those that somebody saved
)

// lasting returns what the user asked for once and for all: pinned contexts, then noted
// preferences, as far as they still hold. Of pinned contexts the oldest come first, as they
// stand until somebody unpins them; of preferences the newest, since people change their
// minds without saying what that replaces.
func lasting(ctx context.Context, r repository.Reader, project string) ([]domain.ContextSnapshot, error) {
	list, err := holding(ctx, r, domain.ContextQuery{Project: project, Pinned: true, Order: domain.Oldest}, mostLasting)
	if err != nil {
		return nil, err
	}
	preferred, err := holding(ctx, r, domain.ContextQuery{Project: project, Filters: domain.Filters{Tags: []string{preferenceTag}},
		Order: domain.Newest}, preferences)
	preferred = slices.DeleteFunc(preferred, func(c domain.ContextSnapshot) bool { return c.Pinned })
	list = append(list, savedFirst(preferred)...)
	return list[:min(mostLasting, len(list))], err
}

// LatestDecisions returns the newest decisions of a project that still hold. They
// count as handed out.
func (s *Service) LatestDecisions(ctx context.Context, by Caller, project string) ([]domain.ContextSnapshot, error) {
	decided, err := s.decided(ctx, project)
	s.touch(by, domain.Handed, decided)
	return decided, err
}

// savedFirst puts what somebody saved before what was distilled, of which about a third
// says little or is wrong (bench/distil.md).
func savedFirst(list []domain.ContextSnapshot) []domain.ContextSnapshot {
	var saved, distilled []domain.ContextSnapshot
	for _, c := range list {
		if c.IsDistilled() {
			distilled = append(distilled, c)
		} else {
			saved = append(saved, c)
		}
	}
	return append(saved, distilled...)
}

// decided returns the newest decisions that still hold.
func (s *Service) decided(ctx context.Context, project string) ([]domain.ContextSnapshot, error) {
	list, err := holding(ctx, s.Store, domain.ContextQuery{Project: s.readProject(project), Order: domain.Newest,
		Filters: domain.Filters{ActionTypes: []domain.ActionType{domain.Decision}}}, 2*briefDecisions)
	if err != nil {
		return nil, err
	}
	s.warm(list)
	return savedFirst(list)[:min(briefDecisions, len(list))], nil
}

// lastSaid returns a person's last message in a session that was not taken back, nil if
// there is none.
func (s *Service) lastSaid(ctx context.Context, owner domain.Session) (*domain.Event, error) {
	last, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Human: true, Backward: true, Limit: 1})
	if err != nil || len(last) == 0 {
		return nil, err
	}
	inForce, err := s.inForce(ctx, owner, last)
	if err != nil || len(inForce) > 0 {
		return &last[0], err
	}
	now, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil || now.LastUser == nil {
		return nil, err
	}
	return eventAt(ctx, s.Store, owner.ID, now.LastUser.Seq)
}

// lastSession quotes the project's latest session with a human message, other than the
// caller's own. It returns "" if there is none.
func (s *Service) lastSession(ctx context.Context, by Caller, project string) (string, error) {
	recent, err := s.ownFirst(ctx, s.Store, domain.SessionQuery{Project: s.readProject(project), OwnStart: true, Limit: 20})
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(recent, func(o domain.Session) bool { return o.ID != by.SessionID && o.HumanMsgs > 0 })
	if i < 0 {
		return "", nil
	}
	owner := recent[i]
	said, err := s.lastSaid(ctx, owner)
	if err != nil || said == nil {
		return "", err
	}
	m, err := said.Message()
	if err != nil || said.Erased {
		return "", nil // it is no longer readable
	}
	const length = 200
	// Secrets are masked before the text is cut. It is put on one line first:
	// PlainText would write out form feeds.
	words := m
	words.Content = strings.Join(strings.Fields(session.Request(transcript.Words(owner.Client, m.Content))), " ")
	text := session.BothEnds(saidBy(words), length)
	if title := owner.Title; title != "" && title != session.TitleOf(m.Content) {
		text = session.OneLine(PlainText(title), length/2) + "\nthe user's last message: " + text
	}
	return QuotePlain(owner.ID, domain.FromUser, owner.UpdatedAt, session.Ago(s.now().Sub(owner.UpdatedAt))+s.whose(owner)+": "+text), nil
}
