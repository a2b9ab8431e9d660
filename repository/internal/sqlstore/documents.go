package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"wake/domain"
)

// The methods in this file keep the documents of the search index, in the same
// transaction as their sources. Segments are built from them later.

// LastInStream implements [repository.SearchReader].
func (r reads) LastInStream(ctx context.Context, stream int64) (int64, error) {
	return lookUp(ctx, r, func(q Querier) (int64, error) {
		return first(ctx, q, Scalar[int64], `SELECT n FROM search_documents WHERE stream = $1
			ORDER BY context_n DESC, seq DESC LIMIT 1`, stream)
	})
}

func scanSource(rows *sql.Rows, s *domain.DocumentSource) error {
	return rows.Scan(&s.N, &s.ContextN, &s.SessionID, &s.Seq)
}

// DocumentOf implements [repository.SearchReader].
func (r reads) DocumentOf(ctx context.Context, of domain.DocumentSource) (domain.Document, error) {
	d := domain.Document{DocumentSource: of}
	err := r.short(ctx, func(q Querier) error {
		where, args := documentsOf(of)
		err := q.QueryRowContext(ctx, `SELECT n, scope, stream, prev FROM search_documents WHERE `+where+` ORDER BY n DESC LIMIT 1`, args...).
			Scan(&d.N, &d.Scope, &d.Stream, &d.Prev)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return d, err
}

// DocumentsWhere implements [repository.SearchReader].
func (r reads) DocumentsWhere(ctx context.Context, dq domain.DocumentQuery) ([]int64, error) {
	if dq.Among == nil {
		return askOnce(ctx, r, func(q Querier) ([]int64, error) { return inOrder(documentsWhere(ctx, q, dq)) })
	}
	return byKeys(ctx, r, dq.Among, func(q Querier) (ns []int64, err error) {
		err = chunks(dq.Among, func(some []int64) error {
			part := dq
			part.Among = some
			found, err := documentsWhere(ctx, q, part)
			ns = append(ns, found...)
			return err
		})
		return inOrder(ns, err)
	})
}

func inOrder(ns []int64, err error) ([]int64, error) {
	slices.Sort(ns)
	return ns, err
}

// documentsWhere starts where the fewest rows are expected: with the given documents,
// with the contexts that pass, or with all documents. SQLite reads the tables of a
// CROSS JOIN in the order written.
func documentsWhere(ctx context.Context, q Querier, dq domain.DocumentQuery) ([]int64, error) {
	var a Args
	from := ` search_documents d CROSS JOIN context_snapshots c WHERE c.n = d.context_n AND `
	switch {
	case dq.Space == domain.MessageSpace && dq.Among == nil && !dq.Since.IsZero():
		from = ` sessions s CROSS JOIN events e CROSS JOIN search_documents d WHERE ` + active(&a, dq.Project, dq.Since) + `
			AND e.session_id = s.id AND d.session_id = e.session_id AND d.seq = e.seq AND NOT d.gone AND ` + messagesWhere(&a, dq.Filters)
	case dq.Space == domain.MessageSpace:
		from = ` search_documents d CROSS JOIN events e WHERE e.session_id = d.session_id AND e.seq = d.seq AND NOT d.gone AND ` + messagesWhere(&a, dq.Filters)
	case dq.Among == nil && !dq.Filters.Empty():
		from = ` context_snapshots c CROSS JOIN search_documents d WHERE d.context_n = c.n AND `
		if dq.Project != "" && len(dq.Tags) == 0 { // contexts with a tag are found by number
			from += `c.project = ` + a.Add(dq.Project) + ` AND `
		}
		from += admits(&a, dq.Filters)
	default:
		from += admits(&a, dq.Filters)
	}
	if dq.Among != nil {
		from += ` AND d.n IN ` + addList(&a, dq.Among)
	}
	if dq.Project != "" {
		from += ` AND d.scope = ` + a.Add(dq.Project)
	}
	from += ` AND d.space = ` + a.Add(dq.Space) + limitTo(dq.Limit)
	return Collect(ctx, q, Scalar[int64], `SELECT d.n FROM`+from, a...)
}

// active is the condition that session s, of a project ("" means any), may have events since
// a time. No index has the times of events, but a session is as new as its newest event, whose
// time may have been ahead of the clock.
func active(a *Args, project string, since time.Time) string {
	where := `s.updated_at >= ` + a.Add(domain.FormatTime(since.Add(-domain.MaxLead)))
	if project != "" {
		where += ` AND s.project = ` + a.Add(project)
	}
	return where
}

// EventsOfActive implements [repository.SessionFinder].
func (r reads) EventsOfActive(ctx context.Context, project string, since time.Time) (int64, error) {
	var a Args
	query := `SELECT coalesce(sum(s.last_seq), 0) FROM sessions s WHERE ` + active(&a, project, since)
	return askOnce(ctx, r, func(q Querier) (n int64, err error) {
		err = q.QueryRowContext(ctx, query, a...).Scan(&n)
		return n, err
	})
}

// messagesWhere is the condition that event e passes the time filters of f.
func messagesWhere(a *Args, f domain.Filters) string {
	c := conditions{args: a}
	c.time("e.at >=", f.Since)
	c.time("e.at <", f.Until)
	c.time("e.recorded_at <=", f.AsOf)
	return c.String()
}

// SaidBetween implements [repository.SearchReader]. Event times are not indexed, so it
// starts from the sessions.
func (r reads) SaidBetween(ctx context.Context, project string, from, to time.Time, limit int) ([]int64, error) {
	return askOnce(ctx, r, func(q Querier) ([]int64, error) {
		var a Args
		begin, end := a.Add(domain.FormatTime(from)), a.Add(domain.FormatTime(to))
		where := `s.updated_at >= ` + begin + ` AND s.started_at < ` + end + ` AND s.deleted_at IS NULL`
		if project != "" {
			where += ` AND s.project = ` + a.Add(project)
		}
		ns, err := Collect(ctx, q, Scalar[int64], `SELECT d.n FROM sessions s CROSS JOIN events e CROSS JOIN search_documents d WHERE `+where+`
			AND e.session_id = s.id AND e.human AND e.at >= `+begin+` AND e.at < `+end+`
			AND d.session_id = e.session_id AND d.seq = e.seq AND NOT d.gone`+limitTo(limit), a...)
		slices.Sort(ns)
		return ns, err
	})
}

const insertDocuments = `INSERT INTO search_documents (space, scope, context_n, session_id, seq, stream, prev, document)`

// PutDocument implements [repository.SearchWriter].
func (t *tx) PutDocument(ctx context.Context, d domain.Document) (n int64, err error) {
	err = t.do(func(q Querier) error {
		return q.QueryRowContext(ctx, insertDocuments+` VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING n`, documentArgs(d)...).Scan(&n)
	})
	return n, err
}

func documentArgs(d domain.Document) []any {
	var contextN, session, seq any
	if d.SessionID != "" {
		session, seq = d.SessionID, d.Seq
	} else {
		contextN = d.ContextN
	}
	return []any{int64(d.Space), d.Scope, contextN, session, seq, d.Stream, d.Prev, d.Data}
}

// PutDocumentsBehind implements [repository.SearchWriter]. With one writer at a time,
// numbers have no gaps. This is verified all the same, since a wrong neighbour would go
// unnoticed.
func (t *tx) PutDocumentsBehind(ctx context.Context, n int64, docs []domain.Document) error {
	if len(docs) == 0 {
		return nil
	}
	return t.do(func(q Querier) error {
		if _, err := insertRows(ctx, q, insertDocuments, rowsOf(docs, documentArgs), ``); err != nil {
			return err
		}
		var follow int
		err := q.QueryRowContext(ctx, `SELECT count(*) FROM search_documents
			WHERE n > $1 AND CASE WHEN context_n IS NULL THEN prev = n - 1 ELSE context_n - n = $2 END`, n, docs[0].ContextN-n-1).Scan(&follow)
		if err == nil && follow != len(docs) {
			err = domain.Conflict("%d of %d documents came right behind document %d; try again", follow, len(docs), n)
		}
		return err
	})
}

// HideDocuments implements [repository.SearchWriter].
func (t *tx) HideDocuments(ctx context.Context, of domain.DocumentSource, gone bool) error {
	return t.do(func(q Querier) error { return hideDocuments(ctx, q, of, gone) })
}

func hideDocuments(ctx context.Context, q Querier, of domain.DocumentSource, gone bool) error {
	where, args := documentsOf(of)
	where = ` WHERE ` + where + ` AND gone <> ` + args.Add(gone)
	err := exec(ctx, q, `INSERT INTO search_removals (n, space, scope, gone)
		SELECT n, space, scope, NOT gone FROM search_documents`+where, args...)
	if err != nil {
		return err
	}
	return exec(ctx, q, `UPDATE search_documents SET gone = NOT gone`+where, args...)
}

// DropDocuments implements [repository.SearchWriter].
func (t *tx) DropDocuments(ctx context.Context, of domain.DocumentSource) error {
	return t.do(func(q Querier) error { return dropDocuments(ctx, q, of) })
}

func dropDocuments(ctx context.Context, q Querier, of domain.DocumentSource) error {
	if err := hideDocuments(ctx, q, of, true); err != nil {
		return err
	}
	where, args := documentsOf(of)
	return exec(ctx, q, `DELETE FROM search_documents WHERE `+where, args...)
}

// documentsOf is the condition for the documents of one source; without Seq, of a whole
// session.
func documentsOf(of domain.DocumentSource) (string, Args) {
	switch {
	case of.SessionID == "":
		return "context_n = $1", Args{of.ContextN}
	case of.Seq == 0:
		return "session_id = $1", Args{of.SessionID}
	}
	return "session_id = $1 AND seq = $2", Args{of.SessionID, of.Seq}
}

// indexedBy is the key in table meta under which [tx.NoteIndexedBy] stores its text.
const indexedBy = "indexed_by"

// NoteIndexedBy implements [repository.SearchWriter].
func (t *tx) NoteIndexedBy(ctx context.Context, what string) error {
	return t.do(func(q Querier) error { return SetMeta(ctx, q, indexedBy, what) })
}

// IndexedBy implements [repository.SearchReader].
func (r reads) IndexedBy(ctx context.Context) (string, error) {
	return lookUp(ctx, r, func(q Querier) (string, error) { return Meta(ctx, q, indexedBy) })
}

// ClearDocuments implements [repository.SearchWriter].
func (t *tx) ClearDocuments(ctx context.Context) error {
	return t.do(func(q Querier) error {
		for _, statement := range []string{
			`DELETE FROM search_documents`, `DELETE FROM search_removals`,
			`INSERT INTO search_removals (n, space, scope, gone) SELECT 0, space, '', true FROM search_versions`,
			`UPDATE search_segments SET head = NULL`, `UPDATE search_versions SET version = version + 1`,
		} {
			if err := exec(ctx, q, statement); err != nil {
				return err
			}
		}
		return nil
	})
}
