package repotest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testContexts(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"RoundTrip":       testRoundTrip,
		"Minimal":         testMinimal,
		"OddText":         testOddText,
		"ByID":            testByID,
		"IDsUnder":        testIDsUnder,
		"ByImpossible":    testByImpossible,
		"OddNames":        testOddNames,
		"ByN":             testByN,
		"ByHash":          testByHash,
		"TakenID":         testTakenID,
		"BadTags":         testBadTags,
		"NumbersRise":     testNumbersRise,
		"Update":          testUpdate,
		"UpdateInPlace":   testUpdateInPlace,
		"UpdateImmutable": testUpdateImmutable,
		"UpdateUnknown":   testUpdateUnknown,
		"Projects":        testProjects,
		"ProjectName":     testProjectName,
		"ProjectMachines": testProjectMachines,
		"ProjectMoved":    testProjectMoved,
		"ProjectUsedLast": testProjectUsedLast,
	})
}

// full is a context with everything in it (002-07, the seed's full example).
func full() *domain.ContextSnapshot {
	c := sample(9)
	c.Tags = []string{"auth", "日本語", "two words"}
	c.Metadata = map[string]any{"userId": "u1", "nested": map[string]any{"n": 1.5}, "list": []any{"a", nil},
		"ticket": json.Number("12345678901234567891")} // longer than a float64 holds
	c.Causality = &domain.Causality{ActionType: domain.Decision, CausedBy: id(1), Rationale: "because \"it\" is", Dependencies: idList(3, 2)}
	c.Memory = domain.Memory{Tier: domain.TierRecent, LastAccessed: at(20), AccessCount: 5}
	c.Propagation = &domain.Propagation{
		PredictionScore: 0.851, LastPredicted: at(21), PredictedNextAccess: at(22),
		PropagationReason: []string{"recently_accessed", "decision_node"},
	}
	c.SessionID, c.Seq, c.Kind, c.Origin, c.Pinned, c.SummaryBy = "s1", 7, domain.Semantic, domain.FromUser, true, domain.ByCaller
	return c
}

// one reads one context back, with its content.
func one(t testing.TB, s repository.Reader, id string) domain.ContextSnapshot {
	t.Helper()
	found := must(s.ContextsByID(t.Context(), []string{id}, true))(t)
	if len(found) != 1 {
		t.Fatalf("found %d contexts with the id %s, want 1", len(found), id)
	}
	return found[0]
}

// Everything that is saved comes back as it was (002-01 … 002-04, 002-07).
func testRoundTrip(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	want := full()
	save(t, s, want)
	if want.N != 4 {
		t.Errorf("N = %d, want 4", want.N)
	}
	if diff := cmp.Diff(*want, one(t, s, want.ID)); diff != "" {
		t.Error(diff)
	}
}

// Times are cut to microseconds and turned to UTC when saved.
func testMinimal(t *testing.T, s repository.Store) {
	c := sample(1)
	c.Timestamp = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	c.Tags, c.Summary = nil, ""
	save(t, s, c)
	got := one(t, s, c.ID)
	if diff := cmp.Diff(*c, got); diff != "" {
		t.Error(diff)
	}
	if want := time.Date(2026, 3, 1, 11, 0, 0, 123456000, time.UTC); got.Timestamp != want {
		t.Errorf("timestamp %v, want %v", got.Timestamp, want)
	}
}

// Any text without NUL comes back byte for byte.
func testOddText(t *testing.T, s repository.Store) {
	for k, text := range []string{"'; DROP TABLE x; --", "line\r\nline\tend", "🤦🏼‍♂️ \u202e \ufeff", strings.Repeat("é", 1<<19), " "} {
		c := sample(k)
		c.Content, c.Summary = text, text[:min(len(text), 8)]
		save(t, s, c)
		if got := one(t, s, c.ID); got.Content != text || got.Summary != c.Summary {
			t.Errorf("text %d came back otherwise: %.40q", k, got.Content)
		}
	}
}

// A list of ids is answered in its order, unknown ones left out, each once.
func testByID(t *testing.T, s repository.Store) {
	saveSome(t, s, 700)
	var asked, want []string
	for k := 700; k > 0; k-- {
		asked = append(asked, id(k), id(k+1000))
		want = append(want, id(k))
	}
	got := must(s.ContextsByID(t.Context(), append(asked, id(3)), false))(t)
	if diff := cmp.Diff(want, ids(got)); diff != "" {
		t.Error(diff)
	}
	if got[0].Content != "" {
		t.Error("content came along unasked")
	}
	if none := must(s.ContextsByID(t.Context(), nil, true))(t); len(none) != 0 {
		t.Errorf("no ids gave %d contexts", len(none))
	}
}

// Ids are found by how they begin, in their order, those of forgotten contexts too.
func testIDsUnder(t *testing.T, s repository.Store) {
	saveSome(t, s, 30)
	forget(t, s, 60, 21)
	prefix := id(20)[:len(id(20))-1]
	got := must(s.ContextIDsUnder(t.Context(), prefix, 3))(t)
	if diff := cmp.Diff(idList(20, 21, 22), got); diff != "" {
		t.Error(diff)
	}
	for _, prefix := range []string{id(20), id(20) + "0", id(20) + "\x00", "0%", "\xff"} {
		got := must(s.ContextIDsUnder(t.Context(), prefix, 3))(t)
		if exact := prefix == id(20); exact != (len(got) == 1) {
			t.Errorf("under %q: %q", prefix, got)
		}
	}
}

// Text that no column of text holds is the id, project, tag, action and key of nothing.
func testByImpossible(t *testing.T, s repository.Store) {
	saveSome(t, s, 1)
	for _, odd := range []string{id(1) + "\x00", "\xff", "\x00"} {
		if found, err := s.ContextsByID(t.Context(), []string{odd, id(1)}, true); err != nil || len(found) != 1 {
			t.Errorf("asked for %q and another context, found %d: %v", odd, len(found), err)
		}
		if _, err := s.Session(t.Context(), odd); domain.KindOf(err) != domain.KindNotFound {
			t.Errorf("session %q: %v", odd, err)
		}
		found, err := s.Contexts(t.Context(), domain.ContextQuery{Project: odd, Filters: domain.Filters{Tags: []string{odd}}, Limit: 10})
		if err != nil || len(found) != 0 {
			t.Errorf("%d contexts in the project and with the tag %q: %v", len(found), odd, err)
		}
		found, err = s.Contexts(t.Context(), domain.ContextQuery{Filters: domain.Filters{ActionTypes: []domain.ActionType{domain.ActionType(odd)}}})
		if err != nil || len(found) != 0 {
			t.Errorf("%d contexts of the action %q: %v", len(found), odd, err)
		}
		if places, err := s.EventPlaces(t.Context(), id(1), []domain.Key{domain.Key(odd)}); err != nil || len(places) != 0 {
			t.Errorf("%d events with the key %q: %v", len(places), odd, err)
		}
		err = try(t, s, func(ctx context.Context, tx repository.Tx) error {
			found, err := tx.ContextsByID(ctx, []string{odd}, false)
			if len(found) != 0 {
				t.Errorf("a writer found %d contexts with the id %q", len(found), odd)
			}
			return err
		})
		if err != nil {
			t.Errorf("a writer asked for the id %q: %v", odd, err)
		}
	}
}

// Folders and other products have names that are no text; they keep nothing from
// being stored, and a folder's claim holds.
func testOddNames(t *testing.T, s repository.Store) {
	c := full()
	c.SessionID, c.Causality.CausedBy, c.Source = "a\x00b", "c\xff", "d\x00"
	save(t, s, c)
	if one(t, s, c.ID).Content != c.Content {
		t.Error("a context of odd names came back otherwise")
	}
	const path = "/home/caf\xe9"
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.ClaimProject(ctx, "caf", domain.Place{Path: path}, nil, start)
	})
	if name, err := s.ProjectName(t.Context(), "caf", domain.Place{Path: path}, nil); err != nil || name != "caf" {
		t.Errorf("the folder that claimed a name is called %q: %v", name, err)
	}
	if name, err := s.ProjectName(t.Context(), "caf", domain.Place{Path: "/other/caf"}, nil); err != nil || name == "caf" {
		t.Errorf("another folder is called %q: %v", name, err)
	}
}

func testByN(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	got := must(s.ContextsByN(t.Context(), []int64{3, 99, 1, -1}, true, time.Time{}))(t)
	if diff := cmp.Diff(idList(3, 1), ids(got)); diff != "" {
		t.Error(diff)
	}
}

// The newest context of the project with the content is found, and no other's.
func testByHash(t *testing.T, s repository.Store) {
	first, again, other := sample(1), sample(1), sample(1)
	again.ID, other.ID, other.Project = id(2), id(3), "other"
	save(t, s, first, again, other)
	if got := must(s.ContextByHash(t.Context(), "wake", first.ContentHash))(t); got.ID != id(2) {
		t.Errorf("found %s, want the newest", got.ID)
	}
	_, err := s.ContextByHash(t.Context(), "nowhere", first.ContentHash)
	wantKind(t, err, domain.KindNotFound)
}

// A taken id is a Conflict and changes nothing; the transaction may go on.
func testTakenID(t *testing.T, s repository.Store) {
	save(t, s, sample(1))
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		c := sample(1)
		c.Content = "other"
		wantKind(t, tx.InsertContext(ctx, c), domain.KindConflict)
		return Insert(ctx, tx, sample(2))
	})
	if got := one(t, s, id(1)); got.Content != sample(1).Content {
		t.Errorf("the content became %q", got.Content)
	}
	one(t, s, id(2))
}

// The tags column is a comma list, so a tag with a comma is refused.
func testBadTags(t *testing.T, s repository.Store) {
	for _, tags := range [][]string{{"a,b"}, {""}} {
		c := sample(1)
		c.Tags = tags
		err := try(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.InsertContext(ctx, c) })
		wantKind(t, err, domain.KindInvalid)
	}
}

// A number is never given twice, also when the newest context was erased.
func testNumbersRise(t *testing.T, s repository.Store) {
	saveSome(t, s, 2)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.EraseContext(ctx, id(2), at(5)) })
	c := sample(3)
	save(t, s, c)
	if c.N != 3 {
		t.Errorf("N = %d, want 3", c.N)
	}
}

// Every mutable part changes, and the past of tags is kept (002-06).
func testUpdate(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	var want domain.ContextSnapshot
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		got, err := tx.UpdateContext(ctx, id(3), at(10), func(c *domain.ContextSnapshot) error {
			if c.Content != sample(3).Content {
				t.Errorf("fn saw the content %q", c.Content)
			}
			changed := full()
			c.Summary, c.SummaryBy, c.Kind, c.Pinned = "better", domain.ByCaller, domain.Semantic, true
			c.Tags, c.Causality, c.Memory, c.Propagation = []string{"new", "tag2"}, changed.Causality, changed.Memory, changed.Propagation
			c.Causality.Dependencies = idList(2)
			c.SupersededBy, c.SupersededAt = id(2), at(9)
			c.SessionID, c.Seq = "s", 7
			return nil
		})
		want = got
		return err
	})
	if diff := cmp.Diff(want, one(t, s, id(3))); diff != "" {
		t.Error(diff)
	}
	then := must(s.Contexts(t.Context(), domain.ContextQuery{Filters: domain.Filters{AsOf: at(9), Tags: []string{"tag"}}}))(t)
	if diff := cmp.Diff(idList(3, 2, 1), ids(then)); diff != "" {
		t.Errorf("as of before the change: %s", diff)
	}
}

// What fn changes within a list is stored too. Tags are stored once, and times as
// precisely as elsewhere; the answer is what is stored. fn may leave everything as it is.
func testUpdateInPlace(t *testing.T, s repository.Store) {
	saveSome(t, s, 3)
	save(t, s, full())
	change := func(fn func(*domain.ContextSnapshot)) (got domain.ContextSnapshot) {
		t.Helper()
		do(t, s, func(ctx context.Context, tx repository.Tx) (err error) {
			got, err = tx.UpdateContext(ctx, id(9), at(10), func(c *domain.ContextSnapshot) error { fn(c); return nil })
			return err
		})
		return got
	}
	got := change(func(c *domain.ContextSnapshot) {
		c.Tags[1], c.Tags[2] = "new", "new"
		c.Causality.Dependencies[0], c.Propagation.PropagationReason[0] = id(1), "other"
		c.Memory.LastAccessed = at(30).Add(789)
	})
	want := one(t, s, id(9))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-stored +answered:\n%s", diff)
	}
	if !cmp.Equal(want.Tags, []string{"auth", "new"}) || want.Causality.Dependencies[0] != id(1) ||
		want.Propagation.PropagationReason[0] != "other" || want.Memory.LastAccessed != at(30) {
		t.Errorf("stored %+v, %+v, %+v", want, want.Causality, want.Propagation)
	}
	found := func(tag string) bool { return len(list(t, s, filtered(domain.Filters{Tags: []string{tag}}))) == 1 }
	if !found("auth") || !found("new") || found("日本語") {
		t.Error("the tag that stays, the new one or the old one is not found so")
	}
	for _, tags := range [][]string{{"new"}, {"new", "auth"}} { // all at the same time
		got := change(func(c *domain.ContextSnapshot) { c.Tags = tags })
		if want = one(t, s, id(9)); !cmp.Equal(want.Tags, tags) || !cmp.Equal(got.Tags, tags) || !found("new") || found("auth") != (len(tags) == 2) {
			t.Errorf("with the tags %q: stored %q, answered %q", tags, want.Tags, got.Tags)
		}
	}
	if diff := cmp.Diff(want, change(func(*domain.ContextSnapshot) {})); diff != "" {
		t.Errorf("without a change:\n%s", diff)
	}
}

// What never changes is refused, with nothing changed (002-06).
func testUpdateImmutable(t *testing.T, s repository.Store) {
	save(t, s, sample(1))
	for _, fn := range []func(*domain.ContextSnapshot){
		func(c *domain.ContextSnapshot) { c.ID = id(2) },
		func(c *domain.ContextSnapshot) { c.Project = "other" },
		func(c *domain.ContextSnapshot) { c.Content = "other" },
		func(c *domain.ContextSnapshot) { c.Source = "cli" },
		func(c *domain.ContextSnapshot) { c.Timestamp = at(99) },
	} {
		err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
			_, err := tx.UpdateContext(ctx, id(1), at(2), func(c *domain.ContextSnapshot) error { fn(c); return nil })
			return err
		})
		wantKind(t, err, domain.KindInvalid)
	}
}

func testUpdateUnknown(t *testing.T, s repository.Store) {
	save(t, s, sample(2))
	forget(t, s, 3, 2)
	for _, unknown := range idList(1, 2) {
		err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
			_, err := tx.UpdateContext(ctx, unknown, at(4), func(*domain.ContextSnapshot) error { return nil })
			return err
		})
		wantKind(t, err, domain.KindNotFound)
	}
}
