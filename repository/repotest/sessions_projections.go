package repotest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

// Projections are upserted and come back in the order of the log (001-13).
func testSessionProjections(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s)
	turn := domain.Turn{SessionID: "s", Index: 1, FirstSeq: 1, LastSeq: 1, Label: "fix \x00it", StartedAt: at(0), EndedAt: at(1)}
	op := domain.Op{SessionID: "s", ID: "o1", Turn: 1, FirstSeq: 2, LastSeq: 2, Kind: domain.OpLLM, Status: domain.OpStarted, StartedAt: at(0)}
	entry := domain.LedgerEntry{SessionID: "s", OriginID: "s", OpID: "o1", Seq: 3, At: at(3), Type: domain.OpLLM, Status: domain.OpOK, LatencyMS: 12,
		Provider: "p", Model: "m", Usage: domain.TokenUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: domain.Dollars(1.25)}, Error: "e"}
	before := domain.Turn{SessionID: "s", Index: 0, FirstSeq: 1, LastSeq: 1, StartedAt: at(0)}
	late, twin := op, op
	late.ID, late.FirstSeq, twin.ID = "a2", 7, "a1"
	paid := entry
	paid.OpID, paid.Seq = "z2", 2
	samples := []domain.UsageSample{{SessionID: "s", Seq: 6, At: at(6), Epoch: 1, Tokens: 10, Limit: 100}, {SessionID: "s", Seq: 7, At: at(7)}, {SessionID: "s", Seq: 8, At: at(8)}}
	put := func() {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return errors.Join(tx.PutTurns(ctx, []domain.Turn{turn, before}), tx.PutOps(ctx, []domain.Op{late, op, twin}), tx.PutLedger(ctx, []domain.LedgerEntry{entry, paid}),
				tx.PutOpLog(ctx, "s", "o1", 3), tx.PutOpLog(ctx, "s", "o1", 2),
				tx.PutCompletedSteps(ctx, "s", []domain.CompletedStep{{ID: "b", Seq: 5}, {ID: "a", Seq: 4}}), tx.PutUsageSamples(ctx, samples))
		})
	}
	put()
	turn.LastSeq, turn.EndedAt = 9, at(9)
	op.Status, op.LastSeq = domain.OpOK, 3
	entry = domain.LedgerEntry{SessionID: "s", OriginID: "s", OpID: "o1", Seq: 4, At: at(4), Type: domain.OpLLM, Status: domain.OpFailed, LatencyMS: 120,
		Provider: "p2", Model: "m2", Usage: domain.TokenUsage{Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, Cost: domain.Dollars(12.5)},
		MCPServer: "s2", Command: "c2", CharactersIn: 5, CharactersOut: 6, Error: "e2"}
	put()
	turn.Label = "fix \uFFFDit"
	turns, err1 := s.Turns(ctx, "s")
	ops, err2 := s.Ops(ctx, "s", nil)
	ledger, err3 := s.Ledger(ctx, "s")
	steps, err4 := s.CompletedSteps(ctx, "s")
	newest, err5 := s.UsageSamples(ctx, "s", 2)
	logs, err6 := s.OpLogs(ctx, "s")
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	got := []any{turns, ops, ledger, steps, newest, logs}
	want := []any{[]domain.Turn{before, turn}, []domain.Op{twin, op, late}, []domain.LedgerEntry{paid, entry}, []domain.CompletedStep{{ID: "a", Seq: 4}, {ID: "b", Seq: 5}},
		samples[1:], map[string][]int64{"o1": {2, 3}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	some, err := s.Ops(ctx, "s", []string{"a2", "o1", "o2", "a1"})
	if diff := cmp.Diff([]domain.Op{twin, op, late}, some); diff != "" || err != nil {
		t.Errorf("three by id: %v, %s", err, diff)
	}
}

// Cursors, alerts, firings and cached contexts: each once, the last one counts
// (004-09, I13).
func testSessionBookkeeping(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s)
	if c, err := s.Cursor(ctx, "file"); err != nil || c.Offset != 0 {
		t.Errorf("unknown source: %+v, %v", c, err)
	}
	alert := domain.Alert{ID: "a1", SessionID: "s", Kind: "snapshot_damaged", Subject: "100", Detail: "flipped \x00", At: at(0)}
	cursors := []domain.IngestCursor{{Source: "file", SessionID: neighbourID, Offset: 10, Fingerprint: "f", State: []byte("x"), UpdatedAt: at(0)},
		{Source: "file", SessionID: "s", Offset: 11, Fingerprint: "g", State: []byte("y"), UpdatedAt: at(1)}}
	contexts := []domain.CachedContext{{SessionID: "s", AgentID: "a", Seq: 1, Epoch: 1, PromptHash: "h", Payload: []byte("p"), SavedAt: at(0)},
		{SessionID: "s", AgentID: "b", Seq: 2, Epoch: 3, PromptHash: "i", Payload: []byte("q"), SavedAt: at(1)}}
	var firsts []bool
	for i := range 2 {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			alert.ID = fmt.Sprint("a", i)
			fresh, err1 := tx.PutAlert(ctx, alert)
			first, err2 := tx.PutFiring(ctx, domain.ThresholdFiring{SessionID: "s", Epoch: 1, Threshold: 0.85, At: at(i), Seq: 3})
			firsts = append(firsts, fresh, first)
			return errors.Join(err1, err2, tx.PutCursor(ctx, cursors[i]), tx.PutCachedContext(ctx, contexts[i]))
		})
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return errors.Join(
			second(tx.PutFiring(ctx, domain.ThresholdFiring{SessionID: "s", Epoch: 2, Threshold: 0.5, At: at(3), Seq: 5})),
			second(tx.PutFiring(ctx, domain.ThresholdFiring{SessionID: "s", Epoch: 1, Threshold: 0.7, At: at(4), Seq: 4})),
			second(tx.PutAlert(ctx, domain.Alert{ID: "b", SessionID: "s", Kind: "early", At: at(-1)})),
			second(tx.PutAlert(ctx, domain.Alert{ID: "a", SessionID: "s", Kind: "as early", At: at(-1)})))
	})
	if diff := cmp.Diff([]bool{true, true, false, false}, firsts); diff != "" {
		t.Errorf("once each: %s", diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.PutCursor(ctx, domain.IngestCursor{Source: "another", State: []byte("z"), UpdatedAt: at(2)})
	})
	all, err := s.Cursors(ctx)
	if len(all) != 3 || all[0].Source != "another" || string(all[0].State) != "z" || string(all[2].State) != "y" || err != nil { // one is the neighbour's
		t.Errorf("all cursors: %+v, %v", all, err)
	}
	cursor, err := s.Cursor(ctx, "file")
	cached, err2 := s.CachedContext(ctx, "s")
	alerts, err3 := s.Alerts(ctx, "s")
	firings, err4 := s.Firings(ctx, "s")
	if err := errors.Join(err, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cursors[1], cursor) + cmp.Diff(contexts[1], cached); diff != "" {
		t.Errorf("the last cursor and context (-want +got):\n%s", diff)
	}
	told := ""
	for _, a := range alerts {
		told += a.ID + " "
	}
	for _, f := range firings {
		told += fmt.Sprint(f.Epoch, " at ", f.Threshold, " ")
	}
	if want := "a b a0 1 at 0.7 1 at 0.85 2 at 0.5 "; told != want {
		t.Errorf("alerts and firings are %q, want %q", told, want)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.DropProjections(ctx, "s", true) })
	if alerts, err := s.Alerts(ctx, "s"); len(alerts) != 0 || err != nil {
		t.Errorf("%d alerts are left, %v", len(alerts), err)
	}
}

// What holds texts of a session goes, the ledger stays, and so do turns without their
// labels if some of the session is left.
func testSessionDrop(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s, anEvent(1, "one"))
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return errors.Join(tx.PutCachedContext(ctx, domain.CachedContext{SessionID: "s", Payload: []byte("p"), SavedAt: at(0)}),
			tx.PutOps(ctx, []domain.Op{{SessionID: "s", ID: "o", Kind: domain.OpTool, Name: "Bash", Status: domain.OpFailed, Error: "secret", Label: "secret", Command: "secret", StartedAt: at(0)}}),
			tx.PutLedger(ctx, []domain.LedgerEntry{{SessionID: "s", OpID: "o", Type: domain.OpTool, At: at(0), Error: "secret", Command: "secret"}}),
			tx.DropProjections(ctx, "s", true))
	})
	_, err := s.CachedContext(ctx, "s")
	wantKind(t, err, domain.KindNotFound)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		turn := domain.Turn{SessionID: "s", Index: 1, FirstSeq: 1, LastSeq: 1, Label: "secret", StartedAt: at(0)}
		return errors.Join(tx.PutTurns(ctx, []domain.Turn{turn}), tx.DropProjections(ctx, "s", false))
	})
	if turns := must(s.Turns(ctx, "s"))(t); len(turns) != 1 || turns[0].Label != "" {
		t.Errorf("turns %+v", turns)
	}
	ledger, err := s.Ledger(ctx, "s")
	if err != nil || len(ledger) != 1 || ledger[0].Error != "" || ledger[0].Command != "Bash" {
		t.Errorf("ledger %+v, %v", ledger, err)
	}
	ops, err := s.Ops(ctx, "s", nil)
	if err != nil || len(ops) != 1 || ops[0].Error+ops[0].Label+ops[0].Command != "" {
		t.Errorf("ops %+v, %v", ops, err)
	}
}
