package sqlstore

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"wake/domain"
)

// Stats implements [repository.ContextReader].
func (r reads) Stats(ctx context.Context, project string, now time.Time, tiers map[domain.Tier]domain.Span) (domain.Stats, error) {
	return ask(ctx, r, func(q Querier) (domain.Stats, error) {
		s := counter{Querier: q, project: project}
		out := s.contexts(ctx)
		out.Tiers = s.tiers(ctx, tiers)
		out.Accesses = groups[domain.How](ctx, &s, `SELECT x.how, count(*) FROM context_accesses x WHERE `+s.where("x")+` GROUP BY x.how`)
		out.Summaries = groups[string](ctx, &s, `SELECT c.summary_by, count(*) FROM context_snapshots c WHERE `+s.live()+` GROUP BY c.summary_by`)
		out.Queued = s.count(ctx, `SELECT count(*) FROM summary_queue j JOIN context_snapshots c ON c.n = j.context_n WHERE `+s.live())
		out.Causality = s.causality(ctx)
		out.Prediction = s.prediction(ctx, now)
		out.Bytes = s.bytes(ctx)
		if s.err != nil {
			return domain.Stats{}, s.err
		}
		info, err := r.engine.Info(ctx)
		out.Bytes["file"] = info.Size
		return out, err
	})
}

// counter counts over one project, or all of them; the first error ends it.
type counter struct {
	Querier
	project string
	err     error
}

// where is the condition that a row of alias t belongs to the project, which is
// the only argument of every query.
func (s *counter) where(t string) string {
	if s.project == "" {
		return "$1 = ''"
	}
	return t + ".project = $1"
}

// live is where for contexts that are not forgotten.
func (s *counter) live() string { return s.where("c") + " AND c.deleted_at IS NULL" }

// row reads the one row of a query.
func (s *counter) row(ctx context.Context, query string, dst ...any) {
	if s.err == nil {
		s.err = s.QueryRowContext(ctx, query, s.project).Scan(dst...)
	}
}

func (s *counter) count(ctx context.Context, query string) (n int64) {
	s.row(ctx, query, &n)
	return n
}

// group is one line of a GROUP BY.
type group struct {
	key   string
	count int64
}

func scanGroup(rows *sql.Rows, g *group) error { return rows.Scan(toText(&g.key), &g.count) }

func groups[K ~string](ctx context.Context, s *counter, query string) map[K]int64 {
	out := make(map[K]int64)
	if s.err != nil {
		return out
	}
	var list []group
	list, s.err = Collect(ctx, s, scanGroup, query, s.project)
	for _, g := range list {
		out[K(g.key)] += g.count
	}
	return out
}

func (s *counter) contexts(ctx context.Context) domain.Stats {
	out := domain.Stats{Project: s.project}
	s.row(ctx, `SELECT count(*), min(c.timestamp), max(c.timestamp) FROM context_snapshots c WHERE `+s.live(),
		&out.Contexts, toTime(&out.Oldest), toTime(&out.Newest))
	out.Pinned = s.count(ctx, `SELECT count(*) FROM context_snapshots c WHERE c.pinned AND `+s.live())
	out.Superseded = s.count(ctx, `SELECT count(*) FROM context_snapshots c WHERE c.superseded_by IS NOT NULL AND `+s.live())
	out.Forgotten = s.count(ctx, `SELECT count(*) FROM context_snapshots c WHERE c.deleted_at IS NOT NULL AND `+s.where("c"))
	return out
}

// tiers counts by time since last access, not by the stored tier, so that it is
// right at any moment.
func (s *counter) tiers(ctx context.Context, spans map[domain.Tier]domain.Span) map[domain.Tier]int64 {
	out := make(map[domain.Tier]int64, len(spans))
	for tier, span := range spans {
		a := Args{s.project}
		query := `SELECT count(*) FROM context_snapshots c WHERE ` + s.live() + ` AND ` + inSpan(&a, touched, span)
		var n int64
		if s.err == nil {
			s.err = s.QueryRowContext(ctx, query, a...).Scan(&n)
		}
		out[tier] = n
	}
	return out
}

func (s *counter) causality(ctx context.Context) domain.CausalityStats {
	var out domain.CausalityStats
	out.ByAction = groups[domain.ActionType](ctx, s, `SELECT c.action_type, count(*) FROM context_snapshots c
		WHERE c.action_type IS NOT NULL AND `+s.live()+` GROUP BY c.action_type`)
	for _, n := range out.ByAction {
		out.WithCause += n
	}
	out.Roots = s.count(ctx, `SELECT count(*) FROM context_snapshots c
		WHERE c.action_type IS NOT NULL AND c.caused_by IS NULL AND `+s.live())
	out.Links = groups[domain.LinkKind](ctx, s, `SELECT l.kind, count(*) FROM `+s.links()+` GROUP BY l.kind`)
	out.AutoLinks = s.count(ctx, `SELECT count(*) FROM `+s.links()+` AND l.origin = 'auto'`)
	out.LostParents = s.count(ctx, `SELECT count(*) FROM `+s.links()+
		` AND NOT EXISTS (SELECT 1 FROM context_snapshots p WHERE p.id = l.to_id AND p.deleted_at IS NULL)`)
	s.row(ctx, s.depths(), &out.AverageDepth, &out.LongestDepth)
	return out
}

// links is the live links whose later end belongs to the project.
func (s *counter) links() string {
	return `context_links l JOIN context_snapshots c ON c.id = l.from_id WHERE l.removed_at IS NULL AND ` + s.live()
}

// depths is a query for the average and the longest chain of causes over all
// contexts with causality or an effect, a root being a chain of one. Each context has at most
// one cause, so walking down from the roots meets each once and never a cycle; a
// chain that hangs on a lost parent begins at its first context that is there.
// CROSS JOIN says which table leads: planners that know no numbers may begin each
// step with all contexts.
func (s *counter) depths() string {
	return `WITH RECURSIVE chain (id, depth) AS (
			SELECT c.id, 1 FROM context_snapshots c
			WHERE ` + s.live() + ` AND (c.action_type IS NOT NULL OR EXISTS (
				SELECT 1 FROM context_links e WHERE e.to_id = c.id AND e.kind = 'cause' AND e.removed_at IS NULL))
			AND NOT EXISTS (SELECT 1 FROM context_snapshots p WHERE p.id = c.caused_by AND p.deleted_at IS NULL)
			UNION ALL
			SELECT l.from_id, chain.depth + 1 FROM chain CROSS JOIN context_links l CROSS JOIN context_snapshots c
			WHERE l.to_id = chain.id AND l.kind = 'cause' AND l.removed_at IS NULL AND c.id = l.from_id AND ` + s.live() + `
		)
		SELECT coalesce(avg(depth * 1.0), 0), coalesce(max(depth), 0) FROM chain`
}

func (s *counter) prediction(ctx context.Context, now time.Time) domain.PredictionStats {
	var out domain.PredictionStats
	s.row(ctx, `SELECT count(*), coalesce(avg(c.prediction_score), 0), max(c.last_predicted)
		FROM context_snapshots c WHERE c.prediction_score IS NOT NULL AND `+s.live(),
		&out.Predicted, &out.AverageScore, toTime(&out.LastRefresh))
	out.Reasons = s.reasons(ctx)
	out.Pending = s.count(ctx, `SELECT count(*) FROM prediction_outcomes o WHERE o.settled_at IS NULL AND `+s.where("o"))
	s.row(ctx, `SELECT count(*), count(*) FILTER (WHERE o.accessed), coalesce(avg(
			(o.probability - CASE WHEN o.accessed THEN 1.0 ELSE 0.0 END) * (o.probability - CASE WHEN o.accessed THEN 1.0 ELSE 0.0 END)), 0)
		FROM prediction_outcomes o WHERE o.settled_at IS NOT NULL AND `+s.where("o"),
		&out.Settled, &out.Hits, &out.Brier)
	if out.Settled > 0 {
		base := float64(out.Hits) / float64(out.Settled)
		out.BrierBase = base * (1 - base)
	}
	return out
}

// reasons counts single reasons; contexts share few different lists of them.
func (s *counter) reasons(ctx context.Context) map[string]int64 {
	lists := groups[string](ctx, s, `SELECT c.propagation_reason, count(*) FROM context_snapshots c
		WHERE c.prediction_score IS NOT NULL AND `+s.live()+` GROUP BY c.propagation_reason`)
	out := make(map[string]int64)
	for list, n := range lists {
		for _, reason := range strings.Split(strings.Trim(list, `[]`), ",") {
			if reason = strings.Trim(reason, `"`); reason != "" {
				out[reason] += n
			}
		}
	}
	return out
}

// bytes measures what the kinds of data hold, without the overhead of storage.
func (s *counter) bytes(ctx context.Context) map[string]int64 {
	out := make(map[string]int64)
	sum := func(kind, query string) { out[kind] = s.count(ctx, `SELECT coalesce(sum(`+query) }
	sum("content", `octet_length(c.content)), 0) FROM context_snapshots c WHERE `+s.where("c"))
	sum("summaries", `octet_length(c.summary)), 0) FROM context_snapshots c WHERE `+s.where("c"))
	sum("embeddings", `octet_length(e.vector)), 0) FROM embeddings e JOIN context_snapshots c ON c.n = e.context_n WHERE `+s.where("c"))
	return out
}
