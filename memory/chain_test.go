package memory_test

import (
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// The chain tells causes in both directions, and as_of the links of then.
func TestChain(t *testing.T) {
	s, c := memorytest.Open(t)
	research := save(t, s, memory.SaveRequest{Content: "Compared three queues", ActionType: domain.Research})
	decision := save(t, s, memory.SaveRequest{Content: "We take NATS", ActionType: domain.Decision, CausedBy: research.ID, Rationale: "one binary"})
	before := c.Now()
	c.Pass(time.Hour)
	edit := save(t, s, memory.SaveRequest{Content: "Wired the NATS client", ActionType: domain.FileEdit, CausedBy: decision.ID})
	a, err := s.Chain(ctx, memory.ChainRequest{ID: decision.ID, Direction: domain.Both, Format: "mermaid"})
	if err != nil || len(a.Nodes) != 3 || len(a.Edges) != 2 || !strings.Contains(a.Rendered, "flowchart") {
		t.Fatalf("%+v %v", a, err)
	}
	for _, want := range []string{"one binary", research.ID, edit.ID} {
		if !strings.Contains(a.Reasoning, want) {
			t.Errorf("%q is not told in\n%s", want, a.Reasoning)
		}
	}
	then, err := s.Chain(ctx, memory.ChainRequest{ID: decision.ID, Direction: domain.Both, AsOf: before})
	if err != nil || len(then.Nodes) != 2 {
		t.Errorf("as of then: %+v %v", then.Nodes, err)
	}
	_, err = s.Chain(ctx, memory.ChainRequest{ID: "nope"})
	refused(t, err, domain.KindNotFound)
	_, err = s.Chain(ctx, memory.ChainRequest{ID: edit.ID, AsOf: before})
	refused(t, err, domain.KindNotFound)
	if !strings.Contains(err.Error(), "saved later, at "+domain.FormatTime(c.Now())) {
		t.Errorf("what was saved later is called unknown: %v", err)
	}
}

// A chain has at most as many contexts as asked for, its start and both directions
// included: the nearest ones. It says that there are more.
func TestChainHasAtMostTheLimit(t *testing.T) {
	s, _ := memorytest.Open(t)
	root := save(t, s, memory.SaveRequest{Content: "Compared three queues", ActionType: domain.Research}).ID
	cause := save(t, s, memory.SaveRequest{Content: "We take NATS", CausedBy: root}).ID
	start := save(t, s, memory.SaveRequest{Content: "Wired the NATS client", CausedBy: cause}).ID
	for _, content := range []string{"Tested the client", "Wrote about the client", "Measured the client"} {
		save(t, s, memory.SaveRequest{Content: content, CausedBy: start})
	}
	for limit := 1; limit <= 6; limit++ {
		a, err := s.Chain(ctx, memory.ChainRequest{ID: start, Direction: domain.Both, Limit: limit})
		if err != nil || len(a.Nodes) != limit || a.Truncated != (limit < 6) {
			t.Errorf("limit %d: %d contexts, truncated %v, %v", limit, len(a.Nodes), a.Truncated, err)
		}
		met := map[string]bool{}
		for _, n := range a.Nodes {
			met[n.ID] = true
		}
		if !met[start] || limit > 1 && !met[cause] || met[root] != (limit == 6) {
			t.Errorf("limit %d: not the nearest ones: %+v", limit, a.Nodes)
		}
	}
}

// What is named beside a chain of then is marked as superseded only if it was then.
func TestChainOfThenMarksWhatWasSuperseded(t *testing.T) {
	s, c := memorytest.Open(t)
	cause := save(t, s, memory.SaveRequest{Content: "Sessions live in Redis"})
	effect := save(t, s, memory.SaveRequest{Content: "The cache is warmed at night", CausedBy: cause.ID})
	before := c.Now()
	c.Pass(time.Hour)
	save(t, s, memory.SaveRequest{Content: "PostgreSQL keeps the logins", Supersedes: cause.ID})
	for _, at := range []time.Time{before, {}} {
		a, err := s.Chain(ctx, memory.ChainRequest{ID: effect.ID, Direction: domain.Effects, AsOf: at})
		if err != nil || !strings.Contains(a.Reasoning, "["+cause.ID+"]") || strings.Contains(a.Reasoning, "(superseded)") != at.IsZero() {
			t.Errorf("as of %v: %v\n%s", at, err, a.Reasoning)
		}
	}
}

// A chain of effects does not call the cause lost, and every chain names what its start
// replaced, unless that is forgotten.
func TestChainTellsWhatItDoesNotFollow(t *testing.T) {
	s, _ := memorytest.Open(t)
	cause := save(t, s, memory.SaveRequest{Content: "Nobody may run a second daemon"})
	old := save(t, s, memory.SaveRequest{Content: "Sessions live in Redis"})
	now := save(t, s, memory.SaveRequest{Content: "PostgreSQL keeps the logins", CausedBy: cause.ID, Supersedes: old.ID})
	tell := func(id string, direction domain.Direction) string {
		a, err := s.Chain(ctx, memory.ChainRequest{ID: id, Direction: direction})
		if err != nil || len(a.Lost) > 0 {
			t.Fatal(a.Lost, err)
		}
		return a.Reasoning
	}
	for _, direction := range []domain.Direction{domain.Causes, domain.Effects, domain.Both} {
		told := tell(now.ID, direction)
		for _, want := range []string{"a second daemon [" + cause.ID, "It replaced note of", "Redis [" + old.ID} {
			if !strings.Contains(told, want) || strings.Contains(told, "lost") {
				t.Errorf("%s: %q is not told, or the cause is lost, in\n%s", direction, want, told)
			}
		}
	}
	if told := tell(old.ID, domain.Causes); !strings.Contains(told, "the logins ["+now.ID) {
		t.Errorf("what replaced it has no name in\n%s", told)
	}
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{old.ID}}); err != nil {
		t.Fatal(err)
	}
	if told := tell(now.ID, domain.Causes); strings.Contains(told, old.ID) {
		t.Errorf("what is forgotten is told in\n%s", told)
	}
}
