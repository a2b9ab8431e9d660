package memory_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"wake/memory"
	"wake/memory/memorytest"
)

// What was shown is written in a pause, or after twenty seconds without one; what was
// handed out within a fifth of a second, and what waits with it.
func TestShownWaitsForAPause(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		s := server(t, path)
		a := save(t, s, memory.SaveRequest{Content: "The build cache lives in /var/cache/build"})
		search := func() {
			t.Helper()
			if _, err := s.Search(ctx, memory.SearchRequest{Query: "build cache"}); err != nil {
				t.Fatal(err)
			}
		}
		written := func(want int, when string) {
			t.Helper()
			synctest.Wait()
			log, err := s.Store.AccessLog(ctx, "demo", 0, 1000)
			if err != nil || len(log)-1 != want { // the first says that it was saved
				t.Errorf("%s: %d accesses are written, want %d: %v", when, len(log)-1, want, err)
			}
		}
		search()
		time.Sleep(100 * time.Millisecond)
		search()
		time.Sleep(199 * time.Millisecond)
		written(0, "before a pause")
		time.Sleep(time.Millisecond)
		written(2, "in a pause")
		for range 200 {
			search()
			time.Sleep(100 * time.Millisecond)
		}
		written(2+200, "without a pause")
		search()
		time.Sleep(50 * time.Millisecond)
		if _, err := s.Load(ctx, memory.LoadRequest{IDs: []string{a.ID}}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			time.Sleep(90 * time.Millisecond)
			search()
		}
		time.Sleep(20 * time.Millisecond)
		written(202+4, "with what was handed out")
	})
}

// What was shown a moment ago is protected, although it is not written yet.
func TestForgetSeesWhatWasJustShown(t *testing.T) {
	s, c := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "The build cache lives in /var/cache/build"})
	c.Pass(60 * 24 * time.Hour)
	if _, err := s.Search(ctx, memory.SearchRequest{Query: "build cache"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Forget(ctx, memory.ForgetRequest{Expired: true})
	if err != nil || len(got.Forgotten) != 0 || len(got.Protected) != 1 || got.Protected[0].ID != a.ID {
		t.Errorf("%+v %v", got, err)
	}
}

// However much waits, all of it is written, in its order.
func TestFlushWritesAll(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "The build cache lives in /var/cache/build"})
	const asked = 2500
	for range asked {
		if _, err := s.Search(ctx, memory.SearchRequest{Query: "build cache"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	log, err := s.Store.AccessLog(ctx, "", 0, 10_000)
	if err != nil || len(log) != asked+1 {
		t.Errorf("%d accesses are written, want %d: %v", len(log), asked+1, err)
	}
}
