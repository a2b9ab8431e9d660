package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// The numbers that callers rely on without giving them: lengths of lists and chains, and
// how far ahead a time may be (002-08 for the hundred that one call forgets).
func TestDefaults(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 21 {
		record(t, s, memory.SessionRef{Client: "x", ClientSessionID: fmt.Sprint(i)}, user("hello"))
	}
	if a, err := s.Sessions(ctx, memory.SessionsRequest{}); err != nil || len(a.Sessions) != 20 {
		t.Errorf("%d sessions are listed, want 20 (%v)", len(a.Sessions), err)
	}
	last := ""
	for i := range 22 {
		last = save(t, s, memory.SaveRequest{Content: fmt.Sprintf("step %d of the chain", i), CausedBy: last}).ID
	}
	if a, err := s.Chain(ctx, memory.ChainRequest{ID: last}); err != nil || len(a.Nodes) != 21 {
		t.Errorf("%d contexts in a chain, want 20 behind the asked one (%v)", len(a.Nodes), err)
	}
	root := save(t, s, memory.SaveRequest{Content: "why all of it was done"}).ID
	for i := range 201 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("effect %d", i), CausedBy: root})
	}
	if a, err := s.Chain(ctx, memory.ChainRequest{ID: root, Direction: domain.Effects}); err != nil || len(a.Nodes) != 1+200 || !a.Truncated {
		t.Errorf("%d contexts in a chain, want the asked one, 200 effects and that there are more (%v)", len(a.Nodes), err)
	}
	if _, err := s.Save(ctx, memory.SaveRequest{Content: "tomorrow", Timestamp: c.Now().Add(24 * time.Hour)}); err != nil {
		t.Errorf("a day ahead: %v", err)
	}
	_, err := s.Save(ctx, memory.SaveRequest{Content: "the day after", Timestamp: c.Now().Add(24*time.Hour + time.Second)})
	refused(t, err, domain.KindInvalid)
	for i := range 101 {
		save(t, s, memory.SaveRequest{Project: "old", Content: fmt.Sprintf("fact %d", i)})
	}
	c.Pass(40 * 24 * time.Hour)
	if a, err := s.Forget(ctx, memory.ForgetRequest{Project: "old", Expired: true, DryRun: true}); err != nil || len(a.Forgotten) != 100 {
		t.Errorf("%d would be forgotten, want 100 (%v)", len(a.Forgotten), err)
	}
}

// 003-02: a state snapshot is stored with the hundredth event, and not before.
func TestSnapshotWithTheHundredthEvent(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("begin")).SessionID)
	for n := 2; n <= 100; n++ {
		a := record(t, s, ref, `{"type":"usage","tokens":1}`)
		status, err := s.SessionReport(ctx, memory.ReportRequest{Ref: ref})
		if err != nil || (status.Snapshots.Count > 0) != (a.LastSeq >= 100) {
			t.Fatalf("%d snapshots at event %d (%v)", status.Snapshots.Count, a.LastSeq, err)
		}
	}
}

// An answer without a budget is the one with the standard budget: 2,000 tokens of a resume,
// 25,000 of a restore.
func TestDefaultBudgets(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := byID(record(t, s, claude, user("go")).SessionID)
	for i := range 120 {
		record(t, s, ref, assistant(fmt.Sprintf("%d %s", i, strings.Repeat("word ", 300))))
	}
	for i := range 200 {
		record(t, s, ref, assistant(fmt.Sprintf("%d is short", i)))
	}
	resumed := func(budget int) int {
		return len(resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: budget}).Messages)
	}
	if n := resumed(0); n != resumed(2000) || n == resumed(1800) || n == resumed(2200) {
		t.Errorf("a resume gives %d messages, with 2,000 tokens %d", n, resumed(2000))
	}
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	restored := func(budget int) int {
		return len(checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID, TokenBudget: budget}).Restored.Messages)
	}
	if n := restored(0); n != restored(25_000) || n == restored(22_000) || n == restored(28_000) {
		t.Errorf("a restore gives %d messages, with 25,000 tokens %d", n, restored(25_000))
	}
}
