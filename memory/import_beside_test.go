package memory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// I5: hooks that read a transcript while it is written, wherever it is cut just then, and
// copies of stretches of it that come between, lose no prompt, and leave the events that
// the whole brings.
func TestImportBesideHooks(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		rows := sessionRows(t)
		whole := strings.Join(rows, "")
		want := importedKeys(t, folder, []string{whole})
		s, _, done := another(t, folder)
		defer done()
		live := growing{t: t, s: s, whole: whole}
		read := make([]bool, len(rows))
		for i, text := range rows {
			if rapid.IntRange(0, 2).Draw(t, "hooks") > 0 {
				live.hook(i, text)
			}
			live.said += len(text)
			if rapid.IntRange(0, 9).Draw(t, "copies") == 0 {
				from := rapid.IntRange(0, i).Draw(t, "from")
				to := rapid.IntRange(from, i).Draw(t, "to") + 1
				importRows(t, s, fmt.Sprint("copy", i, ".jsonl"), strings.Join(rows[from:to], ""))
				for n := from; n < to; n++ {
					read[n] = true
				}
			}
		}
		if want, said := prompts(rows, read), prompted(t, s); said < want {
			t.Fatalf("%d prompts, and %d were read", said, want)
		}
		importRows(t, s, "s1.jsonl", whole)
		if diff := cmp.Diff(want, sessionKeys(t, s)); diff != "" {
			t.Fatalf("events (-whole +beside hooks):\n%s", diff)
		}
	})
}

// prompts counts those among the rows that were read.
func prompts(rows []string, read []bool) (count int) {
	for i, text := range rows {
		if read[i] && promptOf(text) != "" {
			count++
		}
	}
	return count
}

// promptOf is what a person says in a row, "" where nobody does.
func promptOf(row string) string {
	for _, words := range []string{"go on", "yes"} {
		if strings.Contains(row, `"content":"`+words+`"`) {
			return words
		}
	}
	return ""
}

// prompted counts the prompts of the session, which may not be there yet.
func prompted(t fataler, s *memory.Service) int {
	t.Helper()
	_, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
	if domain.KindOf(err) == domain.KindNotFound {
		return 0
	}
	return len(humanTexts(t, s, "claude-code", "s1"))
}

// growing is a transcript that a client writes, late, while its hooks run.
type growing struct {
	t             *rapid.T
	s             *memory.Service
	whole         string
	said, written int
}

// hook runs the hook of the moment before the nth row.
func (g *growing) hook(n int, row string) {
	h := transcript.Hook{Client: transcript.ClientClaudeCode, Moment: transcript.HookStop, Name: "stop", SessionID: "s1", TranscriptPath: "s1.jsonl"}
	if h.Prompt = promptOf(row); h.Prompt != "" {
		h.Moment = transcript.HookPrompt
	}
	g.written = rapid.IntRange(g.written, g.said).Draw(g.t, "written")
	req := memory.HookRequest{Hook: h, ID: fmt.Sprint("call", n), Project: "demo"}
	if g.written > 0 {
		req.Transcript = strings.NewReader(g.whole[:g.written])
	}
	if _, err := g.s.Hook(ctx, req); err != nil {
		g.t.Fatal(err)
	}
}

func importRows(t fataler, s *memory.Service, name, text string) {
	t.Helper()
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: name, Source: strings.NewReader(text)}); err != nil {
		t.Fatal(err)
	}
}

// sessionKeys are the types and keys of a session's events. One stands for a prompt or a
// block of a message what it says: files number them from where they begin.
func sessionKeys(t fataler, s *memory.Service) []string {
	t.Helper()
	owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID})
	if err != nil {
		t.Fatal(err)
	}
	events = slices.DeleteFunc(events, func(e domain.Event) bool { return e.Key == "" || e.Type == domain.EventNote }) // wake's own
	keys := map[string]bool{}
	for _, e := range events {
		key := string(e.Key)
		if strings.HasPrefix(key, "a:") { // blocks are numbered as they come
			key = key[:strings.LastIndexByte(key, ':')] + blockText(t, e)
		}
		keys[fmt.Sprint(e.Type, " ", key)] = true
	}
	if len(keys) != len(events) {
		t.Fatalf("%d events have %d keys", len(events), len(keys))
	}
	return sorted(keys)
}

// Codex tells its hooks what a command printed, but not its exit code. The rollout does.
func TestImportCodexExitCodeBesideHook(t *testing.T) {
	s, _ := memorytest.Open(t)
	h, err := transcript.ReadHook("codex", []byte(`{"session_id":"c1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"call_1","tool_input":{"command":"make"},"tool_response":"boom"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	rollout := `{"timestamp":"2026-05-04T10:00:00.000Z","type":"session_meta","payload":{"id":"c1","timestamp":"2026-05-04T10:00:00.000Z","cwd":"/w"}}
{"timestamp":"2026-05-04T10:00:01.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make\"}","call_id":"call_1"}}
{"timestamp":"2026-05-04T10:00:02.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nboom"}}
`
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Codex, Name: "rollout.jsonl", Source: strings.NewReader(rollout)}); err != nil {
		t.Fatal(err)
	}
	owner, err := s.Store.SessionByClient(ctx, "codex", "c1")
	if err != nil {
		t.Fatal(err)
	}
	ops, err := s.Store.Ops(ctx, owner.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(ops) != 1 || ops[0].Status != domain.OpFailed || owner.Totals.ToolsRun != 1 {
		t.Errorf("ops %+v, %d tools run", ops, owner.Totals.ToolsRun)
	}
}

// A hook's prompt is one row's: the next row of the same words is another prompt.
func TestImportHooksPromptIsOneRow(t *testing.T) {
	s, _ := memorytest.Open(t)
	importRows(t, s, "1.jsonl", promptRow(t, 1, "go on")+blockRow(t, "r1", "m", "done"))
	h := transcript.Hook{Client: transcript.ClientClaudeCode, Moment: transcript.HookPrompt, SessionID: "s1", Prompt: "go on"}
	if _, err := s.Hook(ctx, memory.HookRequest{Hook: h}); err != nil {
		t.Fatal(err)
	}
	importRows(t, s, "2.jsonl", promptRow(t, 2, "go on")+promptRow(t, 3, "go on"))
	if said := humanTexts(t, s, "claude-code", "s1"); len(said) != 3 {
		t.Errorf("%q, want it thrice", said)
	}
}

// Where one append brings two rows under a key that a hook told, each is its own prompt.
func TestImportRowsOfOneKey(t *testing.T) {
	s, now := memorytest.Open(t)
	prompts := func(rows ...string) (events []domain.Event) {
		for i, row := range rows {
			nth := 1
			if row == "" {
				nth = i + 1 // a hook's
			}
			e, err := domain.NewEvent(now.Now(), domain.HumanKey("go on", nth), domain.Message{Role: domain.RoleUser, Content: "go on"})
			if err != nil {
				t.Fatal(err)
			}
			if row != "" {
				e.Source = domain.SourcePos{Name: "t.jsonl", ID: row}
			}
			events = append(events, e)
		}
		return events
	}
	for _, rows := range [][]string{{"", "", ""}, {"r1", "r2", "r3", "r4"}, {"r4", "r2"}} {
		if _, err := s.Append(ctx, memory.AppendRequest{Ref: memory.SessionRef{Client: "claude-code", ClientSessionID: "s1"}, Events: prompts(rows...)}); err != nil {
			t.Fatalf("%q: %v", rows, err)
		}
	}
	if said := humanTexts(t, s, "claude-code", "s1"); len(said) != 4 {
		t.Errorf("%d prompts, want 4", len(said))
	}
}

// A prompt out of the queue, which newer clients tell again as a row, is that row in every copy.
func TestImportQueuedPromptInCopies(t *testing.T) {
	queue := func(operation string) string {
		return row(t, map[string]any{"type": "queue-operation", "operation": operation, "content": "go on", "sessionId": "s1", "timestamp": "2026-05-04T08:00:09Z"})
	}
	attached := row(t, map[string]any{"type": "attachment", "uuid": "q1", "sessionId": "s1", "timestamp": "2026-05-04T08:00:10Z",
		"attachment": map[string]any{"type": "queued_command", "prompt": "go on", "commandMode": "prompt"}})
	half := blockRow(t, "r1", "m", "done") + queue("enqueue") + queue("remove")
	first, whole, later := promptRow(t, 1, "go on")+half, promptRow(t, 1, "go on")+half+attached, half+attached
	for _, files := range [][2]string{{whole, later}, {later, whole}, {first, whole}} {
		s, _ := memorytest.Open(t)
		for _, file := range []string{files[0], files[1], later} {
			importRows(t, s, fmt.Sprint(len(file), ".jsonl"), file)
		}
		if said := humanTexts(t, s, "claude-code", "s1"); len(said) != 2 {
			t.Errorf("%d prompts, want 2", len(said))
		}
	}
}

// What a transcript says of its session, such as the branch, comes to one that hooks began.
// What is known already stays: the session may have moved on.
func TestImportDescribesHooksSession(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := memory.SessionRef{Client: "claude-code", ClientSessionID: "s1"}
	opened, err := s.Record(ctx, memory.RecordRequest{Ref: ref, Open: memory.SessionOpening{Attributes: map[string]string{"cwd": "/work/api"}},
		Events: []json.RawMessage{json.RawMessage(`{"type":"mode","to":"plan"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	file := row(t, map[string]any{"type": "user", "uuid": "r1", "sessionId": "s1", "cwd": "/work/api/web", "gitBranch": "main", "version": "2.1.200",
		"message": map[string]any{"role": "user", "content": "hi"}})
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "s1.jsonl", Source: strings.NewReader(file)}); err != nil {
		t.Fatal(err)
	}
	known, err := s.Store.Session(ctx, opened.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"cwd": "/work/api", "git_branch": "main", "version": "2.1.200"}
	if diff := cmp.Diff(want, known.Attributes); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}

// What was erased of a session's attributes does not come back with the next rows.
func TestImportBringsNoErasedAttribute(t *testing.T) {
	s, _ := memorytest.Open(t)
	at := func(id, branch string) string {
		return row(t, map[string]any{"type": "user", "uuid": id, "sessionId": "s1", "gitBranch": branch, "message": map[string]any{"role": "user", "content": id}})
	}
	importRows(t, s, "s1.jsonl", at("r1", "main")+at("r2", "xylophone"))
	known, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
	if err != nil {
		t.Fatal(err)
	}
	for seq := range known.LastSeq {
		if _, err := s.PurgeEvent(ctx, known.ID, seq+1); err != nil {
			t.Fatal(err)
		}
	}
	importRows(t, s, "s1.jsonl", at("r1", "main")+at("r2", "xylophone")+at("r3", "xylophone"))
	if known, err = s.Store.Session(ctx, known.ID); err != nil || known.Attributes["git_branch"] != "" {
		t.Errorf("%v, %v", known.Attributes, err)
	}
}

// A hook is told a prompt's words only. What is beside them comes with its row, once, and
// is no message of its own.
func TestImportPictureOfHooksPrompt(t *testing.T) {
	picture := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}`
	rows := func(n string) string {
		return `{"type":"user","uuid":"u` + n + `","sessionId":"s1","message":{"role":"user","content":[{"type":"text","text":"See [Image #1]"},` + picture + `]}}` + "\n"
	}
	codexRows := `{"type":"session_meta","payload":{"id":"s1"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw=="},{"type":"input_text","text":"</image>"},{"type":"input_text","text":"See [Image #1]"}]}}
{"type":"event_msg","payload":{"type":"user_message","message":"See [Image #1]","images":[],"local_images":["/tmp/a.png"]}}
`
	for client, whole := range map[string]string{transcript.ClientClaudeCode: rows("1"), transcript.ClientCodex: codexRows} {
		s, _ := memorytest.Open(t)
		told := func(moment transcript.HookMoment, file string) {
			t.Helper()
			h := transcript.Hook{Client: client, Moment: moment, SessionID: "s1", TranscriptPath: "s1.jsonl", Prompt: "See [Image #1]"}
			if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(file)}); err != nil {
				t.Fatal(err)
			}
		}
		told(transcript.HookPrompt, "")
		told(transcript.HookStop, whole)
		told(transcript.HookStop, whole)
		importFile(t, s, transcript.Format(client), "copy.jsonl", []byte(whole))
		if said := humanTexts(t, s, client, "s1"); len(said) != 1 || said[0] != "See [Image #1]" {
			t.Errorf("%s: said %q", client, said)
		}
		if got := pictures(t, s, client); len(got) != 1 || got[0].URL == "" && string(got[0].Data) != "\x89PNG" {
			t.Errorf("%s: pictures %+v, want one", client, got)
		}
		owner, err := s.Store.SessionByClient(ctx, client, "s1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.PurgeEvent(ctx, owner.ID, 1); err != nil {
			t.Fatal(err)
		}
		told(transcript.HookStop, whole)
		importFile(t, s, transcript.Format(client), "another.jsonl", []byte(whole))
		if got := pictures(t, s, client); len(got) != 0 {
			t.Errorf("%s: pictures %+v of a message that was purged", client, got)
		}
	}
}

// Who repeats an event by its key with a picture repeats it: nothing is added, and nothing
// fails. From a source without a name, a picture comes once.
func TestPictureOfRepeatedEvent(t *testing.T) {
	s, _ := memorytest.Open(t)
	const plain = `{"type":"message","role":"user","content":"x","key":"k1"`
	const pictured = plain + `,"media":[{"type":"image","mime":"image/png","data":"iVBORw=="}]}`
	for range 2 {
		record(t, s, memory.SessionRef{Client: transcript.ClientClaudeCode, ClientSessionID: "s1", Project: "demo"}, plain+"}", pictured, pictured)
	}
	if got := pictures(t, s, transcript.ClientClaudeCode); len(got) != 0 {
		t.Errorf("%d pictures of an event that was there", len(got))
	}
	h := transcript.Hook{Client: transcript.ClientClaudeCode, Moment: transcript.HookPrompt, SessionID: "s1", Prompt: "y"}
	if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	const row = `{"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"text","text":"y"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}]}}` + "\n"
	for range 2 {
		importFile(t, s, transcript.ClaudeCode, "", []byte(row))
	}
	if got := pictures(t, s, transcript.ClientClaudeCode); len(got) != 1 {
		t.Errorf("%d pictures, want one", len(got))
	}
}

// Exports for people and other products have the picture of such a prompt in the prompt.
func TestExportJoinsPictureOfHooksPrompt(t *testing.T) {
	s, _ := memorytest.Open(t)
	file := ""
	for _, moment := range []transcript.HookMoment{transcript.HookPrompt, transcript.HookStop} {
		h := transcript.Hook{Client: transcript.ClientClaudeCode, Moment: moment, SessionID: "s1", TranscriptPath: "s1.jsonl", Prompt: "See [Image #1]"}
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(file)}); err != nil {
			t.Fatal(err)
		}
		file = `{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":[{"type":"text","text":"See [Image #1]"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}]}}` + "\n"
	}
	if n := len(pictures(t, s, transcript.ClientClaudeCode)); n != 1 {
		t.Fatalf("%d pictures", n)
	}
	var out bytes.Buffer
	id := onlySession(t, s)
	err := errors.Join(s.ExportAs(ctx, &out, memory.ExportMarkdown, id, ""), s.ExportAs(ctx, &out, memory.ExportOLLM, id, ""),
		s.ExportAutoByteus(ctx, id, "", func(_ string, write func(io.Writer) error) error { return write(&out) }))
	if err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "See [Image #1]\n\n*[image image/png]*") != 1 || strings.Count(text, "iVBORw==") != 2 || strings.Contains(text, `"content": ""`) || strings.Contains(text, "system") {
		t.Errorf("the picture stands alone in:\n%s", text)
	}
}

// pictures are the media of all messages of the session s1.
func pictures(t *testing.T, s *memory.Service, client string) (all []domain.Media) {
	t.Helper()
	owner, err := s.Store.SessionByClient(ctx, client, "s1")
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventMessage}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		m, err := e.Message()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m.Media...)
	}
	return all
}

// A reply that comes at once, such as that of a scripted model, looks like a copy of another
// session's. The call that a hook told of was made here all the same: its cost stays.
func TestImportCallBesideHookLooksCopied(t *testing.T) {
	s, _ := memorytest.Open(t)
	call := fmt.Sprintf("toolu_%020d", 1)
	h := transcript.Hook{Client: transcript.ClientClaudeCode, Moment: transcript.HookToolUsed, SessionID: "s1", Tool: transcript.HookTool{ID: call, Name: "Read", Response: "done"}}
	if _, err := s.Hook(ctx, memory.HookRequest{Hook: h}); err != nil {
		t.Fatal(err)
	}
	at := func(ms int, fields map[string]any) string {
		fields["uuid"], fields["sessionId"], fields["version"], fields["timestamp"] = fmt.Sprint("r", ms), "s1", "2.1.31", fmt.Sprintf("2026-05-04T08:00:00.%03dZ", ms)
		return row(t, fields)
	}
	importRows(t, s, "s1.jsonl", at(1, map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": "go on"}})+
		at(3, map[string]any{"type": "assistant", "message": map[string]any{"id": "m1", "role": "assistant", "model": "claude-a",
			"content": []any{map[string]any{"type": "tool_use", "id": call, "name": "Read", "input": map[string]any{}}}}})+
		at(4, map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": "done"}}}}))
	verified(t, s)
}
