package repotest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testPrediction(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Model":      testPredictionModel,
		"LastAccess": testLastAccess,
	})
}

// putPrediction stores what was learnt of a project, and of some of its contexts.
func putPrediction(t testing.TB, s repository.Store, project string, was, watermark int64, state string, ns ...int64) error {
	t.Helper()
	items := make([]domain.LearntItem, len(ns))
	for i, n := range ns {
		items[i] = domain.LearntItem{ContextN: n, State: []byte(state)}
	}
	return try(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.PutPrediction(ctx, domain.LearntModel{Project: project, Watermark: watermark, State: []byte(state)}, was, items, at(int(watermark)))
	})
}

// A model is replaced by whoever has read it as it is; another one who learnt the same
// meanwhile is refused. Each project has its own.
func testPredictionModel(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	learnt := func(project string, watermark int64, state string) {
		t.Helper()
		want := domain.LearntModel{Project: project, Watermark: watermark}
		if state != "" {
			want.State = []byte(state)
		}
		if diff := cmp.Diff(want, must(s.PredictionModel(t.Context(), project))(t)); diff != "" {
			t.Errorf("model of %s: %s", project, diff)
		}
	}
	items := func(want map[int64]string) {
		t.Helper()
		got := map[int64]string{}
		for _, i := range must(s.PredictionItems(t.Context(), []int64{1, 2, 3, 99}))(t) {
			got[i.ContextN] = string(i.State)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("items: %s", diff)
		}
	}
	put := func(project string, was, watermark int64, state string, ns ...int64) {
		t.Helper()
		if err := putPrediction(t, s, project, was, watermark, state, ns...); err != nil {
			t.Fatal(err)
		}
	}
	learnt("wake", 0, "")
	put("wake", 0, 5, "a", 1, 2, 99)
	put("other", 0, 7, "b", 3)
	wantKind(t, putPrediction(t, s, "wake", 0, 6, "late", 1), domain.KindConflict)
	learnt("wake", 5, "a")
	put("wake", 5, 8, "c", 2)
	learnt("wake", 8, "c")
	learnt("other", 7, "b")
	items(map[int64]string{1: "a", 2: "c", 3: "b"})
	if got := must(s.LearntProjects(t.Context()))(t); !cmp.Equal(got, []string{"other", "wake"}) {
		t.Errorf("learnt of %q", got)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.ClearPrediction(ctx, "wake") })
	learnt("wake", 0, "")
	learnt("other", 7, "b")
	items(map[int64]string{3: "b"})
}

func testLastAccess(t *testing.T, s repository.Store) {
	other := sample(2)
	other.Project = "other"
	save(t, s, sample(1), other)
	access(t, s, used(1, 30), used(1, 20), used(2, 10))
	for project, want := range map[string]int64{"wake": 2, "other": 3, "none": 0, "": 3} {
		if got := must(s.LastAccess(t.Context(), project))(t); got != want {
			t.Errorf("the last access in %s is %d, want %d", project, got, want)
		}
	}
}
