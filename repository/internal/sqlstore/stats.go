package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// Stats implements [repository.ContextReader].
func (r reads) Stats(ctx context.Context, project string, now time.Time, tiers map[domain.Tier]domain.Span) (domain.Stats, error) {
	return ask(ctx, r, func(q Querier) (domain.Stats, error) {
		s := counter{Querier: q, project: project}
		out, caused := s.contexts(ctx)
		out.Tiers = s.tiers(ctx, tiers)
		if out.Tiers[domain.TierExpired] > 0 {
			out.Idle = s.idle(ctx, tiers[domain.TierExpired])
		}
		out.Accesses = map[domain.How]int64{}
		addGroups(ctx, &s, out.Accesses, `SELECT x.how, count(*) FROM context_accesses x WHERE `+s.where("x")+` GROUP BY x.how`, project)
		out.Queued = s.waitingSummaries(ctx)
		s.links(ctx, caused, &out.Causality)
		s.chains(ctx, caused, &out.Causality)
		out.Prediction = s.prediction(ctx)
		out.Bytes["embeddings"] = s.count(ctx, `SELECT coalesce(sum(octet_length(e.vector)), 0)
			FROM embeddings e JOIN context_snapshots c ON c.n = e.context_n WHERE `+s.where("c"))
		if s.err != nil {
			return domain.Stats{}, s.err
		}
		info, err := r.engine.Info(ctx, q)
		out.Bytes["file"] = info.Size
		return out, err
	})
}

// Counts implements [repository.ContextReader]. The index by action includes forgotten
// contexts; these are few, have an index of their own, and are subtracted.
func (r reads) Counts(ctx context.Context, project string) (domain.Counts, error) {
	return ask(ctx, r, func(q Querier) (domain.Counts, error) {
		var out domain.Counts
		var gone int64
		s := counter{Querier: q, project: project}
		s.row(ctx, `SELECT count(*), max(c.timestamp) FROM context_snapshots c WHERE `+s.live(), &out.Contexts, toTime(&out.Newest))
		s.row(ctx, `SELECT count(*), count(c.action_type) FROM context_snapshots c WHERE c.deleted_at IS NOT NULL AND `+s.where("c"), &out.Forgotten, &gone)
		out.WithCause = s.count(ctx, `SELECT count(*) FROM context_snapshots c WHERE c.action_type IS NOT NULL AND `+s.where("c")) - gone
		return out, s.err
	})
}

// counter runs counting queries over one project, or all. After the first error it runs
// no more.
type counter struct {
	Querier
	project string
	err     error
}

// where is the condition that a row of alias t belongs to the project, which is the
// first argument of every query.
func (s *counter) where(t string) string {
	if s.project == "" {
		return "$1 = ''"
	}
	return t + ".project = $1"
}

// live is where, restricted to contexts that are not forgotten.
func (s *counter) live() string { return s.where("c") + " AND c.deleted_at IS NULL" }

// row scans the single row of a query without arguments of its own.
func (s *counter) row(ctx context.Context, query string, dst ...any) {
	s.rowWith(ctx, query, Args{s.project}, dst...)
}

// rowWith scans the single row of a query.
func (s *counter) rowWith(ctx context.Context, query string, a Args, dst ...any) {
	if s.err != nil {
		return
	}
	s.err = eachRow(ctx, s, func(rows *sql.Rows) error {
		if err := rows.Scan(dst...); err != nil {
			return damagedRow(rows, err)
		}
		return nil
	}, query, a...)
}

func (s *counter) count(ctx context.Context, query string) (n int64) {
	s.row(ctx, query, &n)
	return n
}

// counted returns the rows of a query.
func counted[T any](ctx context.Context, s *counter, scan func(*sql.Rows, *T) error, query string, args ...any) (list []T) {
	if s.err == nil {
		list, s.err = Collect(ctx, s, scan, query, args...)
	}
	return list
}

// group is one row of a GROUP BY.
type group struct {
	key   string
	count int64
}

func scanGroup(rows *sql.Rows, g *group) error { return rows.Scan(toText(&g.key), &g.count) }

// addGroups adds the rows of a GROUP BY to counts.
func addGroups[K ~string](ctx context.Context, s *counter, counts map[K]int64, query string, args ...any) {
	for _, g := range counted(ctx, s, scanGroup, query, args...) {
		counts[K(g.key)] += g.count
	}
}

// contexts counts in one pass over the contexts. It uses no GROUP BY, which would sort
// every row: known values are counted in columns, and unknown ones by a second query if
// there are any.
func (s *counter) contexts(ctx context.Context) (out domain.Stats, caused int64) {
	out = domain.Stats{Project: s.project, Bytes: map[string]int64{}}
	out.Forgotten = s.count(ctx, `SELECT count(*) FROM context_snapshots c WHERE c.deleted_at IS NOT NULL AND `+s.where("c"))
	a := Args{s.project}
	actions, writers := newTally("c.action_type", domain.ActionTypes), newTally("c.summary_by", usualWriters)
	var content, summaries int64
	into := []any{&out.Contexts, &out.Pinned, &out.Superseded, &caused, &out.Causality.WithCause, &out.Causality.Roots,
		&content, &summaries, toTime(&out.Oldest), toTime(&out.Newest)}
	query := `SELECT count(*), count(*) FILTER (WHERE c.pinned), count(c.superseded_by), count(c.caused_by), count(c.action_type),
		count(*) FILTER (WHERE c.action_type IS NOT NULL AND c.caused_by IS NULL),
		coalesce(sum(octet_length(c.content)), 0), coalesce(sum(octet_length(c.summary)), 0), min(c.timestamp), max(c.timestamp)` +
		actions.columns(&a, &into) + writers.columns(&a, &into) + ` FROM context_snapshots c WHERE ` + s.live()
	s.rowWith(ctx, query, a, into...)
	out.Bytes["content"], out.Bytes["summaries"] = content, summaries
	out.Causality.ByAction = actions.byValue(ctx, s, out.Causality.WithCause)
	out.Summaries = writers.byValue(ctx, s, out.Contexts)
	return out, caused
}

// usualWriters wrote most summaries where there is no model.
var usualWriters = []string{domain.ByExtract, domain.ByCaller}

// tally counts the values of a column of which most are known.
type tally[K ~string] struct {
	column string
	values []K     // the known ones
	counts []int64 // of each of these
}

func newTally[K ~string](column string, values []K) tally[K] {
	return tally[K]{column, values, make([]int64, len(values))}
}

// columns returns columns that count the known values, and adds their destinations to
// into.
func (t tally[K]) columns(a *Args, into *[]any) (sql string) {
	for i, v := range t.values {
		sql += ", count(*) FILTER (WHERE " + t.column + " = " + a.Add(string(v)) + ")"
		*into = append(*into, &t.counts[i])
	}
	return sql
}

// byValue returns the counts that are not 0. If those of the known values do not add up to
// all, it queries the others.
func (t tally[K]) byValue(ctx context.Context, s *counter, all int64) map[K]int64 {
	out := make(map[K]int64)
	for i, v := range t.values {
		if all -= t.counts[i]; t.counts[i] > 0 {
			out[v] = t.counts[i]
		}
	}
	if all != 0 {
		a := Args{s.project}
		addGroups(ctx, s, out, `SELECT `+t.column+`, count(*) FROM context_snapshots c
			WHERE `+t.column+` NOT IN `+addList(&a, t.values)+` AND `+s.live()+` GROUP BY 1`, a...)
	}
	return out
}

// idle counts the contexts that were last touched and stored within span.
func (s *counter) idle(ctx context.Context, span domain.Span) (n int64) {
	a := Args{s.project}
	where := inSpan(&a, touched, span) + ` AND ` + inSpan(&a, "c.saved_at", span) + ` AND ` + s.live()
	s.rowWith(ctx, `SELECT count(*) FROM context_snapshots c WHERE `+where, a, &n)
	return n
}

// tiers counts by time since last access, not by the stored tier, so that it is right
// at any moment.
func (s *counter) tiers(ctx context.Context, spans map[domain.Tier]domain.Span) map[domain.Tier]int64 {
	out := make(map[domain.Tier]int64, len(spans))
	if len(spans) == 0 {
		return out
	}
	a := Args{s.project}
	var columns []string
	var into []any
	counts := make([]int64, len(spans))
	order := slices.Sorted(maps.Keys(spans))
	for i, tier := range order {
		columns = append(columns, `count(*) FILTER (WHERE `+inSpan(&a, touched, spans[tier])+`)`)
		into = append(into, &counts[i])
	}
	s.rowWith(ctx, `SELECT `+strings.Join(columns, ", ")+` FROM context_snapshots c WHERE `+s.live(), a, into...)
	for i, tier := range order {
		out[tier] = counts[i]
	}
	return out
}
