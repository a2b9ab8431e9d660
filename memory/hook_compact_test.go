package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

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

// Where checkpoints are switched off, the hook before a compaction makes none, but what was
// decided is kept all the same.
func TestCompactionWithoutCheckpoints(t *testing.T) {
	s, _ := memorytest.Open(t)
	config := s.SessionConfig()
	config.Enabled = false
	if err := s.SetSessionConfig(config); err != nil {
		t.Fatal(err)
	}
	const spoken = "Let's use port 7443 for the worker's metrics, because 9090 is taken."
	for _, h := range []transcript.Hook{{Moment: transcript.HookPrompt, Prompt: spoken}, {Moment: transcript.HookPreCompact, Trigger: "manual"}} {
		h.Client, h.SessionID, h.Name = "claude-code", "s1", string(h.Moment)
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"}); err != nil {
			t.Error(err)
		}
	}
	if list, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: "demo", Limit: 10}); err != nil || len(list) != 1 {
		t.Errorf("%d contexts: %v", len(list), err)
	}
	if made, err := s.Store.Checkpoints(ctx, domain.CheckpointQuery{}); err != nil || len(made) != 0 {
		t.Errorf("%d checkpoints: %v", len(made), err)
	}
}

// A compaction of which a hook tells late, after one before it has read the transcript to
// its end, is the one in there; another is not.
func TestCompactionToldLate(t *testing.T) {
	s, clock := memorytest.Open(t)
	at := clock.Now()
	timed := func(after time.Duration, fields map[string]any) string {
		fields["timestamp"], fields["sessionId"] = at.Add(after).Format(time.RFC3339Nano), "s1"
		return row(t, fields)
	}
	said := func(n string, after time.Duration) string {
		return timed(after, map[string]any{"type": "user", "uuid": n, "message": map[string]any{"role": "user", "content": "go on " + n}})
	}
	file := said("u1", 0) + timed(time.Minute, map[string]any{"type": "system", "subtype": "compact_boundary", "uuid": "b1"}) + said("u2", 2*time.Minute)
	told := func(moment transcript.HookMoment, after time.Duration) {
		t.Helper()
		h := transcript.Hook{Client: "claude-code", Moment: moment, Name: string(moment), SessionID: "s1", TranscriptPath: "t.jsonl", Source: "compact"}
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, ID: fmt.Sprint(moment, after), At: at.Add(after), Again: true, Project: "demo", Transcript: strings.NewReader(file)}); err != nil {
			t.Fatal(err)
		}
	}
	epoch := func(want int64) {
		t.Helper()
		if owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1"); err != nil || owner.Epoch != want {
			t.Errorf("epoch %d, want %d: %v", owner.Epoch, want, err)
		}
	}
	clock.Pass(time.Hour)
	told(transcript.HookPreCompact, 50*time.Second)
	told(transcript.HookPostCompact, 61*time.Second)
	told(transcript.HookStart, 62*time.Second)
	epoch(2)
	told(transcript.HookPostCompact, 10*time.Minute)
	told(transcript.HookStart, 10*time.Minute+time.Second)
	epoch(3)
}

// Cursor announces a compaction, and that is all it says of it: then it has happened, once,
// however often the hook is set up. The next prompt's hook tells where the session stood, if
// that version of Cursor listens.
func TestCompactionOnlyAnnounced(t *testing.T) {
	for version, heard := range map[string]bool{"": false, "3.19.4": false, "3.20.17": true, "4.0": true, "2026.09.14-1c2f": false} {
		s, _ := memorytest.Open(t)
		hook := func(h transcript.Hook) string {
			t.Helper()
			h.Client, h.SessionID, h.Name, h.Version = transcript.ClientCursor, "c1", string(h.Moment), version
			a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			return a.Text
		}
		announced := transcript.Hook{Moment: transcript.HookPreCompact, Trigger: "auto", Tokens: 152_000}
		hook(announced) // of a session that wake does not know
		hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "Port the invoice queries to SQLite."})
		hook(transcript.Hook{Moment: transcript.HookToolUsed, Tool: transcript.HookTool{Name: "shell", Input: json.RawMessage(`{"command":"ls"}`), Response: "a b"}})
		hook(announced)
		hook(announced)
		hook(transcript.Hook{Moment: transcript.HookStop, Reply: "They are ported."})
		told := hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "Go on with the reports."})
		if got := strings.Contains(told, "Port the invoice queries to SQLite."); got != heard {
			t.Errorf("Cursor %q: told %v, want %v: %s", version, got, heard, told)
		}
		if again := hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "And the tests."}); again != "" {
			t.Errorf("Cursor %q is told once more: %s", version, again)
		}
		owner, err := s.Store.SessionByClient(ctx, "cursor", "c1")
		if err != nil || owner.Epoch != 2 || owner.LearnedLimit != 152_000 {
			t.Errorf("Cursor %q: epoch %d, limit %d, want 2 and 152000: %v", version, owner.Epoch, owner.LearnedLimit, err)
		}
		kept, err := s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: owner.ID, Limit: 10})
		if err != nil || len(kept) != 1 || kept[0].Epoch != 1 {
			t.Errorf("Cursor %q: %d checkpoints, want one of epoch 1: %v", version, len(kept), err)
		}
	}
}
