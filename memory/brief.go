package memory

import (
	"context"
	"fmt"
	"slices"

	"wake/domain"
	"wake/repository"
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
	last, more, err := s.lastSession(ctx, by, project)
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
	for i := range noted {
		noted[i].Causality = nil // it holds without its reason, and there is little room
	}
	compose := func(last []string, most int) (told *telling, used int) {
		told = newTelling(budget, fmt.Sprintf("wake remembers %s. %s", s.Scope(project), QuoteNotice),
			"More: search_context with a question, causal_chain with an id for the why.")
		told.within(briefLasting, "Noted for every session:", noted)
		used = told.left
		told.longest("Last session here; resume with its id tells the rest:", last, max(most, told.left-told.left/briefShare))
		used -= told.left
		told.within(told.left-told.left/briefShare, "Probably needed next:", likely.Contexts)
		told.section("Latest decisions:", decided)
		told.section("Perhaps needed, too:", likely.Contexts) // if the decisions left room
		return told, used
	}
	told, used := compose(last[more:], 0)
	if longer, _ := compose(last, used+told.left); len(longer.contexts) >= len(told.contexts) { // nothing else needs the room
		told = longer
	}
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
