package memory_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// pageSize is that of SQLite's pages in a database of wake's.
const pageSize = 4096

// cells is where on a page the number of its rows is, the lower byte.
const cells = 4

// Whichever page of the file is lost, the export has what lies on the others, says
// what is missing, holds nothing else, and can be read in.
func TestExportOfDamagedFile(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "wake.db")
	lines := fillForDamage(t, whole)
	file, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	step := 7
	if testing.Short() {
		step = 29
	}
	tried, opened := 0, 0
	random := rand.New(rand.NewPCG(1, 2))
	for page := 1; page < len(file)/pageSize; page += step {
		tried++
		s := damagedCopy(t, file, page, random)
		if s == nil {
			continue // its list of tables is lost
		}
		opened++
		var out bytes.Buffer
		got, err := s.Export(ctx, memory.ExportRequest{W: &out})
		if err != nil {
			t.Errorf("page %d: %v", page, err)
			continue
		}
		missing := len(lines)
		for line := range strings.Lines(out.String()) {
			switch {
			case lines[line]:
				missing--
			case !strings.HasPrefix(line, `{"wake"`) && !strings.Contains(line, `"damaged":`) && len(got.Unread) == 0:
				t.Errorf("page %d: new, and not told of: %.200s", page, line)
			}
		}
		if missing > 0 && len(got.Unread) == 0 && !strings.Contains(out.String(), `"damaged":`) || missing > len(lines)*2/3 {
			t.Errorf("page %d: %d of %d lines missing, told of %q", page, missing, len(lines), got.Unread)
		}
		if lostEvents := strings.Contains(fmt.Sprint(got.Unread), "events "); lostEvents || tried%10 == 0 {
			readIn(t, out.String(), exported(t, s, memory.ExportRequest{}))
		}
	}
	if opened < tried*3/4 {
		t.Errorf("only %d of %d damaged files could be opened", opened, tried)
	}
}

// A value that wake never stored, as a damaged page holds some, costs its row alone.
func TestExportOfDamagedValue(t *testing.T) {
	s, _ := memorytest.Open(t)
	first, err := s.Save(ctx, memory.SaveRequest{Content: "the first", Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(ctx, memory.SaveRequest{Content: "the second", Project: "demo", CausedBy: first.ID}); err != nil {
		t.Fatal(err)
	}
	damage(t, s, `UPDATE context_links SET added_at = x'c2129e'`)
	var out bytes.Buffer
	got, err := s.Export(ctx, memory.ExportRequest{W: &out})
	if err != nil || got.Contexts != 2 || len(got.Unread) != 1 {
		t.Errorf("%d contexts, not readable: %q, %v", got.Contexts, got.Unread, err)
	}
}

// A log has no gaps. Events that a damaged index passes over in silence are told of, and their
// places kept, as are those whose content is damaged.
func TestExportOfGaps(t *testing.T) {
	s, _ := memorytest.Open(t)
	const all = 300
	events := make([]domain.Event, all)
	for i := range events {
		e, err := domain.NewEvent(s.Now(), "", domain.Message{Role: domain.RoleUser, Content: fmt.Sprint("prompt ", i+1)})
		if err != nil {
			t.Fatal(err)
		}
		events[i] = e
	}
	if _, err := s.Append(ctx, memory.AppendRequest{Ref: memory.SessionRef{Client: "test", ClientSessionID: "s"}, Events: events}); err != nil {
		t.Fatal(err)
	}
	damage(t, s, `UPDATE events SET payload = '{}' WHERE seq = 20`)
	damage(t, s, `DELETE FROM events WHERE seq = 1 OR seq BETWEEN 50 AND 149 OR seq IN (160, 162) OR seq >= 299`)
	var out bytes.Buffer
	got, err := s.Export(ctx, memory.ExportRequest{W: &out})
	if err != nil || got.Events != all {
		t.Errorf("%d of %d events are in it, %v", got.Events, all, err)
	}
	gaps := strings.Join(got.Unread, "; ")
	for _, gap := range []string{"1 to 1", "50 to 149", "160 to 160", "162 to 162", "299 to 300"} {
		if !strings.Contains(gaps, "events "+gap+" of") {
			t.Errorf("events %s are not told of: %s", gap, gaps)
		}
	}
	if len(got.Unread) != 6 || !strings.Contains(gaps, "the content of event 20 of") {
		t.Errorf("told of %s", gaps)
	}
	readIn(t, out.String(), out.String()[strings.Index(out.String(), "\n")+1:])
}

// Sessions are found by their ids where the index by time cannot be read, or lacks some.
func TestExportOfSessionsWithDamagedIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	lines := fillForDamage(t, path)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, how := range []string{"noise", "fewer"} {
		copied := bytes.Clone(file)
		page := copied[(rootOf(t, path, "sessions_updated")-1)*pageSize:][:pageSize]
		if how == "noise" {
			for i := range page {
				page[i] = byte(random.Uint32())
			}
		} else {
			page[cells] -= 2
		}
		s := opened(t, copied)
		if s == nil {
			t.Fatal("the damaged file cannot be opened")
		}
		var out bytes.Buffer
		got, err := s.Export(ctx, memory.ExportRequest{W: &out})
		if err != nil || len(got.Unread) > 0 || got.Sessions != 6 {
			t.Errorf("%s: %d sessions, not readable: %q, %v", how, got.Sessions, got.Unread, err)
		}
		for line := range lines {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%s: missing: %.200s", how, line)
			}
		}
	}
}

// Events that are there are written, whether the index that leads to them is lost or lacks some.
func TestExportOfEventsWithDamagedIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	lines := fillForDamage(t, path)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	events, blobs := rootOf(t, path, "sqlite_autoindex_events_1"), rootOf(t, path, "sqlite_autoindex_blobs_1")
	for _, how := range []string{"lost", "lost with that of long texts", "fewer"} {
		copied := bytes.Clone(file)
		root := copied[(events-1)*pageSize:][:pageSize]
		switch how {
		case "lost with that of long texts":
			clear(copied[(blobs-1)*pageSize:][:pageSize])
			fallthrough
		case "lost":
			clear(root)
		case "fewer":
			last := binary.BigEndian.Uint32(root[8:]) // the page below that has the highest keys
			copied[(last-1)*pageSize+cells] -= 5
		}
		longest := math.MaxInt
		if how == "lost with that of long texts" {
			longest = domain.InlinePayload
		}
		s := opened(t, copied)
		if s == nil {
			t.Fatal("the damaged file cannot be opened")
		}
		var out bytes.Buffer
		got, err := s.Export(ctx, memory.ExportRequest{W: &out})
		if err != nil || longest == math.MaxInt && len(got.Unread) > 0 {
			t.Errorf("%s: not readable: %q, %v", how, got.Unread, err)
		}
		for line := range lines {
			if len(line) < longest && !strings.Contains(out.String(), line) {
				t.Errorf("%s: missing: %.200s", how, line)
			}
		}
	}
}

// A value of the list that counts contexts does not end the export.
func TestExportOfDamagedTime(t *testing.T) {
	s, _ := memorytest.Open(t)
	for i := range 3 {
		if _, err := s.Save(ctx, memory.SaveRequest{Content: fmt.Sprint("fact ", i), Project: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	damage(t, s, `UPDATE context_snapshots SET timestamp = '9026-05-04T0x:00:00.000000Z' WHERE n = 2`)
	var out bytes.Buffer
	got, err := s.Export(ctx, memory.ExportRequest{W: &out})
	if err != nil || got.Contexts != 2 || len(got.Unread) != 1 {
		t.Errorf("%d contexts, not readable: %q, %v", got.Contexts, got.Unread, err)
	}
	if _, err := s.Stats(ctx, "demo"); !domain.IsDamaged(err) {
		t.Errorf("stats of a damaged file: %v", err)
	}
}

// All is not well with a file whose end is missing, though all contexts can be counted.
func TestStatsOfFileThatWasCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	fillForDamage(t, path)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := opened(t, file[:len(file)-pageSize]).Stats(ctx, memory.AllProjects)
	if err != nil || a.Contexts != 200 || a.Health[0].Level != "warning" || !strings.Contains(a.Health[0].Text, "cut off") {
		t.Errorf("%d contexts, %+v, %v", a.Contexts, a.Health, err)
	}
	for _, h := range a.Health {
		if h.Level == "ok" {
			t.Errorf("told beside it: %+v", h)
		}
	}
}

// rootOf returns the number of the first page of an index.
func rootOf(t *testing.T, path, index string) (page int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name = ?`, index).Scan(&page); err != nil {
		t.Fatal(err)
	}
	return page
}

// damagedCopy opens a copy of a file with noise in the place of a page; nil where it
// cannot be opened.
func damagedCopy(t *testing.T, file []byte, page int, random *rand.Rand) *memory.Service {
	t.Helper()
	damaged := bytes.Clone(file)
	for i := range pageSize {
		damaged[page*pageSize+i] = byte(random.Uint32())
	}
	return opened(t, damaged)
}

// opened opens a file with this content; nil where it cannot be opened.
func opened(t *testing.T, file []byte) *memory.Service {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wake.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil
	}
	t.Cleanup(func() { store.Close() })
	return memory.New(store, summarizer.Extractive{})
}

// fillForDamage makes a database of contexts with links and sessions with long and
// short events, and returns the lines of its export.
func fillForDamage(t *testing.T, path string) map[string]bool {
	s, _ := memorytest.OpenFile(t, path)
	cause := ""
	for i := range 200 {
		a, err := s.Save(ctx, memory.SaveRequest{Content: fmt.Sprintf("Decision %d: %s", i, strings.Repeat(fmt.Sprint("words ", i, " "), 1+i%40)), CausedBy: cause})
		if err != nil {
			t.Fatal(err)
		}
		cause = a.ID
	}
	for n := range 6 {
		ref := memory.SessionRef{Client: "test", ClientSessionID: fmt.Sprint("s", n)}
		for i := range 25 {
			e, err := domain.NewEvent(s.Now(), "", domain.Message{Role: domain.RoleUser, Content: fmt.Sprintf("prompt %d of %d %s", i, n, strings.Repeat(fmt.Sprint(i, " and ", n, " "), 1+i*i))})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Append(ctx, memory.AppendRequest{Ref: ref, Events: []domain.Event{e}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	lines := map[string]bool{}
	for line := range strings.Lines(exported(t, s, memory.ExportRequest{})) {
		lines[line] = true
	}
	damage(t, s, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return lines
}

// readIn imports an export into a new database; one more of the same brings nothing.
func readIn(t *testing.T, lines, again string) {
	t.Helper()
	s, _ := memorytest.Open(t)
	_, body, _ := strings.Cut(lines, "\n")
	imported(t, s, body)
	if more := imported(t, s, again); more.Contexts.Taken+more.Events.Taken > 0 {
		t.Errorf("taken again: %+v", more)
	}
}
