package transcript_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

const (
	codexFile    = "rollout-2026-03-04T08-00-00-019cb7a0-1111-7222-8333-444455556666.jsonl"
	codexSession = "019cb7a0-1111-7222-8333-444455556666"
)

// A prompt stands in a rollout twice, as a response item and as an event: it is
// one message. Instructions and the environment are nobody's words.
func TestCodexHumanMessages(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	var humans []string
	seen := map[domain.Key]bool{}
	for _, e := range res.events {
		if e.Type != domain.EventMessage || seen[e.Key] {
			continue
		}
		seen[e.Key] = true
		if m, _ := e.Message(); m.Human() {
			humans = append(humans, m.Content)
		}
	}
	if diff := cmp.Diff([]string{"Add rate limiting to the API", "continue", "continue"}, humans); diff != "" {
		t.Errorf("human messages (-want +got):\n%s", diff)
	}
}

func TestCodexSession(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	if len(res.sessions) != 1 || len(res.skipped) != 0 {
		t.Fatalf("sessions %+v, skipped %v", res.sessions, res.skipped)
	}
	want := domain.Session{Client: "codex", ClientSessionID: codexSession, Provider: "openai", StartedAt: res.sessions[0].StartedAt,
		Attributes: map[string]string{"cwd": "/home/ben/api", "git_branch": "main", "version": "0.98.0", "originator": "codex_cli_rs"}}
	if diff := cmp.Diff(want, res.sessions[0]); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
	if about := ofType[domain.About](t, res); len(about) != 1 || about[0].Model != "gpt-5-codex" {
		t.Errorf("the model is told once: %+v", about)
	}
	if c := ofType[domain.Compaction](t, res); len(c) != 1 || c[0].Summary != "Rate limiting was added." {
		t.Errorf("compactions: %+v", c)
	}
}

// I15: the same token count told twice counts once, and the sum of all calls is
// the total.
func TestCodexUsage(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	var sum domain.TokenUsage
	calls := 0
	for _, op := range ofType[domain.OpReport](t, res) {
		calls++
		sum.Input, sum.CacheRead, sum.Output = sum.Input+op.Usage.Input, sum.CacheRead+op.Usage.CacheRead, sum.Output+op.Usage.Output
	}
	if want := (domain.TokenUsage{Input: 1600, CacheRead: 1000, Output: 120}); calls != 2 || sum != want {
		t.Errorf("%d calls took %+v, want 2 and %+v", calls, sum, want)
	}
}

func TestCodexTools(t *testing.T) {
	res := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{})
	calls, answers := map[string]domain.ToolCall{}, map[string]domain.Message{}
	for _, m := range ofType[domain.Message](t, res) {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c
		}
		if m.ToolCallID != "" {
			answers[m.ToolCallID] = m
		}
	}
	if string(calls["call_1"].Arguments) != `{"command":["ls"]}` {
		t.Errorf("arguments in a string were not unwrapped: %s", calls["call_1"].Arguments)
	}
	if answers["call_1"].Error != "" || answers["call_2"].Error == "" || answers["call_2"].ToolName != "apply_patch" {
		t.Errorf("answers: %+v", answers)
	}
	if _, ok := answers["call_3"]; ok || calls["call_3"].Name != "shell" {
		t.Error("call_3 was never answered")
	}
}

// Two calls that share an id are two, each with its answer.
func TestCodexCallsOfOneID(t *testing.T) {
	row := func(payload string) string {
		return `{"timestamp":"2026-05-01T10:00:00Z","type":"response_item","payload":` + payload + "}\n"
	}
	data := row(`{"type":"function_call","name":"ls","arguments":"{}","call_id":"k"}`) + row(`{"type":"function_call_output","call_id":"k","output":"one"}`) +
		row(`{"type":"function_call","name":"cat","arguments":"{}","call_id":"k"}`) + row(`{"type":"function_call_output","call_id":"k","output":"two"}`)
	res := read(t, transcript.Codex, "rollout-c1.jsonl", []byte(data), domain.IngestCursor{})
	if n := len(res.set(t)); n != 4 {
		t.Errorf("%d events, want 4", n)
	}
}

// The first rollouts were bare items without a payload.
func TestCodexOldRollout(t *testing.T) {
	res := read(t, transcript.Codex, "old-rollout.jsonl", own(t, "codex", "old-rollout.jsonl"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"hello old codex"}, res.humans(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("%s%v", diff, res.skipped)
	}
	if res.sessions[0].ClientSessionID != "0f0e0d0c-1111-4222-8333-444455556666" {
		t.Errorf("session %+v", res.sessions[0])
	}
}

func TestCodexSamples(t *testing.T) {
	for _, file := range samples(t, "agentsview/codex*.jsonl") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res := read(t, transcript.Codex, file, data, domain.IngestCursor{})
		if len(res.humans(t)) != 1 || len(res.skipped) != 0 || len(res.sessions) != 1 {
			t.Errorf("%s: humans %q, skipped %v, sessions %d", file, res.humans(t), res.skipped, len(res.sessions))
		}
		if strings.Contains(file, "fc_") && len(ofType[domain.Message](t, res)) < 2 {
			t.Errorf("%s: the call is missing", file)
		}
	}
}
