package memory_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/repository"
)

// What is purged or forgotten while the index is built anew does not come back into it.
func TestReindexOfWhatGoes(t *testing.T) {
	const many = 1000
	path := filepath.Join(t.TempDir(), "wake.db")
	s, other := at(t, path), at(t, path)
	importMany(t, s, "con", many)
	all, err := s.Store.Contexts(ctx, domain.ContextQuery{Order: domain.Oldest})
	if err != nil || len(all) != many {
		t.Fatalf("%d contexts, %v", len(all), err)
	}
	sessions := make([]string, 2)
	for k := range sessions {
		var said []string
		for i := range many {
			said = append(said, user(fmt.Sprintf("what about %s", own("mes", many*k+i))))
		}
		sessions[k] = record(t, s, memory.SessionRef{Client: "claude", ClientSessionID: fmt.Sprint(k)}, said...).SessionID
	}
	rebuilt := make(chan error, 1)
	go func() { rebuilt <- s.Reindex(ctx, nil) }()
	until(t, other, domain.DocumentSource{ContextN: all[many-1].N}, false)
	until(t, other, domain.DocumentSource{ContextN: all[0].N}, true)
	err = other.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		for k, c := range slices.Backward(all) {
			if k < many/2 {
				break
			}
			if err := tx.EraseContext(ctx, c.ID, c.Timestamp); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	until(t, other, domain.DocumentSource{SessionID: sessions[1], Seq: 2}, true) // the newest comes first
	for _, id := range sessions {
		if _, err := other.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id}); err != nil {
			t.Fatal(err)
		}
	}
	err = other.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		_, err := tx.EraseEvents(ctx, domain.EventQuery{SessionID: sessions[0]}, func(domain.Event) []byte { return []byte("{}") })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
	found, err := other.Store.Check(context.Background(), nil, nil)
	if err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// Who builds the index takes it for whole only while nobody has begun anew meanwhile, and
// was stopped.
func TestReindexBegunAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s, other := at(t, path), at(t, path)
	importMany(t, s, "con", 500)
	const mark = "under way elsewhere"
	err := s.Reindex(ctx, func(done, _ int) {
		if done > 200 {
			return
		}
		err := other.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
			return errors.Join(tx.ClearDocuments(ctx), tx.NoteIndexedBy(ctx, mark))
		})
		if err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if by, err := s.Store.IndexedBy(ctx); err != nil || by != mark {
		t.Errorf("noted is %q, want %q (%v)", by, mark, err)
	}
	renewed(t, other)
	sound(t, other)
}

// until waits for a text to be in the index, or not to be.
func until(t testing.TB, s *memory.Service, of domain.DocumentSource, in bool) {
	t.Helper()
	for {
		there, err := s.Store.DocumentOf(ctx, of)
		if err != nil {
			t.Fatal(err)
		}
		if there.N > 0 == in {
			return
		}
	}
}

// A search says that the index is only partly there, after a rebuild that was killed, also
// where it found something.
func TestSearchPartlyIndexed(t *testing.T) {
	s := at(t, filepath.Join(t.TempDir(), "wake.db"))
	importMany(t, s, "con", 500)
	partly := func() bool {
		t.Helper()
		a, err := s.Search(ctx, memory.SearchRequest{Query: "note"})
		if err != nil || len(a.Hits) == 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		return slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "being built anew") })
	}
	if partly() {
		t.Error("the whole index counts as partly there")
	}
	killed, kill := context.WithCancel(ctx)
	err := s.Reindex(killed, func(done, _ int) {
		if done > 200 {
			kill()
		}
	})
	if err == nil || !partly() {
		t.Errorf("a search does not say it (%v)", err)
	}
	if err := s.Repair(ctx, nil); err != nil || partly() {
		t.Errorf("it still says it after a repair (%v)", err)
	}
}
