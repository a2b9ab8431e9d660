package memory_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// I5: AutoByteus moves old traces into files of their own. What is said, answered or called
// there and again in the file at hand is two, in whatever order the files are read, and in
// whichever of them a trace is met again.
func TestImportAutoByteusSegments(t *testing.T) {
	trace := func(n int, kind, content, more string) string {
		return fmt.Sprintf(`{"id":"rt_%d_x","ts":%d.5,"turn_id":"turn_%04d","seq":1,"trace_type":%q,"content":%q%s}`, n, 1770000000+n, n, kind, content, more) + "\n"
	}
	call := `,"tool_name":"ls","tool_call_id":"call_ab_0"`
	turn := func(n int) string {
		return trace(n, "user", "go on", "") + trace(n+1, "tool_call", "", call+`,"tool_args":{}`) +
			trace(n+2, "tool_result", "", call+fmt.Sprintf(`,"tool_result":"answer %d"`, n)) + trace(n+3, "assistant", "done", "")
	}
	old, middle, now := turn(10), turn(20), turn(30)
	snapshot := `{"schema_version":1,"agent_id":"a7","epoch_id":1,"messages":[{"role":"user","content":"go on"},{"role":"assistant","content":"done"}]}`
	type file struct{ name, text string }
	for name, files := range map[string][]file{
		"in order":    {{"raw_traces_000001.jsonl", old}, {"raw_traces_000002.jsonl", middle}, {"raw_traces_active.jsonl", now}, {"working_context_snapshot.json", snapshot}},
		"newest":      {{"raw_traces_active.jsonl", now}, {"raw_traces_000002.jsonl", middle}, {"raw_traces_000001.jsonl", old}, {"working_context_snapshot.json", snapshot}},
		"moved":       {{"raw_traces_active.jsonl", old + middle}, {"raw_traces_000001.jsonl", old}, {"raw_traces_active.jsonl", middle + now}, {"raw_traces_000002.jsonl", middle}},
		"snapshot":    {{"working_context_snapshot.json", snapshot}, {"raw_traces_000001.jsonl", old}, {"raw_traces_active.jsonl", middle + now}},
		"read apart":  {{"raw_traces.jsonl", middle + now}, {"raw_traces_archive.jsonl", old + middle}, {"raw_traces_archive.jsonl", old + middle + now}},
		"whole again": {{"raw_traces_000001.jsonl", old}, {"raw_traces_active.jsonl", middle + now}, {"raw_traces_000001.jsonl", old}, {"raw_traces_active.jsonl", middle + now}},
	} {
		s, _ := memorytest.Open(t)
		for _, f := range files {
			req := memory.ImportRequest{Format: transcript.AutoByteus, Name: "memory/agents/a7/" + f.name, Source: strings.NewReader(f.text), Whole: true}
			if _, err := s.Import(ctx, req); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"assistant: done", "assistant: done", "assistant: done", "call", "call", "call", "tool: answer 10", "tool: answer 20", "tool: answer 30",
			"user: go on", "user: go on", "user: go on"}
		if diff := cmp.Diff(want, messagesOf(t, s, transcript.ClientAutoByteus, "a7")); diff != "" {
			t.Errorf("%s: messages (-want +got):\n%s", name, diff)
		}
	}
}

// I5: what wake wrote as AutoByteus' files of a session is there already, although the rows of
// calls have other ids in them: also if the ids of calls come again.
func TestImportAutoByteusOwnExport(t *testing.T) {
	trace := func(n int, kind, more string) string {
		return fmt.Sprintf(`{"id":"rt_%d_x","ts":%d.5,"turn_id":"turn_1","seq":1,"trace_type":%q,%s}`, n, 1770000000+n, kind, more) + "\n"
	}
	turn := func(n int, call string) string {
		return trace(n, "user", `"content":"go on"`) + trace(n+1, "tool_call", `"tool_name":"ls","tool_args":{},"tool_call_id":"`+call+`"`) +
			trace(n+2, "tool_result", fmt.Sprintf(`"tool_name":"ls","tool_result":"answer %d","tool_call_id":%q`, n, call)) + trace(n+3, "assistant", `"content":"done"`)
	}
	s, _ := memorytest.Open(t)
	take := func(s *memory.Service, name, text string) {
		t.Helper()
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.AutoByteus, Name: "agents/a7/" + name, Source: strings.NewReader(text), Whole: true}); err != nil {
			t.Fatal(err)
		}
	}
	exported := func(s *memory.Service) (traces string) {
		t.Helper()
		err := s.ExportAutoByteus(ctx, onlySession(t, s), "a7", func(name string, write func(io.Writer) error) error {
			var out strings.Builder
			err := write(&out)
			if name == "raw_traces.jsonl" {
				traces = out.String()
			}
			return err
		})
		if err != nil || traces == "" {
			t.Fatal(traces, err)
		}
		return traces
	}
	take(s, "raw_traces.jsonl", turn(10, "c0")+turn(20, "c0")+turn(30, "c1"))
	want := messagesOf(t, s, transcript.ClientAutoByteus, "a7")
	first := exported(s)
	take(s, "raw_traces_archive.jsonl", first)
	other, _ := memorytest.Open(t)
	take(other, "raw_traces.jsonl", first)
	take(s, "raw_traces_active.jsonl", exported(other))
	take(other, "raw_traces_active.jsonl", exported(s))
	for _, s := range []*memory.Service{s, other} {
		if diff := cmp.Diff(want, messagesOf(t, s, transcript.ClientAutoByteus, "a7")); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
	}
}

// I5: an OLLM snapshot holds a person's last messages alone, and the recorded session holds
// all, without ids. Equal ones of two snapshots are two, and none is counted twice.
func TestImportOLLMWindows(t *testing.T) {
	said := func(id string, minute int, words string) map[string]any {
		return map[string]any{"id": id, "role": "user", "content": words, "timestamp": fmt.Sprintf("2026-01-22T14:%02d:00.000Z", minute)}
	}
	snapshot := func(id string, said ...map[string]any) string {
		doc, err := json.Marshal(map[string]any{"version": "1.0", "id": id, "sessionId": "s1", "timestamp": "2026-01-22T15:00:00.000Z", "userMessages": said, "messages": []any{}, "metadata": map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		return string(doc)
	}
	var told []string
	for minute := range 3 {
		told = append(told, fmt.Sprintf(`{"role":"user","parts":[{"type":"text","text":"continue"}],"timestamp":"2026-01-22T14:%02d:00.000Z"}`, minute+1))
	}
	recorded := `{"sessionId":"s1","startTime":"2026-01-22T14:00:00.000Z","model":"m","messages":[` + strings.Join(told, ",") + `],"toolCalls":[]}`
	m1, m2, m3 := said("m1", 1, "continue"), said("m2", 2, "continue"), said("m3", 3, "continue")
	first, second, third := snapshot("a", m1), snapshot("b", m2), snapshot("c", m2, m3)
	for name, files := range map[string][]string{
		"windows": {first, second, third}, "session first": {recorded, first, second, third}, "session last": {third, first, recorded}, "again": {third, second, first, second, third},
	} {
		s, _ := memorytest.Open(t)
		for i, text := range files {
			if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.OLLM, Name: fmt.Sprintf("snapshot-%d.json", i), Source: strings.NewReader(text), Whole: true}); err != nil {
				t.Fatal(err)
			}
		}
		if got := humanTexts(t, s, transcript.ClientOLLM, "s1"); len(got) != 3 {
			t.Errorf("%s: said %q, want it three times", name, got)
		}
	}
}

// messagesOf are the messages of a session in short, sorted.
func messagesOf(t *testing.T, s *memory.Service, client, clientID string) (all []string) {
	t.Helper()
	owner, err := s.Store.SessionByClient(ctx, client, clientID)
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		var m domain.Message
		switch err := json.Unmarshal(e.Payload, &m); {
		case err != nil:
			t.Fatal(err)
		case m.ToolCalls != nil:
			all = append(all, "call")
		default:
			all = append(all, string(m.Role)+": "+m.Content)
		}
	}
	slices.Sort(all)
	return all
}
