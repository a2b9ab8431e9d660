package repotest

import (
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
	put := func() {
		change(t, s, func(tx repository.Tx) error {
			return errors.Join(tx.PutTurns(ctx, []domain.Turn{turn}), tx.PutOps(ctx, []domain.Op{op}), tx.PutLedger(ctx, []domain.LedgerEntry{entry}),
				tx.PutOpLog(ctx, "s", "o1", 2), tx.PutCompletedSteps(ctx, "s", []domain.CompletedStep{{ID: "a", Seq: 4}, {ID: "b", Seq: 5}}),
				tx.PutUsageSamples(ctx, []domain.UsageSample{{SessionID: "s", Seq: 6, At: at(6), Epoch: 1, Tokens: 10, Limit: 100}}))
		})
	}
	put()
	turn.LastSeq, turn.EndedAt = 9, at(9)
	op.Status, op.LastSeq = domain.OpOK, 3
	entry.Usage.Output = 20
	put()
	turn.Label = "fix \uFFFDit"
	turns, err1 := s.Turns(ctx, "s")
	ops, err2 := s.Ops(ctx, "s", nil)
	ledger, err3 := s.Ledger(ctx, "s")
	steps, err4 := s.CompletedSteps(ctx, "s")
	samples, err5 := s.UsageSamples(ctx, "s", 10)
	logs, err6 := s.OpLogs(ctx, "s")
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	got := []any{turns, ops, ledger, steps, len(samples), logs}
	want := []any{[]domain.Turn{turn}, []domain.Op{op}, []domain.LedgerEntry{entry}, []domain.CompletedStep{{ID: "a", Seq: 4}, {ID: "b", Seq: 5}},
		1, map[string][]int64{"o1": {2}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if some, err := s.Ops(ctx, "s", []string{"o1", "o2"}); len(some) != 1 || err != nil {
		t.Errorf("asked for two, got %d, %v", len(some), err)
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
	var firsts []bool
	for i := range 2 {
		change(t, s, func(tx repository.Tx) error {
			alert.ID = fmt.Sprint("a", i)
			fresh, err1 := tx.PutAlert(ctx, alert)
			first, err2 := tx.PutFiring(ctx, domain.ThresholdFiring{SessionID: "s", Epoch: 1, Threshold: 0.85, At: at(i), Seq: 3})
			firsts = append(firsts, fresh, first)
			return errors.Join(err1, err2,
				tx.PutCursor(ctx, domain.IngestCursor{Source: "file", SessionID: "s", Offset: int64(10 + i), Fingerprint: "f", State: []byte("x"), UpdatedAt: at(i)}),
				tx.PutCachedContext(ctx, domain.CachedContext{SessionID: "s", AgentID: "a", Seq: int64(i), Epoch: 1, Payload: []byte("p"), SavedAt: at(i)}))
		})
	}
	if diff := cmp.Diff([]bool{true, true, false, false}, firsts); diff != "" {
		t.Errorf("once each: %s", diff)
	}
	cursor, err := s.Cursor(ctx, "file")
	cached, err2 := s.CachedContext(ctx, "s")
	alerts, err3 := s.Alerts(ctx, "s")
	firings, err4 := s.Firings(ctx, "s")
	if err := errors.Join(err, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	if cursor.Offset != 11 || string(cursor.State) != "x" || cached.Seq != 1 || len(alerts) != 1 || len(firings) != 1 || firings[0].Threshold != 0.85 {
		t.Errorf("got %+v, %+v, %+v, %+v", cursor, cached, alerts, firings)
	}
	change(t, s, func(tx repository.Tx) error { return tx.DropProjections(ctx, "s", true) })
	if alerts, err := s.Alerts(ctx, "s"); len(alerts) != 0 || err != nil {
		t.Errorf("%d alerts are left, %v", len(alerts), err)
	}
}

// What holds texts of a session goes, the ledger stays.
func testSessionDrop(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s, anEvent(1, "one"))
	change(t, s, func(tx repository.Tx) error {
		return errors.Join(tx.PutCachedContext(ctx, domain.CachedContext{SessionID: "s", Payload: []byte("p"), SavedAt: at(0)}),
			tx.PutOps(ctx, []domain.Op{{SessionID: "s", ID: "o", Kind: domain.OpTool, Name: "Bash", Status: domain.OpFailed, Error: "secret", Label: "secret", Command: "secret", StartedAt: at(0)}}),
			tx.PutLedger(ctx, []domain.LedgerEntry{{SessionID: "s", OpID: "o", Type: domain.OpTool, At: at(0), Error: "secret", Command: "secret"}}),
			tx.DropProjections(ctx, "s", true))
	})
	_, err := s.CachedContext(ctx, "s")
	wantKind(t, err, domain.KindNotFound)
	ledger, err := s.Ledger(ctx, "s")
	if err != nil || len(ledger) != 1 || ledger[0].Error != "" || ledger[0].Command != "Bash" {
		t.Errorf("ledger %+v, %v", ledger, err)
	}
	ops, err := s.Ops(ctx, "s", nil)
	if err != nil || len(ops) != 1 || ops[0].Error+ops[0].Label+ops[0].Command != "" {
		t.Errorf("ops %+v, %v", ops, err)
	}
}
