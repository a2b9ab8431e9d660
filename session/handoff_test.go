package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/session"
)

// A hand-off carries what the mode event names, and what was in force where it
// names nothing (000-15); findings by mode, each once.
func TestNewHandoff(t *testing.T) {
	before := session.New()
	before.Skills, before.Tools, before.Task = []string{"go"}, []string{"grep"}, "fix the login"
	findings := []domain.Finding{
		{Mode: "debug", Kind: domain.FindingError, Text: "TypeError"}, {Mode: "debug", Kind: domain.FindingError, Text: "TypeError"},
		{Mode: "debug", Kind: domain.FindingRootCause, Text: "a guess"}, {Mode: "debug", Kind: domain.FindingRootCause, Text: "null check missing"},
		{Mode: "debug", Kind: domain.FindingFix, Text: "add it"}, {Mode: "code", Kind: domain.FindingNote, Text: "later"},
	}
	h := session.NewHandoff("h", "s", 9, session.Handed{FromMode: "debug", MessageSeqs: []int64{1, 2, 3, 4, 5, 6, 7},
		Findings: findings, Mode: domain.Mode{To: "code", Tools: []string{"edit"}}, Before: &before}, noon)
	want := domain.Handoff{ID: "h", SessionID: "s", Seq: 9, FromMode: "debug", ToMode: "code", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour),
		MessageSeqs: []int64{3, 4, 5, 6, 7}, Skills: []string{"go"}, Tools: []string{"edit"}, Task: "fix the login",
		Findings: map[string]domain.ModeFindings{
			"debug": {Errors: []string{"TypeError"}, RootCause: "null check missing", Fixes: []string{"add it"}}, "code": {Notes: []string{"later"}}}}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text := session.TellHandoff(h); !strings.Contains(text, "null check missing") || !strings.Contains(text, "debug → code") {
		t.Errorf("told as:\n%s", text)
	}
	h.Findings = map[string]domain.ModeFindings{"": {Fixes: []string{"add it"}}}
	if text := session.TellHandoff(h); !strings.Contains(text, "\nfix: add it\n") {
		t.Errorf("a finding without a mode is told as:\n%s", text)
	}
}

// A hand-off is told whole where there is room; else its texts are cut, the longest first.
func TestHandoffIsToldWhole(t *testing.T) {
	said := strings.Repeat("the parser fails ", 60) + "at line nine"
	h := domain.Handoff{ID: "h", ToMode: "code", Messages: []domain.HandoffMessage{{Role: domain.RoleUser, At: noon, Content: said}}}
	if text := session.TellHandoff(h); !strings.Contains(text, said) {
		t.Errorf("told as:\n%s", text)
	}
	for range 2 {
		h.Messages = append(h.Messages, domain.HandoffMessage{Role: domain.RoleAssistant, At: noon, Content: strings.Repeat("a long answer ", 200) + "end"})
	}
	if text := session.TellHandoff(h); !strings.Contains(text, said) || strings.Contains(text, "end") || len(text) > 5500 {
		t.Errorf("with long answers, %d bytes are told:\n%s", len(text), text)
	}
}

// I8, 000-16, 000-27: an hour, seven days when important, and not a moment longer.
func TestHandoffExpiry(t *testing.T) {
	h := session.NewHandoff("h", "s", 1, session.Handed{Mode: domain.Mode{To: "code"}, Before: &session.State{}}, noon)
	important := session.NewHandoff("h", "s", 1, session.Handed{Mode: domain.Mode{To: "code"}, Before: &session.State{}, Important: true}, noon)
	for _, c := range []struct {
		h     domain.Handoff
		after time.Duration
		want  bool
	}{
		{h, 0, true}, {h, time.Hour - 1, true}, {h, time.Hour, false},
		{important, 7*24*time.Hour - 1, true}, {important, 7 * 24 * time.Hour, false},
	} {
		if got := session.Alive(c.h, noon.Add(c.after)); got != c.want {
			t.Errorf("important %v after %v: %v", c.h.Important, c.after, got)
		}
	}
}

// I8, 000-16, 000-28: the cache holds ten and is truly least recently used, by a model that
// is a list.
func TestHandoffCacheIsLRU(t *testing.T) {
	const most = 10
	rapid.Check(t, func(t *rapid.T) {
		var cache session.HandoffCache
		var model []string // most recently used first
		use := func(id string) {
			model = slices.DeleteFunc(model, func(m string) bool { return m == id })
			model = slices.Insert(model, 0, id)
			model = model[:min(len(model), most)]
		}
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			id := fmt.Sprint(rapid.IntRange(0, 2*most).Draw(t, "id"))
			if rapid.Bool().Draw(t, "put") {
				cache.Put(domain.Handoff{ID: id})
				use(id)
				continue
			}
			got, ok := cache.Get(id)
			if ok != slices.Contains(model, id) || ok && got.ID != id {
				t.Fatalf("get %s: %v, the model holds %v", id, ok, model)
			}
			if ok {
				use(id)
			}
		}
	})
}

// 000-27: how often which mode followed which, and how long one stayed.
func TestTransitions(t *testing.T) {
	h := newHistory()
	for i, mode := range []string{"code", "debug", "code", "debug"} {
		h.add(t, domain.Mode{To: mode}, noon.Add(time.Duration(i)*10*time.Minute))
		h.add(t, said("x"), noon)
	}
	h.add(t, domain.Mode{To: "debug", Task: "the same mode"}, noon.Add(40*time.Minute))
	back := session.New()
	back.Mode = "code"
	restored, err := session.RestoreEvent(domain.Checkpoint{Seq: 1}, "undo", &back)
	if err != nil {
		t.Fatal(err)
	}
	h.add(t, restored, noon.Add(40*time.Minute))
	h.add(t, domain.Mode{To: "debug"}, noon.Add(70*time.Minute))
	counts := session.CountTransitions(session.Transitions("plan", h.events))
	want := []session.TransitionCount{{From: "code", To: "debug", Count: 3, Average: 50 * time.Minute / 3},
		{From: "debug", To: "code", Count: 1, Average: 10 * time.Minute}, {From: "plan", To: "code", Count: 1}}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A session may have a hundred thousand findings, and a change of mode holds the writer's
// lock while it sorts them.
func TestGroupManyFindings(t *testing.T) {
	list := make([]domain.Finding, 100_000)
	for i := range list {
		list[i] = domain.Finding{Mode: "debug", Kind: domain.FindingNote, Text: fmt.Sprint("note ", i)}
	}
	began := time.Now()
	if got := len(session.GroupFindings(append(list, list...))["debug"].Notes); got != len(list) {
		t.Errorf("%d notes, want %d", got, len(list))
	}
	if took := time.Since(began); took > 15*time.Second { // a busy machine needs 5; compared with one another they take half a minute on an idle one
		t.Errorf("they took %v", took)
	}
}
