package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"wake/domain"
	"wake/repository"
)

// searchIndex implements [repository.SearchIndex] for one space.
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
	err = x.s.short(ctx, func(q Querier) error {
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
func (x searchIndex) Rows(ctx context.Context, after int64, limit int, take func(n int64, doc []byte) error) (rows int, err error) {
	behind, order := x.s.engine.Behind("space", "$1", "n", "$2")
	err = x.s.short(ctx, func(q Querier) error {
		return eachDocument(ctx, q, func(n int64, doc []byte) error {
			rows++
			return take(n, doc)
		}, `SELECT n, document FROM search_documents WHERE `+behind+` ORDER BY `+order+limitTo(limit), x.space, after)
	})
	return rows, err
}

// eachDocument passes rows of number and document to take without copying the
// documents: a search reads hundreds of them. take must not keep a document.
func eachDocument(ctx context.Context, q Querier, take func(n int64, doc []byte) error, query string, args ...any) error {
	return eachRow(ctx, q, func(rows *sql.Rows) error {
		var n int64
		var doc sql.RawBytes
		if err := rows.Scan(&n, &doc); err != nil {
			return err
		}
		return take(n, doc)
	}, query, args...)
}

// Docs implements [repository.SearchIndex].
func (x searchIndex) Docs(ctx context.Context, ns []int64, take func(n int64, doc []byte) error) error {
	return x.s.short(ctx, func(q Querier) error {
		return chunks(ns, func(part []int64) error {
			var a Args
			return eachDocument(ctx, q, take, `SELECT n, document FROM search_documents WHERE n IN `+addList(&a, part), a...)
		})
	})
}

// Next implements [repository.SearchIndex].
func (x searchIndex) Next(ctx context.Context, ns []int64) ([]int64, error) {
	pairs, err := answer(ctx, x.s.short, func(q Querier) ([][2]int64, error) {
		return collectIn(ctx, q, scanPair, ns, func(a *Args, some []int64) string {
			return `SELECT prev, min(n) FROM search_documents WHERE prev > 0 AND prev IN ` + addList(a, some) + ` GROUP BY prev`
		})
	})
	found := make(map[int64]int64, len(pairs))
	for _, p := range pairs {
		found[p[0]] = p[1]
	}
	next := make([]int64, len(ns))
	for i, n := range ns {
		next[i] = found[n]
	}
	return next, err
}

func scanPair(rows *sql.Rows, p *[2]int64) error { return rows.Scan(&p[0], &p[1]) }

// Removals implements [repository.SearchIndex].
func (x searchIndex) Removals(ctx context.Context, after int64, limit int, take func(id, n int64, scope string, gone bool)) error {
	return x.s.short(ctx, func(q Querier) error {
		return eachRow(ctx, q, func(rows *sql.Rows) error {
			var id, n int64
			var scope string
			var gone bool
			if err := rows.Scan(&id, &n, &scope, &gone); err != nil {
				return err
			}
			take(id, n, scope, gone)
			return nil
		}, `SELECT id, n, scope, gone FROM search_removals WHERE space = $1 AND id > $2 ORDER BY id`+limitTo(limit), x.space, after)
	})
}

// DropRemovals implements [repository.SearchIndex].
func (x searchIndex) DropRemovals(ctx context.Context, version int64, ids []int64) error {
	return x.write(ctx, func(q Querier) error {
		var now, last int64
		err := q.QueryRowContext(ctx, `SELECT version, (SELECT coalesce(max(id), 0) FROM search_removals WHERE space = v.space)
			FROM search_versions v WHERE space = $1`, x.space).Scan(&now, &last)
		if err != nil {
			return err
		}
		if now != version {
			return changedMeanwhile()
		}
		return chunks(ids, func(some []int64) error {
			a := Args{x.space, last, domain.AllDocuments}
			return exec(ctx, q, `DELETE FROM search_removals AS r WHERE r.space = $1 AND r.id <> $2 AND r.n <> $3 AND r.id IN `+addList(&a, some)+`
				AND NOT EXISTS (SELECT 1 FROM search_documents d WHERE d.n = r.n)`, a...)
		})
	})
}

// Segments implements [repository.SearchIndex].
func (x searchIndex) Segments(ctx context.Context) (ids []int64, heads [][]byte, err error) {
	err = x.s.short(ctx, func(q Querier) error {
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
	err = x.s.short(ctx, func(q Querier) error {
		return changedIfNone(q.QueryRowContext(ctx, `SELECT blob FROM search_chunks WHERE segment = $1 AND key = $2`, segment, key).Scan(&blob))
	})
	return blob, err
}

// chunkOf is a chunk with its segment and key.
type chunkOf struct {
	segment, key int64
	blob         []byte
}

func scanChunk(rows *sql.Rows, c *chunkOf) error { return rows.Scan(&c.segment, &c.key, &c.blob) }

// Far implements [repository.SearchIndex].
func (x searchIndex) Far() bool { return x.s.engine.Far() }

// Chunks implements [repository.SearchIndex].
func (x searchIndex) Chunks(ctx context.Context, segments, keys []int64, take func(segment, key int64, blob []byte)) error {
	wanted := make([][2]int64, len(keys))
	for i, key := range keys {
		wanted[i] = [2]int64{segments[i], key}
	}
	return x.s.short(ctx, func(q Querier) error {
		return chunks(wanted, func(part [][2]int64) error {
			var a Args
			list, err := Collect(ctx, q, scanChunk, `SELECT segment, key, blob FROM search_chunks WHERE (segment, key) IN (VALUES `+addPairs(&a, part)+`)`, a...)
			if err != nil {
				return err
			}
			if len(list) != len(part) {
				return changedMeanwhile()
			}
			for _, c := range list {
				take(c.segment, c.key, c.blob)
			}
			return nil
		})
	})
}

// addPairs appends at most chunk pairs of numbers and returns `($1, $2), ($3, $4) …`. The
// casts are for PostgreSQL, which takes untyped values for text.
func addPairs(a *Args, pairs [][2]int64) string {
	return addEach(pairs, func(p [2]int64) string {
		return `(CAST(` + a.Add(p[0]) + ` AS BIGINT), CAST(` + a.Add(p[1]) + ` AS BIGINT))`
	})
}

// NewSegment implements [repository.SearchIndex].
func (x searchIndex) NewSegment(ctx context.Context, version int64) (id int64, err error) {
	err = x.write(ctx, func(q Querier) error {
		return changedIfNone(q.QueryRowContext(ctx, `INSERT INTO search_segments (space, version, head)
			SELECT space, version, NULL FROM search_versions WHERE space = $1 AND version = $2 RETURNING id`, x.space, version).Scan(&id))
	})
	return id, err
}

// PutChunks implements [repository.SearchIndex].
func (x searchIndex) PutChunks(ctx context.Context, segment int64, keys []int64, blobs [][]byte) error {
	return x.write(ctx, func(q Querier) error {
		if err := x.mayGrow(ctx, q, segment); err != nil {
			return err
		}
		rows := make([][]any, len(keys))
		for i, key := range keys {
			rows[i] = []any{segment, key, blobs[i]}
		}
		_, err := insertRows(ctx, q, `INSERT INTO search_chunks (segment, key, blob)`, rows, ``)
		return err
	})
}

// mayGrow returns a Conflict error unless the segment is still being written and the
// active segments are those from when it was begun. Otherwise another process may have
// swept it, or put the same documents into a segment of its own.
func (x searchIndex) mayGrow(ctx context.Context, q Querier, segment int64) error {
	n := 0
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM search_segments s JOIN search_versions v ON v.space = s.space AND v.version = s.version
		WHERE s.id = $1 AND s.space = $2 AND s.head IS NULL`, segment, x.space).Scan(&n)
	if err == nil && n == 0 {
		return changedMeanwhile()
	}
	return err
}

func changedMeanwhile() error {
	return domain.Conflict("another process has changed the segments of the search index meanwhile; begin again")
}

func changedIfNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return changedMeanwhile()
	}
	return err
}

// Activate implements [repository.SearchIndex].
func (x searchIndex) Activate(ctx context.Context, segment int64, head []byte, replaces []int64) error {
	return x.write(ctx, func(q Querier) error {
		if len(head) > 0 {
			if err := x.mayGrow(ctx, q, segment); err != nil {
				return err
			}
			if err := exec(ctx, q, `UPDATE search_segments SET head = $1 WHERE id = $2`, head, segment); err != nil {
				return err
			}
		}
		for _, id := range replaces {
			if err := x.deactivate(ctx, q, id); err != nil {
				return err
			}
		}
		return exec(ctx, q, `UPDATE search_versions SET version = version + 1 WHERE space = $1`, x.space)
	})
}

// deactivate takes an active segment out of use.
func (x searchIndex) deactivate(ctx context.Context, q Querier, segment int64) error {
	was, err := changed(q.ExecContext(ctx, `UPDATE search_segments SET head = NULL WHERE id = $1 AND space = $2 AND head IS NOT NULL`, segment, x.space))
	if err == nil && !was {
		return changedMeanwhile()
	}
	return err
}

// abandonedSegment is the condition that a segment s is not active and never will be.
const abandonedSegment = `s.space = $1 AND s.head IS NULL AND s.version < (SELECT version FROM search_versions WHERE space = $1)`

// Sweep implements [repository.SearchIndex].
func (x searchIndex) Sweep(ctx context.Context, limit int) (deleted int, err error) {
	err = x.write(ctx, func(q Querier) error {
		keys, err := Collect(ctx, q, scanPair, `SELECT c.segment, c.key FROM search_segments s JOIN search_chunks c ON c.segment = s.id
			WHERE `+abandonedSegment+limitTo(limit), x.space)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := exec(ctx, q, `DELETE FROM search_chunks WHERE segment = $1 AND key = $2`, k[0], k[1]); err != nil {
				return err
			}
		}
		if deleted = len(keys); deleted > 0 {
			return nil
		}
		return exec(ctx, q, `DELETE FROM search_segments AS s WHERE `+abandonedSegment, x.space)
	})
	return deleted, err
}

// write runs one small step of maintenance. It need not survive a power cut, because
// what is lost is built again.
func (x searchIndex) write(ctx context.Context, fn func(Querier) error) error {
	return x.s.Write(ctx, repository.Relaxed, func(t repository.Tx) error { return t.(*tx).do(fn) })
}
