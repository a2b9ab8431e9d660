package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/session"
)

// I3, 003-05, 003-18: a snapshot at any place and the tail behind it fold to what
// the whole log folds to, to the byte, also when the tail is empty; the next
// sequence is right in each case (I14).
func TestSnapshotAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := someHistory(t, 60)
		whole := h.now()
		cut := rapid.IntRange(0, len(h.events)).Draw(t, "cut")
		snap, err := session.Snapshot("s", &h.states[cut])
		if err != nil {
			t.Fatal(err)
		}
		state, err := session.Open(snap)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range h.events[cut:] {
			if err := session.Fold(&state, lightened(e)); err != nil {
				t.Fatal(err)
			}
		}
		a, _ := session.Snapshot("s", whole)
		b, err := session.Snapshot("s", &state)
		if state.Hash() != whole.Hash() {
			t.Fatalf("cut at %d: another state hash", cut)
		}
		if err != nil || string(a.State) != string(b.State) || state.LastSeq != int64(len(h.events)) {
			t.Fatalf("cut at %d: %s", cut, cmp.Diff(string(a.State), string(b.State)))
		}
	})
}

// I2: after any later activity, what a restore sets back hashes like the fold of
// the events up to the checkpoint.
func TestRestoreIsTheFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := someHistory(t, 40)
		c := h.checkpoint()
		for range rapid.IntRange(0, 20).Draw(t, "later") {
			h.add(t, somePayload(t), noon)
		}
		h.restore(t, c)
		if got, want := h.now().Hash(), h.states[c.Seq].Hash(); got != want || want != c.StateHash {
			t.Fatalf("state hash %s, at the checkpoint %s", got, want)
		}
		if e := h.now().Epoch; e != h.states[len(h.states)-2].Epoch+1 {
			t.Errorf("epoch %d: a restore opens the next", e)
		}
	})
}

// The messages in force after restores and compactions are those whose digest the
// state holds: the ranges of the log and the digest agree.
func TestRangesAgreeWithDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := someHistory(t, 60)
		state := h.now()
		inEpoch, human, findings := int64(0), int64(0), int64(0)
		spans := state.EpochSpans()
		for _, e := range h.events {
			for _, span := range spans {
				if e.Seq >= span.From && e.Seq <= span.To && (e.Type == domain.EventMessage || e.Type == domain.EventCompaction && e.Tokens > 0) {
					inEpoch++
				}
			}
			if state.Covers(e.Seq) && e.Human {
				human++
			}
			if state.Covers(e.Seq) && e.Type == domain.EventFinding {
				findings++
			}
		}
		if inEpoch != state.Messages.Count || human != state.Users.Count || findings != state.Findings.Count {
			t.Fatalf("ranges hold %d messages, %d of users, %d findings; the state says %d, %d, %d",
				inEpoch, human, findings, state.Messages.Count, state.Users.Count, state.Findings.Count)
		}
	})
}

// I15: the totals of the state equal the sum of the ledger equal the totals of the
// tree, whatever was repeated; and no event ever takes anything off them.
func TestTotalsAreTheLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := someHistory(t, 60)
		var ledger []domain.LedgerEntry
		var ops []domain.Op
		for _, op := range h.ops {
			ops = append(ops, op)
			if e, ok := session.Entry(op, "s", op.StartedAt); ok {
				ledger = append(ledger, e)
			}
		}
		want := h.now().Totals
		if got := session.Sum(ledger); got != want {
			t.Fatalf("ledger %+v, state %+v", got, want)
		}
		want.AgentsRun = 1
		tree := session.Tree(h.owner, nil, ops, ledger, nil)
		if tree.Totals != want || session.TreeTotals(tree) != want {
			t.Fatalf("tree %+v, counted %+v, state %+v", tree.Totals, session.TreeTotals(tree), want)
		}
		for _, e := range h.events {
			s := e.Spent
			if min(s.TokensIn, s.TokensOut, s.TokensCacheRead, int64(s.Cost), s.ToolsRun) < 0 {
				t.Fatalf("event %d takes off %+v", e.Seq, s)
			}
		}
	})
}

// I15: a stream that repeats one message with growing usage counts its last usage
// once (real data would double input tokens).
func TestStreamCountsOnce(t *testing.T) {
	h := newHistory()
	for _, out := range []int64{1, 40, 40, 250} {
		h.add(t, domain.OpReport{OpID: "msg_1", Kind: domain.OpLLM, Status: domain.OpOK,
			Usage: &domain.TokenUsage{Input: 900, Output: out}}, noon)
	}
	if got := h.now().Totals; got.TokensIn != 900 || got.TokensOut != 250 {
		t.Errorf("totals %+v", got)
	}
}

// I14: a step completed before a snapshot is not under way after it, whatever is
// repeated; an operation that ended does not open again.
func TestCompletedStaysCompleted(t *testing.T) {
	h := talk(t, domain.Step{ID: "a", Status: domain.StepStarted}, domain.Step{ID: "a", Status: domain.StepCompleted},
		domain.Step{ID: "b", Status: domain.StepStarted},
		domain.OpReport{OpID: "o", Kind: domain.OpTool, Status: domain.OpOK})
	snap, err := session.Snapshot("s", h.now())
	if err != nil {
		t.Fatal(err)
	}
	state, err := session.Open(snap)
	if err != nil || state.Steps.Count != 1 || len(state.UnderWay) != 1 || state.UnderWay[0].ID != "b" || len(state.Open) != 0 {
		t.Errorf("%+v, %v", state, err)
	}
}

// I10, 003-11: a snapshot that was flipped anywhere, cut, moved to another session
// or made by other rules is refused.
func TestDamagedSnapshotIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := someHistory(t, 30)
		snap, err := session.Snapshot("s", h.now())
		if err != nil {
			t.Fatal(err)
		}
		damage := rapid.IntRange(0, 4).Draw(t, "damage")
		switch damage {
		case 0:
			i := rapid.IntRange(0, len(snap.State)-1).Draw(t, "byte")
			snap.State = append([]byte(nil), snap.State...)
			snap.State[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1:
			snap.State = snap.State[:rapid.IntRange(0, len(snap.State)-1).Draw(t, "length")]
		case 2:
			snap.Version++
		case 3:
			snap.SessionID = "other"
		case 4:
			snap.Seq++
		}
		if _, err := session.Open(snap); domain.KindOf(err) != domain.KindInvalid {
			t.Fatalf("damage %d was not seen: %v", damage, err)
		}
	})
}

// I16: the order is that of the log, even where clocks go back.
func TestOrderBySequence(t *testing.T) {
	h := newHistory()
	h.add(t, said("first"), noon)
	h.add(t, said("second, by a clock that went back"), noon.Add(-1e12))
	if got := h.now().LastUser.Seq; got != 2 {
		t.Errorf("the last message of the user is event %d", got)
	}
}

// Events out of sequence are refused and change nothing (003-06).
func TestFoldRefusesGaps(t *testing.T) {
	h := talk(t, said("one"), said("two"), said("three"))
	state := h.states[1].Clone()
	before := state.Hash()
	for _, e := range []domain.Event{h.events[2], h.events[0]} {
		if err := session.Fold(&state, e); domain.KindOf(err) != domain.KindConflict {
			t.Errorf("event %d after 1: %v", e.Seq, err)
		}
	}
	if state.Hash() != before || state.LastSeq != 1 {
		t.Error("a refused event changed the state")
	}
}

// 003-03: a state is state only, and stays small whatever the length of the log and the number of things in it.
func TestStateIsBounded(t *testing.T) {
	h := newHistory()
	for i := range 3000 {
		h.states = h.states[len(h.states)-1:]
		name := fmt.Sprint(i)
		h.add(t, said(strings.Repeat("x", 100)), noon)
		h.add(t, domain.Goal{ID: name, Text: strings.Repeat("long ", 1000), Status: domain.GoalDone}, noon)
		h.add(t, domain.OpReport{OpID: name, Kind: domain.OpTool, Name: "never answers", Status: domain.OpStarted}, noon)
		h.add(t, domain.Step{ID: name, Status: domain.StepCompleted}, noon)
	}
	snap, err := session.Snapshot("s", h.now())
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.State) > 200<<10 {
		t.Errorf("the state takes %d bytes", len(snap.State))
	}
	if c := session.NewCheckpoint("c", "s", domain.TriggerManual, "", h.now(), strings.Repeat("y", 9999), noon); c.Size > domain.MaxManifest {
		t.Errorf("the checkpoint takes %d bytes", c.Size)
	}
}

// A state is the same whether it is folded from whole events or from light ones.
func TestLightEventsFoldAlike(t *testing.T) {
	long := strings.Repeat("word ", 300)
	h := talk(t, said(long), domain.About{Title: long, Status: long, Model: "m1"}, domain.Goal{ID: "g", Text: long, Status: domain.GoalActive},
		domain.Mode{To: "code", Task: long}, domain.Finding{Kind: domain.FindingNote, Text: long}, domain.Reasoning{Content: long},
		domain.Compaction{Summary: long}, domain.End{Error: long})
	whole, light := session.Begin(h.owner), session.Begin(h.owner)
	for _, e := range h.events {
		if err := errors.Join(session.Fold(&whole, e), session.Fold(&light, session.Light(e))); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(whole, light); diff != "" {
		t.Errorf("-whole +light:\n%s", diff)
	}
}

// I19: a change of model or mode does not show in an earlier checkpoint.
func TestManifestIsFixed(t *testing.T) {
	h := talk(t, said("one"), domain.Mode{To: "code"})
	before := h.checkpoint()
	h.add(t, domain.About{Model: "m1", Provider: "p1"}, noon)
	h.add(t, domain.Mode{To: "debug"}, noon)
	after := h.checkpoint()
	if m := before.Manifest; m.Model != "m0" || m.Mode != "code" {
		t.Errorf("the earlier checkpoint says %s, %s", m.Model, m.Mode)
	}
	if m := after.Manifest; m.Model != "m1" || m.Provider != "p1" || m.Mode != "debug" {
		t.Errorf("the later checkpoint says %s, %s", m.Model, m.Mode)
	}
}

// What is left of an erased event folds on: the same state but for its texts.
func TestErasedEventsFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := someHistory(t, 40)
		state := session.Begin(h.owner)
		for _, e := range h.events {
			left, err := session.Bare(e)
			if err != nil {
				t.Fatal(err)
			}
			e.Payload, e.Light, e.Erased = left, nil, true
			if err := session.Fold(&state, e); err != nil {
				t.Fatal(err)
			}
		}
		want := h.now()
		if state.Messages != want.Messages || state.Users != want.Users || state.Steps != want.Steps || state.Totals != want.Totals || state.Epoch != want.Epoch {
			t.Fatalf("got %+v, want %+v", state, want)
		}
	})
}

// Nothing that anybody said is left of an erased event.
func TestBareHoldsNoText(t *testing.T) {
	const text = "TOPSECRET"
	h := talk(t, said(text), domain.Message{Role: domain.RoleAssistant, Content: text, Reasoning: text,
		ToolCalls: []domain.ToolCall{{ID: "t", Name: "grep", Arguments: []byte(`{"q":"TOPSECRET"}`)}}},
		domain.Message{Role: domain.RoleTool, ToolCallID: "t", Content: text, Error: text, Media: []domain.Media{{Type: "image", URL: text}}},
		domain.OpReport{OpID: "o", Kind: domain.OpLLM, Status: domain.OpFailed, Request: []byte(`"TOPSECRET"`), Response: []byte(`"TOPSECRET"`),
			Error: text, Label: text, Reasoning: text, Logs: []domain.LogEntry{{Message: text}}},
		domain.Goal{ID: "g", Text: text, Status: domain.GoalActive}, domain.Reasoning{Content: text}, domain.Mode{To: "m", Task: text},
		domain.Finding{Kind: domain.FindingFix, Text: text}, domain.Signal{Name: "n", Status: domain.SignalWaiting, Payload: []byte(`"TOPSECRET"`)},
		domain.Step{ID: "a", Status: domain.StepCompleted, Output: []byte(`"TOPSECRET"`)}, domain.Compaction{Summary: text},
		domain.End{Error: text}, domain.About{Title: text, Status: text}, domain.Note{Kind: "k", Text: text, Data: []byte(`"TOPSECRET"`)})
	h.restore(t, h.checkpoint())
	for _, e := range h.events {
		left, err := session.Bare(e)
		if err != nil || strings.Contains(string(left), text) {
			t.Errorf("%s: %s, %v", e.Type, left, err)
		}
	}
}

// I15, 001-11: rows of one stream repeat a growing usage, which counts once; tokens count
// only for models, and a tool once it has ended.
func TestChargeCountsOnce(t *testing.T) {
	use := func(n int64) *domain.TokenUsage {
		return &domain.TokenUsage{Input: n, Output: 2 * n, CacheRead: 3 * n, CacheWrite: 4 * n, Cost: domain.USD(5 * n)}
	}
	var total domain.Totals
	known := map[string]*domain.Op{}
	for _, r := range []domain.OpReport{
		{OpID: "m", Kind: domain.OpLLM, Status: domain.OpStarted, Usage: use(10)},
		{OpID: "m", Kind: domain.OpLLM, Status: domain.OpStarted, Usage: use(10)},
		{OpID: "m", Kind: domain.OpLLM, Status: domain.OpOK, Usage: use(12)},
		{OpID: "m", Kind: domain.OpLLM, Status: domain.OpOK, Usage: use(11)},
		{OpID: "t", Kind: domain.OpTool, Status: domain.OpStarted, Usage: &domain.TokenUsage{Input: 1000}},
		{OpID: "t", Kind: domain.OpTool, Status: domain.OpFailed},
		{OpID: "t", Kind: domain.OpTool, Status: domain.OpOK},
		{OpID: "waits", Kind: domain.OpTool, Status: domain.OpStarted},
	} {
		op, spent := session.Charge(known[r.OpID], domain.Event{At: noon}, r)
		known[r.OpID], total = &op, total.Plus(spent)
	}
	want := domain.Totals{TokensIn: 12, TokensOut: 24, TokensCacheRead: 36, TokensCacheWrite: 48, Cost: 60, ToolsRun: 1}
	if diff := cmp.Diff(want, total); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
