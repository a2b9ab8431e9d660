package sqlstore

import (
	"strings"
	"time"

	"wake/domain"
)

// touched is the time a context's tier counts from; indexes hold it as written.
const touched = "coalesce(c.last_accessed, c.timestamp)"

// liveAt is the condition that context c was known and not forgotten at asOf;
// zero is now.
func liveAt(a *Args, asOf time.Time) string {
	if asOf.IsZero() {
		return "c.deleted_at IS NULL"
	}
	at := domain.FormatTime(asOf)
	return "c.saved_at <= " + a.Add(at) + " AND (c.deleted_at IS NULL OR c.deleted_at > " + a.Add(at) + ")"
}

// lastingAt is the condition that a row of alias t with added_at and removed_at
// held at asOf; zero is now.
func lastingAt(a *Args, t string, asOf time.Time) string {
	if asOf.IsZero() {
		return t + ".removed_at IS NULL"
	}
	at := domain.FormatTime(asOf)
	return t + ".added_at <= " + a.Add(at) + " AND (" + t + ".removed_at IS NULL OR " + t + ".removed_at > " + a.Add(at) + ")"
}

// Where is the condition that context c is live and passes f.
func Where(a *Args, f domain.Filters) string {
	return liveAt(a, f.AsOf) + " AND " + passes(a, f)
}

// passes is the condition that context c passes f, live or not.
func passes(a *Args, f domain.Filters) string { return passesAs(a, f, "c.n", touched) }

// passesAs is passes with c's number and the time it was touched as they are given.
func passesAs(a *Args, f domain.Filters, n, touched string) string {
	conds := []string{"true"}
	if len(f.ActionTypes) > 0 {
		conds = append(conds, "c.action_type IN "+addList(a, f.ActionTypes))
	}
	for _, tag := range f.Tags {
		conds = append(conds, n+" IN (SELECT t.context_n FROM context_tags t WHERE "+tagged(a, tag, f.AsOf)+")")
	}
	if !f.Since.IsZero() {
		conds = append(conds, "c.timestamp >= "+a.Add(domain.FormatTime(f.Since)))
	}
	if !f.Until.IsZero() {
		conds = append(conds, "c.timestamp < "+a.Add(domain.FormatTime(f.Until)))
	}
	if len(f.Touched) > 0 {
		conds = append(conds, touchedIn(a, touched, f.Touched))
	}
	return strings.Join(conds, " AND ")
}

// tagged is the condition that row t of context_tags says that its context had the tag at
// asOf; zero is now.
func tagged(a *Args, tag string, asOf time.Time) string {
	return "t.tag = " + a.Add(tag) + " AND " + lastingAt(a, "t", asOf)
}

func touchedIn(a *Args, touched string, spans []domain.Span) string {
	var any []string
	for _, s := range spans {
		any = append(any, inSpan(a, touched, s))
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// inSpan is the condition that a time column lies in s.
func inSpan(a *Args, column string, s domain.Span) string {
	conds := []string{"true"}
	if !s.From.IsZero() {
		conds = append(conds, column+" >= "+a.Add(domain.FormatTime(s.From)))
	}
	if !s.To.IsZero() {
		conds = append(conds, column+" < "+a.Add(domain.FormatTime(s.To)))
	}
	return "(" + strings.Join(conds, " AND ") + ")"
}
