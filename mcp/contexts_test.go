package mcp_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"
)

// A quotation says when and by whom its context was saved, even if the context is about
// an earlier time.
func TestQuotationsSayWhenSaved(t *testing.T) {
	c, _, clk := open(t)
	fact := args{"content": "The nightly export of invoices listens on port 6380 of the old host", "timestamp": "2019-05-06"}
	saved, _ := c.call("save_context", fact)
	want := fmt.Sprintf("<wake-memory id=%s origin=assistant saved=%s>", saved["id"], clk.Now().UTC().Format(time.RFC3339))
	clk.Pass(time.Minute)
	for tool, call := range map[string]args{"load_context": {}, "search_context": {"query": "port of the export"}, "predict": {}} {
		if tool == "predict" {
			c.call("load_context", args{"ids": saved["id"]})
		}
		if _, said := c.call(tool, call); !strings.Contains(said, want) {
			t.Errorf("%s does not quote %s:\n%s", tool, want, said)
		}
	}
}

// Save, search, load, explain, predict, count.
func TestContextsOverTheProtocol(t *testing.T) {
	c, _, clk := open(t)
	research, said := c.call("save_context", args{"content": "We compared OAuth2 flows. PKCE needs no client secret.", "action_type": "research", "tags": "oauth, mobile"})
	if !strings.Contains(said, research["id"].(string)) || !strings.Contains(said, "project demo") {
		t.Errorf("save said %q", said)
	}
	clk.Pass(time.Minute)
	decision, said := c.call("save_context", args{"content": "Decision: the mobile app uses OAuth2 with PKCE.", "actionType": "Decision",
		"rationale": "PKCE prevents code interception", "caused_by": research["id"]})
	if want := fmt.Sprintf("Kept: decision with its rationale, caused by %s\n", research["id"]); !strings.Contains(said, want) {
		t.Errorf("save said %q, want %q", said, want)
	}

	hits, said := c.call("search_context", args{"query": "which login does the mobile app use?"})
	if len(hits["hits"].([]any)) == 0 || !strings.Contains(said, decision["id"].(string)) || !strings.Contains(said, "<wake-memory") {
		t.Errorf("search said %q", said)
	}
	loaded, said := c.call("load_context", args{"ids": decision["id"]})
	first := loaded["contexts"].([]any)[0].(map[string]any)
	if first["content"] != "Decision: the mobile app uses OAuth2 with PKCE." || !strings.Contains(said, "rationale: PKCE prevents") {
		t.Errorf("load said %q", said)
	}
	chain, said := c.call("causal_chain", args{"id": decision["id"]})
	if chain["id"] != decision["id"] || len(chain["nodes"].([]any)) != 2 || !strings.Contains(said, research["id"].(string)) {
		t.Errorf("chain said %q", said)
	}
	if _, said = c.call("predict", args{}); !strings.Contains(said, "Next: load_context") {
		t.Errorf("predict said %q", said)
	}
	stats, said := c.call("memory_stats", args{})
	if stats["contexts"] != 2.0 || !strings.Contains(said, "2 contexts in demo") {
		t.Errorf("stats said %q", said)
	}
	c.call("recalculate", args{"what": "all"})
	changed, _ := c.call("update_context", args{"id": decision["id"], "pinned": true, "add_tags": []string{"auth"}})
	if changed["id"] != decision["id"] || changed["pinned"] != true {
		t.Errorf("update answered %v", changed)
	}
	gone, said := c.call("forget_context", args{"ids": []any{research["id"]}})
	if gone["dry_run"] != true || !strings.Contains(said, "Nothing is forgotten yet") {
		t.Errorf("forget said %q", said)
	}
}

// A list says in which order it is.
func TestListsSayTheirOrder(t *testing.T) {
	c, _, _ := open(t)
	for _, text := range []string{"We use SQLite.", "Retries use full jitter."} {
		c.call("save_context", args{"content": text, "action_type": "desicion"})
	}
	for mode, want := range map[string]string{"": "newest", "likely": "most likely needed", "forgotten": "longest untouched"} {
		if _, said := c.call("load_context", args{"mode": mode}); !strings.HasPrefix(said, "2 contexts, "+want+" first.\n") {
			t.Errorf("%q said %q", mode, said)
		}
	}
}

// A text names the contexts of a long chain that it does not tell, to be loaded next.
func TestLongChainNamesTheRest(t *testing.T) {
	c, _, _ := open(t)
	var last any
	for i := range 40 {
		saved, _ := c.call("save_context", args{"content": fmt.Sprintf("Step %d of the migration", i), "action_type": "decision", "caused_by": last})
		last = saved["id"]
	}
	chain, said := c.call("causal_chain", args{"id": last, "max_depth": 50})
	named := strings.Count(said[strings.LastIndex(said, "Next"):], "-") / 4
	want := fmt.Sprintf("%d more are in this answer's data", named)
	if nodes := chain["nodes"].([]any); len(nodes) != 40 || named < 12 || len(said) > 6000 || !strings.Contains(said, want) {
		t.Errorf("%d are named in %s", named, said)
	}
}

// If there is nothing to show, the texts say what is missing.
func TestNothingToTell(t *testing.T) {
	c, _, _ := open(t)
	if _, said := c.call("memory_stats", args{}); !strings.Contains(said, "0 contexts in demo: no tier holds any.\n0 pinned, 0 superseded, 0 forgotten.\n") {
		t.Errorf("stats said %q", said)
	}
	if _, said := c.call("load_context", args{}); !strings.Contains(said, "No contexts here yet") {
		t.Errorf("load said %q", said)
	}
	if _, said := c.call("load_context", args{"tags": "none", "until": "2020-01-01"}); !strings.Contains(said, "No contexts pass these filters") {
		t.Errorf("load with filters said %q", said)
	}
	for _, none := range []string{"none", "None", "null"} {
		if saved, _ := c.call("save_context", args{"content": "Caused by " + none, "caused_by": none, "supersedes": none}); saved["causality"] != nil {
			t.Errorf("caused_by %q: %v", none, saved["causality"])
		}
	}
	if _, said := c.call("predict", args{"min_score": 1}); !strings.Contains(said, "nothing has a score of 1 or more; the likeliest has 0.") || strings.Contains(said, "Nothing to predict from") {
		t.Errorf("predict with a score that nothing reaches said %q", said)
	}
	_, said := c.call("record", args{"client": "a", "client_session_id": "1", "events": []args{{"type": "mode", "to": "code"}}})
	if !strings.Contains(said, "from the start to code") {
		t.Errorf("a first mode said %q", said)
	}
}

// A project is the same however its letters are written: macOS has those of folders
// decomposed, models write them composed.
func TestProjectByItsLetters(t *testing.T) {
	p, s, _ := open(t)
	composed, decomposed := norm.NFC.String("프로젝트 café"), norm.NFD.String("프로젝트 café")
	s.DefaultProject = decomposed
	if saved, _ := p.call("save_context", args{"content": "the bus leaves at nine", "project": composed}); saved["project"] != decomposed {
		t.Errorf("saved in %+q", saved["project"])
	}
	p.call("record", args{"client": "c", "client_session_id": "1", "project": composed, "events": []any{args{"type": "message", "role": "user", "content": "when does the bus leave?"}}})
	if projects, err := s.Projects(ctx); err != nil || len(projects) != 1 {
		t.Errorf("%+v %v", projects, err)
	}
	if found, _ := p.call("search_context", args{"query": "bus", "project": composed}); len(found["hits"].([]any)) == 0 {
		t.Errorf("found %v", found)
	}
	for _, name := range []string{"review", "continue"} {
		if said := p.prompt(name, map[string]string{"project": composed}); !strings.Contains(said, "bus") {
			t.Errorf("the prompt %s says %q", name, said)
		}
	}
	if said := p.mustRead("wake://projects/" + url.PathEscape(composed) + "/brief"); !strings.Contains(said, "bus") {
		t.Errorf("the brief says %q", said)
	}
}
