package domain_test

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
)

// TestParsedIsWhatReads pins that a new event holds its payload as it would be read
// again, whatever bytes, blanks and numbers are in it: facts and hashes are made of it.
func TestParsedIsWhatReads(t *testing.T) {
	kinds := map[domain.EventType]int{}
	rapid.Check(t, func(t *rapid.T) { checkParsed(t, anyPayload(t), kinds) })
	if len(kinds) != 4 {
		t.Errorf("of four frequent types only %v were known at once", kinds)
	}
}

// What encoding changes is not known at once, in whichever field it is.
func TestParsedIsWhatReadsOddPayloads(t *testing.T) {
	call := func(c domain.ToolCall) domain.Message { return domain.Message{ToolCalls: []domain.ToolCall{c}} }
	at := time.Date(2026, 3, 1, 9, 0, 0, 1, time.FixedZone("", 3600))
	for _, p := range []domain.Payload{
		call(domain.ToolCall{ID: "\xff", Name: "n"}), call(domain.ToolCall{ID: "c", Name: "\xff"}), call(domain.ToolCall{ID: "c", Name: "n", Arguments: json.RawMessage("\"\xff\"")}),
		domain.Message{Media: []domain.Media{{Type: "image", URL: "\xff"}}}, domain.Message{Content: "\xff"}, domain.Reasoning{Content: "\xff"},
		domain.OpReport{StartedAt: at}, domain.OpReport{EndedAt: at}, domain.OpReport{Request: json.RawMessage("{ }")}, domain.OpReport{Response: json.RawMessage("{ }")},
		domain.OpReport{Attributes: json.RawMessage("{ }")}, domain.OpReport{Logs: []domain.LogEntry{{At: at}}}, domain.OpReport{Error: "\xff"},
		domain.OpReport{Usage: &domain.TokenUsage{Cost: 1<<62 + 1}}, domain.OpReport{Usage: &domain.TokenUsage{Cost: -1<<62 - 1}},
	} {
		checkParsed(t, p, map[domain.EventType]int{})
	}
}

// checkParsed counts the type of the event if its payload is known at once.
func checkParsed(t interface{ Fatalf(string, ...any) }, p domain.Payload, kinds map[domain.EventType]int) {
	e, err := domain.NewEvent(time.Unix(0, 0), "", p)
	if err != nil || e.Parsed == nil {
		return
	}
	known := e.Parsed
	kinds[e.Type]++
	e.Parsed = nil
	var read domain.Payload
	switch e.Type {
	case domain.EventMessage:
		read, err = e.Message()
	case domain.EventOp:
		read, err = e.Op()
	case domain.EventReasoning:
		read, err = domain.PayloadAs[domain.Reasoning](e)
	default:
		read, err = domain.PayloadAs[domain.Window](e)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	if d := cmp.Diff(read, known); d != "" {
		t.Fatalf("read (-) and known (+) differ:\n%s", d)
	}
}

func anyPayload(t *rapid.T) domain.Payload {
	text := func(name string) string {
		if rapid.IntRange(0, 99).Draw(t, "odd") == 99 { // one odd text among many, or hardly a payload is known at once
			return string(rapid.SliceOf(rapid.Byte()).Draw(t, name)) + "\xff"
		}
		return rapid.OneOf(rapid.SampledFrom([]string{"", "<a & b>", "\u2028", "\x00"}), rapid.String()).Draw(t, name)
	}
	raw := func(name string) json.RawMessage {
		return json.RawMessage(rapid.SampledFrom([]string{"", "null", "{}", `{ "a" : [1, 2 ]}`, `"<\u2028&"`, "{\"a\":\n1}", "\"\xff\"", "{"}).Draw(t, name))
	}
	number := func(name string) int64 { return rapid.Int64().Draw(t, name) }
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		m := domain.Message{Role: domain.Role(text("role")), Content: text("content"), Reasoning: text("reasoning"), Error: text("error"),
			ToolCallID: text("call"), ToolName: text("tool"), MessageID: text("id"), Block: int(number("block")), Model: text("model")}
		for range rapid.IntRange(0, 2).Draw(t, "calls") {
			m.ToolCalls = append(m.ToolCalls, domain.ToolCall{ID: text("call id"), Name: text("name"), Arguments: raw("arguments")})
		}
		if rapid.Bool().Draw(t, "empty lists") {
			m.ToolCalls, m.Media = []domain.ToolCall{}, []domain.Media{}
		}
		return m
	case 1:
		r := domain.OpReport{OpID: text("id"), Kind: domain.OpKind(text("kind")), Name: text("name"), Status: domain.OpOK,
			LatencyMS: number("latency"), Model: text("model"), Logs: []domain.LogEntry{}}
		if rapid.Bool().Draw(t, "whole") {
			r.Request, r.Attributes = raw("request"), raw("attributes")
		}
		if rapid.Bool().Draw(t, "used") {
			r.Usage = &domain.TokenUsage{Input: number("input"), Cost: domain.USD(rapid.Int64Range(-2e15, 2e15).Draw(t, "cost"))}
		}
		if rapid.Bool().Draw(t, "timed") {
			r.StartedAt = time.Now()
		}
		return r
	case 2:
		return domain.Reasoning{Content: text("content"), TokenCount: number("tokens"), Complete: rapid.Bool().Draw(t, "complete")}
	}
	return domain.Window{Tokens: number("tokens"), Limit: number("limit")}
}

// A payload is JSON that every program reads: what is no UTF-8, in JSON that was taken
// over too, is mended byte by byte, as it is in texts.
func TestPayloadIsUTF8(t *testing.T) {
	m := domain.Message{Content: "a\xff\xfe", ToolCalls: []domain.ToolCall{{ID: "c", Name: "Write", Arguments: json.RawMessage("{\"text\":\"a\xff\xfe\"}")}}}
	data, err := domain.EncodePayload(m)
	if err != nil || !utf8.Valid(data) {
		t.Fatalf("%q, %v", data, err)
	}
	read, err := domain.PayloadAs[domain.Message](domain.Event{Type: domain.EventMessage, Payload: data})
	if err != nil || read.Content != "a\uFFFD\uFFFD" || string(read.ToolCalls[0].Arguments) != "{\"text\":\"a\uFFFD\uFFFD\"}" {
		t.Errorf("%q, %q, %v", read.Content, read.ToolCalls[0].Arguments, err)
	}
}
