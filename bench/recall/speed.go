package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// speedOptions configure the speed measurement.
type speedOptions struct {
	most      int    // contexts in the largest store
	questions int    // per size
	data      string // folder with the sets, "" for generated texts
	dir       string // folder in which databases are kept for later runs, "" for none
	wake      string // the program, "" to build it
	ftsFor    time.Duration
}

// speedRow holds the measurements at one size.
type speedRow struct {
	size           int
	cold           time.Duration // from starting the program to its first answer
	first          time.Duration // the first question by itself
	wake, fts      []time.Duration
	saves          []time.Duration
	index          float64 // size of the search index relative to the contents
	resident, peak int     // MB
}

// speed sends questions to the real server over stdio and, in the same run, to plain
// FTS5 over the same texts, with 1,000, 10,000 … contexts.
func speed(ctx context.Context, o speedOptions) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "wake-speed-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	if o.wake == "" {
		o.wake = filepath.Join(o.dir, "wake")
		if err := buildWake(ctx, o.wake); err != nil {
			return err
		}
	}
	text, err := texts(o.data)
	if err != nil {
		return err
	}
	fmt.Println("texts:", text.about)
	var base time.Duration
	fmt.Println(speedHead)
	for size := 1000; size <= o.most; size *= 10 {
		row, err := speedAt(ctx, o, text, size)
		if err != nil {
			return fmt.Errorf("%d contexts: %w", size, err)
		}
		if base == 0 {
			base = quantile(row.saves, 0.5)
		}
		row.print(os.Stdout, base)
	}
	return nil
}

func speedAt(ctx context.Context, o speedOptions, text *textSource, size int) (speedRow, error) {
	row := speedRow{size: size}
	db := filepath.Join(o.dir, fmt.Sprintf("%s-%d", text.name, size))
	if err := fillBoth(ctx, db, text, size); err != nil {
		return row, err
	}
	fts, err := openFTS(db + ".fts")
	if err != nil {
		return row, err
	}
	defer fts.close()
	questions, err := text.questions(ctx, fts, o.questions)
	if err != nil {
		return row, err
	}
	if row.index, err = indexShare(ctx, db+".wake"); err != nil {
		return row, err
	}
	if err := row.askServer(ctx, o.wake, db+".wake", text, questions); err != nil {
		return row, err
	}
	row.fts, err = fts.askAll(ctx, questions, o.ftsFor)
	return row, err
}

// savesMeasured is how many contexts are saved one by one at each size.
const savesMeasured = 100

// startCold starts a server on a file that is not in the page cache, and asks it one
// question.
func (r *speedRow) startCold(ctx context.Context, program, db, question string) error {
	if err := migrate(ctx, program, db); err != nil {
		return err
	}
	evict(db)
	began := time.Now()
	s, err := startSpeedServer(ctx, program, db)
	if err != nil {
		return err
	}
	defer s.stop()
	if r.first, err = s.search(question); err != nil {
		return err
	}
	r.cold = time.Since(began)
	return nil
}

// migrate lets the program upgrade a file that an older version has filled.
func migrate(ctx context.Context, program, db string) error {
	s, err := startSpeedServer(ctx, program, db)
	if err == nil {
		s.stop()
	}
	return err
}

func startSpeedServer(ctx context.Context, program, db string) (*server, error) {
	return startServer(ctx, program, "mcp", "--db", db, "--ollama", "off", "--project", speedProject)
}

// askServer starts a server on a file in the page cache, asks questions, and saves.
func (r *speedRow) askServer(ctx context.Context, program, db string, text *textSource, questions []string) error {
	if err := r.startCold(ctx, program, db, questions[0]); err != nil {
		return err
	}
	if err := readThrough(db); err != nil {
		return err
	}
	s, err := startSpeedServer(ctx, program, db)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, q := range questions {
		took, err := s.search(q)
		if err != nil {
			return err
		}
		r.wake = append(r.wake, took)
	}
	r.resident, r.peak = s.memory()
	for i := range savesMeasured {
		took, err := s.save(fmt.Sprintf("%d %d: %s", time.Now().UnixNano(), i, text.next()))
		if err != nil {
			return err
		}
		r.saves = append(r.saves, took)
	}
	return nil
}

// readThrough reads a file into the page cache.
func readThrough(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

const speedHead = ` contexts |  wake p50    p99  /p50 |  FTS5 p50    p99 | FTS5/wake | save p50   /1k | index/content | memory  peak MB | cold start+question, question ms`

func (r *speedRow) print(w io.Writer, base time.Duration) {
	wake, fts, save := quantile(r.wake, 0.5), quantile(r.fts, 0.5), quantile(r.saves, 0.5)
	fmt.Fprintf(w, "%9d | %9.2f %6.1f %5.1f | %9.1f %6.0f | %8.1fx | %8.2f %5.2f | %13.2f | %6d %8d | %.0f, %.0f\n",
		r.size, ms(wake), ms(quantile(r.wake, 0.99)), float64(quantile(r.wake, 0.99))/float64(wake),
		ms(fts), ms(quantile(r.fts, 0.99)), float64(fts)/float64(wake),
		ms(save), float64(save)/float64(base), r.index, r.resident, r.peak, ms(r.cold), ms(r.first))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile(ds []time.Duration, share float64) time.Duration {
	ds = slices.Sorted(slices.Values(ds))
	return ds[min(len(ds)-1, int(float64(len(ds))*share))]
}
