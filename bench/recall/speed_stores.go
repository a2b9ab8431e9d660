package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	_ "modernc.org/sqlite"

	"wake/domain"
	"wake/memory"
	"wake/recall"
	"wake/recall/index"
	"wake/repository/sqlite"
	"wake/transcript"
)

const speedProject = "bench"

// fillBoth creates db.wake and db.fts with the same texts, unless both exist.
func fillBoth(ctx context.Context, db string, text *textSource, size int) error {
	if _, err := os.Stat(db + ".full"); err == nil {
		return nil
	}
	fts, err := openFTS(db + ".fts")
	if err != nil {
		return err
	}
	defer fts.close()
	if err := fillWake(ctx, db+".wake", fts.keep(ctx, text, size)); err != nil {
		return err
	}
	return os.WriteFile(db+".full", nil, 0o644)
}

// fillWake stores texts as an import does, and builds the search index as the periodic
// job does.
func fillWake(ctx context.Context, path string, texts iter.Seq2[string, error]) error {
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	s := memory.New(store, firstWords{})
	s.DefaultProject = speedProject
	items := func(yield func(transcript.Item, error) bool) {
		n := 0
		for text, err := range texts {
			// Contexts are a minute apart, so that the last hour holds equally many at
			// every size.
			at := time.Date(2024, 1, 1, 0, n, 0, 0, time.UTC)
			n++
			c := &domain.ContextSnapshot{ID: fmt.Sprintf("bench-%d", n), Content: text, Timestamp: at, SavedAt: at, Source: "mcp"}
			if !yield(transcript.Item{Context: c, Whole: true}, err) {
				return
			}
		}
	}
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Auto, Name: path, Items: items}); err != nil {
		return err
	}
	ix := index.New(store.SearchIndex(domain.ContextSpace), index.Options{})
	for more := true; more; {
		if more, err = ix.Maintain(ctx); err != nil {
			return err
		}
	}
	return nil
}

// firstWords makes summaries while filling: the product's own would take most of the
// time, and no question reads them.
type firstWords struct{}

func (firstWords) Summarize(text string) domain.Summary {
	words := strings.Fields(text)
	return domain.Summary{Text: strings.Join(words[:min(len(words), 15)], " "), Tags: words[:min(len(words), 3)]}
}

// indexShare returns the size of the search index, including the rows of analysed
// documents, relative to the contents.
func indexShare(ctx context.Context, path string) (float64, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var index, content float64
	err = db.QueryRowContext(ctx, `SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name LIKE 'search%'`).Scan(&index)
	if err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `SELECT sum(length(CAST(content AS BLOB))) FROM context_snapshots`).Scan(&content)
	return index / content, err
}

// ftsStore is what most memory servers are: an FTS5 table.
type ftsStore struct {
	db   *sql.DB
	size int64
}

func openFTS(path string) (*ftsStore, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_journal_mode=WAL&_synchronous=OFF")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &ftsStore{db: db}
	if _, err := db.Exec(`CREATE VIRTUAL TABLE IF NOT EXISTS m USING fts5(text, tokenize = 'porter unicode61')`); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := db.QueryRow(`SELECT coalesce(max(rowid), 0) FROM m`).Scan(&s.size); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s *ftsStore) close() { s.db.Close() }

// keep generates texts, stores them and passes them on.
func (s *ftsStore) keep(ctx context.Context, text *textSource, size int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			yield("", err)
			return
		}
		defer tx.Rollback()
		for range size {
			t := text.next()
			if _, err := tx.ExecContext(ctx, `INSERT INTO m (text) VALUES (?)`, t); err != nil || !yield(t, nil) {
				yield("", err)
				return
			}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO m (m) VALUES ('optimize')`); err != nil {
			yield("", err)
			return
		}
		if err := tx.Commit(); err != nil {
			yield("", err)
		}
	}
}

// random returns one of the stored texts.
func (s *ftsStore) random(ctx context.Context, rnd *rand.Rand) (text string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT text FROM m WHERE rowid = ?`, 1+rnd.Int64N(s.size)).Scan(&text)
	return text, err
}

// askAll asks as many of the questions as time allows.
func (s *ftsStore) askAll(ctx context.Context, questions []string, most time.Duration) ([]time.Duration, error) {
	var out []time.Duration
	began := time.Now()
	for _, q := range questions {
		if time.Since(began) > most && len(out) >= 5 {
			break
		}
		start := time.Now()
		if err := s.ask(ctx, q); err != nil {
			return nil, err
		}
		out = append(out, time.Since(start))
	}
	return out, nil
}

func (s *ftsStore) ask(ctx context.Context, question string) error {
	words := contentWords(question)
	if len(words) == 0 {
		return nil
	}
	rows, err := s.db.QueryContext(ctx, `SELECT rowid, text FROM m WHERE m MATCH ? ORDER BY bm25(m) LIMIT 10`, `"`+strings.Join(words, `" OR "`)+`"`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var text string
		if err := rows.Scan(&n, &text); err != nil {
			return err
		}
	}
	return rows.Err()
}

// contentWords returns a text's distinct words without stop words, so that FTS5 need
// not search for these either.
func contentWords(text string) []string { return recall.Understand(text).Words }

// evict drops a file from the page cache where that is possible.
func evict(path string) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	forgetFile(path)
}
