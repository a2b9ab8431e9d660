package repotest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testContexts(t *testing.T, fresh Fresh) {
	t.Run("RoundTrip", func(t *testing.T) { testRoundTrip(t, fresh(t)()) })
	t.Run("Smoke", func(t *testing.T) { testSmoke(t, fresh(t)()) })
}

// full is a context with everything in it (002-07, the seed's full example).
func full() *domain.ContextSnapshot {
	c := sample(9)
	c.Tags = []string{"auth", "日本語", "two words"}
	c.Metadata = map[string]any{"userId": "u1", "nested": map[string]any{"n": 1.5}, "list": []any{"a", nil}}
	c.Causality = &domain.Causality{ActionType: domain.Decision, CausedBy: id(1), Rationale: "because \"it\" is", Dependencies: idList(3, 2)}
	c.Memory = domain.Memory{Tier: domain.TierRecent, LastAccessed: at(20), AccessCount: 5}
	c.Propagation = &domain.Propagation{
		PredictionScore: 0.851, LastPredicted: at(21), PredictedNextAccess: at(22),
		PropagationReason: []string{"recently_accessed", "decision_node"},
	}
	c.SessionID, c.Seq, c.Kind, c.Origin, c.Pinned, c.SummaryBy = "s1", 7, domain.Semantic, domain.FromUser, true, domain.ByCaller
	return c
}

// Everything that is saved comes back as it was (002-01 … 002-04, 002-07).
func testRoundTrip(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	want := full()
	save(t, s, want)
	if want.N != 4 {
		t.Errorf("N = %d, want 4", want.N)
	}
	got := must(s.ContextsByID(t.Context(), []string{want.ID}, true))(t)
	if diff := cmp.Diff([]domain.ContextSnapshot{*want}, got); diff != "" {
		t.Error(diff)
	}
}

func testSmoke(t *testing.T, s repository.Store) {
	ctx := t.Context()
	saveSome(t, s, 5)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.AddLinks(ctx, []domain.Link{{From: id(2), To: id(1), Kind: domain.Cause, Origin: domain.Explicit, Confidence: 1, AddedAt: at(9)}}); err != nil {
			return err
		}
		if err := tx.RecordAccesses(ctx, []domain.Access{{ContextID: id(3), At: at(50), How: domain.Used, Via: "load_context"}}); err != nil {
			return err
		}
		if err := tx.QueueSummaries(ctx, []domain.SummaryJob{{ContextID: id(1), NotBefore: at(1)}}); err != nil {
			return err
		}
		if _, err := tx.TakeLease(ctx, "jobs", "a", at(1), time.Minute); err != nil {
			return err
		}
		if err := tx.ClaimProject(ctx, "wake", "/src/wake", at(1)); err != nil {
			return err
		}
		if _, err := tx.SetTiers(ctx, "", map[domain.Tier]domain.Span{domain.TierArchived: {To: at(4)}}, 100); err != nil {
			return err
		}
		if _, err := tx.QueueMissing(ctx, "wake", at(3)); err != nil {
			return err
		}
		if err := tx.PutEmbeddings(ctx, []domain.Embedding{{ContextID: id(1), Model: "m", Vector: []float32{1, 2}}}); err != nil {
			return err
		}
		return tx.RecordPredictions(ctx, []domain.Outcome{{ContextID: id(1), PredictedAt: at(1), Horizon: time.Hour, Rank: 1, Score: .5, Probability: .5}})
	})
	t.Log(must(s.Walk(ctx, domain.ChainQuery{ID: id(1), Direction: domain.Both, Limit: 10}))(t))
	t.Log(must(s.Search(ctx, domain.TermQuery{Project: "wake", Terms: []string{"number", "3"}, Limit: 10}))(t))
	t.Log(must(s.Search(ctx, domain.TermQuery{Terms: []string{"number", "3"}, Limit: 10, Filters: domain.Filters{Tags: []string{"tag"}, Since: at(2)}}))(t))
	t.Log(must(s.Stats(ctx, "wake", at(70), nil))(t))
	t.Log(must(s.Stats(ctx, "", at(70), nil))(t))
	t.Log(must(s.Projects(ctx))(t))
	t.Log(must(s.DueSummaries(ctx, at(70), 10))(t))
	t.Log(must(s.Embeddings(ctx, "", "m"))(t))
	t.Log(must(s.Outcomes(ctx, at(700), 10))(t))
	t.Log(must(s.Accesses(ctx, idList(1, 2, 3), 10))(t))
	t.Log(must(s.AccessLog(ctx, "wake", 0, 10))(t))
	t.Log(must(s.LastSeen(ctx, idList(1, 2, 3)))(t))
	for _, o := range []domain.Order{domain.Newest, domain.Oldest, domain.Recently, domain.LeastRecent, domain.Likely, domain.MostUsed} {
		t.Log(ids(must(s.Contexts(ctx, domain.ContextQuery{Project: "wake", Order: o, Limit: 3}))(t)))
	}
	t.Log(ids(must(s.Contexts(ctx, domain.ContextQuery{Filters: domain.Filters{AsOf: at(3)}}))(t)))
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(3), at(90)) })
	t.Log(must(s.Info(ctx))(t))
}
