package sqlstore

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"wake/domain"
)

// PredictionStats implements [repository.PredictionReader].
func (r reads) PredictionStats(ctx context.Context, project string) (domain.PredictionStats, error) {
	return ask(ctx, r, func(q Querier) (domain.PredictionStats, error) {
		s := counter{Querier: q, project: project}
		out := s.prediction(ctx)
		return out, s.err
	})
}

// prediction counts stored scores and the outcomes of predictions. Few contexts of a
// project have a score, and an index leads to them.
func (s *counter) prediction(ctx context.Context) domain.PredictionStats {
	out := domain.PredictionStats{Reasons: map[string]int64{}}
	s.scores(ctx, &out)
	s.outcomes(ctx, &out)
	return out
}

// scored is the contexts that were predicted for the same reasons.
type scored struct {
	reasons string
	count   int64
	sum     float64
	latest  time.Time
}

func scanScored(rows *sql.Rows, g *scored) error {
	return rows.Scan(toText(&g.reasons), &g.count, &g.sum, toTime(&g.latest))
}

// scores counts the stored scores and their reasons.
func (s *counter) scores(ctx context.Context, out *domain.PredictionStats) {
	list := counted(ctx, s, scanScored, `SELECT c.propagation_reason, count(*), sum(c.prediction_score), max(c.last_predicted)
		FROM context_snapshots c WHERE coalesce(c.prediction_score, -1) >= 0 AND `+s.live()+` GROUP BY 1 ORDER BY 1`, s.project)
	sum := 0.0
	for _, g := range list {
		out.Predicted += g.count
		sum += g.sum
		if g.latest.After(out.LastRefresh) {
			out.LastRefresh = g.latest
		}
		for reason := range strings.SplitSeq(strings.Trim(g.reasons, `[]`), ",") {
			if reason = strings.Trim(reason, `"`); reason != "" {
				out.Reasons[reason] += g.count
			}
		}
	}
	if out.Predicted > 0 {
		out.AverageScore = sum / float64(out.Predicted)
	}
}

// outcomes counts predictions by outcome.
func (s *counter) outcomes(ctx context.Context, out *domain.PredictionStats) {
	s.row(ctx, `SELECT count(*) FILTER (WHERE o.settled_at IS NULL), count(o.settled_at), count(*) FILTER (WHERE o.settled_at IS NOT NULL AND o.accessed),
			coalesce(avg((o.probability - CASE WHEN o.accessed THEN 1.0 ELSE 0.0 END) * (o.probability - CASE WHEN o.accessed THEN 1.0 ELSE 0.0 END))
				FILTER (WHERE o.settled_at IS NOT NULL), 0)
		FROM prediction_outcomes o WHERE `+s.where("o"),
		&out.Pending, &out.Settled, &out.Hits, &out.Brier)
	if out.Settled > 0 {
		base := float64(out.Hits) / float64(out.Settled)
		out.BrierBase = base * (1 - base)
	}
}
