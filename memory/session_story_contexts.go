package memory

import (
	"cmp"
	"context"
	"slices"

	"wake/domain"
	"wake/session"
)

// storyDecisions is how many contexts saved in the session a story names.
const storyDecisions = 10

// decisions returns the contexts that were saved in the session and still hold, newest
// first; in a fork also those of its origin. They count as handed out.
func (v *view) decisions(ctx context.Context) ([]session.Said, error) {
	own := domain.ContextQuery{SessionID: v.owner.ID, Order: domain.Newest}
	list, err := holdingOf(ctx, v.r, own, storyDecisions, func(c domain.ContextSnapshot) bool {
		return v.forks == 0 || c.Seq <= v.owner.LastSeq // a fork's origin may have gone on
	})
	if err != nil {
		return nil, err
	}
	if v.owner.ForkedFrom != "" {
		inherited, err := v.inherited(ctx, storyDecisions-len(list))
		if err != nil {
			return nil, err
		}
		list = append(list, inherited...)
	}
	slices.SortStableFunc(list, func(a, b domain.ContextSnapshot) int { return cmp.Compare(lastingRank(a), lastingRank(b)) })
	return v.hand(list), nil
}

// lastingRank orders contexts of a session by how likely they still matter: what somebody
// saved, what the user was overheard to want in general, and the rest.
func lastingRank(c domain.ContextSnapshot) int {
	switch {
	case !c.IsDistilled():
		return 0
	case slices.Contains(c.Tags, preferenceTag):
		return 1
	}
	return 2
}

// lasting returns what was noted for every session, without what was saved in this one.
func (v *view) lasting(ctx context.Context, decisions []session.Said) ([]session.Said, error) {
	list, err := lasting(ctx, v.r, v.owner.Project)
	return v.hand(slices.DeleteFunc(list, func(c domain.ContextSnapshot) bool { return isTold(decisions, c.ID) })), err
}

// hand returns contexts as a story tells them, and records that they were handed out.
func (v *view) hand(list []domain.ContextSnapshot) (out []session.Said) {
	v.handed(list)
	for _, c := range list {
		text := PlainText(c.Summary)
		out = append(out, session.Said{ID: c.ID, Seq: c.Seq, Text: text, Why: PlainText(whyBesides(c, text)), Distilled: c.IsDistilled()})
	}
	return out
}

// isTold reports whether a context is among those that are told.
func isTold(told []session.Said, id string) bool {
	return slices.ContainsFunc(told, func(t session.Said) bool { return t.ID == id })
}

// inherited returns those of the newest contexts saved before the session was forked that
// still hold. They belong to the origin; the fork has copies of the events that name them.
func (v *view) inherited(ctx context.Context, limit int) ([]domain.ContextSnapshot, error) {
	var ids []string
	q := domain.EventQuery{Types: []domain.EventType{domain.EventContextSaved}, Limit: storyDecisions}
	err := v.backwards(ctx, q, func(e domain.Event) bool {
		if saved, err := domain.PayloadAs[domain.ContextSaved](e); err == nil && e.Source.Copied() && len(ids) < limit {
			ids = append(ids, saved.ContextID)
		}
		return len(ids) < limit
	})
	if err != nil {
		return nil, err
	}
	list, err := v.r.ContextsByID(ctx, ids, false)
	return slices.DeleteFunc(list, replaced), err
}
