package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// Whoever forgets a context is told which others say nearly the same: they are told as before.
func TestForgetNamesWhatSaysTheSame(t *testing.T) {
	s, _ := memorytest.Open(t)
	gone := save(t, s, memory.SaveRequest{Content: "The staging cluster of ferry runs in Dublin."})
	twin := save(t, s, memory.SaveRequest{Content: "Decided on Monday: the staging cluster of ferry runs in Dublin, near the office."})
	save(t, s, memory.SaveRequest{Content: "The production cluster of ferry runs in Frankfurt."})
	save(t, s, memory.SaveRequest{Content: "Dublin has an office."})
	for _, dry := range []bool{true, false} {
		a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone.ID}, DryRun: dry})
		if want := "nearly the same is still said by 1 other context: " + twin.ID; err != nil || len(a.Notes) != 1 || a.Notes[0] != want {
			t.Errorf("notes %q, %v; want %q", a.Notes, err, want)
		}
	}
	if a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{twin.ID}}); err != nil || len(a.Notes) != 0 {
		t.Errorf("notes %q, %v", a.Notes, err)
	}
}

// Forgetting: a dry run first, protection, undo, and then for good.
func TestForget(t *testing.T) {
	s, c := memorytest.Open(t)
	cause := save(t, s, memory.SaveRequest{Content: "the cause"})
	effect := save(t, s, memory.SaveRequest{Content: "the effect", CausedBy: cause.ID})
	pinned := save(t, s, memory.SaveRequest{Content: "the pinned", Pinned: true})
	idle := save(t, s, memory.SaveRequest{Content: "the idle"})
	young, err := s.Forget(ctx, memory.ForgetRequest{Project: "demo", Expired: true})
	if err != nil || len(young.Forgotten) != 0 {
		t.Errorf("young ones go: %+v %v", young, err)
	}
	c.Pass(60 * 24 * time.Hour)
	load(t, s, effect.ID)
	dry, err := s.Forget(ctx, memory.ForgetRequest{Project: "demo", Expired: true, DryRun: true})
	if err != nil || len(dry.Forgotten) != 1 || dry.Forgotten[0].ID != idle.ID || len(dry.Protected) != 2 {
		t.Fatalf("%+v %v", dry, err)
	}
	if _, err := s.Load(ctx, memory.LoadRequest{IDs: []string{idle.ID}}); err != nil {
		t.Errorf("a dry run forgets: %v", err)
	}
	_ = pinned
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Load(ctx, memory.LoadRequest{IDs: []string{idle.ID}})
	refused(t, err, domain.KindNotFound)
	if hits, err := s.Search(ctx, memory.SearchRequest{Query: "idle"}); err != nil || found(hits, idle.ID) {
		t.Errorf("still found: %+v %v", hits, err)
	}
	back, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}, Undo: true})
	if err != nil || len(back.Restored) != 1 || load(t, s, idle.ID).Content != "the idle" {
		t.Errorf("%+v %v", back, err)
	}
	if hits, err := s.Search(ctx, memory.SearchRequest{Query: "idle"}); err != nil || !found(hits, idle.ID) {
		t.Errorf("not found again: %+v %v", hits, err)
	}
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}}); err != nil {
		t.Fatal(err)
	}
	c.Pass(31 * 24 * time.Hour)
	if err := s.CleanUp(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = s.Forget(ctx, memory.ForgetRequest{IDs: []string{idle.ID}, Undo: true})
	refused(t, err, domain.KindNotFound)
}

// Where no server runs, recalculating erases what was forgotten long ago, of all projects.
func TestRecalculateErases(t *testing.T) {
	s, c := memorytest.Open(t)
	id := save(t, s, memory.SaveRequest{Content: "The parrot sleeps.", Project: "zoo"}).ID
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}}); err != nil {
		t.Fatal(err)
	}
	c.Pass(31 * 24 * time.Hour)
	for _, what := range []string{"tiers", "all"} {
		if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: what}); err != nil {
			t.Fatal(err)
		}
		gone, err := s.Store.ErasedContexts(ctx, []string{id})
		if err != nil || (len(gone) == 1) != (what == "all") {
			t.Errorf("after %s, erased %q, %v", what, gone, err)
		}
	}
}

// As of a time between forgetting and undo there was no such context.
func TestAsOfWhileForgotten(t *testing.T) {
	s, c := memorytest.Open(t)
	id := save(t, s, memory.SaveRequest{Content: "The parrot sleeps."}).ID
	for _, undo := range []bool{false, true} {
		c.Pass(time.Hour)
		if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}, Undo: undo}); err != nil {
			t.Fatal(err)
		}
	}
	for before, there := range map[time.Duration]bool{90 * time.Minute: true, 30 * time.Minute: false, 0: true} {
		then := memory.Filter{AsOf: c.Now().Add(-before)}
		if hits, err := s.Search(ctx, memory.SearchRequest{Query: "parrot", In: memory.InContexts, Filter: then}); err != nil || found(hits, id) != there {
			t.Errorf("%s before, the search says %+v, %v", before, hits, err)
		}
		if a, err := s.Load(ctx, memory.LoadRequest{IDs: []string{id}, Filter: then}); err != nil || (len(a.Contexts) == 1) != there {
			t.Errorf("%s before, it loads %+v, %v", before, a, err)
		}
		_, err := s.Chain(ctx, memory.ChainRequest{ID: id, AsOf: then.AsOf})
		if (err == nil) != there || err != nil && !strings.Contains(err.Error(), "it was forgotten then") {
			t.Errorf("%s before, the chain says %v", before, err)
		}
	}
}

// What a purge finds beside is shown to nobody by that: it is named, and no access.
func TestPurgeShowsNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	const leaked = "the launch code is swordfish"
	a := save(t, s, memory.SaveRequest{Content: leaked})
	twin := save(t, s, memory.SaveRequest{Content: "Ann wrote that " + leaked})
	gone, err := s.Purge(ctx, a.ID)
	if err != nil || len(gone.Notes) != 1 || !strings.Contains(gone.Notes[0], twin.ID) {
		t.Fatalf("%+v %v", gone, err)
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	log, err := s.Store.AccessLog(ctx, "", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, access := range log {
		if access.How == domain.Shown {
			t.Errorf("%s is logged as shown by %q", access.ContextID, access.Via)
		}
	}
}

// What stays keeps its causes, and these theirs, also where all of them are expired;
// what is forgotten keeps nothing.
func TestForgetKeepsCauses(t *testing.T) {
	s, c := memorytest.Open(t)
	root := save(t, s, memory.SaveRequest{Content: "the root of it", ActionType: domain.Decision}).ID
	middle := save(t, s, memory.SaveRequest{Content: "what followed", CausedBy: root}).ID
	pinned := save(t, s, memory.SaveRequest{Content: "what matters", CausedBy: middle, Pinned: true}).ID
	lone := save(t, s, memory.SaveRequest{Content: "on its own"}).ID
	c.Pass(40 * 24 * time.Hour)
	for _, dry := range []bool{true, false} {
		a, err := s.Forget(ctx, memory.ForgetRequest{Project: "demo", Expired: true, DryRun: dry})
		if err != nil || len(a.Forgotten) != 1 || a.Forgotten[0].ID != lone || len(a.Protected) != 3 {
			t.Errorf("dry run %t: %+v, %v", dry, a, err)
		}
		for _, p := range a.Protected {
			if want := map[string]string{root: "cause of " + middle + ", which stays", middle: "cause of " + pinned + ", which stays", pinned: "pinned; unpin it first"}[p.ID]; p.Why != want {
				t.Errorf("%s stays, %s; want %s", p.ID, p.Why, want)
			}
		}
	}
	if _, err := s.Update(ctx, memory.UpdateRequest{ID: pinned, Pinned: new(bool)}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{pinned, middle, root} {
		if a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}}); err != nil || len(a.Forgotten) != 1 {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// Neither what is protected nor a long chain keeps from being forgotten what may be: each
// call passes over the one, and begins at the end of the other.
func TestForgetExpiredPastTheLimit(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 25 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("pinned fact %d", i), Pinned: true})
	}
	c.Pass(time.Hour)
	last := ""
	for i := range 25 {
		last = save(t, s, memory.SaveRequest{Content: fmt.Sprintf("step %d of the old plan", i), CausedBy: last}).ID
	}
	c.Pass(40 * 24 * time.Hour)
	for i, want := range []int{10, 10, 5, 0} {
		for _, dry := range []bool{true, false} {
			a, err := s.Forget(ctx, memory.ForgetRequest{Expired: true, Limit: 10, DryRun: dry})
			if err != nil || len(a.Forgotten) != want || len(a.Protected) != 10 {
				t.Fatalf("%d forgotten, want %d; %d protected, %q, %v", len(a.Forgotten), want, len(a.Protected), a.Notes, err)
			}
			if told := strings.Contains(fmt.Sprint(a.Notes), "more of them may go"); told != (i < 2) {
				t.Errorf("call %d, dry run %v: that more may go is told: %v", i, dry, told)
			}
		}
	}
}

// To forget what has expired is advised where there is something to forget: not of a past
// that was imported today.
func TestForgettingIsAdvisedOfWhatMayGo(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 3 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("what was decided in year %d", i), Timestamp: c.Now().AddDate(-i-1, 0, 0)})
	}
	for _, test := range []struct {
		pass    time.Duration
		advised bool
	}{{0, false}, {29 * 24 * time.Hour, false}, {2 * 24 * time.Hour, true}} {
		c.Pass(test.pass)
		stats, err := s.Stats(ctx, "demo")
		if err != nil || stats.Tiers[domain.TierExpired] != 3 || strings.Contains(fmt.Sprint(stats.Health), "3 of 3 contexts were not used for 30 days") != test.advised {
			t.Errorf("%s later: %+v, %v", test.pass, stats.Health, err)
		}
		a, err := s.Forget(ctx, memory.ForgetRequest{Expired: true, DryRun: true})
		if err != nil || (len(a.Forgotten) > 0) != test.advised {
			t.Errorf("%s later %d may be forgotten: %v", test.pass, len(a.Forgotten), err)
		}
	}
}

// What is brought back brings its causes with it: left forgotten, they would be erased
// behind something kept.
func TestUndoBringsCausesBack(t *testing.T) {
	s, c := memorytest.Open(t)
	root := save(t, s, memory.SaveRequest{Content: "the root of it", ActionType: domain.Decision}).ID
	middle := save(t, s, memory.SaveRequest{Content: "what followed", CausedBy: root}).ID
	last := save(t, s, memory.SaveRequest{Content: "what followed from that", CausedBy: middle}).ID
	lone := save(t, s, memory.SaveRequest{Content: "on its own"}).ID
	all := []string{root, middle, last, lone}
	if a, err := s.Forget(ctx, memory.ForgetRequest{IDs: all}); err != nil || len(a.Forgotten) != len(all) {
		t.Fatalf("%+v, %v", a, err)
	}
	a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{last}, Undo: true})
	if err != nil || len(a.Restored) != 3 || len(a.Missing) > 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, r := range a.Restored {
		if want := map[string]string{root: "cause of " + middle, middle: "cause of " + last}[r.ID]; r.Why != want {
			t.Errorf("%s is back, %q; want %q", r.ID, r.Why, want)
		}
	}
	c.Pass(31 * 24 * time.Hour)
	if err := s.CleanUp(ctx); err != nil {
		t.Fatal(err)
	}
	if chain, err := s.Chain(ctx, memory.ChainRequest{ID: last}); err != nil || len(chain.Nodes) != 3 || len(chain.Lost) > 0 {
		t.Errorf("%+v, %v", chain, err)
	}
}

// What is asked back and was never forgotten is not unknown.
func TestUndoOfWhatIsThere(t *testing.T) {
	s, _ := memorytest.Open(t)
	gone := save(t, s, memory.SaveRequest{Content: "Sessions live in Redis"}).ID
	there := save(t, s, memory.SaveRequest{Content: "Invoices are numbered by month"}).ID
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone}}); err != nil {
		t.Fatal(err)
	}
	a, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone, there, "nobody"}, Undo: true})
	if err != nil || len(a.Restored) != 1 || !slices.Equal(a.Missing, []string{"nobody"}) {
		t.Errorf("%+v, %v", a, err)
	}
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], there) {
		t.Errorf("notes %q", a.Notes)
	}
}

// Purging leaves nothing of the text in the files.
func TestPurge(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "the unspeakable xylophone", Rationale: "xylophone"})
	got, err := s.Purge(ctx, a.ID)
	if err != nil || got.Hash == "" {
		t.Fatalf("%+v %v", got, err)
	}
	_, err = s.Load(ctx, memory.LoadRequest{IDs: []string{a.ID}})
	refused(t, err, domain.KindNotFound)
	_, err = s.Purge(ctx, a.ID)
	refused(t, err, domain.KindNotFound)
	if !strings.Contains(err.Error(), "was purged before") {
		t.Error(err)
	}
}

// Whoever names a forgotten context learns that it can be brought back.
func TestForgottenIsNotUnknown(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := save(t, s, memory.SaveRequest{Content: "Sessions live in Redis"}).ID
	forget := memory.ForgetRequest{IDs: []string{id}}
	if _, err := s.Forget(ctx, forget); err != nil {
		t.Fatal(err)
	}
	pinned := true
	for door, use := range map[string]func() error{
		"load":    func() error { _, err := s.Load(ctx, memory.LoadRequest{IDs: []string{id}}); return err },
		"chain":   func() error { _, err := s.Chain(ctx, memory.ChainRequest{ID: id}); return err },
		"predict": func() error { _, err := s.Predict(ctx, memory.PredictRequest{After: id}); return err },
		"update":  func() error { _, err := s.Update(ctx, memory.UpdateRequest{ID: id, Pinned: &pinned}); return err },
		"save":    func() error { _, err := s.Save(ctx, memory.SaveRequest{Content: "x", CausedBy: id}); return err },
		"forget":  func() error { _, err := s.Forget(ctx, forget); return err },
	} {
		err := use()
		refused(t, err, domain.KindNotFound)
		if err == nil || !strings.Contains(err.Error(), id+" was forgotten at ") || domain.HintOf(err) != domain.UnforgetContext {
			t.Errorf("%s: %v", door, err)
		}
	}
}
