package memory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// What was decided before a compaction is told after it as a context, also where a person
// answered the client's own question tool, whose answers are no messages. An automatic
// compaction interrupts a turn, which may go another way yet.
func TestDecidedBeforeCompaction(t *testing.T) {
	const (
		answer = "Which queue should we use? → River, and name it billing-jobs"
		spoken = "Let's use port 7443 for the worker's metrics, because 9090 is taken."
	)
	asked := transcript.HookTool{ID: "t1", Name: "AskUserQuestion", Input: json.RawMessage(`{"questions":[{"question":"Which queue should we use?"}]}`),
		Response: `{"questions":[{"question":"Which queue should we use?"}],"answers":{"Which queue should we use?":"River, and name it billing-jobs"}}`}
	for _, c := range []struct {
		trigger string
		off     bool
		want    map[string]bool
	}{
		{"manual", false, map[string]bool{answer: true, spoken: true}},
		{"auto", false, map[string]bool{answer: true, spoken: false}},
		{"manual", true, map[string]bool{answer: false, spoken: false}},
	} {
		s, _ := memorytest.Open(t)
		s.NoDistil = c.off
		var told string
		hook := func(h transcript.Hook) {
			t.Helper()
			h.Client, h.SessionID, h.Name = "claude-code", "s1", string(h.Moment)
			a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			told = a.Text
		}
		hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "Please set up the job queue for invoices."})
		hook(transcript.Hook{Moment: transcript.HookToolUsed, Tool: asked})
		hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: spoken})
		hook(transcript.Hook{Moment: transcript.HookPreCompact, Trigger: c.trigger})
		hook(transcript.Hook{Moment: transcript.HookStart, Source: "compact"})
		for text, want := range c.want {
			if got := strings.Contains(told, "\n- "+text+" (overheard, context "); got != want {
				t.Errorf("%s, off %v: told as a context: %v, want %v: %s\n%s", c.trigger, c.off, got, want, text, told)
			}
		}
		hook(transcript.Hook{Moment: transcript.HookEnd})
		want := 2
		if c.off {
			want = 0
		}
		if list, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: "demo", Limit: 10}); err != nil || len(list) != want {
			t.Errorf("%s, off %v: %d contexts in the end, want %d: %v", c.trigger, c.off, len(list), want, err)
		}
	}
}
