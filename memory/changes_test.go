package memory_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/memory"
	"wake/memory/memorytest"
)

// Who listens hears of contexts that go and that come back, with their project,
// however they were named.
func TestForgettingIsTold(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "of another project", Project: "other"})
	told, stop := s.Subscribe()
	defer stop()
	for _, undo := range []bool{false, true} {
		if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{a.ID}, Undo: undo}); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []memory.ChangeKind{memory.ContextGone, memory.ContextChanged} {
		select {
		case got := <-told:
			if diff := cmp.Diff(memory.Change{Kind: kind, ID: a.ID, Project: "other"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		default:
			t.Errorf("nothing tells of %s", kind)
		}
	}
}

// A watch sees what another process changed since its last look, and nothing twice.
func TestWatchSeesOtherProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	here, _ := memorytest.OpenFile(t, path)
	there, clock := memorytest.OpenFile(t, path)
	save(t, there, memory.SaveRequest{Content: "There before anybody looked."})
	w, err := here.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	look := func(what string, want ...memory.Change) {
		t.Helper()
		got, err := w.Look(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	look("nothing yet")
	a := save(t, there, memory.SaveRequest{Content: "of another project", Project: "other"})
	look("a save", memory.Change{Kind: memory.ContextSaved, ID: a.ID, Project: "other"})
	for undo, kind := range []memory.ChangeKind{memory.ContextGone, memory.ContextChanged} {
		if _, err := there.Forget(ctx, memory.ForgetRequest{IDs: []string{a.ID}, Undo: undo == 1}); err != nil {
			t.Fatal(err)
		}
		look(string(kind), memory.Change{Kind: kind, ID: a.ID, Project: "other"})
	}
	session := record(t, there, claude, user("Hello.")).SessionID
	changed := memory.Change{Kind: memory.SessionChanged, ID: session, Project: "demo"}
	look("a new session", changed)
	clock.Pass(time.Second)
	record(t, there, byID(session), user("Go on."))
	look("an event", changed)
	if _, err := there.Load(ctx, memory.LoadRequest{IDs: []string{a.ID}}); err != nil {
		t.Fatal(err)
	}
	look("a use")
}
