package mcp

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// manyItems are more than have room in one answer.
func manyItems(list string) (items []memory.ForgetItem) {
	for i := range 400 {
		items = append(items, memory.ForgetItem{ID: fmt.Sprint(list, i), Summary: strings.Repeat("a long summary tells all of it ", 10)})
	}
	return items
}

// Each list of what was forgotten has its share of the room, and says how many it leaves
// out; without a bound all are told.
func TestForgottenFit(t *testing.T) {
	whole := memory.ForgetAnswer{Forgotten: manyItems("f"), Protected: manyItems("p"), Restored: manyItems("r")}
	cut := whole
	fitForget(&cut, claudeTokens)
	for name, list := range map[string][]memory.ForgetItem{"forgotten": cut.Forgotten, "protected": cut.Protected, "restored": cut.Restored} {
		note := fmt.Sprintf("%s holds the first %d; %d more have no room", name, len(list), 400-len(list))
		if len(list) < 10 || exceeds(list, claudeTokens/3) || !strings.Contains(strings.Join(cut.Notes, "\n"), note) {
			t.Errorf("%d of %s are left: %q", len(list), name, cut.Notes)
		}
	}
	fitForget(&whole, 0)
	if len(whole.Forgotten) != 400 || len(whole.Notes) != 0 {
		t.Errorf("without a bound: %d, %q", len(whole.Forgotten), whole.Notes)
	}
}

// A secret at which a text is cut is masked, too.
func TestFitMasksBeforeItCuts(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	at := func(n int) string {
		return strings.Repeat("use it ", n/7-1) + secret + strings.Repeat(" and more", 20_000)
	}
	saved := memory.SaveAnswer{Causality: &domain.Causality{Rationale: at(textChars)}}
	fitSaved(&saved, claudeTokens)
	chain := memory.ChainAnswer{Nodes: []memory.ChainNode{{Rationale: at(textChars / 2)}}}
	fitChain(&chain, claudeTokens)
	share := listBytes / 4
	found := newestFindings(map[string]domain.ModeFindings{"debug": {RootCause: at(share)}})
	for name, text := range map[string]string{"save": saved.Causality.Rationale, "chain": chain.Nodes[0].Rationale, "hand-off": found["debug"].RootCause} {
		if strings.Contains(text, secret[:4]) || !strings.HasPrefix(text, "use it") || len(text) > textChars+10 {
			t.Errorf("%s: %d bytes end in %q", name, len(text), text[max(len(text)-60, 0):])
		}
	}
}

// A report that is too long keeps the end of a timeline, the beginning of any other text,
// and the newest of the rest, and says so; a short one stays as it is.
func TestReportsFit(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "line %d of the report\n", i)
	}
	report := func(format memory.ReportFormat, turns, ops, children int) memory.ReportAnswer {
		node := &domain.SessionNode{}
		for i := range turns {
			turn := domain.TurnNode{Turn: domain.Turn{Index: int64(i), Label: strings.Repeat("label ", 20)}}
			for j := range ops {
				turn.Ops = append(turn.Ops, domain.OpNode{Op: domain.Op{ID: fmt.Sprint(j), Label: strings.Repeat("label ", 20)}})
			}
			node.Turns = append(node.Turns, turn)
		}
		for i := range children {
			node.Orphans = append(node.Orphans, domain.SessionNode{Session: domain.Session{ID: fmt.Sprint("child ", i)}})
		}
		a := memory.ReportAnswer{ID: "s", Format: format, Text: text.String(), Tree: node}
		fitReport(&a)
		return a
	}
	timeline, tree := report(memory.ReportTimeline, 0, 0, 0), report(memory.ReportTree, 0, 0, 0)
	if !strings.HasSuffix(timeline.Text, "line 999 of the report\n") || !strings.HasPrefix(timeline.Text, "line ") || utf8.RuneCountInString(timeline.Text) > textChars {
		t.Errorf("the timeline begins %.30q", timeline.Text)
	}
	if !strings.HasPrefix(tree.Text, "line 0 ") || !strings.HasSuffix(tree.Text, "the rest: wake://sessions/s/optree\n") || utf8.RuneCountInString(tree.Text) > textChars+100 {
		t.Errorf("the tree begins %.30q", tree.Text)
	}
	for name, tt := range map[string]struct {
		turns, ops, children int
		cut                  bool
	}{
		"short": {3, 3, 3, false}, "empty": {0, 0, 0, false}, "many turns": {400, 1, 0, true}, "a long turn": {1, 400, 0, true}, "many children": {1, 1, 900, true},
	} {
		a := report(memory.ReportTree, tt.turns, tt.ops, tt.children)
		if cut := len(a.Notes) > 0; cut != tt.cut || exceedsBytes(a.Tree) {
			t.Errorf("%s: cut %v, want %v", name, cut, tt.cut)
		}
		if n := len(a.Tree.Turns); tt.turns > 0 && (n == 0 || a.Tree.Turns[n-1].Index != int64(tt.turns-1)) {
			t.Errorf("%s: the newest turn is missing", name)
		}
		if tt.turns > 0 {
			last := a.Tree.Turns[len(a.Tree.Turns)-1].Ops
			if len(last) == 0 || last[len(last)-1].ID != fmt.Sprint(tt.ops-1) {
				t.Errorf("%s: the newest operation is missing", name)
			}
		}
	}
}

func exceedsBytes(tree *domain.SessionNode) bool { return len(asJSON(tree)) > 3*listBytes }

// A hand-off that is too long keeps the newest findings and thoughts, and says so.
func TestHandoffsFit(t *testing.T) {
	var thoughts []domain.Reasoning
	var fixes []string
	for i := range 500 {
		thoughts = append(thoughts, domain.Reasoning{Content: fmt.Sprint("thought ", i, strings.Repeat(" and more", 10))})
		fixes = append(fixes, fmt.Sprint("fix ", i, strings.Repeat(" and more", 10)))
	}
	for name, tt := range map[string]struct {
		thoughts []domain.Reasoning
		findings map[string]domain.ModeFindings
		cut      bool
	}{
		"short":         {thoughts[:3], map[string]domain.ModeFindings{"debug": {Fixes: fixes[:3]}}, false},
		"many thoughts": {thoughts, nil, true},
		"many findings": {nil, map[string]domain.ModeFindings{"debug": {Fixes: fixes}, "code": {RootCause: "nil"}}, true},
	} {
		whole := domain.Handoff{ID: "h", Reasoning: tt.thoughts, Findings: tt.findings}
		var notes []string
		h := fitHandoff(&whole, &notes)
		if cut := len(notes) == 1 && strings.Contains(notes[0], "wake://handoffs/h"); cut != tt.cut || len(asJSON(h)) > 2*listBytes {
			t.Errorf("%s: cut %v, %d bytes", name, cut, len(asJSON(h)))
		}
		if n := len(tt.thoughts); n > 0 && (len(h.Reasoning) == 0 || h.Reasoning[len(h.Reasoning)-1].Content != tt.thoughts[n-1].Content) {
			t.Errorf("%s: the newest thought is missing", name)
		}
		if kept := h.Findings["debug"].Fixes; len(tt.findings) > 0 && kept[len(kept)-1] != tt.findings["debug"].Fixes[len(tt.findings["debug"].Fixes)-1] {
			t.Errorf("%s: the newest finding is missing", name)
		}
		if len(whole.Reasoning) != len(tt.thoughts) {
			t.Errorf("%s: the hand-off itself was changed", name)
		}
	}
}
