package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"wake/domain"
)

// DueSummaries implements [repository.JobReader]. It walks the queue from its newest context,
// which is mostly due, because sorting a long queue for each job takes a tenth of a second.
// (An expression in place of the column keeps an index of it from being used.)
func (r reads) DueSummaries(ctx context.Context, project string, now time.Time, limit int) ([]domain.SummaryJob, error) {
	return r.waitingJobs(ctx, `j.not_before || '' <= $1`, domain.FormatTime(now), project, limit)
}

// Unembedded implements [repository.JobReader].
func (r reads) Unembedded(ctx context.Context, project, model string, limit int) ([]domain.SummaryJob, error) {
	return r.waitingJobs(ctx, `NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.context_n = j.context_n AND e.model = $1)`, model, project, limit)
}

// waitingJobs returns the project's jobs for which a condition on a value holds, newest
// contexts first.
func (r reads) waitingJobs(ctx context.Context, condition, value, project string, limit int) ([]domain.SummaryJob, error) {
	a := Args{value}
	text := `SELECT c.id, j.attempts, j.not_before, j.last_error
		FROM summary_queue j JOIN context_snapshots c ON c.n = j.context_n
		WHERE ` + condition + ` AND c.deleted_at IS NULL`
	if project != "" {
		text += ` AND c.project || '' = ` + a.Add(project)
	}
	return askAll(ctx, r, scanJob, text+` ORDER BY j.context_n DESC`+limitTo(limit), a...)
}

// WaitingSummaries implements [repository.JobReader].
func (r reads) WaitingSummaries(ctx context.Context, project string) (int, error) {
	return askOnce(ctx, r, func(q Querier) (int, error) {
		s := counter{Querier: q, project: project}
		n := s.waitingSummaries(ctx)
		return int(n), s.err
	})
}

func (s *counter) waitingSummaries(ctx context.Context) int64 {
	return s.count(ctx, `SELECT count(*) FROM summary_queue j JOIN context_snapshots c ON c.n = j.context_n WHERE `+s.live())
}

func scanJob(rows *sql.Rows, j *domain.SummaryJob) error {
	return rows.Scan(&j.ContextID, &j.Attempts, toTime(&j.NotBefore), &j.LastError)
}

// QueueSummaries implements [repository.JobWriter].
func (t *tx) QueueSummaries(ctx context.Context, jobs []domain.SummaryJob) error {
	return each(t, jobs, func(q Querier, j domain.SummaryJob) error {
		return exec(ctx, q, `INSERT INTO summary_queue (context_n, attempts, not_before, last_error)
			SELECT c.n, $1, $2, $3 FROM context_snapshots c WHERE c.id = $4 AND c.deleted_at IS NULL
			ON CONFLICT (context_n) DO UPDATE SET
				attempts = excluded.attempts, not_before = excluded.not_before, last_error = excluded.last_error`,
			j.Attempts, domain.FormatTime(j.NotBefore), j.LastError, j.ContextID)
	})
}

// FinishSummary implements [repository.JobWriter].
func (t *tx) FinishSummary(ctx context.Context, contextID string) error {
	return t.exec(ctx, `DELETE FROM summary_queue
		WHERE context_n IN (SELECT c.n FROM context_snapshots c WHERE c.id = $1)`, contextID)
}

// QueueMissing implements [repository.JobWriter].
func (t *tx) QueueMissing(ctx context.Context, project, embedModel string, now time.Time) error {
	return t.do(func(q Querier) error {
		a, where := Args{domain.FormatTime(now)}, "WHERE TRUE"
		if project != "" {
			where = "WHERE c.project = " + a.Add(project)
		}
		err := exec(ctx, q, `UPDATE summary_queue SET not_before = $1
			WHERE not_before > $1 AND context_n IN (SELECT c.n FROM context_snapshots c `+where+`)`, a...)
		if err != nil {
			return err
		}
		missing := `c.summary_by IN (` + a.Add(domain.ByExtract) + `, '')`
		if embedModel != "" {
			missing += ` OR NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.context_n = c.n AND e.model = ` + a.Add(embedModel) + `)`
		}
		return exec(ctx, q, `INSERT INTO summary_queue (context_n, attempts, not_before, last_error)
			SELECT c.n, 0, $1, '' FROM context_snapshots c `+where+` AND (`+missing+`) AND c.deleted_at IS NULL
			ON CONFLICT (context_n) DO NOTHING`, a...)
	})
}

// TakeLease implements [repository.JobWriter].
func (t *tx) TakeLease(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (domain.Lease, error) {
	var out domain.Lease
	err := t.do(func(q Querier) (err error) {
		out, err = takeLease(ctx, q, domain.Lease{Name: name, Holder: holder, Expires: domain.Moment(now.Add(ttl))}, now)
		return err
	})
	return out, err
}

func takeLease(ctx context.Context, q Querier, want domain.Lease, now time.Time) (domain.Lease, error) {
	held, err := Collect(ctx, q, scanLease, `SELECT name, holder, fence, expires FROM leases WHERE name = $1`, want.Name)
	if err != nil {
		return domain.Lease{}, err
	}
	want.Fence = 1
	if len(held) > 0 {
		was := held[0]
		if was.Holder != want.Holder && was.HeldAt(now) {
			return domain.Lease{}, domain.Conflict("%s is being done by %s until %s", was.Name, was.Holder, domain.FormatTime(was.Expires))
		}
		want.Fence = was.Fence
		if was.Holder != want.Holder {
			want.Fence++
		}
	}
	err = exec(ctx, q, `INSERT INTO leases (name, holder, fence, expires) VALUES ($1, $2, $3, $4)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = excluded.fence, expires = excluded.expires`,
		want.Name, want.Holder, want.Fence, domain.FormatTime(want.Expires))
	return want, err
}

func scanLease(rows *sql.Rows, l *domain.Lease) error {
	return rows.Scan(&l.Name, &l.Holder, &l.Fence, toTime(&l.Expires))
}
