package causality_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/causality"
	"wake/domain"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// story is research → decision → edit, with a note beside the decision.
func story() domain.Walk {
	at := func(id string, hours int, cz *domain.Causality) domain.ContextSnapshot {
		return domain.ContextSnapshot{ID: id, Summary: "about " + id, Timestamp: start.Add(time.Duration(hours) * time.Hour), Causality: cz}
	}
	return domain.Walk{
		Contexts: []domain.ContextSnapshot{
			at("research", 0, &domain.Causality{ActionType: domain.Research, Rationale: "we need a database"}),
			at("decision", 1, &domain.Causality{ActionType: domain.Decision, CausedBy: "research", Rationale: "one file, no server", Dependencies: []string{"note"}}),
			at("edit", 2, &domain.Causality{ActionType: domain.FileEdit, CausedBy: "decision"}),
			at("note", 0, nil),
		},
		Links: []domain.Link{
			{From: "decision", To: "research", Kind: domain.Cause, Origin: domain.Explicit},
			{From: "decision", To: "note", Kind: domain.Dependency, Origin: domain.Explicit},
			{From: "edit", To: "decision", Kind: domain.Cause, Origin: domain.Explicit},
		},
	}
}

func depths(ch causality.Chain) map[string]int {
	got := map[string]int{}
	for _, n := range ch.Nodes {
		got[n.Context.ID] = n.Depth
	}
	return got
}

// Depths count links: negative towards causes, positive towards effects.
func TestBuildDepths(t *testing.T) {
	tests := []struct {
		direction domain.Direction
		want      map[string]int
	}{
		{domain.Causes, map[string]int{"decision": 0, "research": -1, "note": -1}},
		{domain.Effects, map[string]int{"decision": 0, "edit": 1}},
		{domain.Both, map[string]int{"decision": 0, "research": -1, "note": -1, "edit": 1}},
	}
	for _, tt := range tests {
		ch := causality.Build("decision", story(), tt.direction, 20)
		if diff := cmp.Diff(tt.want, depths(ch)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.direction, diff)
		}
	}
}

// The depth cap cuts and says so.
func TestBuildDepthCap(t *testing.T) {
	for _, direction := range []domain.Direction{domain.Causes, domain.Both} {
		if ch := causality.Build("edit", story(), direction, 1); !ch.Truncated || len(ch.Nodes) != 2 {
			t.Errorf("%s: %d nodes, truncated %v; want 2, true", direction, len(ch.Nodes), ch.Truncated)
		}
	}
}

// A parent that is not stored is reported as lost, not dropped in silence.
func TestBuildLost(t *testing.T) {
	walk := story()
	walk.Contexts = slices.DeleteFunc(walk.Contexts, func(c domain.ContextSnapshot) bool { return c.ID == "research" })
	ch := causality.Build("edit", walk, domain.Causes, 20)
	if diff := cmp.Diff([]string{"research"}, ch.Lost); diff != "" {
		t.Error(diff)
	}
	if told := causality.Tell(ch); !strings.Contains(told, "research, which this store does not hold") {
		t.Errorf("told:\n%s", told)
	}
	for name, ch := range map[string]causality.Chain{
		"behind the limit":         causality.Build("edit", domain.Walk{Contexts: walk.Contexts, Links: walk.Links, Truncated: true}, domain.Causes, 20),
		"a cause of another cause": causality.Build("edit", walk, domain.Effects, 20),
	} {
		if len(ch.Lost) > 0 {
			t.Errorf("%s is no lost cause: %q", name, ch.Lost)
		}
	}
}

// An effect that is not stored, because it is forgotten, is no lost cause; it is one of what
// builds on it.
func TestBuildForgottenEffect(t *testing.T) {
	walk := story()
	walk.Contexts = slices.DeleteFunc(walk.Contexts, func(c domain.ContextSnapshot) bool { return c.ID == "edit" })
	for _, direction := range []domain.Direction{domain.Effects, domain.Both} {
		if ch := causality.Build("decision", walk, direction, 20); len(ch.Lost) > 0 || strings.Contains(causality.Text(ch), "edit") {
			t.Errorf("%s: %q is lost in\n%s", direction, ch.Lost, causality.Text(ch))
		}
	}
	walk.Contexts = append(walk.Contexts, domain.ContextSnapshot{ID: "test", Timestamp: walk.Contexts[0].Timestamp.Add(time.Hour)})
	walk.Links = append(walk.Links, domain.Link{From: "test", To: "edit", Kind: domain.Dependency, Origin: domain.Explicit})
	if diff := cmp.Diff([]string{"edit"}, causality.Build("decision", walk, domain.Effects, 20).Lost); diff != "" {
		t.Error(diff)
	}
}

// A cause that was not asked for is no lost one, and is named where it is known.
func TestTellUnasked(t *testing.T) {
	ch := causality.Build("decision", story(), domain.Effects, 20)
	for _, named := range [][]domain.ContextSnapshot{nil, story().Contexts[:1]} {
		ch.Named = named
		told := causality.Tell(ch)
		if strings.Contains(told, "lost") || !strings.Contains(told, "It was caused by ") || !strings.Contains(told, "research") {
			t.Errorf("told:\n%s", told)
		}
	}
	if !strings.Contains(causality.Tell(ch), "about research") {
		t.Errorf("told:\n%s", causality.Tell(ch))
	}
}

// What a context replaced, what replaced it and what wake found to be related are told,
// though no chain follows these links.
func TestTellBeside(t *testing.T) {
	walk := story()
	beside := []domain.ContextSnapshot{{ID: "old", Summary: "about old"}, {ID: "like", Summary: "about like"}, {ID: "newer"}}
	walk.Links = append(walk.Links,
		domain.Link{From: "decision", To: "old", Kind: domain.Supersedes, Origin: domain.Explicit},
		domain.Link{From: "decision", To: "like", Kind: domain.Dependency, Origin: domain.Auto, Confidence: 0.5, Reason: "shares words"},
		domain.Link{From: "decision", To: "forgotten", Kind: domain.Dependency, Origin: domain.Auto},
		domain.Link{From: "newer", To: "decision", Kind: domain.Supersedes, Origin: domain.Explicit},
		domain.Link{From: "user", To: "decision", Kind: domain.Dependency, Origin: domain.Auto},
		domain.Link{From: "edit", To: "research", Kind: domain.Dependency, Origin: domain.Auto})
	want := map[string]int{"edit": 0, "decision": -1, "research": -2, "note": -2}
	if diff := cmp.Diff(want, depths(causality.Build("edit", walk, domain.Causes, 20))); diff != "" {
		t.Errorf("a link that wake found is a short cut (-want +got):\n%s", diff)
	}
	ch := causality.Build("decision", walk, domain.Causes, 20)
	if diff := cmp.Diff([]string{"forgotten", "like", "newer", "old"}, ch.Unnamed()); diff != "" {
		t.Error(diff)
	}
	ch.Named = beside
	told := causality.Tell(ch)
	for _, want := range []string{"It replaced note of 0001-01-01: about old [old]", "about like [like] (found by wake, 50 %: shares words)", "[note]"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told in:\n%s", want, told)
		}
	}
	if strings.Contains(told, "forgotten") || strings.Contains(told, "newer") || len(ch.Lost) > 0 || len(ch.Nodes) != 3 || len(ch.Edges) != 2 {
		t.Errorf("%d nodes, %d edges, told:\n%s", len(ch.Nodes), len(ch.Edges), told)
	}
}

// A circle, which only an import or damage can make, is reported once and ends.
func TestBuildCircle(t *testing.T) {
	walk := story()
	walk.Links = append(walk.Links, domain.Link{From: "research", To: "edit", Kind: domain.Cause, Origin: domain.Explicit})
	walk.Contexts[0].Causality.CausedBy = "edit"
	ch := causality.Build("decision", walk, domain.Both, 20)
	if told := causality.Tell(ch); len(ch.Cycles) != 1 || !strings.Contains(told, "lead back to themselves: decision → research → edit → decision") {
		t.Errorf("cycles %v, told:\n%s", ch.Cycles, told)
	}
	walk.Contexts[3].ID, walk.Contexts[3].Causality = "a", &domain.Causality{CausedBy: "edit"}
	walk.Links[1] = domain.Link{From: "a", To: "edit", Kind: domain.Cause, Origin: domain.Explicit}
	ch = causality.Build("a", walk, domain.Causes, 20)
	if told := causality.Tell(ch); len(ch.Cycles) != 1 || len(ch.Cycles[0]) != 3 || strings.Count(told, "  - ") != 3 {
		t.Errorf("what leads into a circle is not on it: %v, told:\n%s", ch.Cycles, told)
	}
}

// 002-02, 002-05: the tale names rationale, causes, dependencies by id, what
// followed and what superseded it.
func TestTell(t *testing.T) {
	walk := story()
	walk.Contexts[1].SupersededBy, walk.Contexts[1].SupersededAt = "edit", start.Add(48*time.Hour)
	walk.Links = append(walk.Links, domain.Link{From: "edit", To: "decision", Kind: domain.Supersedes, Origin: domain.Explicit})
	told := causality.Tell(causality.Build("decision", walk, domain.Both, 20))
	for _, want := range []string{"Why: one file, no server", "[research]", "we need a database", "It builds on:", "[note]", "What followed", "[edit]", "superseded on 2026-03-03"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told in:\n%s", want, told)
		}
	}
	if told := causality.Tell(causality.Build("note", walk, domain.Causes, 20)); !strings.Contains(told, "Nothing is known about why it exists.") {
		t.Errorf("that a note has no known cause is not told in:\n%s", told)
	}
}

// A tale tells the causes from the root on, then what the start builds on, what followed and
// how much more there is.
func TestTellInFull(t *testing.T) {
	walk := story()
	walk.Contexts[0].Causality.Rationale = "cheap"
	for _, id := range []string{"test", "release"} {
		walk.Contexts = append(walk.Contexts, domain.ContextSnapshot{ID: id, Summary: "about " + id, Timestamp: start, Causality: &domain.Causality{ActionType: domain.Research}})
	}
	walk.Links = append(walk.Links,
		domain.Link{From: "test", To: "edit", Kind: domain.Dependency, Origin: domain.Explicit},
		domain.Link{From: "release", To: "test", Kind: domain.Dependency, Origin: domain.Explicit},
		domain.Link{From: "decision", To: "release", Kind: domain.Supersedes, Origin: domain.Explicit})
	walk.Truncated = true
	want := `
decision of 2026-03-01: about decision [decision]
Why: one file, no server
How it came about, from the root:
  - research of 2026-03-01: about research [research]
    because cheap
It builds on:
  - note of 2026-03-01: about note [note]
What followed from it:
  - file edit of 2026-03-01: about edit [edit]
  and 2 more behind those
It replaced research of 2026-03-01: about release [release]
There is more than is shown; raise max_depth or limit.`
	if diff := cmp.Diff(want, "\n"+causality.Tell(causality.Build("decision", walk, domain.Both, 20))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = `
research of 2026-03-01: about research [research]
Why: we need a database
It is a root: nothing stored caused it.`
	if diff := cmp.Diff(want, "\n"+causality.Tell(causality.Build("research", story(), domain.Causes, 20))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was told as a cause is not told again as what wake found or as a dependency; another
// cause that is named as a dependency is.
func TestTellNoCauseTwice(t *testing.T) {
	walk := story()
	link := domain.Link{From: "decision", To: "research", Kind: domain.Dependency, Origin: domain.Auto, Confidence: .9, Reason: "shares words"}
	walk.Links = append(walk.Links, link)
	once := func() {
		t.Helper()
		if told := causality.Tell(causality.Build("decision", walk, domain.Causes, 20)); strings.Count(told, "[research]") != 1 || strings.Count(told, "[note]") != 1 {
			t.Errorf("told:\n%s", told)
		}
	}
	once()
	walk.Links[len(walk.Links)-1].Origin = domain.Explicit
	once()
	walk.Links[len(walk.Links)-1].From = "edit"
	if told := causality.Tell(causality.Build("edit", walk, domain.Causes, 20)); strings.Count(told, "[research]") != 2 {
		t.Errorf("that edit also builds on the cause of its cause is not told in:\n%s", told)
	}
}

// A reason that begins with "because" is told with the word once.
func TestTellBecause(t *testing.T) {
	walk := story()
	walk.Contexts[0].Causality.Rationale = "Because we need a database"
	if told := causality.Tell(causality.Build("decision", walk, domain.Causes, 20)); !strings.Contains(told, "\n    because we need a database\n") {
		t.Errorf("told:\n%s", told)
	}
}

// A cause, an effect or a dependency that no longer holds is marked in the tale and in every drawing.
func TestSupersededIsMarked(t *testing.T) {
	walk := story()
	walk.Contexts[0].SupersededBy, walk.Contexts[2].SupersededBy, walk.Contexts[3].SupersededBy = "other", "other", "other"
	ch := causality.Build("decision", walk, domain.Both, 20)
	for _, want := range []string{"[research] (superseded)", "[edit] (superseded)", "[note] (superseded)"} {
		if told := causality.Tell(ch); !strings.Contains(told, want) || strings.Contains(told, "[decision] (superseded)") {
			t.Errorf("%q alone is to be told in:\n%s", want, told)
		}
	}
	for _, draw := range []func(causality.Chain) string{causality.Text, causality.Mermaid, causality.Dot} {
		if got := draw(ch); strings.Count(got, "(superseded)") != 3 {
			t.Errorf("three of four are superseded:\n%s", got)
		}
	}
}

// Drawings carry every node and edge and let no stored text break out of a label.
func TestDrawings(t *testing.T) {
	walk := story()
	walk.Contexts[0].Summary = "x\"] --> evil[\"`<b>\\\n\u202e"
	ch := causality.Build("decision", walk, domain.Both, 20)
	ch.Lost = []string{"gone\"]\n  click c0 href \u202e"}
	mermaid := causality.Mermaid(ch)
	if drawn := mermaid + causality.Text(ch); strings.Contains(drawn, "\n  click") || strings.ContainsRune(drawn, '\u202e') {
		t.Errorf("a lost id breaks out, or something is hidden:\n%s", drawn)
	}
	if strings.Count(mermaid, "\"") != 2*(len(ch.Nodes)+1) || strings.Contains(mermaid, "evil[") && strings.Contains(mermaid, "<b>") {
		t.Errorf("a label breaks out:\n%s", mermaid)
	}
	dot := causality.Dot(ch)
	for _, id := range []string{"research", "decision", "edit", "note"} {
		if !strings.Contains(dot, fmt.Sprintf("%q [label=", id)) {
			t.Errorf("%s is not drawn:\n%s", id, dot)
		}
	}
	if got := strings.Count(dot, " -> "); got != 3 {
		t.Errorf("%d edges, want 3", got)
	}
	if text := causality.Text(ch); strings.Count(text, "\n") != 4 || !strings.Contains(text, "▶") {
		t.Errorf("text:\n%s", text)
	}
}

// Each kind of link has an arrow of its own, from cause to effect; the start stands out, and
// what is lost looks it.
func TestDrawingsInFull(t *testing.T) {
	walk := story()
	walk.Links = append(walk.Links,
		domain.Link{From: "edit", To: "note", Kind: domain.Dependency, Origin: domain.Auto},
		domain.Link{From: "edit", To: "research", Kind: domain.Supersedes, Origin: domain.Explicit},
		domain.Link{From: "note", To: "gone", Kind: domain.Dependency, Origin: domain.Explicit})
	walk.Contexts[3].N = 1
	ch := causality.Build("decision", walk, domain.Both, 20)
	for name, tt := range map[string]struct{ got, want string }{
		"text": {causality.Text(ch), `
  research of 2026-03-01: about research [research]
  note of 2026-03-01: about note [note]
  ▶ decision of 2026-03-01: about decision [decision]
      file edit of 2026-03-01: about edit [edit]
  lost: gone`},
		"mermaid": {causality.Mermaid(ch), `
flowchart TD
  c0["2026-03-01 about research"]
  c1["2026-03-01 about note"]
  c2["2026-03-01 about decision"]
  c3["2026-03-01 about edit"]
  c4["lost: gone"]:::lost
  c1 -.-> c2
  c0 --> c2
  c2 --> c3
  c1 -. related .-> c3
  c0 -. superseded by .-> c3
  c4 -.-> c1
  style c2 stroke-width:3px
  classDef lost stroke-dasharray:4
`},
		"dot": {causality.Dot(ch), `
digraph chain {
  node [shape=box];
  "research" [label="2026-03-01 about research"];
  "note" [label="2026-03-01 about note"];
  "decision" [label="2026-03-01 about decision", penwidth=3];
  "edit" [label="2026-03-01 about edit"];
  "gone" [label="lost: gone", style=dashed];
  "note" -> "decision" [label="dependency", style=dashed];
  "research" -> "decision" [label="cause"];
  "decision" -> "edit" [label="cause"];
  "note" -> "edit" [label="dependency", style=dashed];
  "research" -> "edit" [label="supersedes", style=dashed];
  "gone" -> "note" [label="dependency", style=dashed];
}
`},
	} {
		if diff := cmp.Diff(tt.want, "\n"+tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if whole := causality.Mermaid(causality.Build("decision", story(), domain.Both, 20)); strings.Contains(whole, "lost") {
		t.Errorf("nothing is lost in\n%s", whole)
	}
}

// In any graph: no node twice, the cap is kept, every node but the start hangs
// on a link to a nearer one, and circles are found exactly where there are any.
func TestBuildProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		id := func(i int) string { return fmt.Sprintf("c%d", i) }
		var walk domain.Walk
		for i := range n {
			walk.Contexts = append(walk.Contexts, domain.ContextSnapshot{ID: id(i), N: int64(i)})
		}
		acyclic := rapid.Bool().Draw(t, "acyclic")
		for range rapid.IntRange(0, 25).Draw(t, "links") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if acyclic && from <= to {
				continue
			}
			walk.Links = append(walk.Links, domain.Link{From: id(from), To: id(to), Kind: domain.Cause, Origin: domain.Explicit})
		}
		if loaded := rapid.IntRange(1, n).Draw(t, "loaded"); loaded < n && rapid.Bool().Draw(t, "truncated") {
			walk.Contexts, walk.Truncated = walk.Contexts[:loaded], true
		}
		depth := rapid.IntRange(1, 5).Draw(t, "depth")
		ch := causality.Build(id(0), walk, domain.Both, depth)
		got := depths(ch)
		if len(got) != len(ch.Nodes) {
			t.Fatal("a node stands twice")
		}
		for node, d := range got {
			if d > depth || -d > depth {
				t.Fatalf("%s at depth %d", node, d)
			}
			nearer := slices.ContainsFunc(walk.Links, func(l domain.Link) bool {
				return d < 0 && l.To == node && got[l.From] == d+1 || d > 0 && l.From == node && got[l.To] == d-1
			})
			if d != 0 && !nearer && !walk.Truncated {
				t.Fatalf("%s at depth %d hangs on nothing", node, d)
			}
		}
		for _, l := range ch.Edges {
			for _, end := range []string{l.From, l.To} {
				if _, ok := got[end]; !ok && !slices.Contains(ch.Lost, end) {
					t.Fatalf("an edge leads to %s, which is not in the chain", end)
				}
			}
		}
		if acyclic && len(ch.Cycles) > 0 {
			t.Fatalf("circles in an acyclic graph: %v", ch.Cycles)
		}
	})
}

// A chain of a thousand links neither recurses nor takes long.
func TestBuildLongChain(t *testing.T) {
	var walk domain.Walk
	for i := range 1001 {
		walk.Contexts = append(walk.Contexts, domain.ContextSnapshot{ID: fmt.Sprint(i)})
		if i > 0 {
			walk.Links = append(walk.Links, domain.Link{From: fmt.Sprint(i), To: fmt.Sprint(i - 1), Kind: domain.Cause, Origin: domain.Explicit})
			walk.Contexts[i].Causality = &domain.Causality{CausedBy: fmt.Sprint(i - 1)}
		}
	}
	ch := causality.Build("1000", walk, domain.Causes, 1000)
	if ch.Truncated || ch.Nodes[0].Depth != -1000 {
		t.Errorf("truncated %v, deepest %d", ch.Truncated, ch.Nodes[0].Depth)
	}
	told := causality.Tell(ch)
	if strings.Count(told, "\n  - ") != 21 || !strings.Contains(told, "[19]\n  … 979 more steps …\n") || !strings.Contains(told, "[999]") {
		t.Errorf("the first twenty of a thousand steps and the last are to be told:\n%s", told)
	}
}

// A story that begins in the middle does not say that it begins at the root.
func TestTellSaysWhereItBegins(t *testing.T) {
	lost := story()
	lost.Contexts[0].Causality.CausedBy = "gone"
	lost.Links = append(lost.Links, domain.Link{From: "research", To: "gone", Kind: domain.Cause, Origin: domain.Explicit})
	for name, tt := range map[string]struct {
		walk  domain.Walk
		depth int
		root  bool
	}{
		"whole": {story(), 20, true},
		"cut":   {story(), 1, false},
		"lost":  {lost, 20, false},
	} {
		told := causality.Tell(causality.Build("edit", tt.walk, domain.Causes, tt.depth))
		if strings.Contains(told, "from the root") != tt.root || !strings.Contains(told, "How it came about") || strings.Contains(told, "It was caused by") {
			t.Errorf("%s: %s", name, told)
		}
	}
}
