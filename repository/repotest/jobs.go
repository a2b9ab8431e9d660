package repotest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testJobs(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Queue":      testQueue,
		"Missing":    testQueueMissing,
		"Unembedded": testQueueUnembedded,
		"Lease":      testLease,
		"Stats":      testStats,
		"Chains":     testChainStats,
		"Counts":     testCounts,
	})
}

// Jobs come up when their time has come, the newest contexts' first, until they are
// finished.
func testQueue(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	queue := func(jobs ...domain.SummaryJob) {
		do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.QueueSummaries(ctx, jobs) })
	}
	queue(domain.SummaryJob{ContextID: id(1), NotBefore: at(5)}, domain.SummaryJob{ContextID: id(2), NotBefore: at(3)},
		domain.SummaryJob{ContextID: id(3), NotBefore: at(9)}, domain.SummaryJob{ContextID: id(99), NotBefore: at(1)})
	failed := domain.SummaryJob{ContextID: id(1), NotBefore: at(6), Attempts: 1, LastError: "no model"}
	queue(failed)
	want := []domain.SummaryJob{{ContextID: id(2), NotBefore: at(3)}, failed}
	if diff := cmp.Diff(want, must(s.DueSummaries(t.Context(), "", at(8), 10))(t)); diff != "" {
		t.Error(diff)
	}
	third := domain.SummaryJob{ContextID: id(3), NotBefore: at(9)}
	if diff := cmp.Diff([]domain.SummaryJob{third, want[0]}, must(s.DueSummaries(t.Context(), "", at(9), 2))(t)); diff != "" {
		t.Error(diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.FinishSummary(ctx, id(2)) })
	if diff := cmp.Diff(want[1:], must(s.DueSummaries(t.Context(), "", at(8), 10))(t)); diff != "" {
		t.Error(diff)
	}
}

// Contexts whose summary no caller and no model wrote are queued, once.
func testQueueMissing(t *testing.T, s repository.Store) {
	byCaller, byModel, other := sample(2), sample(3), sample(4)
	byCaller.SummaryBy, byModel.SummaryBy, other.Project = domain.ByCaller, "llama3.1", "other"
	save(t, s, sample(1), byCaller, byModel, other)
	queue := func(project string) (waiting int) {
		do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.QueueMissing(ctx, project, "", at(9)) })
		return must(s.WaitingSummaries(t.Context(), ""))(t)
	}
	if a, b, c := queue("wake"), queue("wake"), queue(""); a != 1 || b != 1 || c != 2 {
		t.Errorf("%d, %d, %d wait; want 1, 1, 2", a, b, c)
	}
	if n := must(s.WaitingSummaries(t.Context(), "other"))(t); n != 1 {
		t.Errorf("%d of another project wait, want 1", n)
	}
	due := func() []domain.SummaryJob { return must(s.DueSummaries(t.Context(), "", at(9), 10))(t) }
	if theirs := must(s.DueSummaries(t.Context(), "other", at(9), 10))(t); len(theirs) != 1 || theirs[0].ContextID != id(4) {
		t.Errorf("of another project are due: %+v", theirs)
	}
	put := domain.SummaryJob{ContextID: id(2), NotBefore: at(19), Attempts: 1, LastError: "no model"} // its embedding is missing
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.QueueSummaries(ctx, []domain.SummaryJob{put})
	})
	if queue("other"); len(due()) != 2 {
		t.Errorf("what another project put off is due: %+v", due())
	}
	queue("wake")
	if put.NotBefore = at(9); len(due()) != 3 || due()[1] != put {
		t.Errorf("what was put off is not due, or not as it was: %+v", due())
	}
}

// Contexts without an embedding by the model that is in use are queued too, whoever wrote
// their summaries.
func testQueueUnembedded(t *testing.T, s repository.Store) {
	byCaller, byModel := sample(1), sample(2)
	byCaller.SummaryBy, byModel.SummaryBy = domain.ByCaller, "llama3.1"
	save(t, s, byCaller, byModel)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.PutEmbeddings(ctx, []domain.Embedding{{ContextID: id(1), Model: "new", Vector: []float32{1}}, {ContextID: id(2), Model: "old", Vector: []float32{1}}})
	})
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.QueueMissing(ctx, "wake", "new", at(9)) })
	want := []domain.SummaryJob{{ContextID: id(2), NotBefore: at(9)}}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.QueueSummaries(ctx, []domain.SummaryJob{{ContextID: id(1), NotBefore: at(9)}})
	})
	if diff := cmp.Diff(want, must(s.Unembedded(t.Context(), "wake", "new", 10))(t)); diff != "" {
		t.Error(diff)
	}
	if n := len(must(s.Unembedded(t.Context(), "other", "new", 10))(t)); n != 0 {
		t.Errorf("%d of another project have no embedding, want 0", n)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.FinishSummary(ctx, id(1)) })
	if diff := cmp.Diff(want, must(s.DueSummaries(t.Context(), "", at(9), 10))(t)); diff != "" {
		t.Error(diff)
	}
}

// A lease goes to one holder until it expires; the fence rises with every new one.
func testLease(t *testing.T, s repository.Store) {
	take := func(holder string, minute int) (l domain.Lease, err error) {
		err = try(t, s, func(ctx context.Context, tx repository.Tx) error {
			l, err = tx.TakeLease(ctx, "jobs", holder, at(minute), 2*time.Minute)
			return err
		})
		return l, err
	}
	for _, step := range []struct {
		holder string
		minute int
		fence  int64 // 0: refused
	}{{"a", 0, 1}, {"b", 1, 0}, {"a", 1, 1}, {"b", 2, 0}, {"b", 3, 2}, {"a", 4, 0}, {"b", 9, 2}, {"a", 20, 3}, {"a", 5000, 3}, {"b", 21, 4}} { // the last but one by a clock that is wrong
		got, err := take(step.holder, step.minute)
		if step.fence == 0 {
			wantKind(t, err, domain.KindConflict)
			continue
		}
		want := domain.Lease{Name: "jobs", Holder: step.holder, Fence: step.fence, Expires: at(step.minute + 2)}
		if err != nil || got != want {
			t.Errorf("%s at minute %d: %+v, %v; want %+v", step.holder, step.minute, got, err, want)
		}
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { // b still holds the other
		_, err := tx.TakeLease(ctx, "distil", "a", at(22), time.Minute)
		return err
	})
}

// Counts are what the statistics say.
func testCounts(t *testing.T, s repository.Store) {
	varied(t, s)
	forget(t, s, 50, 1, 2, 3, 30)
	for _, project := range []string{"", "wake", "other", "none"} {
		stats := must(s.Stats(t.Context(), project, at(60), nil))(t)
		want := domain.Counts{Contexts: stats.Contexts, Forgotten: stats.Forgotten, WithCause: stats.Causality.WithCause, Newest: stats.Newest}
		if got := must(s.Counts(t.Context(), project))(t); got != want {
			t.Errorf("project %q: %+v, want %+v", project, got, want)
		}
	}
}

// Chains are counted over causes without causality of their own and those of other
// projects; a cycle has no length, and a cause that is lost none either. Links that were
// removed do not count.
func testChainStats(t *testing.T, s repository.Store) {
	bare, outside, model := sample(1), sample(4), sample(9)
	outside.Project, model.SummaryBy = "other", "llama3.1"
	save(t, s, bare, sample(2), sample(3), outside, sample(5), sample(6), sample(7), sample(8), model)
	removed := link(id(9), id(1), domain.Dependency, 10)
	addLinks(t, s, link(id(2), id(1), domain.Cause, 10), link(id(3), id(2), domain.Cause, 10), link(id(5), id(4), domain.Cause, 10),
		link(id(6), id(7), domain.Cause, 10), link(id(7), id(6), domain.Cause, 10), link(id(8), id(99), domain.Cause, 10),
		link(id(3), id(9), domain.Dependency, 10), removed)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.RemoveLinks(ctx, []domain.Link{removed}, at(11)); err != nil {
			return err
		}
		if err := tx.PutEmbeddings(ctx, []domain.Embedding{{ContextID: id(1), Model: "m", Vector: []float32{1, 2}}, {ContextID: id(4), Model: "m", Vector: []float32{1}}}); err != nil {
			return err
		}
		return tx.QueueSummaries(ctx, []domain.SummaryJob{{ContextID: id(1), NotBefore: at(99)}})
	})
	got := must(s.Stats(t.Context(), "wake", at(60), nil))(t)
	want := domain.CausalityStats{
		ByAction: map[domain.ActionType]int64{domain.Conversation: 7}, WithCause: 7, Roots: 1,
		Links:       map[domain.LinkKind]int64{domain.Cause: 6, domain.Dependency: 1},
		LostParents: 1, LongestDepth: 3,
		AverageDepth: (1 + 1 + 1 + 2 + 3 + 2 + 1) / 7., // contexts 9, 1, 4; 2, 3, 5 and 8
	}
	if diff := cmp.Diff(want, got.Causality); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{domain.ByExtract: 7, "llama3.1": 1}, got.Summaries); diff != "" {
		t.Error(diff)
	}
	if got.Queued != 1 || got.Bytes["embeddings"] != 8 {
		t.Errorf("%d wait, %d bytes of vectors", got.Queued, got.Bytes["embeddings"])
	}
	forget(t, s, 50, 9)
	if got := must(s.Stats(t.Context(), "wake", at(60), nil))(t).Causality.LostParents; got != 2 {
		t.Errorf("%d lost, want 2: a dependency was forgotten", got)
	}
}

// Statistics are those of the whole project, and of the whole store.
func testStats(t *testing.T, s repository.Store) {
	varied(t, s)
	addLinks(t, s, link(id(3), id(2), domain.Cause, 40), link(id(2), id(1), domain.Cause, 40), link(id(4), id(1), domain.Dependency, 40),
		link(id(6), id(99), domain.Cause, 40), link(id(5), id(4), domain.Supersedes, 40),
		domain.Link{From: id(8), To: id(7), Kind: domain.Dependency, Origin: domain.Auto, Confidence: 0.5, AddedAt: at(40)})
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.UpdateContext(ctx, id(9), at(41), func(c *domain.ContextSnapshot) error {
			c.Propagation = &domain.Propagation{PredictionScore: 1, LastPredicted: at(41), PropagationReason: []string{"recently_accessed", "decision_node"}}
			return nil
		})
		return err
	})
	access(t, s, used(1, 50), used(1, 51))
	got := must(s.Stats(t.Context(), "wake", at(60), map[domain.Tier]domain.Span{domain.TierActive: {From: at(50)}, domain.TierExpired: {To: at(50)}}))(t)
	want := domain.Stats{
		Project: "wake", Contexts: 27, Superseded: 1, Oldest: at(0), Newest: at(9),
		Tiers: map[domain.Tier]int64{domain.TierActive: 13, domain.TierExpired: 14}, Idle: 14,
		Accesses: map[domain.How]int64{domain.Used: 2},
		Causality: domain.CausalityStats{
			ByAction:  map[domain.ActionType]int64{domain.Decision: 9, domain.Research: 9, domain.Conversation: 2},
			WithCause: 20, Roots: 17, Links: map[domain.LinkKind]int64{domain.Cause: 3, domain.Dependency: 2, domain.Supersedes: 1},
			AutoLinks: 1, LostParents: 1, AverageDepth: got.Causality.AverageDepth, LongestDepth: 3,
		},
		Prediction: domain.PredictionStats{
			Predicted: 9, AverageScore: got.Prediction.AverageScore, LastRefresh: at(41),
			Reasons: map[string]int64{"recently_accessed": 1, "decision_node": 1},
		},
		Summaries: map[string]int64{domain.ByExtract: 27}, Bytes: got.Bytes,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d := got.Causality.AverageDepth; d <= 1 || d >= 1.3 {
		t.Errorf("average chain %v", d)
	}
	if got.Bytes["content"] < 27*16 || got.Bytes["file"] == 0 {
		t.Errorf("bytes %v", got.Bytes)
	}
	if all := must(s.Stats(t.Context(), "", at(60), nil))(t); all.Contexts != 30 || all.Pinned != 3 {
		t.Errorf("the whole store: %d contexts, %d pinned", all.Contexts, all.Pinned)
	}
	if none := must(s.Stats(t.Context(), "none", at(60), nil))(t); none.Contexts != 0 || !none.Oldest.IsZero() {
		t.Errorf("no project: %+v", none)
	}
}
