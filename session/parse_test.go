package session_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/session"
)

// The table of the record tool, read as models write it.
func TestParse(t *testing.T) {
	turn := int64(2)
	for text, want := range map[string]domain.Payload{
		`{"type":"message","role":"User","content":"a\u0000b"}`:                                                                      domain.Message{Role: "user", Content: "a\x00b"},
		`{"type":"message","role":"assistant","tool_calls":{"id":"t","name":"n","arguments":{"a":1}}}`:                               domain.Message{Role: "assistant", ToolCalls: []domain.ToolCall{{ID: "t", Name: "n", Arguments: []byte(`{"a":1}`)}}},
		`{"type":"message","tool_call_id":"t","content":{"ok":true}}`:                                                                domain.Message{Role: "tool", ToolCallID: "t", Content: `{"ok":true}`},
		`{"type":"OP","op_id":"o","kind":"LLM","status":"ok","turn":"2","usage":"{\"input\":3,\"cost_usd\":0.5}"}`:                   domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", Turn: &turn, Usage: &domain.TokenUsage{Input: 3, Cost: domain.Dollars(0.5)}},
		`{"type":"message","role":"user","content":[{"type":"text","text":"a"},{"type":"input_text","text":"b"}]}`:                   domain.Message{Role: "user", Content: "a\nb"},
		`{"type":"message","role":"user","content":[{"type":"text","text":"a"},{"type":"image","url":"u"}]}`:                         domain.Message{Role: "user", Content: `[{"type":"text","text":"a"},{"type":"image","url":"u"}]`},
		`{"type":"message","role":"user","content":[]}`:                                                                              domain.Message{Role: "user", Content: `[]`},
		`{"type":"message","role":"human","content":"x"}`:                                                                            domain.Message{Role: "user", Content: "x"},
		`{"type":"message","role":"assistant","tool_calls":[{"type":"function","id":"t","function":{"name":"n","arguments":"{}"}}]}`: domain.Message{Role: "assistant", ToolCalls: []domain.ToolCall{{ID: "t", Name: "n", Arguments: []byte(`"{}"`)}}},
		`{"type":"message","role":"assistant","tool_calls":[{"id":"t","name":"n","input":{"a":1}}]}`:                                 domain.Message{Role: "assistant", ToolCalls: []domain.ToolCall{{ID: "t", Name: "n", Arguments: []byte(`{"a":1}`)}}},
		`{"type":"op","op_id":"o","kind":"llm","status":"success","usage":{"prompt_tokens":"3","completion_tokens":2,"total_tokens":5},"logs":["sent",{"level":"WRN","text":"slow"}]}`: domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", Usage: &domain.TokenUsage{Input: 3, Output: 2},
			Logs: []domain.LogEntry{{Message: "sent"}, {Severity: "WRN", Message: "slow"}}},
		`{"type":"op","op_id":"o","kind":"llm","usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":1}}}`: domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", Usage: &domain.TokenUsage{Input: 3, Output: 2}},
		`{"type":"op","op_id":"o","kind":"llm","usage":{"input_tokens":3,"output_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":0},"server_tool_use":null,"service_tier":"standard"}}`:   domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", Usage: &domain.TokenUsage{Input: 3, Output: 2}},
		`{"type":"op","op_id":"o","kind":"llm","usage":{"prompt_tokens":9,"input_tokens":9,"input":3}}`:                                                                                           domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", Usage: &domain.TokenUsage{Input: 3}}, // its own name goes first
		`{"type":"op","op_id":"o","kind":"tool","logs":"one line"}`: domain.OpReport{OpID: "o", Kind: "tool", Status: "ok", Logs: []domain.LogEntry{{Message: "one line"}}},
		`{"type":"goal","id":"g","text":"t","status":"Completed"}`:  domain.Goal{ID: "g", Text: "t", Status: "done"},
		`{"type":"step","id":"s","status":"done"}`:                  domain.Step{ID: "s", Status: "completed"},
		`{"type":"usage","tokens":170.0,"limit":"2e2"}`:             domain.Window{Tokens: 170, Limit: 200},
		`{"type":"op","op_id":"o","kind":"llm","latency_ms":12.75,"usage":{"input":5.0,"output":"7.5","cost_usd":0.25}}`: domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", LatencyMS: 13,
			Usage: &domain.TokenUsage{Input: 5, Output: 8, Cost: domain.Dollars(0.25)}},
		`{"type":"usage","tokens":"170","limit":200}`:                                                domain.Window{Tokens: 170, Limit: 200},
		`{"type":"goal","id":"g","text":"t"}`:                                                        domain.Goal{ID: "g", Text: "t", Status: "active"},
		`{"type":"reasoning","content":"r","complete":"True","token_count":8,"duration_ms":0}`:       domain.Reasoning{Content: "r", Complete: true, TokenCount: 8},
		`{"type":"mode","to":"debug","skills":"go, sql","tools":["grep"],"task":null}`:               domain.Mode{To: "debug", Skills: []string{"go", "sql"}, Tools: []string{"grep"}},
		`{"type":"finding","kind":"Root-Cause","text":"x"}`:                                          domain.Finding{Kind: "root_cause", Text: "x"},
		`{"type":"signal","name":"n","status":"waiting","payload":[1]}`:                              domain.Signal{Name: "n", Status: "waiting", Payload: []byte(`[1]`)},
		`{"type":"step","id":"s","status":"completed","output":"text"}`:                              domain.Step{ID: "s", Status: "completed", Output: []byte(`"text"`)},
		`{"type":"compaction","trigger":"auto","summary":"s","tokens_before":9}`:                     domain.Compaction{Trigger: "auto", Summary: "s", TokensBefore: 9},
		`{"type":"usage","tokens":"7","limit":"","summary":"","content":""}`:                         domain.Window{Tokens: 7}, // the fields of other types are left empty
		`{"type":"goal","id":"g","text":"null","status":""}`:                                         domain.Goal{ID: "g", Text: "null", Status: "active"},
		`{"type":"message","role":"user","content":"x","tool_calls":"","media":"null","block":""}`:   domain.Message{Role: "user", Content: "x"},
		`{"type":"op","op_id":"o","kind":"llm","usage":{"input":"3","output":"","cost_usd":"null"}}`: domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", Usage: &domain.TokenUsage{Input: 3}},
		`{"type":"step","id":"s","status":"completed","output":""}`:                                  domain.Step{ID: "s", Status: "completed", Output: []byte(`""`)},
		`{"type":"end","success":""}`:                                                                domain.End{},
		`{"type":"end","success":"false","error":"e"}`:                                               domain.End{Success: new(bool), Error: "e"},
	} {
		e, err := session.Parse([]byte(text), noon)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		wantEvent, err := domain.NewEvent(noon, "", want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(wantEvent.Payload), string(e.Payload)); diff != "" || e.Type != want.EventType() || !e.At.Equal(noon) {
			t.Errorf("%s: -want +got:\n%s", text, diff)
		}
	}
	e, err := session.Parse([]byte(`{"type":"end","at":"2026-03-01T10:00:00Z","key":"k1"}`), noon)
	if err != nil || e.Key != "k:k1" || e.At.Hour() != 10 {
		t.Errorf("%+v, %v", e, err)
	}
}

// What cannot be read says what can.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                                                           "an event is an object",
		`{"type":"massage"}`:                                           "message, op, usage",
		`{"type":"usage","token":1}`:                                   `no field "token"; it has limit, tokens`,
		`{"type":"end","z":1,"b":2,"a":3}`:                             `an event of type end has no field "a"`, // of several, always the same
		`{"type":"usage","tokens":"many"}`:                             "usage.tokens",
		`{"type":"usage","limit":200000}`:                              "usage.tokens is missing", // which would have emptied the window
		`{"type":"usage","tokens":null}`:                               "usage.tokens is missing",
		`{"type":"usage","tokens":"null"}`:                             "usage.tokens is missing",
		`{"type":"compaction","trigger":"threshold"}`:                  `compaction.trigger is "threshold"; it is one of manual, auto`,
		`{"type":"end","at":"yesterday"}`:                              "is not a time",
		`{"type":"op","op_id":"o","kind":"llm","usage":{"input":"x"}}`: "no string belongs in usage.input",
		`{"type":"op","op_id":"o","kind":"llm","usage":{"inputs":1}}`:  `op.usage: there is no "inputs" in it; it has input, output`,
		`{"type":"op","op_id":"o","kind":"llm","usage":7}`:             "op.usage: an object with input",
		`{"type":"message","role":"assistant","tool_calls":[{"id":"t","name":"n","arguements":{}}]}`: `it has id, name, arguments`,
		`{"type":"message","role":"assistant","tool_calls":["grep"]}`:                                "message.tool_calls: an object with id",
	} {
		if _, err := session.Parse([]byte(text), noon); domain.KindOf(err) != domain.KindInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Events that say nothing usable are refused with what is missing.
func TestPrepareRefuses(t *testing.T) {
	for want, p := range map[string]domain.Payload{
		"message.role":                         domain.Message{Role: "alien"},
		"message.tool_calls[].name is missing": domain.Message{Role: "assistant", ToolCalls: []domain.ToolCall{{ID: "x"}}},
		"op.op_id is missing":                  domain.OpReport{Kind: "llm", Status: "ok"},
		"op.kind":                              domain.OpReport{OpID: "o", Kind: "x", Status: "ok"},
		"below zero":                           domain.OpReport{OpID: "o", Kind: "llm", Status: "ok", Usage: &domain.TokenUsage{Input: -1}},
		"counts from 0":                        domain.Window{Tokens: -1},
		"tokens_after count":                   domain.Compaction{TokensAfter: -1},
		"goal.status":                          domain.Goal{ID: "g", Status: "x"},
		"mode.to is missing":                   domain.Mode{},
		"finding.text is missing":              domain.Finding{Kind: "note"},
		"signal.status":                        domain.Signal{Name: "s"},
		"step.status":                          domain.Step{ID: "s"},
		"the limit is 500":                     domain.Step{ID: strings.Repeat("x", 501), Status: "started"},
	} {
		e, err := domain.NewEvent(noon, "", p)
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Prepare(&e); domain.KindOf(err) != domain.KindInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
	big := domain.Event{Type: domain.EventNote, Payload: make([]byte, domain.MaxPayload+1)}
	if err := session.Prepare(&big); err == nil || !strings.Contains(err.Error(), "16777216") {
		t.Errorf("too big: %v", err)
	}
	odd := domain.Event{Type: "odd", Payload: []byte("{}")}
	if err := session.Prepare(&odd); err == nil || !strings.Contains(err.Error(), "compaction") {
		t.Errorf("unknown type: %v", err)
	}
}

// Whatever a caller sends, there is an event or an error, never a panic; an event
// that was accepted can be prepared, folded, told and erased.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"type":"message","role":"user","content":"x"}`, `{"type":"op","op_id":"o","kind":"llm","usage":{}}`,
		`{"type":"mode","to":"x","skills":"[\"a\"]"}`, `{"type":"end"}`, `{"type":3}`, `null`, `{"type":"message","tool_calls":"{}"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := session.Parse(data, noon)
		if err != nil {
			return
		}
		if session.Prepare(&e) != nil {
			return
		}
		h := newHistory()
		session.Place(&h.owner, &e)
		state := session.New()
		if err := session.Fold(&state, lightened(e)); err != nil {
			t.Fatalf("an accepted event does not fold: %v", err)
		}
		if session.Line(e) == "" && e.Type != domain.EventAbout {
			t.Error("it reads as nothing")
		}
		if _, err := session.Bare(e); err != nil {
			t.Fatal(err)
		}
	})
}
