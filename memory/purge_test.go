package memory_test

import (
	"path/filepath"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/repository"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// A reader that keeps the files from being scrubbed does not keep what was erased from
// being known: whoever purges looks for copies of the text.
func TestPurgeWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	store, err := sqlite.Open(ctx, path, sqlite.Options{BusyTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := memory.New(store, summarizer.Extractive{})
	s.DefaultProject = "demo"
	a := save(t, s, memory.SaveRequest{Content: "the unspeakable xylophone"})
	ref := record(t, s, claude, user("what about the glockenspiel"))
	err = at(t, path).Store.View(ctx, func(r repository.Reader) error {
		if _, err := r.Session(ctx, ref.SessionID); err != nil {
			return err
		}
		got, err := s.Purge(ctx, memory.PurgeRequest{ID: a.ID})
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
	if _, err := s.Purge(ctx, memory.PurgeRequest{ID: a.ID}); domain.KindOf(err) != domain.KindNotFound || inFiles(t, path, "xylophone") {
		t.Errorf("it can still be read: %v", err)
	}
}
