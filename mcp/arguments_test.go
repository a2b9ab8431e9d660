package mcp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func decodeInto[In any](tool, raw string) (In, []string, error) {
	var args In
	d := decoder{tool: tool, fields: fieldsOf(reflect.TypeFor[In]()), now: noon}
	err := d.decode(json.RawMessage(raw), &args)
	return args, d.notes, err
}

// Common mistakes of models that have only one meaning are accepted.
func TestForgivingArguments(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name, raw string
		want      loadArgs
	}{
		{"as documented", `{"ids":["a","b"],"limit":3,"include_content":false}`, loadArgs{IDs: []string{"a", "b"}, Limit: 3, IncludeContent: &no}},
		{"numbers and booleans as strings", `{"limit":"25","token_budget":"2,000","include_content":"Yes"}`, loadArgs{Limit: 25, TokenBudget: 2000, IncludeContent: &yes}},
		{"one string is a list of one", `{"ids":"a"}`, loadArgs{IDs: []string{"a"}}},
		{"a list as a string", `{"ids":"[\"a\", \"b\"]"}`, loadArgs{IDs: []string{"a", "b"}}},
		{"a word that begins like a list", `{"ids":" [wip] notes"}`, loadArgs{IDs: []string{"[wip] notes"}}},
		{"a list as a string, indented", `{"ids":" [\"a\"]"}`, loadArgs{IDs: []string{"a"}}},
		{"a list with commas", `{"ids":"a, b,"}`, loadArgs{IDs: []string{"a", "b"}}},
		{"numbers in a list of words", `{"ids":[1,"2",null,""]}`, loadArgs{IDs: []string{"1", "2"}}},
		{"empty is absent", `{"ids":null,"project":"","mode":"null","limit":null}`, loadArgs{}},
		{"a list of nothing is absent", `{"ids":[],"project":[null],"mode":[""],"limit":["null"],"colour":[]}`, loadArgs{}},
		{"no arguments at all", ``, loadArgs{}},
		{"null for all of them", `null`, loadArgs{}},
		{"all of them in a string", `"{\"limit\": 4}"`, loadArgs{Limit: 4}},
		{"all of them wrapped", `{"arguments":{"limit":4}}`, loadArgs{Limit: 4}},
		{"another spelling", `{"tokenBudget":50,"Include-Content":1}`, loadArgs{TokenBudget: 50, IncludeContent: &yes}},
		{"enums in any form", `{"mode":"Likely","tiers":["active","Archive"],"action_types":"file-edit, DECISION"}`,
			loadArgs{Mode: memory.ModeLikely, filters: filters{Tiers: []domain.Tier{domain.TierActive, domain.TierArchived}, ActionTypes: []domain.ActionType{domain.FileEdit, domain.Decision}}}},
		{"an enum's synonym", `{"mode":"latest"}`, loadArgs{Mode: memory.ModeRecent}},
		{"a slip in an enum", `{"mode":"recnet"}`, loadArgs{Mode: memory.ModeRecent}},
		{"one value in a list", `{"limit":[7],"project":["p"]}`, loadArgs{Limit: 7, Project: "p"}},
		{"times", `{"since":"24h","until":"2026-05-04","as_of":1777896000}`,
			loadArgs{filters: filters{Since: noon.Add(-24 * time.Hour), Until: noon.Add(-12 * time.Hour), AsOf: noon}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes, err := decodeInto[loadArgs]("load_context", tt.raw)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(loadArgs{})); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if len(notes) > 0 {
				t.Errorf("notes: %q", notes)
			}
		})
	}
}

// A name close to a known one is read as that one, and the answer notes it.
func TestNearlyKnownArguments(t *testing.T) {
	got, notes, err := decodeInto[searchArgs]("search_context", `{"qury":"why","max_results":"3","projct":"p","type":"decision"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got.Query != "why" || got.Limit != 3 || got.Project != "p" || !slices.Equal(got.ActionTypes, []domain.ActionType{domain.Decision}) {
		t.Errorf("read %+v", got)
	}
	want := []string{`read argument "max_results" as limit`, `read argument "projct" as project`, `read argument "qury" as query`, `read argument "type" as action_types`}
	if d := cmp.Diff(want, notes); d != "" {
		t.Errorf("notes (-want +got)\n%s", d)
	}
}

// Work is handed from agent to agent, too, and so some models name the arguments.
func TestHandoffBetweenAgents(t *testing.T) {
	for raw, want := range map[string]handoffArgs{
		`{"to_agent":"review","from_agent":"code"}`: {FromMode: "code", ToMode: "review"},
		`{"to":"review"}`: {ToMode: "review"},
	} {
		if got, _, err := decodeInto[handoffArgs]("handoff", raw); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: read %+v, %v", raw, got, err)
		}
	}
}

// A correct name is never displaced by a misspelt one, whichever comes first.
func TestExactNameWins(t *testing.T) {
	_, _, err := decodeInto[searchArgs]("search_context", `{"qeury":"other","query":"this"}`)
	if err == nil || !strings.Contains(err.Error(), `"qeury"`) {
		t.Errorf("error %v, want one that names the second query", err)
	}
}

// An ambiguous argument is answered with what is wrong, what there is, and a corrected
// call.
func TestWrongArguments(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      []string
	}{
		{"missing", `{}`, []string{"query is missing", `search_context {"query":"…"}`}},
		{"empty", `{"query":"","limit":3}`, []string{"query is missing", `search_context {"query":"…","limit":3}`}},
		{"not an object", `[1,2]`, []string{"must be an object"}},
		{"a bare word", `"hello"`, []string{"must be an object"}},
		{"broken", `{"query":`, []string{"must be an object"}},
		{"something beside the wrapped", `{"arguments":{"query":"q"},"limit":3}`, []string{`no argument "arguments"`, "query*"}},
		{"wrapped in another word", `{"options":{"query":"q"}}`, []string{`no argument "options"`}},
		{"unknown", `{"query":"q","flavour":"mint"}`, []string{`no argument "flavour"`, "query*, project, in", `search_context {"query":"q"}`}},
		{"not a number", `{"query":"q","limit":"many"}`, []string{`limit: "many" is not a number`, `search_context {"query":"q"}`}},
		{"two units", `{"query":"q","limit":"50k%"}`, []string{`limit: "50k%" is not a number`}},
		{"not whole", `{"query":"q","limit":2.5}`, []string{"limit: 2.5 is not a whole number"}},
		{"huge", `{"query":"q","limit":1e300}`, []string{"limit: 1e300 is not a whole number"}},
		{"not a flag", `{"query":"q","explain":"perhaps"}`, []string{`explain: "perhaps" is neither true nor false`}},
		{"an object for text", `{"query":{"text":"q"}}`, []string{"query: it is an object; give text"}},
		{"a list for text", `{"query":["a","b"]}`, []string{"query: it is a list; give one value"}},
		{"not an enum", `{"query":"q","in":"attic"}`, []string{`in: "attic" is unknown; use one of all, contexts, messages`}},
		{"no action type", `{"query":"q","action_types":["deploy"]}`, []string{`action_type "deploy" is unknown`, "conversation, decision"}},
		{"not a tier", `{"query":"q","tiers":["LUKEWARM"]}`, []string{`^tier "LUKEWARM" is unknown`, "ACTIVE, RECENT, ARCHIVED, EXPIRED"}},
		{"not a time", `{"query":"q","since":"soon"}`, []string{`"soon" is not a time`, "2026-01-31"}},
		{"several at once", `{"limit":"x","since":"y"}`, []string{"query is missing", "limit:", "since:"}},
		{"not UTF-8", "{\"query\":\"\xff\xfe\"}", []string{"not valid UTF-8"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := decodeInto[searchArgs]("search_context", tt.raw)
			if domain.KindOf(err) != domain.KindInvalid {
				t.Fatalf("error %v, want an Invalid one", err)
			}
			for _, want := range tt.want {
				begin, atStart := strings.CutPrefix(want, "^")
				if !strings.Contains(err.Error(), begin) || atStart && !strings.HasPrefix(err.Error(), begin) {
					t.Errorf("%q is not in %q", want, err)
				}
			}
		})
	}
}

// Only who wants to rewrite what a context says is advised to save another one.
func TestRewritingIsAdvisedAgainst(t *testing.T) {
	const advice = "What a context says is never rewritten"
	for raw, want := range map[string]string{
		`{"id":"a","newContent":"b"}`: `save_context {"content":"…","supersedes":"a"}`, `{"text":"b"}`: `"supersedes":"…"`, `{"id":"a","flavour":"mint"}`: `update_context {"id":"a"}`,
	} {
		_, _, err := decodeInto[updateArgs]("update_context", raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), advice) != strings.Contains(want, "supersedes") {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if _, _, err := decodeInto[chainArgs]("causal_chain", `{"id":"a","summary":"b"}`); err == nil || strings.Contains(err.Error(), advice) {
		t.Errorf("another tool: %v", err)
	}
}

// However a name is written, it is the same.
func TestSpelling(t *testing.T) {
	for _, name := range []string{"caused_by", "causedBy", "CausedBy", "Caused-By", "caused by", "caused.by", "CAUSED_BY", "caused__by", " caused_by_ "} {
		if got := spelling(name); got != "caused_by" {
			t.Errorf("%q is spelt %q", name, got)
		}
	}
}

// The seed's form of a call is passed on unchanged; the service interprets it.
func TestSeedMetadata(t *testing.T) {
	raw := `{"project":"my-project","content":"Use PostgreSQL","metadata":{"actionType":"decision","causedBy":null,"ticket":12345678901234567890}}`
	for _, form := range []string{raw, strings.Replace(raw, `{"actionType":"decision","causedBy":null,"ticket":12345678901234567890}`, `"{\"actionType\":\"decision\",\"causedBy\":null,\"ticket\":12345678901234567890}"`, 1)} {
		got, _, err := decodeInto[saveArgs]("save_context", form)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"actionType": "decision", "causedBy": nil, "ticket": json.Number("12345678901234567890")}
		if d := cmp.Diff(want, got.Metadata); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	}
}

// Errors do not repeat long values.
func TestErrorsStayShort(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	_, _, err := decodeInto[saveArgs]("save_context", `{"content":"`+long+`","`+long+`":1,"pinned":"`+long+`"}`)
	if err == nil || len(err.Error()) > 1500 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

// For any input, the decoder does not panic, and its errors are readable by a model.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"query":"q","limit":"10"}`, `{"query":["q"],"tags":"a,b","since":"7d"}`, `"{\"query\":\"q\"}"`, `{"input":{"query":"q"}}`, `[[[]]]`, `{"quer":1,"limit":[[]],"in":{}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, err := range []error{
			second(decodeInto[searchArgs]("search_context", raw)),
			second(decodeInto[saveArgs]("save_context", raw)),
			second(decodeInto[updateArgs]("update_context", raw)),
		} {
			if err == nil {
				continue
			}
			if domain.KindOf(err) != domain.KindInvalid || !utf8.ValidString(err.Error()) || len(err.Error()) > 10_000 {
				t.Fatalf("%q gives %q", raw, err)
			}
		}
	})
}

func second[T any](_ T, _ []string, err error) error { return err }
