package transcript_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// I15: a message may consist of several calls of models, where the server ran a tool or
// asked an advisor. The message's counts are the sum of its own model's calls; an advisor's
// and a compaction's come on top. The window holds what the last call had before it.
func TestClaudeUsageOfSeveralCalls(t *testing.T) {
	const (
		first   = `{"type":"message","input_tokens":10,"output_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":0}`
		advice  = `{"type":"advisor_message","model":"big","input_tokens":90,"output_tokens":9,"cache_read_input_tokens":50}`
		second  = `{"type":"message","input_tokens":12,"output_tokens":7,"cache_read_input_tokens":120,"cache_creation_input_tokens":0}`
		summary = `{"type":"compaction","input_tokens":180000,"output_tokens":3500}`
	)
	own := domain.TokenUsage{Input: 22, Output: 12, CacheRead: 220}
	for name, c := range map[string]struct {
		calls  string
		window int64
		more   []domain.TokenUsage
	}{
		"one":        {first, 115, nil},
		"two":        {first + "," + second, 139, nil},
		"an advisor": {first + "," + advice + "," + second, 139, []domain.TokenUsage{{Input: 90, Output: 9, CacheRead: 50}}},
		"compaction": {summary + "," + second, 139, []domain.TokenUsage{{Input: 180000, Output: 3500}}},
		"no counts":  {`{"type":"message","model":null}`, 254, nil},
		"none":       {"", 254, nil},
		"nonsense":   {`7,"x",null,{"type":3}`, 254, nil},
	} {
		row := func(uuid, usage string) string {
			return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s","timestamp":"2026-06-01T10:00:00Z","message":{"id":"m","role":"assistant","model":"small","content":[{"type":"text","text":%q}],"usage":%s}}`+"\n", uuid, uuid, usage)
		}
		begun := row("a1", `{"input_tokens":10,"output_tokens":1,"cache_read_input_tokens":100}`)
		done := row("a2", `{"input_tokens":22,"output_tokens":12,"cache_read_input_tokens":220,"iterations":[`+c.calls+`]}`)
		res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(begun+done+done), domain.IngestCursor{})
		took := map[string]domain.TokenUsage{}
		for _, op := range ofType[domain.OpReport](t, res) {
			took[op.OpID] = *op.Usage
			if want := map[bool]string{true: "small", false: "big"}[op.OpID == "m"]; name == "an advisor" && op.Model != want {
				t.Errorf("%s: the model of %s is %q, want %q", name, op.OpID, op.Model, want)
			}
		}
		if took["m"] != own || len(took) != 1+len(c.more) {
			t.Errorf("%s: %+v", name, took)
		}
		delete(took, "m")
		for _, more := range took {
			if diff := cmp.Diff(c.more, []domain.TokenUsage{more}); diff != "" {
				t.Errorf("%s: beside its own (-want +got):\n%s", name, diff)
			}
		}
		if key := domain.RowKey("window", "m:254"); !slices.ContainsFunc(res.events, func(e domain.Event) bool { return e.Key == key }) {
			t.Errorf("%s: no window has the key %q, which an older wake gave it", name, key)
		}
		windows := ofType[domain.Window](t, res)
		if last := windows[len(windows)-1]; len(windows) != 2 || last.Tokens != c.window {
			t.Errorf("%s: windows %+v, want %d in the end", name, windows, c.window)
		}
	}
}

// A cost that nobody can have does not take the tokens with it.
func TestClaudeCostBeyondReason(t *testing.T) {
	const row = `{"type":"assistant","uuid":"a","sessionId":"s","timestamp":"2025-02-01T10:00:00Z","costUSD":%s,` +
		`"message":{"id":"m","role":"assistant","model":"small","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":10,"output_tokens":5}}}` + "\n"
	for cost, want := range map[string]domain.USD{"0.25": 250_000_000, "-3": 0, "1e300": 0, "-1e300": 0, "2e9": 0} {
		res := read(t, transcript.ClaudeCode, "s.jsonl", fmt.Appendf(nil, row, cost), domain.IngestCursor{})
		if ops := ofType[domain.OpReport](t, res); len(ops) != 1 || *ops[0].Usage != (domain.TokenUsage{Input: 10, Output: 5, Cost: want}) {
			t.Errorf("%s: %+v", cost, ops)
		}
	}
}
