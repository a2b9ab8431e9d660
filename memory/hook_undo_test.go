package memory_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// undone are what opencode tells, each "say ID PROMPT" with its answer, "gone ID..." for
// the messages it removed just before, or "end"; and what a model should be told then.
var undone = map[string]struct {
	moments []string
	want    []string
}{
	"the last":                    {[]string{"say a one", "say b two", "gone b b1", "say c three"}, []string{"one", "three"}},
	"the same words":              {[]string{"say a one", "say b two", "gone b b1", "say c two"}, []string{"one", "two"}},
	"several":                     {[]string{"say a one", "say b two", "say c three", "gone b b1 c c1", "say d four"}, []string{"one", "four"}},
	"again":                       {[]string{"say a one", "say b two", "gone b b1", "say c three", "gone a a1 c c1", "say d four"}, []string{"four"}},
	"all, before the end":         {[]string{"say a one", "say b two", "gone b b1", "end"}, []string{"one"}},
	"told late":                   {[]string{"say a one", "say b two", "say c three", "gone b b1", "reply"}, []string{"one", "three"}},
	"one amid the conversation":   {[]string{"say a one", "say b two", "say c three", "say d four", "gone b", "say e five"}, []string{"one", "two", "three", "four", "five"}},
	"a reply alone":               {[]string{"say a one", "say b two", "gone b1", "say c three"}, []string{"one", "two", "three"}},
	"messages that are not known": {[]string{"say a one", "say b two", "gone x y", "say c three"}, []string{"one", "two", "three"}},
	"prompts without an id":       {[]string{"say - one", "say - two", "gone b", "say c three"}, []string{"one", "two", "three"}},
}

// What the user undid in opencode is not told to a model; it stays stored. A call that is
// repeated changes nothing.
func TestUndoneInOpencode(t *testing.T) {
	for name, c := range undone {
		t.Run(name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			var said, gone []string
			calls := 0
			hook := func(fields map[string]any) {
				t.Helper()
				calls++
				fields["session_id"], fields["removed_messages"] = "s1", gone
				gone = nil
				input, err := json.Marshal(fields)
				if err != nil {
					t.Fatal(err)
				}
				h, err := transcript.ReadHook("opencode", input)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, ID: "call-" + strconv.Itoa(calls), Project: "demo"}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, moment := range c.moments {
				part := strings.SplitN(moment, " ", 3)
				switch part[0] {
				case "say":
					said = append(said, part[2])
					fields := map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": part[2]}
					if part[1] != "-" {
						fields["message_id"] = part[1]
					}
					hook(fields)
					hook(map[string]any{"hook_event_name": "Stop", "last_assistant_message": "ok"})
				case "reply":
					hook(map[string]any{"hook_event_name": "Stop", "last_assistant_message": "ok"})
				case "gone":
					gone = strings.Fields(moment)[1:]
				case "end":
					hook(map[string]any{"hook_event_name": "SessionEnd"})
				}
			}
			if diff := cmp.Diff(said, humanTexts(t, s, "opencode", "s1")); diff != "" {
				t.Errorf("stored: %s", diff)
			}
			owner, err := s.Store.SessionByClient(ctx, "opencode", "s1")
			if err != nil {
				t.Fatal(err)
			}
			text, err := s.RestoreText(ctx, owner.ID, 0, 8000)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range said {
				if isTold(text, m) != slices.Contains(c.want, m) {
					t.Errorf("want told %q:\n%s", c.want, text)
				}
			}
			if want := "# Restored by wake: " + c.want[0] + "\n"; !strings.HasPrefix(text, want) {
				t.Errorf("no %q: %s", want, text)
			}
			verified(t, s)
		})
	}
}

// A prompt of opencode of which two plugins tell, each by a call of its own, is stored once.
// The same words in another message are stored again.
func TestToldTwiceByOpencode(t *testing.T) {
	s, _ := memorytest.Open(t)
	for i, message := range []string{"a", "a", "b"} {
		h, err := transcript.ReadHook("opencode", fmt.Appendf(nil, `{"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "go on", "message_id": %q}`, message))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, ID: "call-" + strconv.Itoa(i), Project: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"go on", "go on"}, humanTexts(t, s, "opencode", "s1")); diff != "" {
		t.Error(diff)
	}
}

// Where the user of opencode goes back to before the message that the restore text went with,
// the next one takes it along again; and none does where they went back to before the compaction.
func TestRestoredAgainAfterUndo(t *testing.T) {
	s, _ := memorytest.Open(t)
	o := opencodeHooks{t: t, s: s}
	say := func(id, prompt string, gone ...string) string {
		t.Helper()
		told := o.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": prompt, "message_id": id, "removed_messages": gone})
		o.hook(map[string]any{"hook_event_name": "Stop", "last_assistant_message": "Answer to " + id + "."})
		return told
	}
	say("a", "Alpha.")
	say("b", "Beta.")
	o.hook(map[string]any{"hook_event_name": "PostCompact", "trigger": "manual"})
	for i, turn := range []struct {
		id, prompt string
		gone       []string
		restored   bool
	}{
		{"c", "Gamma.", nil, true},
		{"d", "Delta.", []string{"c"}, true},
		{"e", "Epsilon.", nil, false},
		{"f", "Zeta.", []string{"e"}, false},
		{"g", "Eta.", []string{"d", "f"}, true},
		{"h", "Theta.", []string{"b", "g"}, false},
	} {
		told := say(turn.id, turn.prompt, turn.gone...)
		if restored := strings.HasPrefix(told, memory.QuoteNotice) && isTold(told, "Beta."); restored != turn.restored {
			t.Errorf("message %d: restored %v: %s", i+1, restored, told)
		}
		for _, other := range []string{"Gamma.", "Delta.", "Eta."} {
			if isTold(told, other) {
				t.Errorf("message %d is told %s: %s", i+1, other, told)
			}
		}
	}
	verified(t, s)
}

// opencodeHooks are hooks of one session of opencode.
type opencodeHooks struct {
	t     *testing.T
	s     *memory.Service
	calls int
}

// hook returns what the model is told at one moment.
func (o *opencodeHooks) hook(fields map[string]any) string {
	o.t.Helper()
	o.calls++
	fields["session_id"] = "s1"
	input, err := json.Marshal(fields)
	if err != nil {
		o.t.Fatal(err)
	}
	h, err := transcript.ReadHook("opencode", input)
	if err != nil {
		o.t.Fatal(err)
	}
	answer, err := o.s.Hook(ctx, memory.HookRequest{Hook: h, ID: "call-" + strconv.Itoa(o.calls), Project: "demo"})
	if err != nil {
		o.t.Fatal(err)
	}
	return answer.Text
}

// What a model of opencode asks a sub-agent is nobody's words, and is told to the sub-agent again
// after a compaction; what a person says to it is theirs.
func TestTaskOfOpencode(t *testing.T) {
	s, _ := memorytest.Open(t)
	o := opencodeHooks{t: t, s: s}
	hook := func(fields map[string]any) string {
		fields["parent_session_id"] = "s0"
		return o.hook(fields)
	}
	told := hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "Look around.\nCount the lamps.", "message_id": "a", "source": "task"})
	if told != "" {
		t.Errorf("with a task is told: %s", told)
	}
	hook(map[string]any{"hook_event_name": "Stop", "last_assistant_message": "Three."})
	hook(map[string]any{"hook_event_name": "PostCompact", "trigger": "auto"})
	const task = "## The sub-agent's task (event 1)\nLook around.\nCount the lamps.\n"
	if told := hook(map[string]any{"hook_event_name": "SessionStart", "source": "compact"}); !strings.Contains(told, task) {
		t.Errorf("a sub-agent that goes on is told: %s", told)
	}
	if told := hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "Are you sure?", "message_id": "b"}); !strings.Contains(told, task) {
		t.Errorf("a sub-agent to which a person speaks is told: %s", told)
	}
	if diff := cmp.Diff([]string{"Are you sure?"}, humanTexts(t, s, "opencode", "s1")); diff != "" {
		t.Error(diff)
	}
	verified(t, s)
}

// Neither the summary of a compaction nor a reminder is what a sub-agent of Claude Code was asked to do.
func TestTaskBeforeCompaction(t *testing.T) {
	s, _ := memorytest.Open(t)
	say := func(id, parent string, more map[string]any) string {
		fields := map[string]any{"type": "user", "uuid": id, "parentUuid": parent, "sessionId": "s1", "agentId": "a1", "isSidechain": true, "timestamp": "2026-05-04T08:00:00Z"}
		maps.Copy(fields, more)
		return row(t, fields)
	}
	text := func(text string) map[string]any { return map[string]any{"role": "user", "content": text} }
	rows := say("a", "", map[string]any{"message": text("Count the lamps.")}) +
		say("b", "a", map[string]any{"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}) +
		say("c", "b", map[string]any{"isCompactSummary": true, "message": text("This session is being continued. Lamps are being counted.")}) +
		say("d", "c", map[string]any{"isMeta": true, "message": text("<system-reminder>\nThe file was changed.\n</system-reminder>")})
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "s1/subagents/agent-a1.jsonl", Source: strings.NewReader(rows), Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	all, err := s.Store.Sessions(ctx, domain.SessionQuery{Project: "demo", Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	child := all[slices.IndexFunc(all, func(o domain.Session) bool { return o.ParentID != "" })]
	told, err := s.RestoreText(ctx, child.ID, 0, 4000)
	if err != nil || !strings.Contains(told, "## The sub-agent's task (event 1)\nCount the lamps.\n") {
		t.Errorf("it is told: %s, %v", told, err)
	}
}
