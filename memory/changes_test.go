package memory_test

import (
	"testing"

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
