package sqlstore

import (
	"context"
	"slices"
	"strconv"

	"wake/domain"
)

// sorting is how an order is written in SQL.
type sorting struct {
	key  string // an expression over context c; indexes hold it as written
	desc bool
	text bool                          // the key is text
	arg  func(key string) (any, error) // reads [domain.Position.Key]
}

func sortingOf(o domain.Order) (sorting, error) {
	text := func(k string) (any, error) { return k, nil }
	number := func(k string) (any, error) { return strconv.ParseFloat(k, 64) }
	switch o {
	case domain.Newest, "":
		return sorting{"c.timestamp", true, true, text}, nil
	case domain.Oldest:
		return sorting{"c.timestamp", false, true, text}, nil
	case domain.LeastRecent:
		return sorting{touched, false, true, text}, nil
	case domain.Likely:
		return sorting{"coalesce(c.prediction_score, -1)", true, false, number}, nil
	}
	return sorting{}, domain.Invalid("%q is not an order of contexts", o)
}

// orderBy is the clause that sorts; n breaks ties the same way round.
func (s sorting) orderBy() string {
	if s.desc {
		return " ORDER BY " + s.key + " DESC, c.n DESC"
	}
	return " ORDER BY " + s.key + ", c.n"
}

// behind is the condition that a row sorts after p.
func (s sorting) behind(a *Args, p domain.Position) (string, error) {
	key, err := s.arg(p.Key)
	if err != nil {
		return "", domain.Invalid("the cursor is not one of this list; ask again without it")
	}
	op := " > "
	if s.desc {
		op = " < "
	}
	return "(" + s.key + ", c.n)" + op + "(" + a.Add(key) + ", " + a.Add(p.N) + ")", nil
}

func listContexts(ctx context.Context, q Querier, cq domain.ContextQuery) ([]domain.ContextSnapshot, error) {
	sort, err := sortingOf(cq.Order)
	if err != nil {
		return nil, err
	}
	lead, err := leadOf(ctx, q, cq, sort)
	if err != nil {
		return nil, err
	}
	if lead.tag != "" || cq.Forgotten && sort.key == "c.timestamp" {
		sort.key += " || ''" // no index has it: these few are sorted, not met on a walk over all
	}
	var a Args
	query := selectContexts(cq.WithContent) + "WHERE " + listed(&a, cq, lead)
	if cq.After != nil {
		behind, err := sort.behind(&a, *cq.After)
		if err != nil {
			return nil, err
		}
		query += " AND " + behind
	}
	query += sort.orderBy()
	if cq.Limit > 0 {
		query += " LIMIT " + a.Add(cq.Limit)
	}
	return Collect(ctx, q, scanContext, query, a...)
}

// lead is what leads to the contexts of a list; nothing is whatever the engine takes
// for best.
type lead struct {
	tag   string // one that few have
	order bool   // the list's own order, until there are enough: many pass
}

// few is how many contexts may have passed a filter to be read and sorted, all of them,
// for the first of a list. Where more do, the first are met soon on a walk in order.
const few = 1000

// leadOf finds out whether few or many contexts pass the tags and tiers of a list, which
// no engine guesses without statistics: SQLite reads and sorts nearly all contexts for
// a tier that nearly all have, and walks over a project for a tag that nothing has.
func leadOf(ctx context.Context, q Querier, cq domain.ContextQuery, sort sorting) (lead, error) {
	if cq.Limit == 0 || !sort.text || cq.Forgotten || len(cq.Tags)+len(cq.Touched) == 0 {
		return lead{}, nil
	}
	for _, tag := range cq.Tags {
		var a Args
		if many, err := manyOf(ctx, q, "context_tags t WHERE "+tagged(&a, tag, cq.AsOf), a); err != nil || !many {
			return lead{tag: tag}, err
		}
	}
	if cq.Project == "" || len(cq.Touched) == 0 || sort.key == touched {
		return lead{order: true}, nil
	}
	for _, span := range cq.Touched {
		a := Args{cq.Project}
		if many, err := manyOf(ctx, q, "context_snapshots c WHERE c.project = $1 AND "+inSpan(&a, touched, span), a); err != nil || many {
			return lead{order: true}, err
		}
	}
	return lead{}, nil
}

// manyOf reports whether there are more rows than few, and looks at no more of them.
func manyOf(ctx context.Context, q Querier, from string, a Args) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM `+from+` LIMIT `+a.Add(few+1)+`) AS met`, a...).Scan(&n)
	return n > few, err
}

// listed is the condition that a list holds context c. What must not lead to it is
// written as no index has it.
func listed(a *Args, cq domain.ContextQuery, lead lead) string {
	where := ""
	if len(cq.IDs) > 0 {
		where = "c.id IN " + addList(a, cq.IDs) + " AND "
	}
	if cq.Project != "" && lead.tag != "" {
		where += "c.project || '' = " + a.Add(cq.Project) + " AND "
	} else if cq.Project != "" {
		where += "c.project = " + a.Add(cq.Project) + " AND "
	}
	if cq.SessionID != "" {
		where += "c.session_id = " + a.Add(cq.SessionID) + " AND "
	}
	if cq.Kind != "" {
		where += "c.kind = " + a.Add(string(cq.Kind)) + " AND "
	}
	if !cq.IdleSince.IsZero() {
		where += "(c.last_accessed IS NULL OR c.last_accessed < " + a.Add(domain.FormatTime(cq.IdleSince)) + ") AND "
	}
	if cq.Pinned {
		where += "c.pinned AND "
	}
	if cq.Forgotten {
		where += "c.deleted_at IS NOT NULL AND "
	} else {
		where += liveAt(a, cq.AsOf) + " AND "
	}
	switch {
	case lead.order:
		return where + passesAs(a, cq.Filters, "+c.n", touched+" || ''")
	case lead.tag != "":
		return where + passesLed(a, cq.Filters, lead.tag)
	}
	return where + passes(a, cq.Filters)
}

// passesLed is the condition that context c passes f, with one of the tags for SQLite
// to begin with: the contexts of the others are not gathered.
func passesLed(a *Args, f domain.Filters, by string) string {
	others := slices.DeleteFunc(slices.Clone(f.Tags), func(tag string) bool { return tag == by })
	f.Tags = []string{by}
	where := passes(a, f)
	for _, tag := range others {
		where += " AND EXISTS (SELECT 1 FROM context_tags t WHERE t.context_n = c.n AND " + tagged(a, tag, f.AsOf) + ")"
	}
	return where
}
