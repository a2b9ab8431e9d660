package memory_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
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

// If a reader keeps the files from being scrubbed, a purge says so, and does it when it is
// repeated.
func TestPurgeWhileRead(t *testing.T) {
	s, path := hasty(t)
	a := save(t, s, memory.SaveRequest{Content: "the unspeakable xylophone"})
	ref := record(t, s, claude, user("what about the glockenspiel"))
	changes, stop := s.Subscribe()
	defer stop()
	err := at(t, path).Store.View(ctx, func(r repository.Reader) error {
		if _, err := r.Session(ctx, ref.SessionID); err != nil {
			return err
		}
		_, err := s.Purge(ctx, a.ID)
		refused(t, err, domain.KindUnavailable)
		select {
		case told := <-changes:
			if told.Kind != memory.ContextGone || told.ID != a.ID {
				t.Errorf("subscribers are told %+v", told)
			}
		default:
			t.Error("subscribers are not told that the context is gone")
		}
		_, err = s.PurgeEvent(ctx, ref.SessionID, 1)
		refused(t, err, domain.KindUnavailable)
		// The -wal does not grow by a copy of the file each time.
		before := bytesOf(t, path+"-wal")
		for range 5 {
			_, err = s.Purge(ctx, a.ID)
			refused(t, err, domain.KindUnavailable)
		}
		if grown := bytesOf(t, path+"-wal") - before; grown > bytesOf(t, path)/2 {
			t.Errorf("five tries made the -wal grow by %d bytes", grown)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Purge(ctx, a.ID); domain.KindOf(err) != domain.KindNotFound || inFiles(t, path, "xylophone") || inFiles(t, path, "glockenspiel") {
		t.Errorf("it can still be read: %v", err)
	}
}

func bytesOf(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
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

// Nor does it keep a long session, whose time to be erased has come, from being erased.
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
		refused(t, s.CleanSessions(ctx), domain.KindUnavailable)
		return nil
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

// Nothing of what was purged stays in unused parts of pages, where SQLite leaves copies of
// rows that it has moved, or parts of such copies.
func TestPurgeUnusedParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	var id string
	t.Run("before", func(t *testing.T) {
		id = save(t, at(t, path), memory.SaveRequest{Content: "the unspeakable xylophone"}).ID
	})
	t.Run("context", func(t *testing.T) {
		writeUnused(t, path, "speakable xylophone")
		s := at(t, path)
		if _, err := s.Purge(ctx, id); err != nil || inFiles(t, path, "xylophone") {
			t.Errorf("it can still be read: %v", err)
		}
		record(t, s, claude, user("where is the glockenspiel"))
	})
	t.Run("event", func(t *testing.T) {
		writeUnused(t, path, "the glockenspiel")
		s := at(t, path)
		if _, err := s.PurgeEvent(ctx, onlySession(t, s), 1); err != nil || inFiles(t, path, "glockenspiel") {
			t.Errorf("it can still be read: %v", err)
		}
	})
	// An older wake may have left it unfinished without a note, so asking again does it again.
	t.Run("context again", func(t *testing.T) {
		writeUnused(t, path, "speakable xylophone")
		if _, err := at(t, path).Purge(ctx, id); domain.KindOf(err) != domain.KindNotFound || inFiles(t, path, "xylophone") {
			t.Errorf("it can still be read: %v", err)
		}
	})
	t.Run("event again", func(t *testing.T) {
		writeUnused(t, path, "the glockenspiel")
		s := at(t, path)
		if _, err := s.PurgeEvent(ctx, onlySession(t, s), 1); domain.KindOf(err) != domain.KindNotFound || inFiles(t, path, "glockenspiel") {
			t.Errorf("it can still be read: %v", err)
		}
	})
}

// writeUnused puts a text into the unused part of a page of a closed database.
func writeUnused(t testing.TB, path, text string) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const size, leaf = 4096, 13 // the type of a page that has rows of a table
	for page := size; page < len(file); page += size {
		if file[page] != leaf {
			continue
		}
		rows, content := binary.BigEndian.Uint16(file[page+3:]), binary.BigEndian.Uint16(file[page+5:])
		begin := 8 + 2*int(rows)
		if int(content)-begin < 2*len(text) {
			continue
		}
		copy(file[page+begin+len(text)/2:], text)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("no page has room")
}

// A purge that was killed after it erased a text is reported, and finished by whatever comes
// first: the periodic work, the next purge, or a repair.
func TestPurgeFinishedByOthers(t *testing.T) {
	for name, finish := range map[string]func(s *memory.Service, id, other string) error{
		"periodic work": func(s *memory.Service, _, _ string) error { return workUntilPurged(s) },
		"the same": func(s *memory.Service, id, _ string) error {
			_, err := s.Purge(ctx, id)
			if domain.KindOf(err) == domain.KindNotFound {
				return nil
			}
			return err
		},
		"another":  func(s *memory.Service, _, other string) error { return second(s.Purge(ctx, other)) },
		"an event": func(s *memory.Service, _, _ string) error { return second(s.PurgeEvent(ctx, onlySession(t, s), 1)) },
		"a repair": func(s *memory.Service, _, _ string) error { return s.Repair(ctx, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			info, err := s.Store.Info(ctx)
			if err != nil {
				t.Fatal(err)
			}
			id, other := save(t, s, memory.SaveRequest{Content: "the unspeakable xylophone"}).ID, save(t, s, memory.SaveRequest{Content: "something else"}).ID
			record(t, s, claude, user("where is the glockenspiel"))
			if err := s.Reindex(ctx, nil); err != nil {
				t.Fatal(err)
			}
			err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
				return errors.Join(tx.EraseContext(ctx, id, s.Now()), tx.OweRewrite(ctx))
			})
			if err != nil || !inFiles(t, info.Address, "xylophone") {
				t.Fatalf("nothing is left to do: %v", err)
			}
			if found, err := s.Check(ctx, nil); err != nil || len(found) != 1 || found[0].Subject != "purge" {
				t.Errorf("found %+v, %v", found, err)
			}
			if err := finish(s, id, other); err != nil || inFiles(t, info.Address, "xylophone") {
				t.Errorf("it can still be read: %v", err)
			}
			if found, err := s.Check(ctx, nil); err != nil || len(found) > 0 {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// workUntilPurged does periodic work until no purge is unfinished.
func workUntilPurged(s *memory.Service) error {
	jobs, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	done := make(chan struct{})
	go func() { s.RunJobs(jobs, "test"); close(done) }()
	defer func() { stop(); <-done }()
	for {
		owed, err := s.Store.RewriteOwed(jobs)
		if err != nil || owed == 0 {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func onlySession(t testing.TB, s *memory.Service) string {
	t.Helper()
	a, err := s.Sessions(ctx, memory.SessionsRequest{})
	if err != nil || len(a.Sessions) != 1 {
		t.Fatalf("%d sessions, %v", len(a.Sessions), err)
	}
	return a.Sessions[0].ID
}
