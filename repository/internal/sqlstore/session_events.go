package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"wake/domain"
)

// eventRow is an event as stored.
type eventRow struct {
	domain.Event
	crc      int64
	blob     string
	document int64 // number of its search document, set only by EventsByDocument
}

// AppendEvents implements [repository.EventWriter].
func (t *tx) AppendEvents(ctx context.Context, events []domain.Event) error {
	return t.do(func(q Querier) error {
		stored, err := storedRows(ctx, q, events)
		if err != nil {
			return err
		}
		rows := make([][]any, len(stored))
		for i := range stored {
			if rows[i], err = stored[i].args(); err != nil {
				return err
			}
		}
		n, err := countRows(insertRows(ctx, q, `INSERT INTO events (session_id, seq, id, key, type, at, recorded_at, turn, role, human,
			tokens, hash, size, spent, erased, source, source_pos, source_id, source_up, crc, blob, payload)`, rows, `ON CONFLICT DO NOTHING`))
		if err == nil && n < int64(len(rows)) {
			first, last := events[0], events[len(events)-1]
			return domain.Conflict("one of the events %d to %d of session %s is there already, or its id or key is; read the session's last_seq and try again",
				first.Seq, last.Seq, first.SessionID)
		}
		return err
	})
}

// storedRows returns the rows of events and stores their blobs. A long payload becomes
// a blob, and the row holds its light form.
func storedRows(ctx context.Context, q Querier, events []domain.Event) ([]eventRow, error) {
	rows := make([]eventRow, len(events))
	long := map[string][]byte{}
	for i, e := range events {
		rows[i].Event = e
		if len(e.Payload) > domain.InlinePayload && len(e.Light) < len(e.Payload) {
			rows[i].blob, rows[i].Payload = domain.HashBytes(e.Payload), e.Light
			long[rows[i].blob] = e.Payload
		}
	}
	return rows, putBlobs(ctx, q, long)
}

// args returns the column values of the row.
func (r *eventRow) args() ([]any, error) {
	spent, err := spentArg(r.Spent)
	return []any{r.SessionID, r.Seq, r.ID, textArg(string(r.Key)), string(r.Type), domain.FormatTime(r.At), domain.FormatTime(r.RecordedAt),
		r.Turn, string(r.Role), r.Human, r.Tokens, r.Hash, r.Size, spent, r.Erased, textArg(plain(r.Source.Name)), r.Source.Pos,
		textArg(plain(r.Source.ID)), textArg(plain(r.Source.Parent)), r.sum(), textArg(r.blob), r.Payload}, err
}

func spentArg(t domain.Totals) (any, error) {
	if t == (domain.Totals{}) {
		return nil, nil
	}
	return jsonArg(t)
}

// sum is the checksum of what a fold reads. It leaves out the position in the source,
// which may become known later.
func (r *eventRow) sum() int64 {
	b := make([]byte, 0, 256)
	for _, text := range []string{r.SessionID, string(r.Type), string(r.Role), r.Hash, r.blob} {
		b = append(append(b, text...), 0)
	}
	b = domain.AppendTime(b, r.At)
	t := r.Spent
	for _, n := range []int64{r.Seq, r.Turn, r.Tokens, t.TokensIn, t.TokensOut, t.TokensCacheRead, t.TokensCacheWrite, int64(t.Cost), t.ToolsRun, t.AgentsRun} {
		b = append(strconv.AppendInt(b, n, 10), 0)
	}
	b = strconv.AppendBool(strconv.AppendBool(b, r.Human), r.Erased)
	return int64(crc32.Update(crc32.ChecksumIEEE(b), crc32.IEEETable, r.Payload))
}

// Events implements [repository.EventReader].
func (r reads) Events(ctx context.Context, eq domain.EventQuery) ([]domain.Event, error) {
	read := func(q Querier) ([]eventRow, error) { return wholeEvents(ctx, q, eq) }
	rows, err := askOnce(ctx, r, read)
	if err == nil && r.engine.Far() && slices.ContainsFunc(rows, func(r eventRow) bool { return r.Damaged != "" }) {
		rows, err = ask(ctx, r, read) // perhaps a blob was erased after its event was read
	}
	if err != nil {
		return nil, err
	}
	out := make([]domain.Event, len(rows))
	for i := range rows {
		out[i] = rows[i].Event
	}
	return out, nil
}

// EventsByDocument implements [repository.EventReader].
func (r reads) EventsByDocument(ctx context.Context, ns []int64) (map[int64]domain.Event, error) {
	return lookUp(ctx, r, func(q Querier) (map[int64]domain.Event, error) {
		out := make(map[int64]domain.Event, len(ns))
		err := chunks(ns, func(some []int64) error {
			var a Args
			rows, err := Collect(ctx, q, scanEvent, `SELECT `+eventColumns+`, document
				FROM (SELECT n AS document, session_id AS of_session, seq AS of_seq FROM search_documents WHERE n IN `+addList(&a, some)+`) d
				JOIN events ON session_id = of_session AND seq = of_seq`, a...)
			if err == nil {
				err = loadBlobs(ctx, q, rows)
			}
			for _, row := range rows {
				out[row.document] = row.Event
			}
			return err
		})
		return out, err
	})
}

const eventColumns = `session_id, seq, id, key, type, at, recorded_at, turn, role, human, tokens, hash, size, spent, erased,
	source, source_pos, source_id, source_up, crc, blob, payload`

// wholeEvents returns rows with their whole payloads, or light ones if eq.Light is set.
func wholeEvents(ctx context.Context, q Querier, eq domain.EventQuery) ([]eventRow, error) {
	rows, err := eventRows(ctx, q, eq)
	if err != nil || eq.Light {
		return rows, err
	}
	return rows, loadBlobs(ctx, q, rows)
}

// eventRows returns rows as stored, with light forms of long payloads.
func eventRows(ctx context.Context, q Querier, eq domain.EventQuery) ([]eventRow, error) {
	var a Args
	query := `SELECT ` + eventColumns + `, 0 FROM events WHERE session_id = ` + a.Add(eq.SessionID)
	if eq.After > 0 {
		query += ` AND seq > ` + a.Add(eq.After)
	}
	if eq.Until > 0 {
		query += ` AND seq <= ` + a.Add(eq.Until)
	}
	if len(eq.Types) > 0 {
		query += ` AND type IN ` + addList(&a, eq.Types)
	}
	if eq.Human {
		query += ` AND human`
	}
	query += ` ORDER BY seq`
	if eq.Backward {
		query += ` DESC`
	}
	return Collect(ctx, q, scanEvent, query+limitTo(eq.Limit), a...)
}

// scanEvent never fails because of a row's contents; it marks a damaged row instead.
func scanEvent(rows *sql.Rows, r *eventRow) error {
	var at, recorded, spent damagedText
	var pos sql.NullInt64
	err := rows.Scan(&r.SessionID, &r.Seq, &r.ID, toText(&r.Key), toText(&r.Type), &at, &recorded, &r.Turn, toText(&r.Role),
		&r.Human, &r.Tokens, &r.Hash, &r.Size, &spent, &r.Erased, toText(&r.Source.Name), &pos, toText(&r.Source.ID),
		toText(&r.Source.Parent), &r.crc, toText(&r.blob), &r.Payload, &r.document)
	if err != nil {
		return err
	}
	r.Source.Pos = pos.Int64
	var bad error
	if r.At, bad = at.time(); bad == nil {
		r.RecordedAt, bad = recorded.time()
	}
	if spent != "" && bad == nil {
		bad = json.Unmarshal([]byte(spent), &r.Spent)
	}
	switch {
	case bad != nil:
		r.damage("its row cannot be read: " + bad.Error())
	case r.crc != r.sum():
		r.damage("its row does not match its checksum")
	}
	return nil
}

func (r *eventRow) damage(why string) { r.Damaged, r.Payload = why, nil }

// EventPlaces implements [repository.EventReader].
func (r reads) EventPlaces(ctx context.Context, sessionID string, keys []domain.Key) (map[domain.Key]domain.EventPlace, error) {
	return eventPlaces(ctx, r, keys, func(a *Args, some []domain.Key) string {
		return `events WHERE session_id = ` + a.Add(sessionID) + ` AND key IN ` + addList(a, some)
	})
}

// EventPlacesUnder implements [repository.EventReader].
func (r reads) EventPlacesUnder(ctx context.Context, sessionID string, prefixes []domain.Key) (map[domain.Key]domain.EventPlace, error) {
	return eventPlaces(ctx, r, prefixes, func(a *Args, some []domain.Key) string {
		return `(VALUES ` + addRanges(a, some) + `) AS r JOIN events ON session_id = ` + a.Add(sessionID) + ` AND key >= r.column1 AND key < r.column2`
	})
}

// addRanges appends the range of keys under each prefix.
func addRanges(a *Args, prefixes []domain.Key) string {
	return addEach(prefixes, func(p domain.Key) string {
		return `(` + a.Add(string(p)) + `, ` + a.Add(string(p)+lastRune) + `)`
	})
}

// lastRune, appended to a prefix, sorts after every key that begins with the prefix.
const lastRune = "\U0010FFFF"

// eventPlaces reads the places of the events selected by from for each chunk of keys.
func eventPlaces(ctx context.Context, r reads, keys []domain.Key, from func(*Args, []domain.Key) string) (map[domain.Key]domain.EventPlace, error) {
	out := make(map[domain.Key]domain.EventPlace, len(keys))
	if len(keys) == 0 {
		return out, nil
	}
	return byKeys(ctx, r, keys, func(q Querier) (map[domain.Key]domain.EventPlace, error) {
		found, err := collectIn(ctx, q, scanPlace, keys, func(a *Args, some []domain.Key) string {
			return `SELECT key, seq, source, source_pos, source_id, source_up FROM ` + from(a, some)
		})
		for _, p := range found {
			out[p.key] = p.EventPlace
		}
		return out, err
	})
}

type keyPlace struct {
	key domain.Key
	domain.EventPlace
}

func scanPlace(rows *sql.Rows, p *keyPlace) error {
	var pos sql.NullInt64
	err := rows.Scan(toText(&p.key), &p.Seq, toText(&p.Source.Name), &pos, toText(&p.Source.ID), toText(&p.Source.Parent))
	p.Source.Pos = pos.Int64
	return err
}

// CountKeys implements [repository.EventReader].
func (r reads) CountKeys(ctx context.Context, sessionID string, prefixes ...domain.Key) ([]int64, error) {
	a := Args{sessionID}
	columns, out, into := make([]string, len(prefixes)), make([]int64, len(prefixes)), make([]any, len(prefixes))
	for i, p := range prefixes {
		columns[i] = `(SELECT count(*) FROM events WHERE session_id = $1 AND key IS NOT NULL
			AND key >= ` + a.Add(string(p)) + ` AND key < ` + a.Add(string(p)+lastRune) + `)`
		into[i] = &out[i]
	}
	return lookUp(ctx, r, func(q Querier) ([]int64, error) {
		return out, q.QueryRowContext(ctx, `SELECT `+strings.Join(columns, ", "), a...).Scan(into...)
	})
}

// PlaceEvent implements [repository.EventWriter].
func (t *tx) PlaceEvent(ctx context.Context, sessionID string, seq int64, at domain.SourcePos) error {
	return t.exec(ctx, `UPDATE events SET source = $1, source_pos = $2, source_id = $3, source_up = $4
		WHERE session_id = $5 AND seq = $6 AND (source IS NULL OR source_id IS NULL AND CAST($3 AS TEXT) IS NOT NULL)`,
		textArg(plain(at.Name)), at.Pos, textArg(plain(at.ID)), textArg(plain(at.Parent)), sessionID, seq)
}

// EraseEvents implements [repository.EventWriter].
func (t *tx) EraseEvents(ctx context.Context, eq domain.EventQuery, bare func(domain.Event) []byte) (int64, error) {
	var n int64
	err := t.do(func(q Querier) error {
		rows, err := eventRows(ctx, q, eq)
		if err != nil {
			return err
		}
		for i := range rows {
			if rows[i].Erased {
				continue
			}
			if err := eraseEvent(ctx, q, rows[i], bare); err != nil {
				return err
			}
			if err := dropDocuments(ctx, q, domain.DocumentSource{SessionID: rows[i].SessionID, Seq: rows[i].Seq}); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

func eraseEvent(ctx context.Context, q Querier, r eventRow, bare func(domain.Event) []byte) error {
	blob := r.blob
	r.Payload, r.Erased, r.blob, r.Key = bare(r.Event), true, "", r.Key.WithoutQuote()
	err := exec(ctx, q, `UPDATE events SET payload = $1, erased = $2, blob = NULL, crc = $3,
		source_id = NULL, source_up = NULL, key = $6 WHERE session_id = $4 AND seq = $5`,
		append([]byte{}, r.Payload...), true, r.sum(), r.SessionID, r.Seq, textArg(string(r.Key)))
	if err != nil || blob == "" {
		return err
	}
	return exec(ctx, q, `DELETE FROM blobs WHERE hash = $1 AND NOT EXISTS (SELECT 1 FROM events WHERE blob = $1)`, blob)
}
