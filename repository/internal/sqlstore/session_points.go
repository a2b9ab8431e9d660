package sqlstore

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"time"

	"wake/domain"
)

// StateSnapshot implements [repository.PointReader].
func (r reads) StateSnapshot(ctx context.Context, sessionID string) (domain.StateSnapshot, error) {
	return askOne(ctx, r, scanSnapshot, domain.NotFound("session %s has no state snapshot", sessionID),
		`SELECT session_id, seq, version, checksum, created_at, taken, state FROM state_snapshots WHERE session_id = $1`, sessionID)
}

func scanSnapshot(rows *sql.Rows, s *domain.StateSnapshot) error {
	var at damagedText
	err := rows.Scan(&s.SessionID, &s.Seq, &s.Version, &s.Checksum, &at, &s.Taken, &s.State)
	if created, bad := at.time(); bad == nil {
		s.CreatedAt = created
	}
	return err
}

// PutStateSnapshot implements [repository.PointWriter].
func (t *tx) PutStateSnapshot(ctx context.Context, s domain.StateSnapshot) error {
	return t.exec(ctx, `INSERT INTO state_snapshots (session_id, seq, version, checksum, created_at, taken, state)
		VALUES ($1, $2, $3, $4, $5, 1, $6)
		ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, version = excluded.version, checksum = excluded.checksum,
			created_at = excluded.created_at, taken = state_snapshots.taken + 1, state = excluded.state
		WHERE excluded.seq > state_snapshots.seq OR excluded.checksum <> state_snapshots.checksum AND excluded.seq = state_snapshots.seq`,
		s.SessionID, s.Seq, s.Version, s.Checksum, domain.FormatTime(s.CreatedAt), s.State)
}

// CheckpointIDsUnder implements [repository.PointReader].
func (r reads) CheckpointIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error) {
	return idsUnder(ctx, r, "checkpoints", prefix, limit)
}

// Checkpoint implements [repository.PointReader].
func (r reads) Checkpoint(ctx context.Context, id string) (domain.Checkpoint, error) {
	absent := domain.Advise(domain.NotFound("no checkpoint has the id %q", id), domain.ListCheckpoints)
	return askOne(ctx, r, scanDoc[domain.Checkpoint], absent, `SELECT doc FROM checkpoints WHERE id = $1`, id)
}

// Checkpoints implements [repository.PointReader].
func (r reads) Checkpoints(ctx context.Context, cq domain.CheckpointQuery) ([]domain.Checkpoint, error) {
	var a Args
	query := `SELECT doc FROM checkpoints WHERE ` + checkpointFilter(&a, cq)
	order, way, behind := []string{"seq", "created_at", "id"}, " DESC", " < "
	if cq.SessionID == "" {
		order = order[1:] // sequence numbers of different sessions do not compare
	}
	if cq.OldestFirst {
		way, behind = "", " > "
	}
	if cq.After != nil {
		at, id, _ := strings.Cut(cq.After.Key, " ")
		last := a.Add(at) + `, ` + a.Add(id)
		if cq.SessionID != "" {
			last = a.Add(cq.After.N) + `, ` + last
		}
		query += ` AND (` + strings.Join(order, ", ") + `)` + behind + `(` + last + `)`
	}
	query += ` ORDER BY ` + strings.Join(order, way+", ") + way + limitTo(cq.Limit)
	return askAll(ctx, r, scanDoc[domain.Checkpoint], query, a...)
}

func checkpointFilter(a *Args, cq domain.CheckpointQuery) string {
	c := conditions{args: a}
	c.equal("session_id", cq.SessionID)
	c.equal("reason", string(cq.Trigger))
	c.equal("class", string(cq.Class))
	if !cq.Deleted {
		c.and("deleted_at IS NULL")
	}
	c.time("deleted_at <", cq.DeletedBefore)
	c.time("created_at >", cq.Since)
	c.time("created_at <", cq.Until)
	if cq.MinTokens > 0 {
		c.and("tokens > " + a.Add(cq.MinTokens))
	}
	if cq.MaxTokens > 0 {
		c.and("tokens < " + a.Add(cq.MaxTokens))
	}
	return c.String()
}

// PutCheckpoint implements [repository.PointWriter].
func (t *tx) PutCheckpoint(ctx context.Context, c domain.Checkpoint) error {
	return t.do(func(q Querier) error {
		doc, err := jsonArg(c)
		if err != nil {
			return err
		}
		return exec(ctx, q, `INSERT INTO checkpoints (id, session_id, seq, class, reason, created_at, tokens, pinned, deleted_at, doc)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (id) DO UPDATE SET pinned = excluded.pinned, deleted_at = excluded.deleted_at, doc = excluded.doc`,
			c.ID, c.SessionID, c.Seq, string(c.Class), string(c.Trigger), domain.FormatTime(c.CreatedAt),
			c.Manifest.TokenCount, c.Pinned, timeArg(c.DeletedAt), doc)
	})
}

// DropCheckpoints implements [repository.PointWriter].
func (t *tx) DropCheckpoints(ctx context.Context, ids []string) error {
	return t.do(func(q Querier) error {
		return chunks(ids, func(some []string) error {
			var a Args
			return exec(ctx, q, `DELETE FROM checkpoints WHERE id IN `+addList(&a, some), a...)
		})
	})
}

// HandoffIDsUnder implements [repository.PointReader].
func (r reads) HandoffIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error) {
	return idsUnder(ctx, r, "handoffs", prefix, limit)
}

// Handoff implements [repository.PointReader].
func (r reads) Handoff(ctx context.Context, id string) (domain.Handoff, error) {
	absent := domain.Advise(domain.NotFound("no hand-off has the id %q", id), domain.ListHandoffs)
	return askOne(ctx, r, scanDoc[domain.Handoff], absent, `SELECT doc FROM handoffs WHERE id = $1`, id)
}

// Handoffs implements [repository.PointReader].
func (r reads) Handoffs(ctx context.Context, hq domain.HandoffQuery) ([]domain.Handoff, error) {
	var a Args
	c := conditions{args: &a}
	c.equal("session_id", hq.SessionID)
	c.equal("to_mode", hq.ToMode)
	c.time("expires_at >", hq.AliveAt)
	query := `SELECT doc FROM handoffs WHERE ` + c.String() + ` ORDER BY created_at DESC, seq DESC, id DESC` + limitTo(hq.Limit)
	return askAll(ctx, r, scanDoc[domain.Handoff], query, a...)
}

// PutHandoff implements [repository.HandoffWriter].
func (t *tx) PutHandoff(ctx context.Context, h domain.Handoff) error {
	return t.do(func(q Querier) error {
		h.Messages = nil // they are read from the events
		doc, err := jsonArg(h)
		if err != nil {
			return err
		}
		return exec(ctx, q, `INSERT INTO handoffs (id, session_id, seq, to_mode, created_at, expires_at, doc)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, doc = excluded.doc`,
			h.ID, h.SessionID, h.Seq, plain(h.ToMode), domain.FormatTime(h.CreatedAt), domain.FormatTime(h.ExpiresAt), doc)
	})
}

// DropHandoffs implements [repository.HandoffWriter].
func (t *tx) DropHandoffs(ctx context.Context, before time.Time) error {
	return t.exec(ctx, `DELETE FROM handoffs WHERE expires_at < $1`, domain.FormatTime(before))
}

// CachedContext implements [repository.PointReader].
func (r reads) CachedContext(ctx context.Context, sessionID string) (domain.CachedContext, error) {
	return askOne(ctx, r, scanCached, domain.NotFound("session %s has no cached working context", sessionID),
		`SELECT session_id, agent_id, seq, epoch, prompt_hash, saved_at, payload FROM working_contexts WHERE session_id = $1`, sessionID)
}

func scanCached(rows *sql.Rows, c *domain.CachedContext) error {
	var at damagedText
	err := rows.Scan(&c.SessionID, &c.AgentID, &c.Seq, &c.Epoch, &c.PromptHash, &at, &c.Payload)
	if saved, bad := at.time(); bad == nil {
		c.SavedAt = saved
	}
	return err
}

// PutCachedContext implements [repository.PointWriter].
func (t *tx) PutCachedContext(ctx context.Context, c domain.CachedContext) error {
	return t.exec(ctx, `INSERT INTO working_contexts (session_id, agent_id, seq, epoch, prompt_hash, saved_at, payload)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (session_id) DO UPDATE SET agent_id = excluded.agent_id, seq = excluded.seq, epoch = excluded.epoch,
			prompt_hash = excluded.prompt_hash, saved_at = excluded.saved_at, payload = excluded.payload`,
		c.SessionID, c.AgentID, c.Seq, c.Epoch, c.PromptHash, domain.FormatTime(c.SavedAt), c.Payload)
}

// Firings implements [repository.PointReader].
func (r reads) Firings(ctx context.Context, sessionID string) ([]domain.ThresholdFiring, error) {
	return askAll(ctx, r, scanFiring, `SELECT session_id, epoch, threshold, at, seq, checkpoint_id FROM threshold_firings
		WHERE session_id = $1 ORDER BY epoch, threshold`, sessionID)
}

func scanFiring(rows *sql.Rows, f *domain.ThresholdFiring) error {
	var steps int64
	err := rows.Scan(&f.SessionID, &f.Epoch, &steps, toTime(&f.At), &f.Seq, &f.CheckpointID)
	f.Threshold = float64(steps) / 10000
	return err
}

// PutFiring implements [repository.PointWriter].
func (t *tx) PutFiring(ctx context.Context, f domain.ThresholdFiring) (bool, error) {
	first, err := changed(t.q.ExecContext(ctx, `INSERT INTO threshold_firings (session_id, epoch, threshold, at, seq, checkpoint_id)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		f.SessionID, f.Epoch, int64(math.Round(f.Threshold*10000)), domain.FormatTime(f.At), f.Seq, f.CheckpointID))
	return first, t.engine.Error(err)
}
