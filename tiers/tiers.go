// Package tiers says how warm a context is and what may be forgotten.
//
// A tier follows from the time since the last access (002-03), never from the
// age alone: what is used daily stays warm, however old it is.
package tiers

import (
	"time"

	"wake/domain"
)

// Windows are the ages at which a context cools down a tier. Each must be longer
// than the one before.
type Windows struct {
	Active   time.Duration // younger is ACTIVE
	Recent   time.Duration // younger is RECENT
	Archived time.Duration // younger is ARCHIVED, older is EXPIRED
}

// DefaultWindows are the seed's: 1 hour, 24 hours, 30 days (002-08).
var DefaultWindows = Windows{Active: time.Hour, Recent: 24 * time.Hour, Archived: 30 * 24 * time.Hour}

// Check returns an Invalid error unless the windows are positive and rising.
func (w Windows) Check() error {
	if w.Active <= 0 || w.Recent <= w.Active || w.Archived <= w.Recent {
		return domain.Invalid("tier windows must be positive and rising; they are %gh, %gh, %gh", w.Active.Hours(), w.Recent.Hours(), w.Archived.Hours())
	}
	return nil
}

// Of returns the tier at now of what was last touched at touched. A time ahead
// of now counts as now, so that a wrong clock makes nothing cold.
func (w Windows) Of(touched, now time.Time) domain.Tier {
	switch age := now.Sub(touched); {
	case age < w.Active:
		return domain.TierActive
	case age < w.Recent:
		return domain.TierRecent
	case age < w.Archived:
		return domain.TierArchived
	}
	return domain.TierExpired
}

// Spans returns, for each tier, when its contexts were last touched. Times are
// kept in whole microseconds, which is why one is added: an age of exactly one
// hour is RECENT.
func (w Windows) Spans(now time.Time) map[domain.Tier]domain.Span {
	edge := func(age time.Duration) time.Time { return now.Add(time.Microsecond - age) }
	active, recent, archived := edge(w.Active), edge(w.Recent), edge(w.Archived)
	return map[domain.Tier]domain.Span{
		domain.TierActive:   {From: active},
		domain.TierRecent:   {From: recent, To: active},
		domain.TierArchived: {From: archived, To: recent},
		domain.TierExpired:  {To: archived},
	}
}
