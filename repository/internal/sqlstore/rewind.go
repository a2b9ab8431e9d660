package sqlstore

import (
	"context"
	"time"

	"wake/domain"
)

// rewind sets the tags, causes, dependencies and supersession of contexts back to what
// was known at asOf (zero means now). Access counters stay as they are: they say how warm
// a context is now, not what was known.
func rewind(ctx context.Context, q Querier, contexts []domain.ContextSnapshot, asOf time.Time) error {
	if asOf.IsZero() {
		return nil
	}
	byID := make(map[string]*domain.ContextSnapshot, len(contexts))
	byN := make(map[int64]*domain.ContextSnapshot, len(contexts))
	ids, ns := make([]string, 0, len(contexts)), make([]int64, 0, len(contexts))
	for i := range contexts {
		c := &contexts[i]
		c.Tags, c.SupersededBy, c.SupersededAt = []string{}, "", time.Time{}
		if c.Causality != nil {
			c.Causality.CausedBy, c.Causality.Dependencies = "", []string{}
		}
		byID[c.ID], byN[c.N] = c, c
		ids, ns = append(ids, c.ID), append(ns, c.N)
	}
	if err := rewindTags(ctx, q, ns, byN, asOf); err != nil {
		return err
	}
	links, err := linksOf(ctx, q, ids, asOf)
	if err != nil {
		return err
	}
	forgotten, err := forgottenFrom(ctx, q, links, asOf)
	for _, l := range links {
		if l.Kind != domain.Supersedes || !forgotten[l.From] {
			applyLink(byID, l)
		}
	}
	return err
}

func rewindTags(ctx context.Context, q Querier, ns []int64, byN map[int64]*domain.ContextSnapshot, asOf time.Time) error {
	tags, err := collectIn(ctx, q, scanTag, ns, func(a *Args, some []int64) string {
		return `SELECT t.context_n, t.tag FROM context_tags t
			WHERE t.context_n IN ` + addList(a, some) + ` AND ` + lastingAt(a, "t", asOf) + ` ORDER BY t.added_at, t.tag`
	})
	for _, t := range tags {
		c := byN[t.n]
		c.Tags = append(c.Tags, t.tag)
	}
	return err
}

// applyLink writes a link into the columns of its contexts. Of several that supersede a
// context the latest counts, as in setSuperseded.
func applyLink(byID map[string]*domain.ContextSnapshot, l domain.Link) {
	if old := byID[l.To]; old != nil && l.Kind == domain.Supersedes && !l.AddedAt.Before(old.SupersededAt) {
		old.SupersededBy, old.SupersededAt = l.From, l.AddedAt
	}
	c := byID[l.From]
	if c == nil || c.Causality == nil || l.Origin != domain.Explicit {
		return
	}
	switch l.Kind {
	case domain.Cause:
		c.Causality.CausedBy = l.To
	case domain.Dependency:
		c.Causality.Dependencies = append(c.Causality.Dependencies, l.To)
	}
}
