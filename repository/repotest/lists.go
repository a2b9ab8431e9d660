package repotest

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testLists(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"Orders":  testOrders,
		"Pages":   testPages,
		"Filters": testFilters,
		"Many":    testListsOfMany,
		"AsOf":    testListAsOf,
		"Bad":     testBadLists,
	})
}

// list returns the ids that q asks for.
func list(t testing.TB, s repository.Reader, q domain.ContextQuery) []string {
	t.Helper()
	return ids(must(s.Contexts(t.Context(), q))(t))
}

// varied stores contexts that differ in what lists sort and filter by; ties are
// many.
func varied(t testing.TB, s repository.Store) {
	var all []*domain.ContextSnapshot
	actions := []domain.ActionType{"", domain.Decision, domain.Research}
	for k := 1; k <= 30; k++ {
		c := sample(k)
		c.Timestamp = at(k / 3)
		c.Memory.AccessCount = int64(k % 4)
		c.Tags = []string{fmt.Sprint("m", k%2), fmt.Sprint("r", k%3)}
		if k%2 == 0 {
			c.Memory.LastAccessed = at(100 - k/4)
		}
		if k%3 == 0 {
			c.Propagation = &domain.Propagation{PredictionScore: float64(k%5) / 7}
		}
		if a := actions[k%3]; a != "" {
			c.Causality = &domain.Causality{ActionType: a}
		}
		if k%10 == 0 {
			c.Project, c.Pinned, c.Kind, c.SessionID = "other", true, domain.Semantic, "s1"
		}
		all = append(all, c)
	}
	save(t, s, all...)
}

// Each order sorts as its comment says; ties go to the later insertion, in the
// orders that look back to the earlier.
func testOrders(t *testing.T, s repository.Store) {
	a, b, c, d := sample(1), sample(2), sample(3), sample(4)
	a.Memory.LastAccessed, a.Memory.AccessCount = at(50), 3
	b.Propagation = &domain.Propagation{PredictionScore: 0.4}
	c.Propagation = &domain.Propagation{PredictionScore: 0}
	d.Timestamp = c.Timestamp
	save(t, s, a, b, c, d)
	for order, want := range map[domain.Order][]string{
		"":                 idList(4, 3, 2, 1),
		domain.Newest:      idList(4, 3, 2, 1),
		domain.Oldest:      idList(1, 2, 3, 4),
		domain.LeastRecent: idList(2, 3, 4, 1),
		domain.Likely:      idList(2, 3, 4, 1),
	} {
		if diff := cmp.Diff(want, list(t, s, domain.ContextQuery{Order: order})); diff != "" {
			t.Errorf("order %q: %s", order, diff)
		}
	}
}

// position is where a page ended.
func position(c domain.ContextSnapshot, o domain.Order) *domain.Position {
	p := &domain.Position{N: c.N}
	switch o {
	case domain.Newest, domain.Oldest:
		p.Key = domain.FormatTime(c.Timestamp)
	case domain.LeastRecent:
		p.Key = domain.FormatTime(c.Touched())
	case domain.Likely:
		p.Key = "-1"
		if c.Propagation != nil {
			p.Key = strconv.FormatFloat(c.Propagation.PredictionScore, 'g', -1, 64)
		}
	}
	return p
}

// The first of a list are the beginning of the whole list, whether few or many of
// its contexts pass the filters.
func testListsOfMany(t *testing.T, s repository.Store) {
	var all []*domain.ContextSnapshot
	for k := 1; k <= 1200; k++ {
		c := sample(k)
		c.Timestamp, c.Tags = at(k*7%1200), []string{"many"}
		if k%150 == 0 {
			c.Tags = append(c.Tags, "few")
		}
		if k%100 == 0 {
			c.Tags = c.Tags[1:] // of those with few some have no other
		}
		if k%20 == 0 {
			c.Memory.LastAccessed = at(2000 + k%21)
		}
		if k%9 == 0 {
			c.Project = "other"
		}
		all = append(all, c)
	}
	save(t, s, all...)
	for name, f := range map[string]domain.Filters{
		"many":           {Tags: []string{"many"}},
		"few":            {Tags: []string{"few"}},
		"few of many":    {Tags: []string{"many", "few"}},
		"none":           {Tags: []string{"none"}},
		"old":            {Touched: []domain.Span{{To: at(2000)}}},
		"new":            {Touched: []domain.Span{{From: at(2010)}}},
		"old and new":    {Touched: []domain.Span{{To: at(20)}, {From: at(2001)}}},
		"old, many tags": {Touched: []domain.Span{{To: at(2000)}}, Tags: []string{"many"}, Until: at(700)},
		"old, few tags":  {Touched: []domain.Span{{To: at(2000)}}, Tags: []string{"few"}},
		"many, as of":    {Tags: []string{"many"}, AsOf: at(1100)},
	} {
		for _, order := range []domain.Order{domain.Newest, domain.Oldest, domain.LeastRecent, domain.Likely} {
			for _, project := range []string{"", "wake"} {
				q := domain.ContextQuery{Filters: f, Order: order, Project: project}
				whole := list(t, s, q)
				q.Limit = 7
				first := must(s.Contexts(t.Context(), q))(t)
				got := ids(first)
				if len(first) == q.Limit {
					q.After = position(first[q.Limit-1], order)
					got = append(got, list(t, s, q)...)
				}
				if diff := cmp.Diff(whole[:min(2*q.Limit, len(whole))], got); diff != "" {
					t.Errorf("%s in project %q, order %s: %s", name, project, order, diff)
				}
			}
		}
	}
}

// Pages put together are the whole list, in every order, whatever the page size.
func testPages(t *testing.T, s repository.Store) {
	varied(t, s)
	for _, order := range []domain.Order{domain.Newest, domain.Oldest, domain.LeastRecent, domain.Likely} {
		for _, project := range []string{"", "wake"} {
			q := domain.ContextQuery{Order: order, Project: project}
			whole := list(t, s, q)
			for q.Limit = 1; q.Limit < 8; q.Limit += 3 {
				q.After = nil
				var paged []string
				for {
					page := must(s.Contexts(t.Context(), q))(t)
					if len(page) == 0 {
						break
					}
					paged = append(paged, ids(page)...)
					q.After = position(page[len(page)-1], order)
				}
				if diff := cmp.Diff(whole, paged); diff != "" {
					t.Errorf("order %s in pages of %d: %s", order, q.Limit, diff)
				}
			}
		}
	}
}

// A filter answers what a look at every context would.
func testFilters(t *testing.T, s repository.Store) {
	varied(t, s)
	all := must(s.Contexts(t.Context(), domain.ContextQuery{}))(t)
	has := func(c domain.ContextSnapshot, tag string) bool { return c.Tags[0] == tag || c.Tags[1] == tag }
	for name, f := range map[string]struct {
		q    domain.ContextQuery
		want func(domain.ContextSnapshot) bool
	}{
		"project": {domain.ContextQuery{Project: "other"}, func(c domain.ContextSnapshot) bool { return c.Project == "other" }},
		"session": {domain.ContextQuery{SessionID: "s1"}, func(c domain.ContextSnapshot) bool { return c.SessionID == "s1" }},
		"kind":    {domain.ContextQuery{Kind: domain.Semantic}, func(c domain.ContextSnapshot) bool { return c.Kind == domain.Semantic }},
		"pinned":  {domain.ContextQuery{Pinned: true}, func(c domain.ContextSnapshot) bool { return c.Pinned }},
		"action": {filtered(domain.Filters{ActionTypes: []domain.ActionType{domain.Decision}}), func(c domain.ContextSnapshot) bool {
			return c.Causality != nil && c.Causality.ActionType == domain.Decision
		}},
		"all tags": {filtered(domain.Filters{Tags: []string{"m0", "r1"}}), func(c domain.ContextSnapshot) bool { return has(c, "m0") && has(c, "r1") }},
		"since":    {filtered(domain.Filters{Since: at(4)}), func(c domain.ContextSnapshot) bool { return !c.Timestamp.Before(at(4)) }},
		"until":    {filtered(domain.Filters{Until: at(4)}), func(c domain.ContextSnapshot) bool { return c.Timestamp.Before(at(4)) }},
		"touched": {filtered(domain.Filters{Touched: []domain.Span{{To: at(3)}, {From: at(95), To: at(98)}}}), func(c domain.ContextSnapshot) bool {
			x := c.Touched()
			return x.Before(at(3)) || !x.Before(at(95)) && x.Before(at(98))
		}},
		"idle":         {domain.ContextQuery{IdleSince: at(97)}, func(c domain.ContextSnapshot) bool { return c.Memory.LastAccessed.Before(at(97)) }},
		"an open span": {filtered(domain.Filters{Touched: []domain.Span{{}}}), func(domain.ContextSnapshot) bool { return true }},
	} {
		var want []string
		for _, c := range all {
			if f.want(c) {
				want = append(want, c.ID)
			}
		}
		f.q.Order = domain.Newest
		if diff := cmp.Diff(want, list(t, s, f.q)); diff != "" || len(want) == 0 {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func filtered(f domain.Filters) domain.ContextQuery { return domain.ContextQuery{Filters: f} }

// AsOf shows the store as it was known: what was saved later is not there, what was
// forgotten later or brought back before is, tags, links and supersession are those of the
// time.
func testListAsOf(t *testing.T, s repository.Store) {
	saveSome(t, s, 4)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.UpdateContext(ctx, id(3), at(20), func(c *domain.ContextSnapshot) error {
			c.Tags = []string{"later"}
			c.Causality = &domain.Causality{ActionType: domain.Decision, CausedBy: id(1), Dependencies: idList(2)}
			return nil
		})
		if err != nil {
			return err
		}
		if err := tx.AddLinks(ctx, []domain.Link{link(id(4), id(3), domain.Supersedes, 30)}); err != nil {
			return err
		}
		return nil
	})
	forgetBetween(t, s, id(2), 40, 50)
	forgetBetween(t, s, id(4), 60, 70)
	access(t, s, used(3, 95)) // which says nothing of when it was forgotten
	forget(t, s, 80, 2)
	then := func(minute int) map[string]domain.ContextSnapshot {
		out := make(map[string]domain.ContextSnapshot)
		for _, c := range must(s.Contexts(t.Context(), filtered(domain.Filters{AsOf: at(minute)})))(t) {
			out[c.ID] = c
		}
		return out
	}
	named := domain.ContextQuery{IDs: append(idList(1, 2, 4), "nobody"), Filters: domain.Filters{AsOf: at(3)}}
	if got := list(t, s, named); !cmp.Equal(got, idList(2, 1)) {
		t.Errorf("of those named there were %v as of minute 3", got)
	}
	for minute, want := range map[int]int{0: 0, 2: 2, 4: 4, 39: 4, 40: 3, 49: 3, 50: 4, 60: 3, 70: 4, 79: 4, 80: 3, 99: 3} {
		if got := then(minute); len(got) != want {
			t.Errorf("%d contexts as of minute %d, want %d", len(got), minute, want)
		}
	}
	old, mid, late := then(19)[id(3)], then(29)[id(3)], then(31)[id(3)]
	if old.Tags[0] != "tag" || mid.Tags[0] != "later" {
		t.Errorf("tags %v then %v", old.Tags, mid.Tags)
	}
	if old.Causality != nil && old.Causality.CausedBy != "" || mid.Causality.CausedBy != id(1) || len(mid.Causality.Dependencies) != 1 {
		t.Errorf("causality %+v then %+v", old.Causality, mid.Causality)
	}
	if mid.SupersededBy != "" || late.SupersededBy != id(4) || late.SupersededAt != at(30) {
		t.Errorf("superseded by %q, then %q at %v", mid.SupersededBy, late.SupersededBy, late.SupersededAt)
	}
	if gone, back := then(60)[id(3)], then(70)[id(3)]; gone.SupersededBy != "" || back.SupersededBy != id(4) {
		t.Errorf("superseded by %q while that was forgotten, then by %q", gone.SupersededBy, back.SupersededBy)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		_, err := tx.AppendAccesses(ctx, []domain.Access{{ContextID: id(1), At: at(20), How: domain.Gone}}) // from another wake
		return err
	})
	if _, there := then(90)[id(1)]; !there {
		t.Error("what only another wake forgot is not there")
	}
	if got := list(t, s, filtered(domain.Filters{AsOf: at(25), Tags: []string{"later"}})); len(got) != 1 {
		t.Errorf("the tag of the time found %v", got)
	}
}

// forgetBetween forgets a context at a minute and brings it back at another.
func forgetBetween(t *testing.T, s repository.Store, id string, gone, back int) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.RecordAccesses(ctx, []domain.Access{{ContextID: id, At: at(gone), How: domain.Gone}}); err != nil {
			return err
		}
		if err := tx.ForgetContexts(ctx, []string{id}, at(gone)); err != nil {
			return err
		}
		if err := tx.RestoreContext(ctx, id); err != nil {
			return err
		}
		return tx.RecordAccesses(ctx, []domain.Access{{ContextID: id, At: at(back), How: domain.Back}})
	})
}

// A made-up order and a cursor of another list are Invalid.
func testBadLists(t *testing.T, s repository.Store) {
	_, err := s.Contexts(t.Context(), domain.ContextQuery{Order: "sideways"})
	wantKind(t, err, domain.KindInvalid)
	_, err = s.Contexts(t.Context(), domain.ContextQuery{Order: domain.Likely, After: &domain.Position{Key: "2026", N: 1}})
	if err != nil {
		t.Error(err)
	}
	_, err = s.Contexts(t.Context(), domain.ContextQuery{Order: domain.Likely, After: &domain.Position{Key: "x"}})
	wantKind(t, err, domain.KindInvalid)
}
