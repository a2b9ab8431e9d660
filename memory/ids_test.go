package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// An id may be given by its first characters at every door that takes one, and what is
// stored and answered is the whole.
func TestIDsByTheirFirstCharacters(t *testing.T) {
	s, _ := memorytest.Open(t)
	first := save(t, s, memory.SaveRequest{Content: "the port is 8080", ActionType: domain.Decision}).ID
	short := first[:8]
	second := save(t, s, memory.SaveRequest{Content: "the port moved to 9090", CausedBy: short, Metadata: map[string]any{"dependencies": []any{short}}, Supersedes: short})
	if second.Superseded != first || second.Causality.CausedBy != first || !slices.Equal(second.Causality.Dependencies, []string{first}) {
		t.Errorf("saved with %+v, superseding %s; want %s", second.Causality, second.Superseded, first)
	}
	for _, typed := range []string{short + "-", strings.ToUpper(first[:13])} {
		if c := load(t, s, typed); c.ID != first {
			t.Errorf("%s: loaded %s, want %s", typed, c.ID, first)
		}
	}
	if a, err := s.Load(ctx, memory.LoadRequest{IDs: []string{short, first}}); err != nil || len(a.Contexts) != 1 || len(a.Missing) > 0 {
		t.Errorf("short and whole: %d contexts, missing %q (%v)", len(a.Contexts), a.Missing, err)
	}
	if a, err := s.Chain(ctx, memory.ChainRequest{ID: second.ID[:12]}); err != nil || a.ID != second.ID || len(a.Nodes) != 2 {
		t.Errorf("chain of %s with %d contexts (%v)", a.ID, len(a.Nodes), err)
	}
	if _, err := s.Predict(ctx, memory.PredictRequest{After: short}); err != nil {
		t.Error(err)
	}
	pinned, none := true, ""
	if c, err := s.Update(ctx, memory.UpdateRequest{ID: short, Pinned: &pinned, SupersededBy: &none}); err != nil || c.ID != first || !c.Pinned {
		t.Errorf("updated %s (%v)", c.ID, err)
	}
	if a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{second.ID[:8]}}); err != nil || len(a.Forgotten) != 1 {
		t.Errorf("forgot %d (%v)", len(a.Forgotten), err)
	}
	if a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{second.ID[:8]}, Undo: true}); err != nil || len(a.Restored) != 1 || len(a.Missing) > 0 {
		t.Errorf("brought %d back (%v)", len(a.Restored), err)
	}
	if a, err := s.Purge(ctx, second.ID[:8]); err != nil || a.ID != second.ID {
		t.Errorf("purged %s (%v)", a.ID, err)
	}
}

// Models put something around an id, as they have read it; it is the same id. What is an
// id as it stands means itself.
func TestIDsWithSomethingAround(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := save(t, s, memory.SaveRequest{Content: "the port is 8080"}).ID
	for _, written := range []string{"context:" + id, "wake://contexts/" + id, "[" + id + "]", "`" + id + "`", strings.ToUpper(id)} {
		if c := load(t, s, written); c.ID != id {
			t.Errorf("%s: loaded %q", written, c.ID)
		}
	}
	own := "mem-" + id
	s.NewID = func() string { return own }
	save(t, s, memory.SaveRequest{Content: "the port moved to 9090"})
	if c := load(t, s, own); c.ID != own {
		t.Errorf("loaded %q, want %q", c.ID, own)
	}
	for _, other := range []string{id + "/5", id + " or " + own} {
		_, err := s.Load(ctx, memory.LoadRequest{IDs: []string{other}})
		refused(t, err, domain.KindNotFound)
	}
}

// What could mean several is refused with these, and what is an id as it stands means
// itself, though others begin with it; fewer characters are only an id.
func TestIDsThatMayBeSeveral(t *testing.T) {
	s, _ := memorytest.Open(t)
	ids := []string{"imported-1", "imported-10", "imported-2", "short"}
	s.NewID = func() string { id := ids[0]; ids = ids[1:]; return id }
	for i := range 4 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("context number %d", i)})
	}
	if c := load(t, s, "imported-1"); c.Content != "context number 0" {
		t.Errorf("an exact id gave %q", c.Content)
	}
	_, err := s.Chain(ctx, memory.ChainRequest{ID: "imported"})
	refused(t, err, domain.KindInvalid)
	if err == nil || !strings.Contains(err.Error(), `"imported-1", "imported-10", "imported-2"`) {
		t.Errorf("the candidates are not named: %v", err)
	}
	_, err = s.Load(ctx, memory.LoadRequest{IDs: []string{"shor"}})
	refused(t, err, domain.KindNotFound)
}

// Sessions are found by the first characters of their ids as contexts are.
func TestSessionsByTheirFirstCharacters(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("where do we keep carts?")).SessionID
	short := memory.SessionRef{SessionID: id[:13]}
	if owner, _, err := s.Session(ctx, short, memory.Caller{}); err != nil || owner.ID != id {
		t.Errorf("session %s (%v)", owner.ID, err)
	}
	made, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: short})
	if err != nil || made.SessionID != id {
		t.Fatalf("checkpoint of %s (%v)", made.SessionID, err)
	}
	if _, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointShow, ID: made.ID, Ref: short}); err != nil {
		t.Error(err)
	}
	if got, err := s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointShow, ID: made.ID[:23]}); err != nil || got.ID != made.ID {
		t.Errorf("checkpoint %s (%v)", got.ID, err)
	}
	left, err := s.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: short, ToMode: "code"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffGet, ID: left.ID[:23]}); err != nil || got.ID != left.ID {
		t.Errorf("hand-off %s (%v)", got.ID, err)
	}
	if _, err := s.PurgeEvent(ctx, id[:13], 1); err != nil {
		t.Error(err)
	}
	if a, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id[:13]}); err != nil || a.SessionID != id {
		t.Errorf("forgot %s (%v)", a.SessionID, err)
	}
}
