package repotest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testDump(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Adopt":          testAdopt,
		"AdoptForgotten": testAdoptForgotten,
		"AdoptTaken":     testAdoptTaken,
		"AdoptSuccessor": testAdoptSuccessor,
		"AdoptUsed":      testAdoptUsed,
		"AdoptMany":      testAdoptMany,
		"AdoptTags":      testAdoptTags,
		"Contexts":       testContextsAfter,
		"Erased":         testErasedContexts,
		"Tombstones":     testTombstones,
		"Outcomes":       testOutcomeLog,
		"Accesses":       testAppendAccesses,
	})
}

func adopt(t testing.TB, s repository.Store, c *domain.ContextSnapshot, past domain.ContextHistory) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return adoptOne(ctx, tx, c, past) })
}

func adoptOne(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot, past domain.ContextHistory) error {
	return tx.AdoptContexts(ctx, []*domain.ContextSnapshot{c}, map[string]domain.ContextHistory{c.ID: past})
}

// dumped is a context as an export finds it.
func dumped(t testing.TB, s repository.Store, id string) (domain.ContextSnapshot, domain.ContextHistory) {
	t.Helper()
	ctx := t.Context()
	past := domain.ContextHistory{
		Links:      must(s.LinkHistory(ctx, []string{id}))(t),
		Tags:       must(s.TagHistory(ctx, []string{id}))(t)[id],
		Embeddings: must(s.VectorsOf(ctx, []string{id}))(t)[id],
	}
	for _, c := range must(s.ContextsAfter(ctx, 0, 100))(t) {
		if c.ID == id {
			return c, past
		}
	}
	t.Fatalf("%s is not there", id)
	return domain.ContextSnapshot{}, past
}

// lived is a context of whose life everything is known.
func lived() (*domain.ContextSnapshot, domain.ContextHistory) {
	c := full()
	c.Tags = []string{"kept", "late"}
	c.Memory.LastAccessed, c.Memory.AccessCount = at(70), 3
	gone := link(c.ID, id(2), domain.Cause, 9)
	gone.RemovedAt = at(20)
	now := link(c.ID, id(1), domain.Cause, 20)
	c.Causality.CausedBy, c.Causality.Dependencies = id(1), []string{}
	return c, domain.ContextHistory{
		Links: []domain.Link{gone, now},
		Tags: []domain.TagSpan{{Tag: "gone", AddedAt: at(9), RemovedAt: at(30)}, {Tag: "kept", AddedAt: at(9)},
			{Tag: "late", AddedAt: at(9), RemovedAt: at(10)}, {Tag: "late", AddedAt: at(40)}},
		Embeddings: []domain.Embedding{{ContextID: c.ID, Model: "m", Vector: []float32{0.5, -1e-30, 3}}, {ContextID: c.ID, Model: "n", Vector: []float32{1}}},
	}
}

// What is adopted is what was dumped: nothing is drawn, counted or dated anew, and
// the past answers as it did.
func testAdopt(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	want, history := lived()
	adopt(t, s, want, history)
	got, past := dumped(t, s, want.ID)
	if diff := cmp.Diff(*want, got); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(history, past); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	for minute, tags := range map[int][]string{9: {"gone", "kept", "late"}, 15: {"gone", "kept"}, 35: {"kept"}, 50: {"kept", "late"}} {
		list := must(s.Contexts(t.Context(), domain.ContextQuery{Filters: domain.Filters{AsOf: at(minute), Tags: []string{"kept"}}}))(t)
		if len(list) != 1 || !cmp.Equal(list[0].Tags, tags) {
			t.Errorf("after %d minutes: %+v, want tags %q", minute, list, tags)
		}
	}
	if found := embeddings(t, s, want.Project); len(found) != 1 || !cmp.Equal(found[0].Vector, history.Embeddings[0].Vector) {
		t.Errorf("vectors: %+v", found)
	}
	if findings := must(s.Check(t.Context(), nil, nil))(t); len(findings) > 1 { // its document is its owner's affair
		t.Errorf("findings: %+v", findings)
	}
}

// A forgotten context comes with all it had, and is in no answer.
func testAdoptForgotten(t *testing.T, s repository.Store) {
	want, history := lived()
	want.DeletedAt, want.SupersededBy, want.SupersededAt = at(80), id(3), at(60)
	adopt(t, s, want, history)
	got, past := dumped(t, s, want.ID)
	if diff := cmp.Diff(*want, got) + cmp.Diff(history, past); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if found := list(t, s, domain.ContextQuery{}); len(found) > 0 {
		t.Errorf("listed: %q", found)
	}
	if found := embeddings(t, s, ""); len(found) > 0 {
		t.Errorf("found by meaning: %+v", found)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.RestoreContext(ctx, want.ID)
	})
}

// A context that is there stays as it is.
func testAdoptTaken(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	before, history := dumped(t, s, id(2))
	other := sample(2)
	other.Content, other.N = "something else", 99
	adopt(t, s, other, domain.ContextHistory{Links: []domain.Link{link(id(2), id(1), domain.Cause, 9)}})
	if other.N != 0 {
		t.Errorf("it got the number %d", other.N)
	}
	after, past := dumped(t, s, id(2))
	if diff := cmp.Diff(before, after) + cmp.Diff(history, past); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

// What replaces a context that is there already does so here, too, unless that was taken back.
func testAdoptSuccessor(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	back := link(id(3), id(2), domain.Supersedes, 9)
	back.RemovedAt = at(10)
	adopt(t, s, sample(3), domain.ContextHistory{Links: []domain.Link{link(id(3), id(1), domain.Supersedes, 9), back}})
	if c := one(t, s, id(1)); c.SupersededBy != id(3) || c.SupersededAt != at(9) {
		t.Errorf("superseded by %q at %v", c.SupersededBy, c.SupersededAt)
	}
	if c := one(t, s, id(2)); c.SupersededBy != "" {
		t.Errorf("superseded by %q, which was taken back", c.SupersededBy)
	}
}

// What is there already becomes as warm as it is elsewhere, never colder, unless it is
// forgotten.
func testAdoptUsed(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	forget(t, s, 10, 2)
	used := func(n, minute int, count int64) *domain.ContextSnapshot {
		c := sample(n)
		c.Memory = domain.Memory{Tier: domain.TierRecent, LastAccessed: at(minute), AccessCount: count}
		return c
	}
	before, _ := dumped(t, s, id(2))
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.AdoptContexts(ctx, []*domain.ContextSnapshot{used(1, 60, 4), used(2, 60, 4), used(1, 60, 4)}, nil)
	})
	if got, want := one(t, s, id(1)).Memory, used(1, 60, 4).Memory; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	adopt(t, s, used(1, 50, 9), domain.ContextHistory{})
	if got, want := one(t, s, id(1)).Memory, used(1, 60, 4).Memory; got != want {
		t.Errorf("after an older one %+v, want %+v", got, want)
	}
	if after, _ := dumped(t, s, id(2)); !cmp.Equal(before, after) {
		t.Errorf("the forgotten one: %s", cmp.Diff(before, after))
	}
	if got, want := one(t, s, id(3)).Memory, sample(3).Memory; got != want {
		t.Errorf("another one: %+v, want %+v", got, want)
	}
}

// Many at once get numbers that follow one another, those that are there already
// and what comes a second time none.
func testAdoptMany(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	forget(t, s, 10, 2)
	list := []*domain.ContextSnapshot{sample(3), sample(2), sample(4), sample(3)}
	for i := 5; i < 98; i++ {
		list = append(list, sample(i))
	}
	past := map[string]domain.ContextHistory{id(4): {Links: []domain.Link{link(id(4), id(1), domain.Cause, 9)}},
		id(5): {Tags: []domain.TagSpan{{Tag: "other", AddedAt: at(5)}}}}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.AdoptContexts(ctx, list, past) })
	first := list[0].N
	if list[1].N != 0 || list[2].N != first+1 || list[3].N != 0 || list[len(list)-1].N != first+int64(len(list))-3 {
		t.Errorf("numbers %d %d %d %d … %d", list[0].N, list[1].N, list[2].N, list[3].N, list[len(list)-1].N)
	}
	for i := 3; i < 98; i++ {
		c, history := dumped(t, s, id(i))
		want := 0
		if i == 4 {
			want = 1
		}
		if c.Content != sample(i).Content || len(history.Tags) == 0 || len(history.Links) != want {
			t.Errorf("%s: %+v", c.ID, history)
		}
	}
}

// Without a history the tags have been there since the context was saved; a
// history that says otherwise than the context ends with what the context says.
func testAdoptTags(t *testing.T, s repository.Store) {
	plain := sample(1)
	adopt(t, s, plain, domain.ContextHistory{})
	if _, past := dumped(t, s, id(1)); !cmp.Equal(past.Tags, []domain.TagSpan{{Tag: "tag", AddedAt: at(1)}}) {
		t.Errorf("without a history: %+v", past.Tags)
	}
	adopt(t, s, sample(2), domain.ContextHistory{Tags: []domain.TagSpan{{Tag: "other", AddedAt: at(2)}}})
	_, past := dumped(t, s, id(2))
	if diff := cmp.Diff([]domain.TagSpan{{Tag: "other", AddedAt: at(2), RemovedAt: at(2)}, {Tag: "tag", AddedAt: at(2)}}, past.Tags); diff != "" {
		t.Errorf("with a history that ends otherwise: %s", diff)
	}
	twice := sample(4)
	twice.Tags = []string{"b", "a", "b"}
	adopt(t, s, twice, domain.ContextHistory{})
	if got := one(t, s, id(4)).Tags; !cmp.Equal(got, []string{"b", "a"}) || !cmp.Equal(twice.Tags, got) {
		t.Errorf("a tag that is there twice became %q", got)
	}
	bad := sample(3)
	bad.Tags = []string{"a,b"}
	wantKind(t, try(t, s, func(ctx context.Context, tx repository.Tx) error {
		return adoptOne(ctx, tx, bad, domain.ContextHistory{})
	}), domain.KindInvalid)
}

// Contexts are read on behind a number, with their content, forgotten ones too.
func testContextsAfter(t *testing.T, s repository.Store) {
	saveSome(t, s, 5)
	forget(t, s, 10, 3)
	got := must(s.ContextsAfter(t.Context(), 1, 3))(t)
	if !cmp.Equal(ids(got), idList(2, 3, 4)) || got[1].Content != sample(3).Content {
		t.Errorf("three behind the first: %+v", got)
	}
}

// Of ids those are told that were erased, by name or by the clean-up; what is only
// forgotten, there, or unknown is not.
func testErasedContexts(t *testing.T, s repository.Store) {
	saveSome(t, s, 5)
	forget(t, s, 10, 3, 4)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(1), at(20)) })
	if got := must(s.ErasedContexts(t.Context(), idList(5, 4, 3, 2, 1, 99)))(t); !cmp.Equal(got, idList(1)) {
		t.Errorf("erased: %q", got)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.CleanUp(ctx, at(30), at(40), 10)
		return err
	})
	if got := must(s.ErasedContexts(t.Context(), idList(5, 4, 3, 2, 1, 99)))(t); !cmp.Equal(got, idList(1, 3, 4)) {
		t.Errorf("erased after the clean-up: %q", got)
	}
	if got := must(s.ErasedContexts(t.Context(), nil))(t); len(got) != 0 {
		t.Errorf("of none: %q", got)
	}
}

// What says that contexts were erased is taken over once, in its order; a context
// that is here stays, and no number is given twice.
func testTombstones(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(3), at(20)) })
	own := must(s.Tombstones(t.Context(), "", 0, 10))(t)
	if len(own) != 1 || own[0].ID != id(3) || own[0].Project != "wake" || !own[0].ErasedAt.Equal(at(20)) {
		t.Fatalf("tombstones: %+v", own)
	}
	others := []domain.Tombstone{{ID: id(8), Project: "wake", ContentHash: "h8", ErasedAt: at(5)}, {ID: id(7), Project: "other", ContentHash: "h7", ErasedAt: at(6)},
		{ID: id(1), Project: "wake"}, {ID: id(3), Project: "wake"}}
	for round, want := range []int{2, 0} {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			n, err := tx.AppendTombstones(ctx, others)
			if n != want {
				t.Errorf("round %d took %d, want %d", round, n, want)
			}
			return err
		})
	}
	save(t, s, sample(5))
	if got := one(t, s, id(5)).N; got != 6 {
		t.Errorf("the next context has the number %d, want 6", got)
	}
	others[0].N, others[1].N = 4, 5
	if diff := cmp.Diff(append(own, others[:2]...), must(s.Tombstones(t.Context(), "", 0, 10))(t)); diff != "" {
		t.Errorf("tombstones (-want +got):\n%s", diff)
	}
	if rest := must(s.Tombstones(t.Context(), "other", 0, 10))(t); len(rest) != 1 || rest[0].ID != id(7) {
		t.Errorf("of another project: %+v", rest)
	}
	if some := must(s.Tombstones(t.Context(), "", 0, 2))(t); len(some) != 2 || some[1].ID != id(8) {
		t.Errorf("the first two: %+v", some)
	}
	if rest := must(s.Tombstones(t.Context(), "", 4, 10))(t); len(rest) != 1 || rest[0].ID != id(7) {
		t.Errorf("behind the first: %+v", rest)
	}
	if got := must(s.ErasedContexts(t.Context(), idList(1, 7, 8)))(t); !cmp.Equal(got, idList(8, 7)) {
		t.Errorf("erased: %q", got)
	}
}

// The log of predictions is taken over with what became of them, once, and the
// statistics say the same.
func testOutcomeLog(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	pending := domain.Outcome{ContextID: id(1), PredictedAt: at(5), Horizon: time.Hour, Rank: 1, Score: 0.5, Probability: 0.25}
	settled := domain.Outcome{ContextID: id(2), PredictedAt: at(5), Horizon: time.Hour, Rank: 2, Score: 0.1, Probability: 0.75, Accessed: true, SettledAt: at(70)}
	unknown := pending
	unknown.ContextID = id(99)
	for round, want := range []int{2, 0} {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			n, err := tx.AppendOutcomes(ctx, []domain.Outcome{pending, settled, unknown})
			if n != want {
				t.Errorf("round %d took %d, want %d", round, n, want)
			}
			return err
		})
	}
	pending.N, pending.Project, settled.N, settled.Project = 1, "wake", 2, "wake"
	if diff := cmp.Diff([]domain.Outcome{pending, settled}, must(s.OutcomeLog(t.Context(), "wake", 0, 10))(t)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if some := must(s.OutcomeLog(t.Context(), "", 0, 1))(t); len(some) != 1 || some[0].N != 1 {
		t.Errorf("the first: %+v", some)
	}
	if rest := must(s.OutcomeLog(t.Context(), "", 1, 10))(t); len(rest) != 1 || rest[0].N != 2 {
		t.Errorf("behind the first: %+v", rest)
	}
	if rest := must(s.OutcomeLog(t.Context(), "other", 0, 10))(t); len(rest) != 0 {
		t.Errorf("of another project: %+v", rest)
	}
	if p := must(s.Stats(t.Context(), "wake", at(61), nil))(t).Prediction; p.Pending != 1 || p.Settled != 1 || p.Hits != 1 {
		t.Errorf("statistics %+v", p)
	}
	others := []domain.Outcome{pending, pending, pending, pending} // each differs from it in one thing that tells them apart
	others[0].ContextID, others[1].PredictedAt, others[2].Horizon, others[3].Rank = id(2), at(6), 2*time.Hour, 3
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		n, err := tx.AppendOutcomes(ctx, others)
		if n != len(others) {
			t.Errorf("took %d of %d others", n, len(others))
		}
		return err
	})
}

// Of accesses those are kept that the log does not hold, each once, and of contexts
// that are there; who asked, how and when tell them apart.
func testAppendAccesses(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	access := func(n, minute int, how domain.How, actor string) domain.Access {
		return domain.Access{ContextID: id(n), At: at(minute), How: how, Via: "load_context", Actor: actor}
	}
	appended := func(list ...domain.Access) (n int) {
		do(t, s, func(ctx context.Context, tx repository.Tx) (err error) {
			n, err = tx.AppendAccesses(ctx, list)
			return err
		})
		return n
	}
	first := access(1, 50, domain.Used, "a")
	if n := appended(first, access(2, 40, domain.Handed, "a"), first, access(9, 50, domain.Used, "a")); n != 2 {
		t.Errorf("%d kept, want 2", n)
	}
	if n := appended(access(1, 50, domain.Used, "b"), first, access(1, 50, domain.Shown, "a"), access(1, 51, domain.Used, "a")); n != 3 {
		t.Errorf("%d kept, want 3", n)
	}
	many := make([]domain.Access, 1100)
	for i := range many {
		many[i] = access(3, i/2, domain.Used, "c")
	}
	if n := appended(many...); n != 550 {
		t.Errorf("%d kept, want 550", n)
	}
	if n := appended(many...); n != 0 {
		t.Errorf("%d kept again", n)
	}
	if log := must(s.AccessLog(t.Context(), "", 0, 1000))(t); len(log) != 555 || log[0].ContextID != id(1) || log[0].Project != sample(1).Project {
		t.Errorf("%d accesses, the first %+v", len(log), log[0])
	}
	appended()
}
