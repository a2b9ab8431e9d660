package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"wake/domain"
)

// Session implements [repository.SessionFinder].
func (r reads) Session(ctx context.Context, id string) (domain.Session, error) {
	return lookUp(ctx, r, func(q Querier) (domain.Session, error) {
		return oneSession(ctx, q, id)
	})
}

// SessionIDsUnder implements [repository.SessionFinder].
func (r reads) SessionIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error) {
	return idsUnder(ctx, r, "sessions", prefix, limit)
}

// SessionByClient implements [repository.SessionFinder].
func (r reads) SessionByClient(ctx context.Context, client, clientSessionID string) (domain.Session, error) {
	return lookUp(ctx, r, func(q Querier) (domain.Session, error) {
		return one(ctx, q, scanDoc[domain.Session], domain.NotFound("no session of %s has the id %q there", client, clientSessionID),
			`SELECT doc FROM sessions WHERE client = $1 AND client_session_id = $2`, client, clientSessionID)
	})
}

func oneSession(ctx context.Context, q Querier, id string) (domain.Session, error) {
	absent := domain.Advise(domain.NotFound("no session has the id %q", id), domain.ListSessions)
	return one(ctx, q, scanDoc[domain.Session], absent, `SELECT doc FROM sessions WHERE id = $1`, id)
}

// Sessions implements [repository.SessionFinder].
func (r reads) Sessions(ctx context.Context, sq domain.SessionQuery) ([]domain.Session, error) {
	var a Args
	query := `SELECT doc FROM sessions WHERE ` + sessionFilter(&a, sq)
	if sq.After != nil {
		at, id, _ := strings.Cut(sq.After.Key, " ")
		query += ` AND (updated_at, id) < (` + a.Add(at) + `, ` + a.Add(id) + `)`
	}
	query += ` ORDER BY updated_at DESC, id DESC` + limitTo(sq.Limit)
	return askAll(ctx, r, scanDoc[domain.Session], query, a...)
}

func sessionFilter(a *Args, sq domain.SessionQuery) string {
	c := conditions{args: a}
	c.equal("project", sq.Project)
	c.equalSet("agent_id", sq.AgentID)
	c.equal("client", sq.Client)
	c.equalSet("parent_id", sq.ParentID)
	if sq.OwnStart {
		c.and("parent_id = ''")
	}
	if sq.RecordedBy != "" {
		c.and(`doc LIKE ` + a.Add(withAttribute(domain.RecordedBy, sq.RecordedBy)) + ` ESCAPE '!'`)
	}
	ofStatus(&c, sq)
	if !sq.Forgotten && sq.Status == "" {
		c.and("deleted_at IS NULL")
	}
	c.time("updated_at >=", sq.Since)
	c.time("updated_at <", sq.Until)
	return c.String()
}

// withAttribute is a LIKE pattern for documents with an attribute. Quotes inside JSON
// strings are escaped, so no text in a document can match it.
func withAttribute(name, value string) string {
	pair, _ := json.Marshal(map[string]string{name: value}) // cannot fail for strings
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(string(pair[1:len(pair)-1])) + "%"
}

// ofStatus selects the sessions with sq.Status as of sq.StatusAt: an active session
// that was left long ago counts as ended.
func ofStatus(c *conditions, sq domain.SessionQuery) {
	left := domain.FormatTime(sq.StatusAt.Add(-domain.LeftAfter))
	switch {
	case sq.StatusAt.IsZero() || sq.Status == domain.SessionForgotten:
		c.equal("status", string(sq.Status))
	case sq.Status == domain.SessionActive:
		c.and("status = 'active' AND updated_at >= " + c.args.Add(left))
	case sq.Status == domain.SessionEnded:
		c.and("(status = 'ended' OR status = 'active' AND updated_at < " + c.args.Add(left) + ")")
	}
}

// OpenSession implements [repository.SessionKeeper].
func (t *tx) OpenSession(ctx context.Context, s domain.Session) error {
	return t.do(func(q Querier) error {
		doc, err := jsonArg(s)
		if err != nil {
			return err
		}
		var id string
		err = q.QueryRowContext(ctx, `INSERT INTO sessions (id, project, client, client_session_id, agent_id, parent_id,
				origin_id, status, started_at, updated_at, deleted_at, last_seq, doc)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING RETURNING id`,
			s.ID, s.Project, s.Client, textArg(s.ClientSessionID), s.AgentID, s.ParentID, s.OriginID, string(s.Status),
			domain.FormatTime(s.StartedAt), domain.FormatTime(s.UpdatedAt), timeArg(s.DeletedAt), s.LastSeq, doc).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return domain.Conflict("the session %q of %q is open already; name it to append to it", cmp.Or(s.ClientSessionID, s.ID), s.Client)
		}
		return err
	})
}

// SaveSession implements [repository.SessionKeeper].
func (t *tx) SaveSession(ctx context.Context, s domain.Session) error {
	return t.do(func(q Querier) error {
		doc, err := jsonArg(s)
		if err != nil {
			return err
		}
		return exec(ctx, q, `UPDATE sessions SET project = $1, agent_id = $2, parent_id = $3, origin_id = $4, status = $5,
			started_at = $6, updated_at = $7, deleted_at = $8, last_seq = $9, doc = $10 WHERE id = $11`,
			s.Project, s.AgentID, s.ParentID, s.OriginID, string(s.Status), domain.FormatTime(s.StartedAt),
			domain.FormatTime(s.UpdatedAt), timeArg(s.DeletedAt), s.LastSeq, doc, s.ID)
	})
}

// Alerts implements [repository.SessionFinder].
func (r reads) Alerts(ctx context.Context, sessionID string) ([]domain.Alert, error) {
	return askAll(ctx, r, scanAlert, `SELECT id, session_id, kind, subject, detail, at FROM alerts
		WHERE session_id = $1 ORDER BY at, id`, sessionID)
}

func scanAlert(rows *sql.Rows, a *domain.Alert) error {
	return rows.Scan(&a.ID, &a.SessionID, &a.Kind, &a.Subject, &a.Detail, toTime(&a.At))
}

// PutAlert implements [repository.SessionKeeper].
func (t *tx) PutAlert(ctx context.Context, a domain.Alert) (bool, error) {
	fresh, err := changed(t.q.ExecContext(ctx, `INSERT INTO alerts (id, session_id, kind, subject, detail, at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		a.ID, a.SessionID, a.Kind, a.Subject, plain(a.Detail), domain.FormatTime(a.At)))
	return fresh, t.engine.Error(err)
}

// Cursor implements [repository.SessionFinder].
func (r reads) Cursor(ctx context.Context, source string) (domain.IngestCursor, error) {
	return lookUp(ctx, r, func(q Querier) (domain.IngestCursor, error) {
		return first(ctx, q, scanCursor, selectCursors+`WHERE source = $1`, source)
	})
}

// Cursors implements [repository.SessionFinder].
func (r reads) Cursors(ctx context.Context) ([]domain.IngestCursor, error) {
	return askAll(ctx, r, scanCursor, selectCursors+`ORDER BY source`)
}

const selectCursors = `SELECT source, session_id, read_to, fingerprint, state, updated_at FROM ingest_cursors `

func scanCursor(rows *sql.Rows, c *domain.IngestCursor) error {
	return rows.Scan(&c.Source, &c.SessionID, &c.Offset, &c.Fingerprint, &c.State, toTime(&c.UpdatedAt))
}

// PutCursor implements [repository.SessionKeeper].
func (t *tx) PutCursor(ctx context.Context, c domain.IngestCursor) error {
	return t.exec(ctx, `INSERT INTO ingest_cursors (source, session_id, read_to, fingerprint, state, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (source) DO UPDATE SET session_id = excluded.session_id, read_to = excluded.read_to,
			fingerprint = excluded.fingerprint, state = excluded.state, updated_at = excluded.updated_at`,
		c.Source, c.SessionID, c.Offset, c.Fingerprint, append([]byte{}, c.State...), domain.FormatTime(c.UpdatedAt))
}
