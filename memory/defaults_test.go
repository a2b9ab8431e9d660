package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
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
	for i := range 200 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("effect %d", i), CausedBy: root})
	}
	if a, err := s.Chain(ctx, memory.ChainRequest{ID: root, Direction: domain.Effects}); err != nil || len(a.Nodes) != 200 || !a.Truncated {
		t.Errorf("%d contexts in a chain, want 200 with the asked one, and that there are more (%v)", len(a.Nodes), err)
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

// What is at a limit is taken; what is beyond is refused, and the error names the limit.
func TestLimits(t *testing.T) {
	s, _ := memorytest.Open(t)
	saving := func(req memory.SaveRequest) error { _, err := s.Save(ctx, req); return err }
	recording := func(n int) error {
		_, err := tryRecord(s, claude, slices.Repeat([]string{`{"type":"usage","tokens":1}`}, n)...)
		return err
	}
	text := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		limit      string
		at, beyond error
	}{
		{"1048576", saving(memory.SaveRequest{Content: text(1 << 20)}), saving(memory.SaveRequest{Content: text(1<<20 + 1)})},
		{"200", saving(memory.SaveRequest{Content: "p", Project: text(200)}), saving(memory.SaveRequest{Content: "p", Project: text(201)})},
		{"200", saving(memory.SaveRequest{Content: "t", Tags: []string{text(200)}}), saving(memory.SaveRequest{Content: "t", Tags: []string{text(201)}})},
		{"1000", recording(1000), recording(1001)},
	} {
		if tt.at != nil {
			t.Errorf("at the limit %s: %v", tt.limit, tt.at)
		}
		if refused(t, tt.beyond, domain.KindInvalid); !strings.Contains(fmt.Sprint(tt.beyond), "limit is "+tt.limit) {
			t.Errorf("beyond the limit %s: %v", tt.limit, tt.beyond)
		}
	}
	for n, noted := range map[int]bool{8192: false, 8193: true} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: text(n)})
		if err != nil || strings.Contains(fmt.Sprint(a.Notes), "first 8192 were searched") != noted {
			t.Errorf("a question of %d bytes: %q, %v", n, a.Notes, err)
		}
	}
}

// A checkpoint's manifest stays within 10 KB, whatever the goals are.
func TestManifestStaysSmall(t *testing.T) {
	s, _ := memorytest.Open(t)
	var goals []string
	for i := range 100 {
		goals = append(goals, fmt.Sprintf(`{"type":"goal","id":"%d-%s","text":%q}`, i, strings.Repeat("i", 100), strings.Repeat("what is to be done ", 20)))
	}
	ref := byID(record(t, s, claude, goals...).SessionID)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	data, err := json.Marshal(point.Checkpoint)
	if err != nil || len(data) > 10<<10 || len(point.Checkpoint.Manifest.Goals) == 0 {
		t.Errorf("%d bytes with %d goals (%v)", len(data), len(point.Checkpoint.Manifest.Goals), err)
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
	var said []string
	for i := range 120 {
		said = append(said, assistant(fmt.Sprintf("%d %s", i, strings.Repeat("word ", 300))))
	}
	for i := range 200 {
		said = append(said, assistant(fmt.Sprintf("%d is short", i)))
	}
	record(t, s, ref, said...)
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
