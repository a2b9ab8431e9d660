package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// Links can be changed; none may close a cycle.
func TestUpdateLinks(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "first"})
	b := save(t, s, memory.SaveRequest{Content: "second", CausedBy: a.ID})
	c := save(t, s, memory.SaveRequest{Content: "third", CausedBy: b.ID})
	_, err := s.Update(ctx, memory.UpdateRequest{ID: a.ID, CausedBy: &c.ID})
	refused(t, err, domain.KindInvalid)
	_, err = s.Update(ctx, memory.UpdateRequest{ID: a.ID, AddDependencies: []string{a.ID}})
	refused(t, err, domain.KindInvalid)
	if !strings.Contains(err.Error(), "its own dependency") {
		t.Errorf("its own dependency: %v", err)
	}
	_, err = s.Update(ctx, memory.UpdateRequest{ID: a.ID, AddDependencies: []string{"nope"}})
	refused(t, err, domain.KindNotFound)
	got, err := s.Update(ctx, memory.UpdateRequest{ID: c.ID, CausedBy: &a.ID, AddDependencies: []string{b.ID}})
	if err != nil || got.Causality.CausedBy != a.ID || cmp.Diff([]string{b.ID}, got.Causality.Dependencies) != "" {
		t.Errorf("%+v %v", got.Causality, err)
	}
}

// What was replaced cannot in turn replace what took its place, however far up;
// taken back, it may be the other way round.
func TestSupersessionHasNoCircle(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "port 80"})
	b := save(t, s, memory.SaveRequest{Content: "port 8080", Supersedes: a.ID})
	c := save(t, s, memory.SaveRequest{Content: "port 9090", Supersedes: b.ID})
	by := func(id, successor string) error {
		_, err := s.Update(ctx, memory.UpdateRequest{ID: id, SupersededBy: &successor})
		return err
	}
	refused(t, by(b.ID, a.ID), domain.KindInvalid)
	refused(t, by(c.ID, a.ID), domain.KindInvalid)
	if got := load(t, s, c.ID); got.SupersededBy != "" {
		t.Errorf("a refused call changed %+v", got)
	}
	if err := errors.Join(by(a.ID, ""), by(b.ID, a.ID)); err != nil {
		t.Errorf("taken back: %v", err)
	}
}

// A change that names nothing to change is no change, and says so.
func TestUpdateOfNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "port 80"})
	_, err := s.Update(ctx, memory.UpdateRequest{ID: a.ID})
	refused(t, err, domain.KindInvalid)
}

// Pins and tags change; the content never does; new tags are found.
func TestUpdatePinAndTags(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "the bus leaves at nine", Tags: []string{"travel"}})
	yes := true
	got, err := s.Update(ctx, memory.UpdateRequest{ID: a.ID, Pinned: &yes, AddTags: []string{"timetable"}, RemoveTags: []string{"travel"}})
	if err != nil || !got.Pinned || got.Kind != domain.Semantic || cmp.Diff([]string{"timetable"}, got.Tags) != "" {
		t.Fatalf("%+v %v", got, err)
	}
	if hits, err := s.Search(ctx, memory.SearchRequest{Query: "timetable"}); err != nil || len(hits.Hits) != 1 {
		t.Errorf("%+v %v", hits, err)
	}
}
