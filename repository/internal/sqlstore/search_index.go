package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"wake/domain"
	"wake/repository"
)

// These statements keep the search index: documents with the data they are made
// of, in the same transaction, and segments that are built of them later.

// LastInStream implements [repository.SearchReader].
func (r reads) LastInStream(ctx context.Context, stream int64) (int64, error) {
	return ask(ctx, r, func(q Querier) (n int64, err error) {
		err = q.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM search_documents WHERE stream = $1`, stream).Scan(&n)
		return n, err
	})
}

// Sources implements [repository.SearchReader].
func (r reads) Sources(ctx context.Context, ns []int64) ([]domain.DocumentSource, error) {
	return ask(ctx, r, func(q Querier) ([]domain.DocumentSource, error) {
		var out []domain.DocumentSource
		err := chunks(ns, func(part []int64) error {
			var a Args
			found, err := Collect(ctx, q, scanSource, `SELECT n, coalesce(context_n, 0), coalesce(session_id, ''), coalesce(seq, 0)
				FROM search_documents WHERE n IN `+addList(&a, part), a...)
			out = append(out, found...)
			return err
		})
		return out, err
	})
}

func scanSource(rows *sql.Rows, s *domain.DocumentSource) error {
	return rows.Scan(&s.N, &s.ContextN, &s.SessionID, &s.Seq)
}

// DocumentOf implements [repository.SearchReader].
func (r reads) DocumentOf(ctx context.Context, of domain.DocumentSource) (domain.Document, error) {
	d := domain.Document{DocumentSource: of}
	err := r.view(ctx, func(q Querier) error {
		where, args := documentsOf(of)
		err := q.QueryRowContext(ctx, `SELECT n, scope, stream, prev FROM search_documents WHERE true`+where+` ORDER BY n DESC LIMIT 1`, args...).
			Scan(&d.N, &d.Scope, &d.Stream, &d.Prev)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return d, err
}

// DocumentsWhere implements [repository.SearchReader].
func (r reads) DocumentsWhere(ctx context.Context, space domain.SearchSpace, project string, f domain.Filters) ([]int64, error) {
	return ask(ctx, r, func(q Querier) ([]int64, error) {
		var a Args
		from := ` JOIN context_snapshots c ON c.n = d.context_n WHERE ` + Where(&a, f)
		if space == domain.MessageSpace {
			from = ` JOIN events e ON e.session_id = d.session_id AND e.seq = d.seq WHERE NOT d.gone` + messagesWhere(&a, f)
		}
		if project != "" {
			from += ` AND d.scope = ` + a.Add(project)
		}
		return Collect(ctx, q, Scalar[int64], `SELECT d.n FROM search_documents d`+from+` AND d.space = `+a.Add(space)+` ORDER BY d.n`, a...)
	})
}

// messagesWhere is the condition that event e passes the times of f.
func messagesWhere(a *Args, f domain.Filters) string {
	where := ""
	if !f.Since.IsZero() {
		where += " AND e.at >= " + a.Add(domain.FormatTime(f.Since))
	}
	if !f.Until.IsZero() {
		where += " AND e.at < " + a.Add(domain.FormatTime(f.Until))
	}
	if !f.AsOf.IsZero() {
		where += " AND e.recorded_at <= " + a.Add(domain.FormatTime(f.AsOf))
	}
	return where
}

// PutDocument implements [repository.SearchWriter].
func (t *tx) PutDocument(ctx context.Context, d domain.Document) (n int64, err error) {
	err = t.do(func(q Querier) error {
		var contextN, session, seq any
		if d.SessionID != "" {
			session, seq = d.SessionID, d.Seq
		} else {
			contextN = d.ContextN
		}
		return q.QueryRowContext(ctx, `INSERT INTO search_documents (space, scope, context_n, session_id, seq, stream, prev, document)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING n`,
			d.Space, d.Scope, contextN, session, seq, d.Stream, d.Prev, d.Data).Scan(&n)
	})
	return n, err
}

// HideDocuments implements [repository.SearchWriter].
func (t *tx) HideDocuments(ctx context.Context, of domain.DocumentSource, gone bool) error {
	return t.do(func(q Querier) error {
		where, args := documentsOf(of)
		_, err := q.ExecContext(ctx, `INSERT INTO search_removals (n, space, scope, gone)
			SELECT n, space, scope, NOT gone FROM search_documents WHERE gone <> `+args.Add(gone)+where, args...)
		if err != nil {
			return err
		}
		where, args = documentsOf(of)
		_, err = q.ExecContext(ctx, `UPDATE search_documents SET gone = NOT gone WHERE gone <> `+args.Add(gone)+where, args...)
		return err
	})
}

// DropDocuments implements [repository.SearchWriter].
func (t *tx) DropDocuments(ctx context.Context, of domain.DocumentSource) error {
	if err := t.HideDocuments(ctx, of, true); err != nil {
		return err
	}
	return t.do(func(q Querier) error {
		where, args := documentsOf(of)
		_, err := q.ExecContext(ctx, `DELETE FROM search_documents WHERE true`+where, args...)
		return err
	})
}

// documentsOf narrows to the documents of one source, of a whole session where
// no event is named.
func documentsOf(of domain.DocumentSource) (string, Args) {
	var a Args
	switch {
	case of.SessionID == "":
		return " AND context_n = " + a.Add(of.ContextN), a
	case of.Seq == 0:
		return " AND session_id = " + a.Add(of.SessionID), a
	}
	return " AND session_id = " + a.Add(of.SessionID) + " AND seq = " + a.Add(of.Seq), a
}

// searchIndex is the store of segments over a database.
type searchIndex struct {
	s     *Store
	space domain.SearchSpace
}

// SearchIndex implements [repository.Store].
func (s *Store) SearchIndex(space domain.SearchSpace) repository.SearchIndex {
	return searchIndex{s, space}
}

// State implements [repository.SearchIndex].
func (x searchIndex) State(ctx context.Context) (lastDoc, lastRemoval, version int64, err error) {
	err = x.s.view(ctx, func(q Querier) error {
		return q.QueryRowContext(ctx, `SELECT
			(SELECT coalesce(max(n), 0) FROM search_documents WHERE space = v.space),
			(SELECT coalesce(max(id), 0) FROM search_removals WHERE space = v.space), version
			FROM search_versions v WHERE space = $1`, x.space).Scan(&lastDoc, &lastRemoval, &version)
	})
	return lastDoc, lastRemoval, version, err
}

// document is a row of the index.
type document struct {
	n    int64
	data []byte
}

func scanDocument(rows *sql.Rows, d *document) error { return rows.Scan(&d.n, &d.data) }

// Rows implements [repository.SearchIndex].
func (x searchIndex) Rows(ctx context.Context, after int64, limit int) (ns []int64, docs [][]byte, err error) {
	err = x.s.view(ctx, func(q Querier) error {
		list, err := Collect(ctx, q, scanDocument, `SELECT n, document FROM search_documents WHERE space = $1 AND n > $2 ORDER BY n LIMIT $3`, x.space, after, limit)
		for _, d := range list {
			ns, docs = append(ns, d.n), append(docs, d.data)
		}
		return err
	})
	return ns, docs, err
}

// Docs implements [repository.SearchIndex].
func (x searchIndex) Docs(ctx context.Context, ns []int64) ([][]byte, error) {
	found := make(map[int64][]byte, len(ns))
	err := x.s.view(ctx, func(q Querier) error {
		return chunks(ns, func(part []int64) error {
			var a Args
			list, err := Collect(ctx, q, scanDocument, `SELECT n, document FROM search_documents WHERE n IN `+addList(&a, part), a...)
			for _, d := range list {
				found[d.n] = d.data
			}
			return err
		})
	})
	docs := make([][]byte, len(ns))
	for i, n := range ns {
		docs[i] = found[n]
	}
	return docs, err
}

// Next implements [repository.SearchIndex].
func (x searchIndex) Next(ctx context.Context, ns []int64) ([]int64, error) {
	found := make(map[int64]int64, len(ns))
	err := x.s.view(ctx, func(q Querier) error {
		return chunks(ns, func(part []int64) error {
			var a Args
			list, err := Collect(ctx, q, scanPair, `SELECT prev, min(n) FROM search_documents
				WHERE prev > 0 AND prev IN `+addList(&a, part)+` GROUP BY prev`, a...)
			for _, p := range list {
				found[p[0]] = p[1]
			}
			return err
		})
	})
	next := make([]int64, len(ns))
	for i, n := range ns {
		next[i] = found[n]
	}
	return next, err
}

func scanPair(rows *sql.Rows, p *[2]int64) error { return rows.Scan(&p[0], &p[1]) }

// removal is an entry of the list of what left the index or came back.
type removal struct {
	id, n int64
	scope string
	gone  bool
}

func scanRemoval(rows *sql.Rows, r *removal) error { return rows.Scan(&r.id, &r.n, &r.scope, &r.gone) }

// Removals implements [repository.SearchIndex].
func (x searchIndex) Removals(ctx context.Context, after int64) (ids, ns []int64, scopes []string, gone []bool, err error) {
	err = x.s.view(ctx, func(q Querier) error {
		list, err := Collect(ctx, q, scanRemoval, `SELECT id, n, scope, gone FROM search_removals WHERE space = $1 AND id > $2 ORDER BY id`, x.space, after)
		for _, r := range list {
			ids, ns, scopes, gone = append(ids, r.id), append(ns, r.n), append(scopes, r.scope), append(gone, r.gone)
		}
		return err
	})
	return ids, ns, scopes, gone, err
}

// Segments implements [repository.SearchIndex].
func (x searchIndex) Segments(ctx context.Context) (ids []int64, heads [][]byte, err error) {
	err = x.s.view(ctx, func(q Querier) error {
		list, err := Collect(ctx, q, scanDocument, `SELECT id, head FROM search_segments WHERE space = $1 AND head IS NOT NULL ORDER BY id`, x.space)
		for _, d := range list {
			ids, heads = append(ids, d.n), append(heads, d.data)
		}
		return err
	})
	return ids, heads, err
}

// Chunk implements [repository.SearchIndex].
func (x searchIndex) Chunk(ctx context.Context, segment, key int64) (blob []byte, err error) {
	err = x.s.view(ctx, func(q Querier) error {
		return q.QueryRowContext(ctx, `SELECT blob FROM search_chunks WHERE segment = $1 AND key = $2`, segment, key).Scan(&blob)
	})
	return blob, err
}

// NewSegment implements [repository.SearchIndex].
func (x searchIndex) NewSegment(ctx context.Context) (id int64, err error) {
	err = x.write(ctx, func(q Querier) error {
		return q.QueryRowContext(ctx, `INSERT INTO search_segments (space, head) VALUES ($1, NULL) RETURNING id`, x.space).Scan(&id)
	})
	return id, err
}

// PutChunks implements [repository.SearchIndex].
func (x searchIndex) PutChunks(ctx context.Context, segment int64, keys []int64, blobs [][]byte) error {
	return x.write(ctx, func(q Querier) error {
		for i, key := range keys {
			if _, err := q.ExecContext(ctx, `INSERT INTO search_chunks (segment, key, blob) VALUES ($1, $2, $3)`, segment, key, blobs[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Activate implements [repository.SearchIndex].
func (x searchIndex) Activate(ctx context.Context, segment int64, head []byte, replaces []int64) error {
	return x.write(ctx, func(q Querier) error {
		if len(head) > 0 {
			if _, err := q.ExecContext(ctx, `UPDATE search_segments SET head = $1 WHERE id = $2`, head, segment); err != nil {
				return err
			}
		}
		for _, id := range replaces {
			if _, err := q.ExecContext(ctx, `UPDATE search_segments SET head = NULL WHERE id = $1`, id); err != nil {
				return err
			}
		}
		_, err := q.ExecContext(ctx, `UPDATE search_versions SET version = version + 1 WHERE space = $1`, x.space)
		return err
	})
}

// Sweep implements [repository.SearchIndex].
func (x searchIndex) Sweep(ctx context.Context, keep int64, limit int) (deleted int, err error) {
	err = x.write(ctx, func(q Querier) error {
		keys, err := Collect(ctx, q, scanPair, `SELECT c.segment, c.key FROM search_segments s JOIN search_chunks c ON c.segment = s.id
			WHERE s.space = $1 AND s.head IS NULL AND s.id <> $2 LIMIT $3`, x.space, keep, limit)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if _, err := q.ExecContext(ctx, `DELETE FROM search_chunks WHERE segment = $1 AND key = $2`, k[0], k[1]); err != nil {
				return err
			}
		}
		if deleted = len(keys); deleted > 0 {
			return nil
		}
		_, err = q.ExecContext(ctx, `DELETE FROM search_segments WHERE space = $1 AND head IS NULL AND id <> $2`, x.space, keep)
		return err
	})
	return deleted, err
}

// write runs one small step of upkeep. It need not survive a power cut: what is
// lost is built again.
func (x searchIndex) write(ctx context.Context, fn func(Querier) error) error {
	return x.s.Write(ctx, repository.Relaxed, func(t repository.Tx) error { return t.(*tx).do(fn) })
}
