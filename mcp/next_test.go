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

// A client that gives its model nothing but the text comes to the end of a list
// by the next calls that the texts name: the same filters, order and page size,
// each item once.
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

// followed collects the ids of a list by the calls that the texts name. Between
// the pages what was handed out is written down, as it is in time.
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
