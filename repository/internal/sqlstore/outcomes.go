package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"wake/domain"
)

// Outcomes implements [repository.UsageReader].
func (r reads) Outcomes(ctx context.Context, now time.Time, limit int) ([]domain.Outcome, error) {
	return askAll(ctx, r, scanOutcome, selectOutcomes(`EXISTS (SELECT 1 FROM context_accesses x
			WHERE x.context_n = o.context_n AND x.how = 'used' AND x.at > o.predicted_at AND x.at <= o.due_at)`)+`
		WHERE o.settled_at IS NULL AND o.due_at <= $1 ORDER BY o.due_at, o.n`+limitTo(limit), domain.FormatTime(now))
}

func selectOutcomes(accessed string) string {
	return `SELECT o.n, o.project, c.id, o.predicted_at, o.horizon_us, o.rank,
		o.score, o.probability, ` + accessed + `, o.settled_at
	FROM prediction_outcomes o JOIN context_snapshots c ON c.n = o.context_n`
}

// OutcomeLog implements [repository.Dumper].
func (r reads) OutcomeLog(ctx context.Context, project string, after int64, limit int) ([]domain.Outcome, error) {
	return askAll(ctx, r, scanOutcome, selectOutcomes(`o.accessed`)+`
		WHERE o.n > $1 AND ($2 = '' OR o.project = $2) ORDER BY o.n`+limitTo(limit), after, project)
}

// AppendOutcomes implements [repository.Adopter].
func (t *tx) AppendOutcomes(ctx context.Context, outcomes []domain.Outcome) (int, error) {
	return count(t, outcomes, func(q Querier, o domain.Outcome) (bool, error) {
		at := domain.FormatTime(o.PredictedAt)
		return changed(q.ExecContext(ctx, `INSERT INTO prediction_outcomes
			(context_n, project, predicted_at, due_at, horizon_us, rank, score, probability, accessed, settled_at)
			SELECT c.n, c.project, $1, $2, $3, $4, $5, $6, $7, $8 FROM context_snapshots c
			WHERE c.id = $9 AND NOT EXISTS (SELECT 1 FROM prediction_outcomes p
				WHERE p.context_n = c.n AND p.predicted_at = $10 AND p.horizon_us = $11 AND p.rank = $12)`,
			at, domain.FormatTime(o.PredictedAt.Add(o.Horizon)), o.Horizon.Microseconds(), o.Rank, o.Score, o.Probability,
			o.Accessed, timeArg(o.SettledAt), o.ContextID, at, o.Horizon.Microseconds(), o.Rank))
	})
}

func scanOutcome(rows *sql.Rows, o *domain.Outcome) error {
	var horizon int64
	err := rows.Scan(&o.N, &o.Project, &o.ContextID, toTime(&o.PredictedAt), &horizon, &o.Rank,
		&o.Score, &o.Probability, &o.Accessed, toTime(&o.SettledAt))
	o.Horizon = time.Duration(horizon) * time.Microsecond
	return err
}

// RecordPredictions implements [repository.UsageWriter].
func (t *tx) RecordPredictions(ctx context.Context, outcomes []domain.Outcome) error {
	return each(t, outcomes, func(q Querier, o domain.Outcome) error {
		return exec(ctx, q, `INSERT INTO prediction_outcomes
			(context_n, project, predicted_at, due_at, horizon_us, rank, score, probability)
			SELECT c.n, c.project, $1, $2, $3, $4, $5, $6 FROM context_snapshots c WHERE c.id = $7 AND c.deleted_at IS NULL`,
			domain.FormatTime(o.PredictedAt), domain.FormatTime(o.PredictedAt.Add(o.Horizon)),
			o.Horizon.Microseconds(), o.Rank, o.Score, o.Probability, o.ContextID)
	})
}

// SettleOutcomes implements [repository.UsageWriter].
func (t *tx) SettleOutcomes(ctx context.Context, outcomes []domain.Outcome) error {
	return each(t, outcomes, func(q Querier, o domain.Outcome) error {
		return exec(ctx, q, `UPDATE prediction_outcomes SET accessed = $1, settled_at = $2
			WHERE n = $3 AND settled_at IS NULL`, o.Accessed, domain.FormatTime(o.SettledAt), o.N)
	})
}
