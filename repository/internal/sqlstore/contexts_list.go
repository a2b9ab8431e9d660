package sqlstore

import (
	"context"
	"slices"
	"strconv"

	"wake/domain"
)

// sorting is an order of contexts in SQL.
type sorting struct {
	key  string // an expression over context c, written exactly as in its index
	desc bool
	text bool                          // the key is text
	arg  func(key string) (any, error) // parses [domain.Position.Key]
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

// orderBy is the ORDER BY clause; n breaks ties in the same direction.
func (s sorting) orderBy() string {
	if s.desc {
		return " ORDER BY " + s.key + " DESC, c.n DESC"
	}
	return " ORDER BY " + s.key + ", c.n"
}

// behind is the condition that a row comes after p.
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
		sort.key += " || ''" // defeats the index: few rows are sorted rather than found by walking all
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
	query += sort.orderBy() + limitTo(cq.Limit)
	return Collect(ctx, q, scanContext, query, a...)
}

// lead says how the query finds the contexts of a list. The zero lead leaves it to the
// engine.
type lead struct {
	tag   string // by this tag, which few contexts have
	order bool   // by walking the list's order, because many contexts pass the filters
}

// fewMatches is the most contexts passing a filter that are all read and sorted. If
// more pass, a walk in order soon meets enough of them.
const fewMatches = 1000

// leadOf finds out whether few or many contexts pass the tags and tiers of a list. No
// engine can guess this without statistics: SQLite reads and sorts nearly all contexts
// for a tier that nearly all have, and walks a whole project for a tag that none has.
func leadOf(ctx context.Context, q Querier, cq domain.ContextQuery, sort sorting) (lead, error) {
	if cq.Limit == 0 || !sort.text || cq.Forgotten || len(cq.Tags)+len(cq.Touched) == 0 {
		return lead{}, nil
	}
	for _, tag := range cq.Tags {
		var a Args
		if many, err := moreThanFew(ctx, q, "context_tags t WHERE "+tagged(&a, tag, cq.AsOf), a); err != nil || !many {
			return lead{tag: tag}, err
		}
	}
	if cq.Project == "" || len(cq.Touched) == 0 || sort.key == touched {
		return lead{order: true}, nil
	}
	for _, span := range cq.Touched {
		a := Args{cq.Project}
		if many, err := moreThanFew(ctx, q, "context_snapshots c WHERE c.project = $1 AND "+inSpan(&a, touched, span), a); err != nil || many {
			return lead{order: true}, err
		}
	}
	return lead{}, nil
}

// moreThanFew reports whether from has more than fewMatches rows, without reading
// further.
func moreThanFew(ctx context.Context, q Querier, from string, a Args) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM `+from+limitTo(fewMatches+1)+`) AS met`, a...).Scan(&n)
	return n > fewMatches, err
}

// listed is the condition that context c belongs to the list. A column that must not
// lead the search is written so that no index matches it.
func listed(a *Args, cq domain.ContextQuery, lead lead) string {
	c := conditions{args: a}
	if len(cq.IDs) > 0 {
		c.and("c.id IN " + addList(a, cq.IDs))
	}
	project := "c.project"
	if lead.tag != "" {
		project += " || ''"
	}
	c.equal(project, cq.Project)
	c.equal("c.session_id", cq.SessionID)
	c.equal("c.kind", string(cq.Kind))
	if !cq.IdleSince.IsZero() {
		c.and("(c.last_accessed IS NULL OR c.last_accessed < " + a.Add(domain.FormatTime(cq.IdleSince)) + ")")
	}
	if cq.Pinned {
		c.and("c.pinned")
	}
	if cq.Forgotten {
		c.and("c.deleted_at IS NOT NULL")
	} else {
		c.and(liveAt(a, cq.AsOf))
	}
	switch {
	case lead.order:
		c.and(passesAs(a, cq.Filters, "+c.n", touched+" || ''"))
	case lead.tag != "":
		c.and(passesLed(a, cq.Filters, lead.tag))
	default:
		c.and(passes(a, cq.Filters))
	}
	return c.String()
}

// passesLed is the condition that context c passes f, written so that SQLite starts
// from the given tag and does not gather the contexts of the other tags.
func passesLed(a *Args, f domain.Filters, by string) string {
	others := slices.DeleteFunc(slices.Clone(f.Tags), func(tag string) bool { return tag == by })
	f.Tags = []string{by}
	where := passes(a, f)
	for _, tag := range others {
		where += " AND EXISTS (SELECT 1 FROM context_tags t WHERE t.context_n = c.n AND " + tagged(a, tag, f.AsOf) + ")"
	}
	return where
}
