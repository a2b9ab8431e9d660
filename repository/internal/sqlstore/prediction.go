package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// PredictionModel implements [repository.PredictionReader].
func (r reads) PredictionModel(ctx context.Context, project string) (domain.LearntModel, error) {
	return lookUp(ctx, r, func(q Querier) (domain.LearntModel, error) { return predictionModel(ctx, q, project) })
}

func predictionModel(ctx context.Context, q Querier, project string) (domain.LearntModel, error) {
	m := domain.LearntModel{Project: project}
	err := q.QueryRowContext(ctx, `SELECT watermark, state FROM prediction_models WHERE project = $1`, project).Scan(&m.Watermark, &m.State)
	if errors.Is(err, sql.ErrNoRows) {
		return m, nil
	}
	return m, err
}

// LearntProjects implements [repository.PredictionReader].
func (r reads) LearntProjects(ctx context.Context) ([]string, error) {
	return askAll(ctx, r, Scalar[string], `SELECT project FROM prediction_models ORDER BY project`)
}

// PredictionItems implements [repository.PredictionReader].
func (r reads) PredictionItems(ctx context.Context, ns []int64) ([]domain.LearntItem, error) {
	return byKeys(ctx, r, ns, func(q Querier) ([]domain.LearntItem, error) {
		return collectIn(ctx, q, scanLearntItem, ns, func(a *Args, some []int64) string {
			return `SELECT context_n, state FROM prediction_items WHERE context_n IN ` + addList(a, some)
		})
	})
}

func scanLearntItem(rows *sql.Rows, i *domain.LearntItem) error {
	return rows.Scan(&i.ContextN, &i.State)
}

// LastAccess implements [repository.PredictionReader].
func (r reads) LastAccess(ctx context.Context, project string) (int64, error) {
	var a Args
	query := `SELECT coalesce(max(n), 0) FROM context_accesses`
	if project != "" {
		query += ` WHERE project = ` + a.Add(project)
	}
	return askOnce(ctx, r, func(q Querier) (n int64, err error) {
		err = q.QueryRowContext(ctx, query, a...).Scan(&n)
		return n, err
	})
}

// PutPrediction implements [repository.PredictionWriter].
func (t *tx) PutPrediction(ctx context.Context, m domain.LearntModel, was int64, items []domain.LearntItem, at time.Time) error {
	return t.do(func(q Querier) error {
		now, err := predictionModel(ctx, q, m.Project)
		if err != nil {
			return err
		}
		if now.Watermark != was {
			return domain.Conflict("another process has meanwhile learnt up to %d", now.Watermark)
		}
		err = exec(ctx, q, `INSERT INTO prediction_models (project, watermark, state, updated_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (project) DO UPDATE SET watermark = excluded.watermark, state = excluded.state, updated_at = excluded.updated_at`,
			m.Project, m.Watermark, m.State, domain.FormatTime(at))
		if err != nil {
			return err
		}
		for _, i := range items {
			err := exec(ctx, q, `INSERT INTO prediction_items (context_n, project, state)
				SELECT c.n, $1, $2 FROM context_snapshots c WHERE c.n = $3
				ON CONFLICT (context_n) DO UPDATE SET state = excluded.state`, m.Project, i.State, i.ContextN)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// PutScores implements [repository.PredictionWriter].
func (t *tx) PutScores(ctx context.Context, next map[string]domain.Propagation) (int, error) {
	return count(t, slices.Sorted(maps.Keys(next)), func(q Querier, id string) (bool, error) {
		return putScore(ctx, q, id, next[id])
	})
}

func putScore(ctx context.Context, q Querier, id string, p domain.Propagation) (known bool, err error) {
	values, err := propagationValues(&p)
	if err != nil {
		return false, err
	}
	var a Args
	var sets []string
	for _, v := range values {
		sets = append(sets, v.column+" = "+a.Add(v.arg))
	}
	return changed(q.ExecContext(ctx, `UPDATE context_snapshots SET `+strings.Join(sets, ", ")+`
		WHERE id = `+a.Add(id)+` AND deleted_at IS NULL`, a...))
}

// ClearPrediction implements [repository.PredictionWriter].
func (t *tx) ClearPrediction(ctx context.Context, project string) error {
	return t.do(func(q Querier) error {
		if err := exec(ctx, q, `DELETE FROM prediction_models WHERE project = $1`, project); err != nil {
			return err
		}
		return exec(ctx, q, `DELETE FROM prediction_items WHERE project = $1`, project)
	})
}
