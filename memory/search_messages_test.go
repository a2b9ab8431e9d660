package memory_test

import (
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// What was said is found whoever said it: a person's words before the assistant's,
// what tools printed last.
func TestSearchMessagesOfEveryRole(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"},
		`{"type":"message","role":"tool","content":"the wombat is in three files","tool_call_id":"x","tool_name":"grep"}`)
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "b"}, `{"type":"message","role":"assistant","content":"the wombat is in three files"}`)
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "c"}, `{"type":"message","role":"user","content":"the wombat is in three files"}`)
	a, err := s.Search(ctx, memory.SearchRequest{Query: "wombat", In: memory.InMessages})
	if err != nil {
		t.Fatal(err)
	}
	want := []domain.Origin{domain.FromUser, domain.FromAssistant, domain.FromTool}
	if len(a.Hits) != len(want) {
		t.Fatalf("%d hits, want %d: %+v", len(a.Hits), len(want), a.Hits)
	}
	for i, h := range a.Hits {
		if h.Origin != want[i] || h.Seq != 1 {
			t.Errorf("hit %d is from %s, want %s", i, h.Origin, want[i])
		}
	}
}
