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
		out.Queued = s.count(ctx, `SELECT count(*) FROM summary_queue j JOIN context_snapshots c ON c.n = j.context_n WHERE `+s.live())
		s.links(ctx, &out.Causality)
		s.chains(ctx, &out.Causality)
		s.outcomes(ctx, &out.Prediction)
		out.Bytes["embeddings"] = s.count(ctx, `SELECT coalesce(sum(octet_length(e.vector)), 0)
			FROM embeddings e JOIN context_snapshots c ON c.n = e.context_n WHERE `+s.where("c"))
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

// share is the contexts that are alike in what statistics tell apart.
type share struct {
	action, summaryBy, reasons string
	caused, superseded, pinned bool
	scored                     bool
	count, content, summaries  int64
	scores                     float64
	refreshed, oldest, newest  time.Time
}

func scanShare(rows *sql.Rows, g *share) error {
	return rows.Scan(toText(&g.action), &g.summaryBy, toText(&g.reasons), &g.caused, &g.superseded, &g.pinned, &g.scored,
		&g.count, &g.content, &g.summaries, &g.scores, toTime(&g.refreshed), toTime(&g.oldest), toTime(&g.newest))
}

// contexts counts everything that one pass over the contexts can tell.
func (s *counter) contexts(ctx context.Context) domain.Stats {
	out := domain.Stats{Project: s.project, Summaries: map[string]int64{}, Bytes: map[string]int64{}}
	out.Causality.ByAction, out.Prediction.Reasons = map[domain.ActionType]int64{}, map[string]int64{}
	out.Forgotten = s.count(ctx, `SELECT count(*) FROM context_snapshots c WHERE c.deleted_at IS NOT NULL AND `+s.where("c"))
	if s.err != nil {
		return out
	}
	var shares []share
	shares, s.err = Collect(ctx, s, scanShare, `SELECT c.action_type, c.summary_by, c.propagation_reason,
			c.caused_by IS NOT NULL, c.superseded_by IS NOT NULL, c.pinned, c.prediction_score IS NOT NULL,
			count(*), sum(octet_length(c.content)), sum(octet_length(c.summary)), coalesce(sum(c.prediction_score), 0),
			max(c.last_predicted), min(c.timestamp), max(c.timestamp)
		FROM context_snapshots c WHERE `+s.live()+` GROUP BY 1, 2, 3, 4, 5, 6, 7`, s.project)
	for _, g := range shares {
		g.addTo(&out)
	}
	if p := &out.Prediction; p.Predicted > 0 {
		p.AverageScore /= float64(p.Predicted)
	}
	return out
}

// addTo adds the share; the average score is a sum until all are added.
func (g share) addTo(out *domain.Stats) {
	out.Contexts += g.count
	out.Summaries[g.summaryBy] += g.count
	out.Bytes["content"] += g.content
	out.Bytes["summaries"] += g.summaries
	if g.pinned {
		out.Pinned += g.count
	}
	if g.superseded {
		out.Superseded += g.count
	}
	if out.Oldest.IsZero() || g.oldest.Before(out.Oldest) {
		out.Oldest = g.oldest
	}
	if g.newest.After(out.Newest) {
		out.Newest = g.newest
	}
	g.addCausality(&out.Causality)
	g.addPrediction(&out.Prediction)
}

func (g share) addCausality(c *domain.CausalityStats) {
	if g.action == "" {
		return
	}
	c.ByAction[domain.ActionType(g.action)] += g.count
	c.WithCause += g.count
	if !g.caused {
		c.Roots += g.count
	}
}

func (g share) addPrediction(p *domain.PredictionStats) {
	if !g.scored {
		return
	}
	p.Predicted += g.count
	p.AverageScore += g.scores
	if g.refreshed.After(p.LastRefresh) {
		p.LastRefresh = g.refreshed
	}
	for _, reason := range strings.Split(strings.Trim(g.reasons, `[]`), ",") {
		if reason = strings.Trim(reason, `"`); reason != "" {
			p.Reasons[reason] += g.count
		}
	}
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

// outcomes counts what became of predictions.
func (s *counter) outcomes(ctx context.Context, out *domain.PredictionStats) {
	out.Pending = s.count(ctx, `SELECT count(*) FROM prediction_outcomes o WHERE o.settled_at IS NULL AND `+s.where("o"))
	s.row(ctx, `SELECT count(*), count(*) FILTER (WHERE o.accessed), coalesce(avg(
			(o.probability - CASE WHEN o.accessed THEN 1.0 ELSE 0.0 END) * (o.probability - CASE WHEN o.accessed THEN 1.0 ELSE 0.0 END)), 0)
		FROM prediction_outcomes o WHERE o.settled_at IS NOT NULL AND `+s.where("o"),
		&out.Settled, &out.Hits, &out.Brier)
	if out.Settled > 0 {
		base := float64(out.Hits) / float64(out.Settled)
		out.BrierBase = base * (1 - base)
	}
}
