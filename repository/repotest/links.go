package repotest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testLinks(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"FromColumns":   testLinksFromColumns,
		"ToColumns":     testLinksToColumns,
		"Kinds":         testLinksOfKinds,
		"Past":          testPastLinks,
		"Auto":          testAutoLinks,
		"Supersede":     testSupersede,
		"Successor":     testForgottenSuccessor,
		"SecondCause":   testSecondCause,
		"AsOf":          testLinksAsOf,
		"Reaches":       testReaches,
		"WalkOrder":     testWalkOrder,
		"WalkLimit":     testWalkLimit,
		"WalkCut":       testWalkCut,
		"WalkCycle":     testWalkCycle,
		"WalkLost":      testWalkLost,
		"WalkAsOf":      testWalkAsOf,
		"WalkForgotten": testWalkForgotten,
		"WalkUnknown":   testWalkUnknown,
		"WalkLarge":     testWalkLarge,
	})
}

// link is an explicit link added some minutes after start.
func link(from, to string, kind domain.LinkKind, minute int) domain.Link {
	return domain.Link{From: from, To: to, Kind: kind, Origin: domain.Explicit, Confidence: 1, AddedAt: at(minute)}
}

func addLinks(t testing.TB, s repository.Store, links ...domain.Link) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.AddLinks(ctx, links) })
}

func linksOf(t testing.TB, s repository.Reader, asOf time.Time, ids ...string) []domain.Link {
	t.Helper()
	return must(s.Links(t.Context(), ids, asOf))(t)
}

// Links are the index over the columns, in the same transaction.
func testLinksFromColumns(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	c := full()
	c.Causality.Dependencies = idList(3, 2)
	save(t, s, c)
	want := []domain.Link{link(c.ID, id(1), domain.Cause, 9), link(c.ID, id(3), domain.Dependency, 9), link(c.ID, id(2), domain.Dependency, 9)}
	if diff := cmp.Diff(want, linksOf(t, s, time.Time{}, c.ID)); diff != "" {
		t.Error(diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.UpdateContext(ctx, c.ID, at(50), func(c *domain.ContextSnapshot) error {
			c.Causality.CausedBy, c.Causality.Dependencies = id(4), idList(2)
			return nil
		})
		return err
	})
	want = []domain.Link{link(c.ID, id(2), domain.Dependency, 9), link(c.ID, id(4), domain.Cause, 50)}
	if diff := cmp.Diff(want, linksOf(t, s, time.Time{}, c.ID)); diff != "" {
		t.Error(diff)
	}
	old := sample(10)
	old.SupersededBy, old.SupersededAt = id(2), at(51)
	save(t, s, old)
	if diff := cmp.Diff([]domain.Link{link(id(2), old.ID, domain.Supersedes, 51)}, linksOf(t, s, time.Time{}, old.ID)); diff != "" {
		t.Error(diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.UpdateContext(ctx, old.ID, at(52), func(c *domain.ContextSnapshot) error {
			c.SupersededBy, c.SupersededAt = id(3), at(52)
			return nil
		})
		return err
	})
	if diff := cmp.Diff([]domain.Link{link(id(3), old.ID, domain.Supersedes, 52)}, linksOf(t, s, time.Time{}, old.ID)); diff != "" {
		t.Error(diff)
	}
}

// Adding and removing links changes the columns in the same call; adding one
// twice is adding it once.
func testLinksToColumns(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	links := []domain.Link{link(id(4), id(1), domain.Cause, 9), link(id(4), id(3), domain.Dependency, 9), link(id(4), id(2), domain.Dependency, 9)}
	addLinks(t, s, links...)
	addLinks(t, s, links...)
	if got := linksOf(t, s, time.Time{}, id(4)); len(got) != 3 {
		t.Errorf("%d links, want 3", len(got))
	}
	want := &domain.Causality{ActionType: domain.Conversation, CausedBy: id(1), Dependencies: idList(3, 2)}
	if diff := cmp.Diff(want, one(t, s, id(4)).Causality); diff != "" {
		t.Error(diff)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.RemoveLinks(ctx, links[:2], at(10)) })
	want = &domain.Causality{ActionType: domain.Conversation, Dependencies: idList(2)}
	if diff := cmp.Diff(want, one(t, s, id(4)).Causality); diff != "" {
		t.Error(diff)
	}
	same := []domain.Link{link(id(2), id(1), domain.Cause, 11), link(id(3), id(1), domain.Cause, 11)}
	addLinks(t, s, same...)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.RemoveLinks(ctx, same[:1], at(12)) })
	if two, three := one(t, s, id(2)).Causality.CausedBy, one(t, s, id(3)).Causality.CausedBy; two != "" || three != id(1) {
		t.Errorf("of two with one cause, the one whose link was removed has the cause %q, the other %q", two, three)
	}
}

// A link is known by its ends and its kind. One that has ended can begin anew.
func testLinksOfKinds(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	dependency := link(id(2), id(1), domain.Dependency, 9)
	addLinks(t, s, dependency, link(id(2), id(1), domain.Cause, 9), link(id(2), id(1), domain.Supersedes, 9))
	remove := func(minute int) {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.RemoveLinks(ctx, []domain.Link{dependency}, at(minute))
		})
	}
	remove(20)
	want := &domain.Causality{ActionType: domain.Conversation, CausedBy: id(1), Dependencies: []string{}}
	if diff := cmp.Diff(want, one(t, s, id(2)).Causality); diff != "" || one(t, s, id(1)).SupersededBy != id(2) {
		t.Errorf("superseded by %q, %s", one(t, s, id(1)).SupersededBy, diff)
	}
	dependency.AddedAt = at(30)
	addLinks(t, s, dependency)
	remove(40)
	for minute, want := range map[int]int{10: 3, 20: 2, 29: 2, 30: 3, 40: 2} {
		if got := linksOf(t, s, at(minute), id(2)); len(got) != want {
			t.Errorf("%d links as of minute %d, want %d", len(got), minute, want)
		}
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.UpdateContext(ctx, id(2), at(50), func(c *domain.ContextSnapshot) error {
			c.Causality.CausedBy, c.Causality.Dependencies = "", idList(1)
			return nil
		})
		return err
	})
	dependency.AddedAt = at(50)
	if diff := cmp.Diff([]domain.Link{link(id(2), id(1), domain.Supersedes, 9), dependency}, linksOf(t, s, time.Time{}, id(2))); diff != "" {
		t.Errorf("the cause that became a dependency: %s", diff)
	}
}

// A link that has ended elsewhere is history: it comes beside the one that holds now,
// explicit or automatic, and changes no column.
func testPastLinks(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	auto := link(id(4), id(3), domain.Dependency, 20)
	auto.Origin = domain.Auto
	now := []domain.Link{link(id(3), id(1), domain.Cause, 20), link(id(3), id(2), domain.Dependency, 20), link(id(2), id(1), domain.Supersedes, 20), auto}
	addLinks(t, s, now...)
	before := must(s.ContextsByID(t.Context(), idList(1, 2, 3, 4), false))(t)
	var past []domain.Link
	for _, l := range append(now, link(id(3), id(2), domain.Cause, 0)) {
		l.Origin, l.AddedAt, l.RemovedAt = domain.Explicit, at(10), at(15)
		past = append(past, l)
	}
	addLinks(t, s, past...)
	for minute, want := range map[int][]domain.Link{12: past, 15: {}, 20: now} {
		if diff := cmp.Diff(want, linksOf(t, s, at(minute), idList(1, 2, 3, 4)...)); diff != "" {
			t.Errorf("as of minute %d: %s", minute, diff)
		}
	}
	if diff := cmp.Diff(before, must(s.ContextsByID(t.Context(), idList(1, 2, 3, 4), false))(t)); diff != "" {
		t.Errorf("columns: %s", diff)
	}
}

// Automatic links create no causality; an explicit one takes an automatic one's
// place, and not the other way round.
func testAutoLinks(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	auto := link(id(2), id(1), domain.Dependency, 9)
	auto.Origin, auto.Confidence, auto.Reason = domain.Auto, 0.7, "both are about content"
	addLinks(t, s, auto, auto)
	if diff := cmp.Diff([]domain.Link{auto}, linksOf(t, s, time.Time{}, id(1))); diff != "" {
		t.Error(diff)
	}
	if c := one(t, s, id(2)); c.Causality != nil {
		t.Errorf("an automatic link made causality %+v", c.Causality)
	}
	explicit := link(id(2), id(1), domain.Dependency, 10)
	addLinks(t, s, explicit, auto)
	if diff := cmp.Diff([]domain.Link{explicit}, linksOf(t, s, time.Time{}, id(1))); diff != "" {
		t.Error(diff)
	}
	save(t, s, sample(3))
	auto.From = id(3)
	addLinks(t, s, auto)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.RemoveLinks(ctx, []domain.Link{auto}, at(11))
	})
	if c := one(t, s, id(3)); c.Causality != nil {
		t.Errorf("an automatic link left causality %+v behind", c.Causality)
	}
}

// The newest live link that supersedes a context is in its columns, now and as of then:
// the one with the latest time, of those the one that was added last. An import may add
// an older one later.
func testSupersede(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	addLinks(t, s, link(id(4), id(1), domain.Cause, 9), link(id(3), id(4), domain.Supersedes, 8), link(id(2), id(4), domain.Supersedes, 8),
		link(id(3), id(1), domain.Supersedes, 6), link(id(2), id(1), domain.Supersedes, 5))
	for _, c := range []domain.ContextSnapshot{one(t, s, id(1)), must(s.ContextsByN(t.Context(), []int64{1}, false, at(20)))(t)[0]} {
		if c.SupersededBy != id(3) || c.SupersededAt != at(6) {
			t.Errorf("superseded by %s at %v", c.SupersededBy, c.SupersededAt)
		}
	}
	for _, c := range []domain.ContextSnapshot{one(t, s, id(4)), must(s.ContextsByN(t.Context(), []int64{4}, false, at(20)))(t)[0]} {
		if c.SupersededBy != id(2) {
			t.Errorf("of two at the same time, superseded by %s", c.SupersededBy)
		}
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.RemoveLinks(ctx, []domain.Link{{From: id(3), To: id(1), Kind: domain.Supersedes}}, at(7))
	})
	if c := one(t, s, id(1)); c.SupersededBy != id(2) {
		t.Errorf("superseded by %s", c.SupersededBy)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(2), at(8)) })
	if c := one(t, s, id(1)); c.SupersededBy != "" || !c.SupersededAt.IsZero() {
		t.Errorf("superseded by the erased %s", c.SupersededBy)
	}
}

// What is forgotten supersedes nothing, until it is brought back, and is no fault of the
// tables. As of a time before, it did.
func testForgottenSuccessor(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	addLinks(t, s, link(id(2), id(1), domain.Supersedes, 5), link(id(3), id(1), domain.Supersedes, 6))
	by := func(asOf time.Time) string {
		t.Helper()
		for _, c := range must(s.Contexts(t.Context(), domain.ContextQuery{Filters: domain.Filters{AsOf: asOf}}))(t) {
			if c.ID == id(1) {
				return c.SupersededBy
			}
		}
		return "not found"
	}
	want := func(asOf time.Time, want string) {
		t.Helper()
		if got := by(asOf); got != want {
			t.Errorf("superseded by %q, want %q", got, want)
		}
	}
	forget(t, s, 10, 3)
	want(time.Time{}, id(2))
	forget(t, s, 11, 2)
	want(time.Time{}, "")
	if found := must(s.Check(t.Context(), nil, nil))(t); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
	want(at(9), id(3))
	want(at(10), id(2))
	want(at(11), "")
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.RestoreContext(ctx, id(3))
	})
	want(time.Time{}, id(3))
}

// A context has one cause.
func testSecondCause(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	addLinks(t, s, link(id(3), id(1), domain.Cause, 5))
	err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.AddLinks(ctx, []domain.Link{link(id(3), id(2), domain.Cause, 6)})
	})
	wantKind(t, err, domain.KindConflict)
}

// Removed links are still known as of the time when they held.
func testLinksAsOf(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	l := link(id(2), id(1), domain.Dependency, 5)
	addLinks(t, s, l)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.RemoveLinks(ctx, []domain.Link{l}, at(8)) })
	for minute, want := range map[int]int{4: 0, 5: 1, 7: 1, 8: 0} {
		if got := linksOf(t, s, at(minute), id(1)); len(got) != want {
			t.Errorf("%d links as of minute %d, want %d", len(got), minute, want)
		}
	}
	if got := linksOf(t, s, time.Time{}, id(1)); len(got) != 0 {
		t.Errorf("%d links now, want none", len(got))
	}
}

func testReaches(t *testing.T, s repository.Store) {
	saveSome(t, s, 5)
	auto := link(id(5), id(4), domain.Dependency, 9)
	auto.Origin = domain.Auto
	gone := link(id(4), id(2), domain.Dependency, 9)
	gone.RemovedAt = at(10)
	addLinks(t, s, link(id(2), id(1), domain.Cause, 9), link(id(3), id(2), domain.Dependency, 9), auto, link(id(4), id(3), domain.Supersedes, 9), gone,
		link(id(2), id(3), domain.Dependency, 9)) // a cycle, which an import may bring
	for _, c := range []struct {
		from, to int
		want     bool
	}{{3, 1, true}, {1, 3, false}, {3, 3, true}, {5, 4, false}, {4, 3, false}, {4, 1, false}, {3, 99, false}, {99, 1, false}} {
		if got := must(s.Reaches(t.Context(), id(c.from), id(c.to)))(t); got != c.want {
			t.Errorf("%d reaches %d: %v", c.from, c.to, got)
		}
	}
}

// walk answers a chain and its ids.
func walk(t testing.TB, s repository.Reader, q domain.ChainQuery) (domain.Walk, []string) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 1000
	}
	w := must(s.Walk(t.Context(), q))(t)
	return w, ids(w.Contexts)
}

// The walk meets what is near first, in both directions, and follows neither
// automatic nor superseding links, but tells them.
func testWalkOrder(t *testing.T, s repository.Store) {
	saveSome(t, s, 8)
	auto := link(id(5), id(7), domain.Dependency, 9)
	auto.Origin = domain.Auto
	addLinks(t, s,
		link(id(5), id(4), domain.Cause, 9), link(id(5), id(3), domain.Dependency, 9),
		link(id(4), id(2), domain.Cause, 9), link(id(2), id(1), domain.Cause, 9),
		link(id(6), id(5), domain.Cause, 9), auto, link(id(8), id(5), domain.Supersedes, 9))
	for direction, want := range map[domain.Direction][]string{
		domain.Causes:  idList(5, 4, 3, 2, 1),
		domain.Effects: idList(5, 6),
		domain.Both:    idList(5, 4, 3, 2, 1, 6),
	} {
		w, got := walk(t, s, domain.ChainQuery{ID: id(5), Direction: direction})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", direction, diff)
		}
		if direction == domain.Both && len(w.Links) != 7 {
			t.Errorf("%d links were told, want all 7", len(w.Links))
		}
	}
}

func testWalkLimit(t *testing.T, s repository.Store) {
	saveSome(t, s, 6)
	for k := 2; k <= 6; k++ {
		addLinks(t, s, link(id(k), id(k-1), domain.Cause, 9))
	}
	for k := 3; k <= 6; k++ {
		addLinks(t, s, link(id(k), id(k-2), domain.Dependency, 10)) // a second way, which counts no context twice
	}
	for limit, want := range map[int]int{1: 2, 4: 5, 5: 6, 6: 6} {
		w, got := walk(t, s, domain.ChainQuery{ID: id(6), Direction: domain.Causes, Limit: limit})
		if len(got) != want || w.Truncated != (limit < 5) {
			t.Errorf("limit %d: %d contexts, truncated %v", limit, len(got), w.Truncated)
		}
	}
}

// Where the limit cuts among equally near ones, causes come before dependencies, and what
// was linked first before what was linked later, whoever it leads from.
func testWalkCut(t *testing.T, s repository.Store) {
	saveSome(t, s, 12)
	addLinks(t, s, link(id(12), id(10), domain.Dependency, 9), link(id(12), id(11), domain.Cause, 9))
	for _, k := range []int{5, 7, 2, 8} {
		addLinks(t, s, link(id(10), id(k), domain.Dependency, 10), link(id(11), id(k+1), domain.Dependency, 10))
	}
	addLinks(t, s, link(id(10), id(1), domain.Cause, 11), link(id(11), id(4), domain.Cause, 11), link(id(10), id(12), domain.Dependency, 11))
	all := idList(12, 11, 10, 1, 4, 5, 6, 7, 8, 2, 3, 9)
	for limit := 1; limit <= len(all); limit++ {
		w, got := walk(t, s, domain.ChainQuery{ID: id(12), Direction: domain.Causes, Limit: limit})
		want := slices.Clone(all[:min(limit+1, len(all))])
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" || w.Truncated != (limit < len(all)-1) {
			t.Errorf("limit %d, truncated %v: %s", limit, w.Truncated, diff)
		}
	}
}

// Cycles, which an import may bring, end.
func testWalkCycle(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	addLinks(t, s, link(id(1), id(2), domain.Cause, 9), link(id(2), id(3), domain.Cause, 9), link(id(3), id(1), domain.Cause, 9), link(id(1), id(1), domain.Dependency, 9))
	_, got := walk(t, s, domain.ChainQuery{ID: id(1), Direction: domain.Both})
	if diff := cmp.Diff(idList(1, 2, 3), got); diff != "" {
		t.Error(diff)
	}
}

// A parent that is not there is in the links and not in the contexts.
func testWalkLost(t *testing.T, s repository.Store) {
	c := sample(1)
	c.Causality = &domain.Causality{ActionType: domain.Decision, CausedBy: id(99)}
	save(t, s, c)
	w, got := walk(t, s, domain.ChainQuery{ID: id(1), Direction: domain.Causes})
	if len(got) != 1 || len(w.Links) != 1 || w.Links[0].To != id(99) || w.Truncated {
		t.Errorf("walked to %v over %v", got, w.Links)
	}
}

func testWalkAsOf(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	addLinks(t, s, link(id(3), id(2), domain.Cause, 10), link(id(2), id(1), domain.Cause, 20))
	for minute, want := range map[int][]string{9: idList(3), 10: idList(3, 2), 20: idList(3, 2, 1)} {
		if _, got := walk(t, s, domain.ChainQuery{ID: id(3), Direction: domain.Causes, AsOf: at(minute)}); !cmp.Equal(got, want) {
			t.Errorf("as of minute %d: %v", minute, got)
		}
	}
	_, err := s.Walk(t.Context(), domain.ChainQuery{ID: id(3), Direction: domain.Causes, Limit: 9, AsOf: at(2)})
	wantKind(t, err, domain.KindNotFound)
}

// A forgotten context is not shown, but the chain goes on behind it.
func testWalkForgotten(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	addLinks(t, s, link(id(3), id(2), domain.Cause, 10), link(id(2), id(1), domain.Cause, 10))
	forget(t, s, 11, 2)
	if _, got := walk(t, s, domain.ChainQuery{ID: id(3), Direction: domain.Causes}); !cmp.Equal(got, idList(3, 1)) {
		t.Errorf("walked to %v", got)
	}
}

func testWalkUnknown(t *testing.T, s repository.Store) {
	_, err := s.Walk(t.Context(), domain.ChainQuery{ID: id(1), Direction: domain.Both, Limit: 5})
	wantKind(t, err, domain.KindNotFound)
}

// large stores 10,000 contexts, of which the first 1,001 are a chain and 1,000
// follow from the last of it.
func large(t testing.TB, s repository.Store) {
	var all []*domain.ContextSnapshot
	for k := 1; k <= 10_000; k++ {
		c := sample(k)
		switch {
		case k > 1 && k <= 1001:
			c.Causality = &domain.Causality{ActionType: domain.Decision, CausedBy: id(k - 1)}
		case k > 1001 && k <= 2001:
			c.Causality = &domain.Causality{ActionType: domain.ToolUse, CausedBy: id(1001)}
		}
		all = append(all, c)
	}
	for len(all) > 0 {
		save(t, s, all[:1000]...)
		all = all[1000:]
	}
}

// A chain of depth 1,000 and a fan-out of 1,000 among 10,000 contexts.
func testWalkLarge(t *testing.T, s repository.Store) {
	if testing.Short() {
		t.Skip("10,000 contexts")
	}
	large(t, s)
	w, got := walk(t, s, domain.ChainQuery{ID: id(1001), Direction: domain.Both, Limit: 1000})
	if len(got) != 2001 || w.Truncated || got[1] != id(1000) || got[1000] != id(1) {
		t.Errorf("%d contexts, truncated %v", len(got), w.Truncated)
	}
	if len(w.Links) != 2000 {
		t.Errorf("%d links", len(w.Links))
	}
	stats := must(s.Stats(t.Context(), "wake", at(0), nil))(t).Causality
	if stats.LongestDepth != 1002 || stats.Roots != 0 || stats.WithCause != 2000 {
		t.Errorf("causality %+v", stats)
	}
}
