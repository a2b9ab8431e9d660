package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// A client puts its summary of a conversation into the user's mouth; a model wrote it. So
// it comes behind what the user said.
func TestSearchNamesNoUserForSummaries(t *testing.T) {
	s, _ := memorytest.Open(t)
	const words = "Look for the wombat."
	record(t, s, memory.SessionRef{Client: "claude-code", ClientSessionID: "a"},
		`{"type":"message","role":"user","kind":"summary","content":"`+words+`"}`)
	record(t, s, memory.SessionRef{Client: "claude-code", ClientSessionID: "b"}, user(words))
	a, err := s.Search(ctx, memory.SearchRequest{Query: "wombat", In: memory.InMessages})
	if err != nil || len(a.Hits) != 2 || a.Hits[0].Origin != domain.FromUser || a.Hits[1].Origin != domain.FromAssistant {
		t.Errorf("%+v, %v; want the user's words, then the summary as the assistant's", a.Hits, err)
	}
}

// A model searches in its own words for what it was just asked, and finds the prompt: it
// is told that this is no older knowledge.
func TestSearchSaysWhatWasSaidJustNow(t *testing.T) {
	s, clock := memorytest.Open(t)
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"}, user("Which colour has the checkout button?"))
	for _, now := range []bool{true, false} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: "colour of the checkout button"})
		if err != nil || len(a.Hits) != 1 || strings.Contains(a.Hits[0].Why, "just now") != now {
			t.Errorf("just now %v: %+v, %v", now, a.Hits, err)
		}
		clock.Pass(time.Hour)
	}
}

// All tiers together exclude nothing, so messages pass, and no note says otherwise.
func TestSearchMessagesOfAllTiers(t *testing.T) {
	s, _ := memorytest.Open(t)
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"}, user("the wombat digs"))
	a, err := s.Search(ctx, memory.SearchRequest{Query: "wombat", In: memory.InMessages, Filter: memory.Filter{Tiers: domain.Tiers}})
	if err != nil || len(a.Hits) != 1 || len(a.Notes) > 0 {
		t.Errorf("%d hits, notes %q, %v; want one hit and no note", len(a.Hits), a.Notes, err)
	}
}

// A search in messages finds no contexts, and says why where it can find nothing.
func TestSearchMessagesAlone(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "the wombat digs", Tags: []string{"digging"}})
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"}, user("the wombat digs"))
	for name, req := range map[string]memory.SearchRequest{
		"no word to look for":  {Query: "?!"},
		"no tiers, action typ": {Query: "wombat", Filter: memory.Filter{Tags: []string{"digging"}}},
	} {
		req.In = memory.InMessages
		if a, err := s.Search(ctx, req); err != nil || len(a.Hits) > 0 || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], name) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	_, err := s.Search(ctx, memory.SearchRequest{Query: "?!", In: "attic"})
	refused(t, err, domain.KindInvalid)
}

// What a person said at the time that a question names is found by that time alone, as
// long as the filters let it pass.
func TestSearchMessagesByTime(t *testing.T) {
	s, c := memorytest.Open(t)
	for day := range 12 {
		for range 3 {
			text := fmt.Sprintf("look at chapter x%c%c", 'a'+day, 'a'+c.Now().Minute()%26)
			record(t, s, memory.SessionRef{Client: "test", ClientSessionID: fmt.Sprint(day)}, fmt.Sprintf(`{"type":"message","role":"user","content":%q}`, text))
			c.Pass(time.Minute)
		}
		c.Pass(24*time.Hour - 3*time.Minute)
	}
	for question, ago := range map[string]int{"what did I ask yesterday?": 1, "what did we talk about five days ago": 5} {
		from := c.Now().AddDate(0, 0, -ago).Truncate(24 * time.Hour)
		for _, f := range []memory.Filter{{}, {Since: from, Until: from.AddDate(0, 0, 1)}} {
			a, err := s.Search(ctx, memory.SearchRequest{Query: question, In: memory.InMessages, Filter: f, Limit: 3})
			if err != nil || len(a.Hits) != 3 {
				t.Fatalf("%q: %d hits, %v", question, len(a.Hits), err)
			}
			for _, h := range a.Hits {
				if h.Timestamp.Before(from) || !h.Timestamp.Before(from.AddDate(0, 0, 1)) {
					t.Errorf("%q finds what was said on %v", question, h.Timestamp)
				}
			}
		}
		a, err := s.Search(ctx, memory.SearchRequest{Query: question, In: memory.InMessages, Filter: memory.Filter{Until: from}})
		if err != nil || len(a.Hits) > 0 {
			t.Errorf("%q finds %v before that day, %v", question, a.Hits, err)
		}
	}
}

// A question that was asked before has all the words of the same question, but its answer
// comes first, unless messages alone are searched.
func TestSearchAnswersBeforeQuestions(t *testing.T) {
	s, clock := memorytest.Open(t)
	rule := save(t, s, memory.SaveRequest{Content: "No deployments to production before the weekend or a holiday."})
	record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "a"}, user("So when do we deploy to production?"), assistant("On Monday."))
	clock.Pass(time.Hour)
	for in, want := range map[string]string{memory.InAll: rule.ID, memory.InContexts: rule.ID, memory.InMessages: ""} {
		a, err := s.Search(ctx, memory.SearchRequest{Query: "when do we deploy to production", In: in})
		if err != nil || len(a.Hits) == 0 || want != "" && a.Hits[0].ID != want || want == "" && !strings.Contains(a.Hits[0].Snippet, "when do we deploy") {
			t.Errorf("in %s: %+v, %v", in, a.Hits, err)
		}
	}
}
