package sqlstore

import (
	"strings"
	"time"

	"wake/domain"
)

// touched is the time from which a context's tier is counted, written exactly as in its
// index.
const touched = "coalesce(c.last_accessed, c.timestamp)"

// liveAt is the condition that context c was known and not forgotten at asOf (zero
// means now).
func liveAt(a *Args, asOf time.Time) string {
	if asOf.IsZero() {
		return keptAt(a, asOf)
	}
	return "c.saved_at <= " + a.Add(domain.FormatTime(asOf)) + " AND " + keptAt(a, asOf)
}

// keptAt is the condition that context c was not forgotten at asOf (zero means now). Only
// the access log shows that a context was brought back since. The next entry after asOf
// decides, not the last one before: an import may add that another wake forgot what is
// kept here.
func keptAt(a *Args, asOf time.Time) string {
	if asOf.IsZero() {
		return "c.deleted_at IS NULL"
	}
	at := domain.FormatTime(asOf)
	return "(c.deleted_at IS NULL OR c.deleted_at > " + a.Add(at) + ") AND coalesce((SELECT l.how FROM context_accesses l" +
		" WHERE l.context_n = c.n AND l.how IN ('gone', 'back') AND l.at > " + a.Add(at) + " ORDER BY l.at, l.n LIMIT 1), 'gone') = 'gone'"
}

// lastingAt is the condition that a row of alias t with added_at and removed_at was in
// force at asOf (zero means now).
func lastingAt(a *Args, t string, asOf time.Time) string {
	if asOf.IsZero() {
		return t + ".removed_at IS NULL"
	}
	at := domain.FormatTime(asOf)
	return t + ".added_at <= " + a.Add(at) + " AND (" + t + ".removed_at IS NULL OR " + t + ".removed_at > " + a.Add(at) + ")"
}

// conditions collects the conditions of a WHERE clause, joined by AND.
type conditions struct {
	args *Args
	list []string
}

func (c *conditions) and(condition string) { c.list = append(c.list, condition) }

// equal requires a value of a column; "" allows any.
func (c *conditions) equal(column, value string) {
	if value != "" {
		c.and(column + " = " + c.args.Add(value))
	}
}

// equalSet is equal for a column with a partial index that leaves "" out. The index is
// used only if the query says so, too.
func (c *conditions) equalSet(column, value string) {
	if value != "" {
		c.and(column + " <> ''")
	}
	c.equal(column, value)
}

// time adds a comparison such as `at >=` with t, unless t is zero.
func (c *conditions) time(comparison string, t time.Time) {
	if !t.IsZero() {
		c.and(comparison + " " + c.args.Add(domain.FormatTime(t)))
	}
}

func (c *conditions) String() string {
	if len(c.list) == 0 {
		return "true"
	}
	return strings.Join(c.list, " AND ")
}

// admits is the condition that context c is live and passes f.
func admits(a *Args, f domain.Filters) string {
	return liveAt(a, f.AsOf) + " AND " + passes(a, f)
}

// passes is the condition that context c passes f, whether live or not.
func passes(a *Args, f domain.Filters) string { return passesAs(a, f, "c.n", touched) }

// passesAs is passes with other expressions for c's number and the time it was touched.
func passesAs(a *Args, f domain.Filters, n, touched string) string {
	c := conditions{args: a}
	if len(f.ActionTypes) > 0 {
		c.and("c.action_type IN " + addList(a, f.ActionTypes))
	}
	for _, tag := range f.Tags {
		c.and(n + " IN (SELECT t.context_n FROM context_tags t WHERE " + tagged(a, tag, f.AsOf) + ")")
	}
	c.time("c.timestamp >=", f.Since)
	c.time("c.timestamp <", f.Until)
	if len(f.Touched) > 0 {
		c.and(touchedIn(a, touched, f.Touched))
	}
	return c.String()
}

// tagged is the condition that row t of context_tags holds the tag, in force at asOf
// (zero means now).
func tagged(a *Args, tag string, asOf time.Time) string {
	return "t.tag IN " + addList(a, domain.TagForms(tag)) + " AND " + lastingAt(a, "t", asOf)
}

func touchedIn(a *Args, touched string, spans []domain.Span) string {
	each := make([]string, len(spans))
	for i, s := range spans {
		each[i] = inSpan(a, touched, s)
	}
	return "(" + strings.Join(each, " OR ") + ")"
}

// inSpan is the condition that a time column lies in s.
func inSpan(a *Args, column string, s domain.Span) string {
	c := conditions{args: a}
	c.time(column+" >=", s.From)
	c.time(column+" <", s.To)
	return "(" + c.String() + ")"
}
