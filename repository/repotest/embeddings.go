package repotest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testEmbeddings(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	forget(t, s, 5, 3)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.PutEmbeddings(ctx, []domain.Embedding{
			{ContextID: id(1), Model: "m", Vector: []float32{9}}, {ContextID: id(1), Model: "m", Vector: []float32{1, -2.5}},
			{ContextID: id(2), Model: "other", Vector: []float32{1}}, {ContextID: id(99), Model: "m", Vector: []float32{1}},
			{ContextID: id(3), Model: "m", Vector: []float32{1}},
		})
	})
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.RestoreContext(ctx, id(3)) })
	want := []domain.Embedding{{ContextID: id(1), Document: 1, Model: "m", Vector: []float32{1, -2.5}}}
	if diff := cmp.Diff(want, embeddings(t, s, "wake")); diff != "" {
		t.Error(diff)
	}
	if got := embeddings(t, s, "other"); len(got) != 0 {
		t.Errorf("another project has %v", got)
	}
}

// embeddings lists what the model m computed for a project.
func embeddings(t *testing.T, s repository.Store, project string) (out []domain.Embedding) {
	t.Helper()
	if err := s.Embeddings(t.Context(), project, "m", func(e domain.Embedding) {
		e.Vector = slices.Clone(e.Vector)
		out = append(out, e)
	}); err != nil {
		t.Fatal(err)
	}
	return out
}
