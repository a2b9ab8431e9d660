package repotest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

// apart makes a test of session s one in a store with another session, which has
// everything that s may get, under the same numbers, keys and names. The test must not
// see it, and leave it as it was.
func apart(test func(*testing.T, repository.Store)) func(*testing.T, repository.Store) {
	return func(t *testing.T, s repository.Store) {
		putNeighbour(t, s)
		before := neighbour(t, s)
		test(t, s)
		if diff := cmp.Diff(before, neighbour(t, s)); diff != "" {
			t.Errorf("of another session (-before +after):\n%s", diff)
		}
	}
}

const neighbourID = "z"

func putNeighbour(t *testing.T, s repository.Store) {
	var events []domain.Event
	for seq := int64(1); seq <= 3; seq++ {
		e := anEvent(seq, "of the neighbour")
		e.SessionID, e.ID = neighbourID, "z"+e.ID
		events = append(events, e)
	}
	events[0].Key = "u:1"
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return errors.Join(
			tx.OpenSession(ctx, aSession(neighbourID)), tx.AppendEvents(ctx, events),
			tx.PutTurns(ctx, []domain.Turn{{SessionID: neighbourID, Index: 1, FirstSeq: 1, LastSeq: 3, Label: "turn", StartedAt: at(1)}}),
			tx.PutOps(ctx, []domain.Op{
				{SessionID: neighbourID, ID: "o", FirstSeq: 1, Kind: domain.OpTool, Name: "Bash", Error: "error", Label: "label", Command: "command", StartedAt: at(1)},
				{SessionID: neighbourID, ID: "o1", FirstSeq: 2, Kind: domain.OpLLM, StartedAt: at(2)},
			}),
			tx.PutOpLog(ctx, neighbourID, "o1", 2),
			tx.PutLedger(ctx, []domain.LedgerEntry{{SessionID: neighbourID, OpID: "o", Type: domain.OpTool, At: at(1), Error: "error", Command: "command"}}),
			tx.PutCompletedSteps(ctx, neighbourID, []domain.CompletedStep{{ID: "step", Seq: 3}}),
			tx.PutUsageSamples(ctx, []domain.UsageSample{{SessionID: neighbourID, Seq: 6, At: at(6), Epoch: 1, Tokens: 11, Limit: 100}}),
			tx.PutStateSnapshot(ctx, domain.StateSnapshot{SessionID: neighbourID, Seq: 1, Version: 1, State: []byte("z"), Checksum: "z", CreatedAt: at(1)}),
			tx.PutCheckpoint(ctx, domain.Checkpoint{ID: "z1", SessionID: neighbourID, Seq: 1, CreatedAt: at(1)}),
			tx.PutCachedContext(ctx, domain.CachedContext{SessionID: neighbourID, Payload: []byte("z"), SavedAt: at(1)}),
			tx.PutCursor(ctx, domain.IngestCursor{Source: "another file", SessionID: neighbourID, Offset: 5, UpdatedAt: at(1)}),
			second(tx.PutAlert(ctx, domain.Alert{ID: "z1", SessionID: neighbourID, Kind: "snapshot_damaged", At: at(1)})),
			second(tx.PutFiring(ctx, domain.ThresholdFiring{SessionID: neighbourID, Epoch: 2, Threshold: 0.5, At: at(1), Seq: 1})),
		)
	})
}

// second is the error behind an answer that does not matter.
func second(_ bool, err error) error { return err }

// neighbour reads everything that is stored of the other session.
func neighbour(t *testing.T, s repository.Store) []any {
	t.Helper()
	ctx := t.Context()
	return []any{
		must(s.Session(ctx, neighbourID))(t),
		must(s.Events(ctx, domain.EventQuery{SessionID: neighbourID}))(t),
		must(s.EventPlaces(ctx, neighbourID, []domain.Key{"u:1"}))(t),
		must(s.Turns(ctx, neighbourID))(t),
		must(s.Ops(ctx, neighbourID, nil))(t),
		must(s.OpLogs(ctx, neighbourID))(t),
		must(s.Ledger(ctx, neighbourID))(t),
		must(s.CompletedSteps(ctx, neighbourID))(t),
		must(s.UsageSamples(ctx, neighbourID, 10))(t),
		must(s.StateSnapshot(ctx, neighbourID))(t),
		must(s.Checkpoints(ctx, domain.CheckpointQuery{SessionID: neighbourID}))(t),
		must(s.CachedContext(ctx, neighbourID))(t),
		must(s.Cursor(ctx, "another file"))(t),
		must(s.Alerts(ctx, neighbourID))(t),
		must(s.Firings(ctx, neighbourID))(t),
	}
}
