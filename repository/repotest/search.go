package repotest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testSearch(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Ranking":    testRanking,
		"Scope":      testScope,
		"OddTerms":   testOddTerms,
		"Nothing":    testSearchNothing,
		"AsOf":       testSearchAsOf,
		"Forgotten":  testSearchForgotten,
		"LongDoc":    testLongDocument,
		"Embeddings": testEmbeddings,
	})
}

// search returns the ids of what q finds, best first.
func search(t testing.TB, s repository.Reader, q domain.TermQuery) []string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	matches := must(s.Search(t.Context(), q))(t)
	ns := make([]int64, len(matches))
	for i, m := range matches {
		ns[i] = m.N
		if i > 0 && m.Score > matches[i-1].Score {
			t.Errorf("match %d scores higher than the one before", i)
		}
	}
	return ids(must(s.ContextsByN(t.Context(), ns, false))(t))
}

// saveText stores sample contexts with the given contents, from 1.
func saveText(t testing.TB, s repository.Store, contents ...string) {
	t.Helper()
	var all []*domain.ContextSnapshot
	for k, text := range contents {
		c := sample(k + 1)
		c.Content = text
		all = append(all, c)
	}
	save(t, s, all...)
}

// Any term may match; rarer and more ones rank higher, and ties go to the newest.
func testRanking(t *testing.T, s repository.Store) {
	saveText(t, s, "blue whale", "blue sky", "blue sky over the whale", "green field", "blue sky")
	got := search(t, s, domain.TermQuery{Terms: []string{"whale", "blue"}})
	if diff := cmp.Diff(idList(1, 3, 5, 2), got); diff != "" {
		t.Error(diff)
	}
	if got := search(t, s, domain.TermQuery{Terms: []string{"blue"}, Limit: 2}); len(got) != 2 {
		t.Errorf("limit 2 gave %d", len(got))
	}
}

// The project and the filters narrow a search before its limit does.
func testScope(t *testing.T, s repository.Store) {
	var all []*domain.ContextSnapshot
	for k := 1; k <= 40; k++ {
		c := sample(k)
		c.Content = "needle " + fmt.Sprint(k)
		c.Project = []string{"wake", "Wake", "other project", "wake~2"}[k%4]
		c.Tags = []string{fmt.Sprint("t", k%5)}
		if k%2 == 0 {
			c.Causality = &domain.Causality{ActionType: domain.Decision}
		}
		all = append(all, c)
	}
	save(t, s, all...)
	all4 := func(q domain.TermQuery) int {
		q.Terms = []string{"needle"}
		return len(search(t, s, q))
	}
	for _, project := range []string{"wake", "Wake", "other project", "wake~2"} {
		if got := all4(domain.TermQuery{Project: project, Limit: 100}); got != 10 {
			t.Errorf("project %q: %d, want 10", project, got)
		}
	}
	if got := all4(domain.TermQuery{Project: "project"}); got != 0 {
		t.Errorf("part of a project's name found %d", got)
	}
	if got := search(t, s, domain.TermQuery{Terms: []string{"project", "wake"}}); len(got) != 0 {
		t.Errorf("the project's name as a term found %v", got)
	}
	for name, f := range map[string]domain.Filters{
		"tags":   {Tags: []string{"t1"}},
		"action": {ActionTypes: []domain.ActionType{domain.Decision}},
		"since":  {Since: at(21)}, "until": {Until: at(21)},
		"touched": {Touched: []domain.Span{{From: at(21)}}},
	} {
		want := 20
		if name == "tags" {
			want = 8
		}
		if got := all4(domain.TermQuery{Filters: f}); got != want {
			t.Errorf("filter %s: %d, want %d", name, got, want)
		}
	}
	if got := all4(domain.TermQuery{Filters: domain.Filters{Tags: []string{"t1"}}, Project: "wake", Limit: 1}); got != 1 {
		t.Errorf("filter, project and limit 1 gave %d", got)
	}
}

// oddTerms hold every operator and quote of full-text languages, and worse.
var oddTerms = []string{
	`"`, `""`, `'`, `*`, `a*`, `^a`, `a:b`, `terms:a`, `(`, `)`, `(a OR b)`, `AND`, `OR`, `NOT`, `NEAR`, `near(a b)`, `+`, `-`, `-a`, `{a b}`,
	`\`, `%`, `_`, `_61`, `a_b`, `$1`, `;`, `--`, `/* */`, "a b", " ", "\t\n", "3.14", ".", "..", "日本", "é", "É", "İ", "\u0301", "\u200b",
	"🙂", "null", "rowid", "&|!<->:*", strings.Repeat("x", 5000), "ｆｕｌｌ",
}

// Terms are data: each finds the context that has it, and no other.
func testOddTerms(t *testing.T, s repository.Store) {
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		for k, term := range oddTerms {
			if err := tx.InsertContext(ctx, sample(k+1), domain.Document{Terms: []string{term, "common"}}); err != nil {
				return err
			}
		}
		return nil
	})
	for k, term := range oddTerms {
		if got := search(t, s, domain.TermQuery{Terms: []string{term}}); !cmp.Equal(got, idList(k+1)) {
			t.Errorf("%.20q found %v, want %v", term, got, idList(k+1))
		}
		c := sample(1)
		c.Project = term
		search(t, s, domain.TermQuery{Terms: oddTerms, Project: term})
	}
	if got := search(t, s, domain.TermQuery{Terms: oddTerms, Limit: 1000}); len(got) != len(oddTerms) {
		t.Errorf("all terms found %d", len(got))
	}
}

func testSearchNothing(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	for _, q := range []domain.TermQuery{{}, {Terms: []string{""}}, {Terms: []string{"content"}, Limit: -1}, {Terms: []string{"absent"}}, {Terms: []string{"content"}, Project: "x"}} {
		if q.Limit == 0 {
			q.Limit = 10
		}
		if got := must(s.Search(t.Context(), q))(t); len(got) != 0 {
			t.Errorf("%+v found %v", q, got)
		}
	}
}

func testSearchAsOf(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	if got := search(t, s, domain.TermQuery{Terms: []string{"content"}, Filters: domain.Filters{AsOf: at(2)}}); len(got) != 2 {
		t.Errorf("as of minute 2: %v", got)
	}
}

// Forgotten contexts are not found, restored ones are again.
func testSearchForgotten(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	found := func() []string { return search(t, s, domain.TermQuery{Terms: []string{"content"}}) }
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.ForgetContexts(ctx, idList(2), at(5)) })
	if diff := cmp.Diff(idList(3, 1), found()); diff != "" {
		t.Error(diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.RestoreContext(ctx, id(2), document)
		return err
	})
	if diff := cmp.Diff(idList(3, 2, 1), found()); diff != "" {
		t.Error(diff)
	}
}

// A megabyte of different words is indexed whole.
func testLongDocument(t *testing.T, s repository.Store) {
	var b strings.Builder
	for k := 0; b.Len() < domain.MaxContent-20; k++ {
		fmt.Fprintf(&b, "word%d ", k)
	}
	b.WriteString("last")
	saveText(t, s, b.String())
	for _, term := range []string{"word0", "word50000", "last"} {
		if got := search(t, s, domain.TermQuery{Terms: []string{term}}); len(got) != 1 {
			t.Errorf("%s found %v", term, got)
		}
	}
}

func testEmbeddings(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.PutEmbeddings(ctx, []domain.Embedding{
			{ContextID: id(1), Model: "m", Vector: []float32{9}}, {ContextID: id(1), Model: "m", Vector: []float32{1, -2.5}},
			{ContextID: id(2), Model: "other", Vector: []float32{1}}, {ContextID: id(99), Model: "m", Vector: []float32{1}},
		})
	})
	want := []domain.Embedding{{ContextID: id(1), Model: "m", Vector: []float32{1, -2.5}}}
	if diff := cmp.Diff(want, must(s.Embeddings(t.Context(), "wake", "m"))(t)); diff != "" {
		t.Error(diff)
	}
	if got := must(s.Embeddings(t.Context(), "other", "m"))(t); len(got) != 0 {
		t.Errorf("another project has %v", got)
	}
}
