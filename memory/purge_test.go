package memory_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// A reader that keeps the files from being scrubbed does not keep what was erased from
// being known: whoever purges looks for copies of the text.
func TestPurgeWhileRead(t *testing.T) {
	s, path := hasty(t)
	a := save(t, s, memory.SaveRequest{Content: "the unspeakable xylophone"})
	ref := record(t, s, claude, user("what about the glockenspiel"))
	err := at(t, path).Store.View(ctx, func(r repository.Reader) error {
		if _, err := r.Session(ctx, ref.SessionID); err != nil {
			return err
		}
		got, err := s.Purge(ctx, a.ID)
		refused(t, err, domain.KindUnavailable)
		gone, err := s.PurgeEvent(ctx, ref.SessionID, 1)
		refused(t, err, domain.KindUnavailable)
		if got.Text != "the unspeakable xylophone" || len(gone.Texts) != 1 {
			t.Errorf("erased %q and %q", got.Text, gone.Texts)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Purge(ctx, a.ID); domain.KindOf(err) != domain.KindNotFound || inFiles(t, path, "xylophone") {
		t.Errorf("it can still be read: %v", err)
	}
}

// hasty is a service on a new file that waits for readers no longer than a moment.
func hasty(t testing.TB) (s *memory.Service, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "wake.db")
	return hastyAt(t, path, 100*time.Millisecond), path
}

func hastyAt(t testing.TB, path string, wait time.Duration) *memory.Service {
	t.Helper()
	store, err := sqlite.Open(ctx, path, sqlite.Options{BusyTimeout: wait})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := memory.New(store, summarizer.Extractive{})
	s.DefaultProject = "demo"
	return s
}

// Nor does it keep a long session, whose time to be erased has come, from being erased
// step by step, each time some more.
func TestCleanSessionsWhileRead(t *testing.T) {
	s, path := hasty(t)
	clock := memorytest.NewClock()
	s.Now = clock.Now
	var said []string
	for k := range 450 {
		said = append(said, user(fmt.Sprint("question ", k)))
	}
	id := record(t, s, claude, said...).SessionID
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id}); err != nil {
		t.Fatal(err)
	}
	clock.Pass(31 * 24 * time.Hour)
	err := at(t, path).Store.View(ctx, func(r repository.Reader) error {
		if _, err := r.Session(ctx, id); err != nil {
			return err
		}
		for range 3 {
			refused(t, s.CleanSessions(ctx), domain.KindUnavailable)
		}
		return s.CleanSessions(ctx)
	})
	if owner, getErr := s.Store.Session(ctx, id); err != nil || getErr != nil || owner.Bytes > 0 {
		t.Errorf("%d bytes are left, %v, %v", owner.Bytes, err, getErr)
	}
}

// What else says the same is named, also a context that was saved in a session.
func TestPurgeNamesContextsOfSessions(t *testing.T) {
	s, _ := memorytest.Open(t)
	const text = "the unspeakable xylophone stands in the cellar"
	id := record(t, s, claude, user(text)).SessionID
	saved := save(t, s, memory.SaveRequest{Content: text, SessionID: id})
	gone, err := s.PurgeEvent(ctx, id, 1)
	if err != nil || saved.Seq == 0 || len(gone.Notes) != 1 || !strings.Contains(gone.Notes[0], "wake purge "+saved.ID) {
		t.Errorf("saved at event %d; %q, %v", saved.Seq, gone.Notes, err)
	}
}

// Nothing of a purged context stays in unused parts of the file, where SQLite leaves copies
// of rows that it has moved from one page to another because others grew.
func TestPurgeMovedRow(t *testing.T) {
	s, _ := memorytest.Open(t)
	var ids []string
	for n := range 60 {
		ids = append(ids, save(t, s, memory.SaveRequest{Content: fmt.Sprintf("We decided fact%dends because it is so", n)}).ID)
	}
	for n := range ids {
		damage(t, s, fmt.Sprintf(`UPDATE context_snapshots SET propagation_reason = '["%s"]' WHERE id = '%s'`, strings.Repeat("used ", n*37%100), ids[n*7%60]))
	}
	info, err := s.Store.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for n, id := range ids {
		if _, err := s.Purge(ctx, id); err != nil {
			t.Fatal(err)
		}
		if inFiles(t, info.Address, fmt.Sprintf("fact%dends because", n)) {
			t.Errorf("the file still has context %d", n)
		}
	}
}
