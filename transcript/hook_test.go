package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// A field of a strange type costs only itself; a tool that failed says why, in the
// words of each client.
func TestReadHook(t *testing.T) {
	hook := func(client, data string) transcript.Hook {
		t.Helper()
		h, err := transcript.ReadHook(client, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := hook("claude-code", `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"fix it","trigger":{"a":1},"source":7,"agent_id":null,"cwd":["/p"]}`)
	if h.Prompt != "fix it" || h.Moment != transcript.HookPrompt || h.SessionID != "s" {
		t.Errorf("%+v", h)
	}
	if h := hook("claude-code", `{"session_id":"s","hook_event_name":"PostModelSwitch","from_model":"claude-a","to_model":"claude-b","requested_model":"b","source":"command"}`); h.Model != "claude-b" || h.Moment != transcript.HookModelSwitch {
		t.Errorf("%+v", h)
	}
	for data, want := range map[string]string{
		`"error":"Command exited with status 1","is_interrupt":false`: "Command exited with status 1",
		`"error_message":"timed out"`:                                 "timed out",
		`"tool_response":"no such file"`:                              "no such file",
		`"error":null`:                                                "failed",
	} {
		h := hook("claude-code", `{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_use_id":"t1","tool_name":"Bash",`+data+`}`)
		if !h.Tool.Failed || h.Tool.Response != want {
			t.Errorf("%s: %+v", data, h.Tool)
		}
	}
}

// A picture that a tool showed is one, not the text in which it came, whichever client tells of it.
func TestReadHookPictures(t *testing.T) {
	png := domain.Media{Type: "image", Mime: "image/png", Data: []byte("png")}
	for response, want := range map[string]transcript.HookTool{
		`{"type":"image","file":{"base64":"cG5n","type":"image/png","originalSize":3}}`:                                                      {Media: []domain.Media{png}},
		`{"type":"pdf","file":{"filePath":"/p/a.pdf","base64":"cGRm","originalSize":3}}`:                                                     {Media: []domain.Media{{Type: "file", Mime: "application/pdf", Data: []byte("pdf")}}},
		`[{"type":"text","text":"seen"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}]`:                 {Response: "seen", Media: []domain.Media{png}},
		`{"content":[{"type":"text","text":"seen"},{"type":"image","data":"cG5n","mimeType":"image/png"}],"isError":false}`:                  {Response: "seen", Media: []domain.Media{png}},
		`[{"type":"input_image","image_url":"data:image/png;base64,cG5n","detail":"high"}]`:                                                  {Media: []domain.Media{{Type: "image", URL: "data:image/png;base64,cG5n"}}},
		`["seen",{"type":"image","data":"cG5n","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a:b","text":"c"}}]`:             {Response: "seen\n" + `{"type":"resource","resource":{"uri":"a:b","text":"c"}}`, Media: []domain.Media{png}},
		`{"content":[{"type":"image","data":"cG5n","mimeType":"image/png"},null],"structuredContent":{"width":3},"isError":false}`:           {Response: `{"width":3}`, Media: []domain.Media{png}},
		`[{"type":"image","data":"cG5n","mimeType":"image/png"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]`: {Media: []domain.Media{png, {Type: "image", URL: "https://example.com/a.png"}}},
		`{"type":"text","file":{"filePath":"/p/a","content":"cG5n"}}`:                                                                        {Response: `{"type":"text","file":{"filePath":"/p/a","content":"cG5n"}}`},
		`{"image_url":"https://example.com/a.png","source":{"data":"cG5n"},"data":"cG5n"}`:                                                   {Response: `{"image_url":"https://example.com/a.png","source":{"data":"cG5n"},"data":"cG5n"}`},
	} {
		want.ID, want.Name = "t1", "look"
		h, err := transcript.ReadHook("claude-code", []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_use_id":"t1","tool_name":"look","tool_response":`+response+`}`))
		if diff := cmp.Diff(want, h.Tool); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", response, err, diff)
		}
	}
}

// What somebody writes in a chat is a person's, although a program passes it on; events
// that come through a channel are nobody's.
func TestPromptOfChannel(t *testing.T) {
	for prompt, want := range map[string]domain.MessageKind{
		`<channel source="discord" chat_id="1" user="ann">hi</channel>`: domain.PlainMessage,
		`<channel source="ci" run="1">failed</channel>`:                 domain.MetaMessage,
	} {
		for _, source := range []string{"", "system"} {
			h := transcript.Hook{Client: transcript.ClientClaudeCode, Prompt: prompt, Source: source}
			if got := h.PromptKind(); got != want {
				t.Errorf("%s from %q is %q, want %q", prompt, source, got, want)
			}
		}
	}
}

// Cursor names no tool where its agent ran a command or edited a file.
func TestReadCursorTools(t *testing.T) {
	for data, want := range map[string]transcript.HookTool{
		`"afterShellExecution","command":"go test","output":"ok"`: {Name: "shell", Input: []byte(`{"command":"go test"}`), Response: "ok"},
		`"afterFileEdit","file_path":"/p/a.go","edits":[{"old_string":"a","new_string":"b"}]`: {
			Name: "edit_file", Input: []byte(`{"file_path":"/p/a.go","edits":[{"old_string":"a","new_string":"b"}]}`)},
		`"afterMCPExecution","tool_name":"query","tool_input":"{}","result_json":"[]"`: {Name: "query", Input: []byte(`"{}"`), Response: "[]"},
		`"stop","status":"completed"`: {},
	} {
		got, err := transcript.ReadHook("cursor", []byte(`{"conversation_id":"c1","generation_id":"g1","workspace_roots":["/p"],"hook_event_name":`+data+`}`))
		if diff := cmp.Diff(want, got.Tool); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", data, err, diff)
		}
	}
}

// Claude Code's hooks are also run by Cursor, GitHub Copilot and VS Code, each in words of its own.
func TestReadHookBorrowed(t *testing.T) {
	const at = `"session_id":"s1","timestamp":"2026-11-28T01:05:57.988Z","cwd":"/p"`
	const claude = `"session_id":"s1","transcript_path":"/home/ann/.claude/projects/-p/s1.jsonl","cwd":"/p"`
	for data, want := range map[string]bool{
		`"conversation_id":"c1","hook_event_name":"beforeSubmitPrompt"`:                                                                                    true,
		`"session_id":"c1","conversation_id":"c1","cursor_version":"3.2","hook_event_name":"beforeSubmitPrompt"`:                                           true,
		`"hook_event_name":"SessionStart",` + at + `,"source":"new","initial_prompt":"Hello"`:                                                              true,
		`"hook_event_name":"UserPromptSubmit",` + at + `,"prompt":"Hello"`:                                                                                 true,
		`"hook_event_name":"PostToolUse",` + at + `,"tool_name":"Bash","tool_input":{"command":"ls"},"tool_result":{"text_result_for_llm":"a"}`:            true,
		`"hook_event_name":"Stop",` + at + `,"transcript_path":"/home/ann/.copilot/session-state/s1/events.jsonl"`:                                         true,
		`"hook_event_name":"Stop",` + at + `,"transcript_path":"/home/ann/.config/Code/User/workspaceStorage/1f/GitHub.copilot-chat/transcripts/s1.jsonl"`: true,
		`"hook_event_name":"SessionStart",` + claude + `,"source":"startup"`:                                                                               false,
		`"hook_event_name":"UserPromptSubmit",` + claude + `,"timestamp":"2026-11-28T01:05:57.988Z","prompt":"Hello"`:                                      false,
	} {
		h, err := transcript.ReadHook("claude-code", []byte("{"+data+"}"))
		if h.Borrowed != want || err != nil {
			t.Errorf("%s: borrowed %v, %v", data, h.Borrowed, err)
		}
	}
}

// Cursor says how full the window is before it compacts.
func TestReadCursorCompaction(t *testing.T) {
	got, err := transcript.ReadHook("cursor", []byte(`{"conversation_id":"c1","generation_id":"g1","session_id":"c1","cursor_version":"3.20.17","workspace_roots":["/p"],
		"hook_event_name":"preCompact","trigger":"auto","context_usage_percent":95.2,"context_tokens":190400,"context_window_size":200000,
		"message_count":41,"messages_to_compact":38,"is_first_compaction":true}`))
	if err != nil || got.Trigger != "auto" || got.Tokens != 190_400 || !got.OnlyWord() || got.Heard() {
		t.Errorf("%+v, %v", got, err)
	}
}

// PowerShell, in which Cursor runs hooks on Windows, may put a mark in front of their input.
func TestReadMarkedHook(t *testing.T) {
	got, err := transcript.ReadHook("cursor", []byte("\ufeff"+`{"conversation_id":"c1","workspace_roots":["/c:/shop"],"hook_event_name":"stop"}`+"\r\n"))
	if err != nil || got.SessionID != "c1" || got.Folder != "/c:/shop" || got.Moment != transcript.HookStop {
		t.Errorf("%+v, %v", got, err)
	}
}

// goose has names of its own for what all clients tell.
func TestReadGooseHook(t *testing.T) {
	for data, want := range map[string]transcript.Hook{
		`{"event":"UserPromptSubmit","session_id":"20261123_1","matcher_context":"fix it","message":"fix it"}`: {
			Moment: transcript.HookPrompt, Name: "UserPromptSubmit", Prompt: "fix it"},
		`{"event":"PostToolUse","session_id":"20261123_1","tool_call_id":"c1","tool_name":"developer__shell","tool_input":{"command":"ls"},"working_dir":"/p"}`: {
			Moment: transcript.HookToolUsed, Name: "PostToolUse", Folder: "/p",
			Tool: transcript.HookTool{ID: "c1", Name: "developer__shell", Input: []byte(`{"command":"ls"}`)}},
		`{"event":"Stop","session_id":"20261123_1","last_assistant_message":"Done.","working_dir":"/p"}`: {
			Moment: transcript.HookStop, Name: "Stop", Folder: "/p", Reply: "Done."},
	} {
		want.Client, want.SessionID = transcript.ClientGoose, "20261123_1"
		got, err := transcript.ReadHook("goose", []byte(data))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", data, err, diff)
		}
	}
}

// What a sub-agent of opencode does belongs to its own session, below its parent's.
func TestReadOpencodeHook(t *testing.T) {
	got, err := transcript.ReadHook("opencode", []byte(`{"hook_event_name":"Stop","session_id":"ses_2","parent_session_id":"ses_1","session_title":"look (@general subagent)","cwd":"/p","last_assistant_message":"Done.","model":"m"}`))
	want := transcript.Hook{Client: transcript.ClientOpencode, Moment: transcript.HookStop, Name: "Stop", SessionID: "ses_2", ParentID: "ses_1", Folder: "/p",
		Title: "look (@general subagent)", Reply: "Done.", Model: "m"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A prompt of opencode may come with pictures and files, or be one.
func TestReadOpencodePictures(t *testing.T) {
	got, err := transcript.ReadHook("opencode", []byte(`{"hook_event_name":"UserPromptSubmit","session_id":"ses_1","prompt":"","message_id":"msg_1","files":[`+
		`{"mime":"image/png","filename":"a.png","url":"data:image/png;base64,cG5n"},{"mime":"application/pdf","filename":"large.pdf"}]}`))
	want := []domain.Media{{Type: "image", Mime: "image/png", Name: "a.png", URL: "data:image/png;base64,cG5n"}, {Type: "file", Mime: "application/pdf", Name: "large.pdf"}}
	if diff := cmp.Diff(want, got.Media); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Inside a sub-agent Codex gives hooks the parent's session with the sub-agent's rollout. In
// rollouts a sub-agent's session has the agent's id.
func TestReadCodexSubagentHook(t *testing.T) {
	for name, want := range map[string][2]string{"UserPromptSubmit": {"c1", "p1"}, "PostToolUse": {"c1", "p1"}, "SubagentStop": {"p1", ""}} {
		h, err := transcript.ReadHook("codex", []byte(`{"session_id":"p1","agent_id":"c1","agent_type":"default","hook_event_name":"`+name+`","prompt":"look"}`))
		if got := [2]string{h.SessionID, h.ParentID}; got != want || err != nil {
			t.Errorf("%s: %q, want %q, %v", name, got, want, err)
		}
	}
}

// What clients hand to the hook of a prompt is not always what a person typed.
func TestPromptKind(t *testing.T) {
	for _, c := range []struct {
		client, source, prompt string
		want                   domain.MessageKind
	}{
		{"claude-code", "", "fix it", domain.PlainMessage},
		{"claude-code", "user", "fix it", domain.PlainMessage},
		{"claude-code", "sdk", "fix it", domain.PlainMessage},
		{"claude-code", "system", "Your limit has reset. Continue.", domain.MetaMessage},
		{"claude-code", "loop_wakeup", "fix it", domain.MetaMessage},
		{"claude-code", "schedule_wakeup", "/fix it", domain.MetaMessage},
		{"claude-code", "poll_event", "fix it", domain.MetaMessage},
		{"claude-code", "", "/fix it", domain.CommandMessage},
		{"claude-code", "", "/etc/hosts is wrong", domain.PlainMessage},
		{"claude-code", "", "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the output file to retrieve the result: /tmp/b1.output", domain.MetaMessage},
		{"claude-code", "", "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead it, please", domain.PlainMessage},
		{"claude-code", "", "<task-notification>\n<task-id>b1</task-id>\n</task-notification>", domain.MetaMessage},
		{"claude-code", "", "<ide_opened_file>a.go</ide_opened_file>\nwhy?", domain.PlainMessage},
		{"claude-code", "", "<task-notification> is what I see", domain.PlainMessage},
		{"codex", "", "<environment_context>\n</environment_context>", domain.MetaMessage},
		{"codex", "", "/fix it", domain.PlainMessage},
		{"cursor", "", "<task-notification></task-notification>", domain.PlainMessage},
		{"goose", "", "/compact", domain.CommandMessage},
		{"goose", "", " /prompt why\n", domain.CommandMessage},
		{"goose", "", "Please compact this conversation", domain.CommandMessage},
		{"goose", "", "/usr is full", domain.PlainMessage},
		{"goose", "", "/status\nis wrong", domain.PlainMessage},
	} {
		if got := (transcript.Hook{Client: c.client, AgentID: "a1", Prompt: c.prompt}).PromptKind(); got != domain.MetaMessage {
			t.Errorf("%s %q: %q, though a model asked", c.client, c.prompt, got)
		}
		if got := (transcript.Hook{Client: c.client, Moment: transcript.HookPrompt, Source: c.source, Prompt: c.prompt}).PromptKind(); got != c.want {
			t.Errorf("%s %s %q: %q, want %q", c.client, c.source, c.prompt, got, c.want)
		}
	}
}

// Hooks read the transcripts of sub-agents, but not of agents beside the conversation.
func TestIsAgentFile(t *testing.T) {
	for name, want := range map[string]bool{
		"agent-a7.jsonl": true, "agent-areview-7aad72.jsonl": true, "agent-aprompt_suggestion-94d2.jsonl": false, "agent-acompact-7aad72.jsonl": false,
		"agent-a7.meta.json": false, "notes.jsonl": false,
	} {
		if got := transcript.IsAgentFile(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// After /clear, Gemini CLI has another session and logs what is typed in it under the name of
// the one before.
func TestHookCommandAfterClear(t *testing.T) {
	at := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	log := func(typed ...string) []byte {
		var entries []string
		for i, line := range typed {
			session, message, _ := strings.Cut(line, ": ")
			when := at.Add(time.Duration(i-len(typed)) * time.Second).Format(time.RFC3339)
			entries = append(entries, fmt.Sprintf("  {\n    \"sessionId\": %q,\n    \"type\": \"user\",\n    \"message\": %q,\n    \"timestamp\": %q\n  }", session, message, when))
		}
		return []byte("[\n" + strings.Join(entries, ",\n") + "\n]")
	}
	h := transcript.Hook{Client: transcript.ClientGemini, SessionID: "new", Prompt: "You are careful. Repair the stove."}
	for name, test := range map[string]struct {
		log  []byte
		want string
	}{
		"a command":          {log("old: hello", "old: /clear", "old: thanks", "old: /fix the stove"), "/fix the stove"},
		"typed":              {log("old: /clear", "old: /fix", "old: "+h.Prompt), ""},
		"nothing since":      {log("old: /clear", "old: /clear"), ""},
		"in another window":  {log("old: /clear", "other: /fix the stove"), ""},
		"before it began":    {log("old: /fix the stove"), ""},
		"of its own, before": {log("old: /clear", "new: "+h.Prompt, "old: /fix the stove"), ""},
	} {
		if got := h.Command(test.log, at); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
