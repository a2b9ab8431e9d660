package repotest

import (
	"context"
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
	if diff := cmp.Diff(want, must(s.Embeddings(t.Context(), "wake", "m"))(t)); diff != "" {
		t.Error(diff)
	}
	if got := must(s.Embeddings(t.Context(), "other", "m"))(t); len(got) != 0 {
		t.Errorf("another project has %v", got)
	}
}
