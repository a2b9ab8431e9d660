package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/memory"
	"wake/memory/memorytest"
)

// A client that shows its model only the text reaches the end of a list by the next
// calls in the texts: with the same filters, order and page size, and each item once.
func TestNextCallGoesOnWithTheSameQuestion(t *testing.T) {
	c, s, clock := open(t)
	var odd []string
	for i := range 20 {
		tags := []string{"even"}
		if i%2 == 1 {
			tags = []string{"odd"}
		}
		a, err := s.Save(ctx, memory.SaveRequest{Content: fmt.Sprintf("The widget number %d is for the panel.", i), Tags: tags})
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			odd = append(odd, a.ID)
		}
		clock.Pass(time.Minute)
	}
	slices.Sort(odd)
	c.call("record", args{"client": "c", "client_session_id": "s", "events": []args{{"type": "message", "role": "user", "content": "go"}, {"type": "usage", "tokens": 90, "limit": 100}}})
	var manual []string
	for i := range 5 {
		made, _ := c.call("checkpoint", args{"label": fmt.Sprint(i)})
		manual = append(manual, made["id"].(string))
	}
	since := "2020-01-01"
	for name, first := range map[string]struct {
		tool string
		args args
		list string
		want []string
	}{
		"load, newest first":    {"load_context", args{"tags": []string{"odd"}, "since": since, "limit": 4}, "contexts", odd},
		"load, forgotten first": {"load_context", args{"mode": "forgotten", "tags": []string{"odd"}, "limit": 4}, "contexts", odd},
		"search":                {"search_context", args{"query": "widget panel", "in": "contexts", "tags": []string{"odd"}, "since": since, "limit": 4}, "hits", odd},
		"checkpoints":           {"checkpoint", args{"trigger": "manual", "oldest_first": true, "limit": 2}, "checkpoints", manual},
	} {
		t.Run(name, func(t *testing.T) {
			got := followed(t, c, s, clock, first.tool, first.args, first.list)
			if slices.Sort(got); !slices.Equal(got, first.want) {
				t.Errorf("the pages hold %d, want %d, each once: %q", len(got), len(first.want), got)
			}
		})
	}
}

// A text has room for each item of a page of the usual length. Where a page is longer, its
// text leads to what it leaves out, and tells nothing twice.
func TestNextCallOfALongPage(t *testing.T) {
	c, s, clock := open(t)
	var want []string
	for i := range 30 {
		a, err := s.Save(ctx, memory.SaveRequest{Content: fmt.Sprintf("The widget number %d of the panel. %s", i, strings.Repeat("It is made of steel, and painted. ", 20))})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, a.ID)
		clock.Pass(time.Minute)
	}
	for name, first := range map[string]struct {
		tool, list string
		args       args
	}{
		"search": {"search_context", "hits", args{"query": "widget panel"}},
		"load":   {"load_context", "contexts", args{}},
		"likely": {"load_context", "contexts", args{"mode": "likely"}},
	} {
		t.Run(name, func(t *testing.T) {
			data, said := c.call(first.tool, first.args)
			for _, item := range data[first.list].([]any) {
				if id := item.(map[string]any)["id"].(string); !strings.Contains(said, "* "+id) {
					t.Errorf("%s is not in the text:\n%s", id, said)
				}
			}
			told, a := map[string]int{}, first.args
			a["limit"] = 25
			for range want {
				_, said := c.call(first.tool, a)
				for _, id := range want {
					told[id] += strings.Count(said, "* "+id)
				}
				if !strings.Contains(said, "Next: "+first.tool) {
					break
				}
				_, a = nextCall(t, said)
			}
			for _, id := range want {
				if told[id] != 1 {
					t.Errorf("the texts tell %s %d times", id, told[id])
				}
			}
		})
	}
}

// The text of a page of checkpoints, too, leads to those that it has no room for.
func TestNextCallOfManyCheckpoints(t *testing.T) {
	c, _, _ := open(t)
	c.call("record", args{"client": "c", "client_session_id": "s", "events": []args{userSays(strings.Repeat("go on ", 20)), {"type": "usage", "tokens": 10, "limit": 100}}})
	told := map[string]int{}
	for i := range 25 {
		made, _ := c.call("checkpoint", args{"label": fmt.Sprintf("%d %s", i, strings.Repeat("before the risky step ", 4))})
		told[made["id"].(string)] = 0
		c.call("checkpoint", args{"action": "pin", "id": made["id"]})
	}
	a := args{"action": "list"}
	for range told {
		_, said := c.call("checkpoint", a)
		for id := range told {
			told[id] += strings.Count(said, "- "+id)
		}
		if !strings.Contains(said, "Next: ") {
			break
		}
		_, a = nextCall(t, said)
	}
	for id, times := range told {
		if times != 1 {
			t.Errorf("the texts tell %s %d times", id, times)
		}
	}
}

// followed collects the ids of a list by the next calls in the texts. Between pages it
// lets the server write what was shown, as happens in time.
func followed(t *testing.T, c *peer, s *memory.Service, clock *memorytest.Clock, tool string, a args, list string) (ids []string) {
	t.Helper()
	for range 10 {
		data, said := c.call(tool, a)
		for _, item := range data[list].([]any) {
			ids = append(ids, item.(map[string]any)["id"].(string))
		}
		_, next, more := strings.Cut(said, "Next: "+tool+" ")
		if !more {
			return ids
		}
		a = args{}
		if err := json.Unmarshal([]byte(next), &a); err != nil {
			t.Fatalf("the next call cannot be read: %v in %q", err, next)
		}
		if err := s.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		clock.Pass(time.Minute)
	}
	t.Error("the list has no end")
	return ids
}

// A truncated chain is read to its end by the next calls: as of the same time, in the
// same direction and format, each going further. What only the text has no room for is
// offered by id, not by repeating the call.
func TestNextCallOfAChainGoesFurther(t *testing.T) {
	c, s, clock := open(t)
	var ids []string
	for i := range 60 {
		req := memory.SaveRequest{Content: fmt.Sprintf("Step %d weighed %s.", i, strings.Repeat("one cost against another ", 4))}
		if i > 0 {
			req.CausedBy = ids[i-1]
		}
		a, err := s.Save(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.ID)
		clock.Pass(2 * time.Hour)
	}
	asOf := clock.Now().Format(time.RFC3339)
	clock.Pass(time.Hour)
	if _, err := s.Update(ctx, memory.UpdateRequest{ID: ids[30], CausedBy: new(string)}); err != nil {
		t.Fatal(err)
	}
	for name, first := range map[string]args{
		"depth":   {"id": ids[59], "as_of": asOf, "max_depth": 3},
		"limit":   {"id": ids[59], "as_of": asOf, "limit": 7},
		"effects": {"id": ids[0], "as_of": asOf, "direction": "effects"},
		"drawn":   {"id": ids[59], "as_of": asOf, "format": "mermaid"},
	} {
		t.Run(name, func(t *testing.T) {
			a, nodes := first, 0
			for tool := "causal_chain"; tool == "causal_chain"; {
				data, said := c.call("causal_chain", a)
				if now := len(data["nodes"].([]any)); now <= nodes {
					t.Fatalf("%v has %d contexts, the call before it %d", a, now, nodes)
				} else if nodes = now; data["truncated"] == nil {
					break
				}
				var next args
				if tool, next = nextCall(t, said); next["as_of"] != first["as_of"] && next["as_of"] != asOf {
					t.Fatalf("the next call is of another time: %v", next)
				}
				if next["direction"] != first["direction"] || next["format"] != first["format"] {
					t.Fatalf("the next call asks something else: %v", next)
				}
				a = next
			}
			if nodes != len(ids) {
				t.Errorf("the next calls end at %d of %d contexts", nodes, len(ids))
			}
		})
	}
	_, said := c.call("causal_chain", args{"id": ids[59], "as_of": asOf, "max_depth": 1000})
	tool, next := nextCall(t, said)
	if tool != "load_context" || len(next["ids"].([]any)) == 0 {
		t.Fatalf("what has no room in the text is offered by %s %v", tool, next)
	}
	for _, id := range next["ids"].([]any) {
		if head, _, _ := strings.Cut(said, "Next: "); strings.Contains(head, id.(string)) {
			t.Errorf("%s is in the text already", id)
		}
	}
	if _, said := c.call("causal_chain", args{"id": ids[59], "as_of": asOf, "max_depth": 1000, "format": "dot"}); strings.Contains(said, "Next: causal_chain") {
		t.Errorf("a drawing that has no room leads to itself: %q", said)
	}
}

// nextCall parses the call at the end of a text.
func nextCall(t *testing.T, said string) (tool string, a args) {
	t.Helper()
	_, next, ok := strings.Cut(said, "Next: ")
	tool, raw, _ := strings.Cut(next, " ")
	if err := json.Unmarshal([]byte(raw), &a); !ok || err != nil {
		t.Fatalf("no next call to be read in %q: %v", said, err)
	}
	return tool, a
}

// A next call says how many ids it has no room to repeat, so that its part is not taken
// for the whole.
func TestNextCallOfManyIDs(t *testing.T) {
	c, _, _ := open(t)
	var ids []any
	for i := range 10 {
		saved, _ := c.call("save_context", args{"content": fmt.Sprintf("Note %d.", i)})
		ids = append(ids, saved["id"])
	}
	for _, call := range []args{{"ids": ids}, {"ids": ids, "dry_run": false}, {"ids": ids, "undo": true, "dry_run": true}} {
		if _, said := c.call("forget_context", call); !strings.HasSuffix(said, `"dry_run":false}; likewise the other 2 ids`) {
			t.Errorf("%v said … %s", call, said[max(len(said)-200, 0):])
		}
	}
	if _, said := c.call("forget_context", args{"ids": ids[:8], "dry_run": true, "undo": true}); strings.Contains(said, "likewise") {
		t.Error(said)
	}
}
