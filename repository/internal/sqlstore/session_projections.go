package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"wake/domain"
)

// Turns implements [repository.ProjectionReader].
func (r reads) Turns(ctx context.Context, sessionID string) ([]domain.Turn, error) {
	return askAll(ctx, r, scanTurn, `SELECT session_id, turn, first_seq, last_seq, label, started_at, ended_at
		FROM turns WHERE session_id = $1 ORDER BY turn`, sessionID)
}

func scanTurn(rows *sql.Rows, t *domain.Turn) error {
	return rows.Scan(&t.SessionID, &t.Index, &t.FirstSeq, &t.LastSeq, &t.Label, toTime(&t.StartedAt), toTime(&t.EndedAt))
}

// PutTurns implements [repository.ProjectionWriter].
func (t *tx) PutTurns(ctx context.Context, turns []domain.Turn) error {
	rows := rowsOf(turns, func(v domain.Turn) []any {
		return []any{v.SessionID, v.Index, v.FirstSeq, v.LastSeq, plain(v.Label), domain.FormatTime(v.StartedAt), timeArg(v.EndedAt)}
	})
	return t.insert(ctx, `INSERT INTO turns (session_id, turn, first_seq, last_seq, label, started_at, ended_at)`, rows,
		`ON CONFLICT (session_id, turn) DO UPDATE SET last_seq = excluded.last_seq, ended_at = excluded.ended_at`)
}

// Ops implements [repository.ProjectionReader].
func (r reads) Ops(ctx context.Context, sessionID string, ids []string) ([]domain.Op, error) {
	return byKeys(ctx, r, ids, func(q Querier) ([]domain.Op, error) {
		if ids == nil {
			return Collect(ctx, q, scanDoc[domain.Op], `SELECT doc FROM ops WHERE session_id = $1 ORDER BY first_seq, op_id`, sessionID)
		}
		out, err := collectIn(ctx, q, scanDoc[domain.Op], ids, func(a *Args, some []string) string {
			return `SELECT doc FROM ops WHERE session_id = ` + a.Add(sessionID) + ` AND op_id IN ` + addList(a, some)
		})
		// Sorted here, because with ORDER BY SQLite would read all operations of the
		// session in this order.
		slices.SortFunc(out, func(x, y domain.Op) int { return cmp.Or(cmp.Compare(x.FirstSeq, y.FirstSeq), cmp.Compare(x.ID, y.ID)) })
		return out, err
	})
}

// PutOps implements [repository.ProjectionWriter].
func (t *tx) PutOps(ctx context.Context, ops []domain.Op) error {
	rows := make([][]any, len(ops))
	for i, op := range ops {
		doc, err := jsonArg(op)
		if err != nil {
			return err
		}
		rows[i] = []any{op.SessionID, op.ID, op.FirstSeq, string(op.Status), doc}
	}
	return t.insert(ctx, `INSERT INTO ops (session_id, op_id, first_seq, status, doc)`, rows,
		`ON CONFLICT (session_id, op_id) DO UPDATE SET status = excluded.status, doc = excluded.doc`)
}

// OpLogs implements [repository.ProjectionReader].
func (r reads) OpLogs(ctx context.Context, sessionID string) (map[string][]int64, error) {
	return askOnce(ctx, r, func(q Querier) (map[string][]int64, error) {
		rows, err := Collect(ctx, q, scanOpLog, `SELECT op_id, seq FROM op_logs WHERE session_id = $1 ORDER BY seq`, sessionID)
		out := map[string][]int64{}
		for _, l := range rows {
			out[l.opID] = append(out[l.opID], l.seq)
		}
		return out, err
	})
}

type opLog struct {
	opID string
	seq  int64
}

func scanOpLog(rows *sql.Rows, l *opLog) error { return rows.Scan(&l.opID, &l.seq) }

// PutOpLog implements [repository.ProjectionWriter].
func (t *tx) PutOpLog(ctx context.Context, sessionID, opID string, seq int64) error {
	return t.exec(ctx, `INSERT INTO op_logs (session_id, op_id, seq) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		sessionID, opID, seq)
}

// Ledger implements [repository.ProjectionReader]. The origin is the session's, which may
// have changed since.
func (r reads) Ledger(ctx context.Context, sessionID string) ([]domain.LedgerEntry, error) {
	return askAll(ctx, r, scanLedger, `SELECT session_id, op_id,
			COALESCE((SELECT origin_id FROM sessions WHERE id = session_id), origin_id), seq, at, type, status, latency_ms, provider, model,
			input, output, cache_read, cache_write, cost, mcp_server, command, characters_in, characters_out, error
		FROM accounting WHERE session_id = $1 ORDER BY seq, op_id`, sessionID)
}

func scanLedger(rows *sql.Rows, e *domain.LedgerEntry) error {
	u := &e.Usage
	return rows.Scan(&e.SessionID, &e.OpID, &e.OriginID, &e.Seq, toTime(&e.At), toText(&e.Type), toText(&e.Status), &e.LatencyMS,
		&e.Provider, &e.Model, &u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.Cost, &e.MCPServer, &e.Command,
		&e.CharactersIn, &e.CharactersOut, &e.Error)
}

// PutLedger implements [repository.ProjectionWriter].
func (t *tx) PutLedger(ctx context.Context, entries []domain.LedgerEntry) error {
	rows := rowsOf(entries, func(e domain.LedgerEntry) []any {
		u := e.Usage
		return []any{e.SessionID, e.OpID, e.OriginID, e.Seq, domain.FormatTime(e.At), string(e.Type), string(e.Status), e.LatencyMS,
			plain(e.Provider), plain(e.Model), u.Input, u.Output, u.CacheRead, u.CacheWrite, int64(u.Cost), plain(e.MCPServer),
			plain(e.Command), e.CharactersIn, e.CharactersOut, plain(e.Error)}
	})
	return t.insert(ctx, `INSERT INTO accounting (session_id, op_id, origin_id, seq, at, type, status, latency_ms, provider,
			model, input, output, cache_read, cache_write, cost, mcp_server, command, characters_in, characters_out, error)`, rows,
		`ON CONFLICT (session_id, op_id) DO UPDATE SET seq = excluded.seq, at = excluded.at, status = excluded.status,
			latency_ms = excluded.latency_ms, provider = excluded.provider, model = excluded.model, input = excluded.input,
			output = excluded.output, cache_read = excluded.cache_read, cache_write = excluded.cache_write,
			cost = excluded.cost, mcp_server = excluded.mcp_server, command = excluded.command,
			characters_in = excluded.characters_in, characters_out = excluded.characters_out, error = excluded.error`)
}

// UsageSamples implements [repository.ProjectionReader].
func (r reads) UsageSamples(ctx context.Context, sessionID string, limit int) ([]domain.UsageSample, error) {
	return askAll(ctx, r, scanSample, `SELECT session_id, seq, at, epoch, tokens, limit_tokens FROM (
			SELECT * FROM usage_samples WHERE session_id = $1 ORDER BY seq DESC`+limitTo(limit)+`) AS newest ORDER BY seq`, sessionID)
}

func scanSample(rows *sql.Rows, s *domain.UsageSample) error {
	return rows.Scan(&s.SessionID, &s.Seq, toTime(&s.At), &s.Epoch, &s.Tokens, &s.Limit)
}

// PutUsageSamples implements [repository.ProjectionWriter].
func (t *tx) PutUsageSamples(ctx context.Context, samples []domain.UsageSample) error {
	rows := rowsOf(samples, func(s domain.UsageSample) []any {
		return []any{s.SessionID, s.Seq, domain.FormatTime(s.At), s.Epoch, s.Tokens, s.Limit}
	})
	return t.insert(ctx, `INSERT INTO usage_samples (session_id, seq, at, epoch, tokens, limit_tokens)`, rows, `ON CONFLICT DO NOTHING`)
}

// CompletedSteps implements [repository.ProjectionReader].
func (r reads) CompletedSteps(ctx context.Context, sessionID string) ([]domain.CompletedStep, error) {
	return askAll(ctx, r, scanStep, `SELECT step_id, seq FROM completed_steps WHERE session_id = $1 ORDER BY seq`, sessionID)
}

func scanStep(rows *sql.Rows, s *domain.CompletedStep) error { return rows.Scan(&s.ID, &s.Seq) }

// PutCompletedSteps implements [repository.ProjectionWriter].
func (t *tx) PutCompletedSteps(ctx context.Context, sessionID string, steps []domain.CompletedStep) error {
	rows := rowsOf(steps, func(s domain.CompletedStep) []any { return []any{sessionID, s.Seq, s.ID} })
	return t.insert(ctx, `INSERT INTO completed_steps (session_id, seq, step_id)`, rows, `ON CONFLICT DO NOTHING`)
}

// DropProjections implements [repository.ProjectionWriter].
func (t *tx) DropProjections(ctx context.Context, sessionID string, whole bool) error {
	return t.do(func(q Querier) error {
		tables := []string{"working_contexts", "state_snapshots", "handoffs"}
		if whole {
			tables = append(tables, "checkpoints", "completed_steps", "turns", "alerts")
		}
		for _, table := range tables {
			if err := exec(ctx, q, `DELETE FROM `+table+` WHERE session_id = $1`, sessionID); err != nil {
				return err
			}
		}
		if err := exec(ctx, q, `UPDATE turns SET label = '' WHERE session_id = $1`, sessionID); err != nil {
			return err
		}
		if err := exec(ctx, q, `UPDATE accounting SET error = '' WHERE session_id = $1`, sessionID); err != nil {
			return err
		}
		return withoutTexts(ctx, q, sessionID)
	})
}

// withoutTexts removes errors, labels and commands from the operations. A ledger row
// then names the tool instead of the command.
func withoutTexts(ctx context.Context, q Querier, sessionID string) error {
	ops, err := Collect(ctx, q, scanDoc[domain.Op], `SELECT doc FROM ops WHERE session_id = $1`, sessionID)
	if err != nil {
		return err
	}
	for _, op := range ops {
		if op.Error == "" && op.Label == "" && op.Command == "" {
			continue
		}
		op.Error, op.Label, op.Command = "", "", ""
		doc, err := jsonArg(op)
		if err != nil {
			return err
		}
		if err := exec(ctx, q, `UPDATE ops SET doc = $1 WHERE session_id = $2 AND op_id = $3`, doc, sessionID, op.ID); err != nil {
			return err
		}
		if err := exec(ctx, q, `UPDATE accounting SET command = $1 WHERE session_id = $2 AND op_id = $3`, op.Name, sessionID, op.ID); err != nil {
			return err
		}
	}
	return nil
}
