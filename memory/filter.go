package memory

import (
	"slices"
	"time"

	"wake/domain"
)

// filters translates a filter of the tools into one of the repository.
func (s *Service) filters(f Filter) domain.Filters {
	out := domain.Filters{ActionTypes: distinct(f.ActionTypes), Tags: cleanTags(f.Tags), Since: f.Since, Until: f.Until, AsOf: f.AsOf}
	tiers := slices.Compact(slices.Sorted(slices.Values(f.Tiers)))
	if len(tiers) == 0 || len(tiers) == len(domain.Tiers) {
		return out
	}
	spans := s.Windows.Spans(s.now())
	for _, t := range tiers {
		out.Touched = append(out.Touched, spans[t])
	}
	return out
}

// check refuses what no context could match: more tags than one can have, and a time
// in which nothing lies.
func (f Filter) check() error {
	if err := checkTime(f.Since, f.Until); err != nil {
		return err
	}
	if n := len(cleanTags(f.Tags)); n > domain.MaxTags {
		return domain.Invalid("%d tags are too many to filter by; the limit is %d", n, domain.MaxTags)
	}
	return nil
}

// checkTime refuses a time in which nothing lies, because it ends where it begins or
// before.
func checkTime(since, until time.Time) error {
	if since.IsZero() || until.IsZero() || since.Before(until) {
		return nil
	}
	return domain.Invalid("until (%s) must be later than since (%s); to ask for one day, give the next day as until",
		domain.FormatTime(until), domain.FormatTime(since))
}

// Empty reports whether the filter lets everything pass.
func (f Filter) Empty() bool {
	return len(f.Tiers)+len(f.ActionTypes)+len(f.Tags) == 0 && f.Since.IsZero() && f.Until.IsZero() && f.AsOf.IsZero()
}

// onlyContexts reports whether filters ask for something that messages do not have.
func onlyContexts(f domain.Filters) bool { return len(f.ActionTypes)+len(f.Tags)+len(f.Touched) > 0 }

// words returns the parts of a filter that must stay the same from page to page.
func (f Filter) words() []any { return []any{f.Tiers, f.ActionTypes, f.Tags} }

// within narrows filters to a stretch of time.
func within(f domain.Filters, from, to time.Time) domain.Filters {
	if f.Since.Before(from) {
		f.Since = from
	}
	if f.Until.IsZero() || f.Until.After(to) {
		f.Until = to
	}
	return f
}

// admits applies the filter to a loaded context whose tier is current. The filter's
// tags must be clean; AsOf is ignored.
func (f Filter) admits(c *domain.ContextSnapshot) bool {
	return (len(f.Tiers) == 0 || slices.Contains(f.Tiers, c.Memory.Tier)) &&
		(len(f.ActionTypes) == 0 || c.Causality != nil && slices.Contains(f.ActionTypes, c.Causality.ActionType)) &&
		(f.Since.IsZero() || !c.Timestamp.Before(f.Since)) &&
		(f.Until.IsZero() || c.Timestamp.Before(f.Until)) &&
		!slices.ContainsFunc(f.Tags, func(t string) bool { return !hasTag(c.Tags, t) })
}
