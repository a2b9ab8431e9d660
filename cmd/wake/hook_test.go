package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wake/transcript"
)

// hookHome is a home folder with what hooks need: an environment and a transcript.
type hookHome struct {
	t          *testing.T
	dir        string
	transcript string
	shim       string // runs wake in other circumstances; "" is wake itself
}

func newHookHome(t *testing.T) *hookHome {
	t.Helper()
	h := &hookHome{t: t, dir: t.TempDir()}
	h.transcript = filepath.Join(h.dir, "s1.jsonl")
	return h
}

// testApp is a run of the command line in that home folder.
func testApp(h *hookHome) *app {
	a := newApp()
	env := map[string]string{}
	for _, pair := range wakeEnv(h.dir) {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	a.env = func(name string) string { return env[name] }
	return a
}

// answer is the output of a hook.
type answer struct{ out, err string }

// feed runs a hook on a client's input and checks what always holds: it exits 0 and
// prints nothing that its client does not allow (I17).
func (h *hookHome) feed(client string, stdin io.Reader) answer {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	program := h.shim
	if program == "" {
		program = "wake"
	}
	c := exec.CommandContext(ctx, program, "hook", client)
	c.Env, c.Dir, c.Stdin = wakeEnv(h.dir), h.dir, stdin
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		h.t.Fatalf("hook %s: %v\n%s%s", client, err, out.String(), errs.String())
	}
	if n := strings.Count(errs.String(), "\n"); n > 1 {
		h.t.Errorf("%d lines on standard error, want one at most:\n%s", n, errs.String())
	}
	return answer{out.String(), errs.String()}
}

// tell runs a hook for an event, with the fields that are common to all clients.
func (h *hookHome) tell(client, event string, fields map[string]any) answer {
	h.t.Helper()
	in := map[string]any{"session_id": "s1", "conversation_id": "s1", "hook_event_name": event, "event": event, "cwd": h.dir, "transcript_path": h.transcript}
	for name, value := range fields {
		in[name] = value
	}
	data, err := json.Marshal(in)
	if err != nil {
		h.t.Fatal(err)
	}
	a := h.feed(client, bytes.NewReader(data))
	checkContract(h.t, client, event, a.out)
	return a
}

func (h *hookHome) prompt(text string) answer {
	h.t.Helper()
	return h.tell(transcript.ClientClaudeCode, "UserPromptSubmit", map[string]any{"prompt": text})
}

// plainMoments are the moments at which Claude Code gives plain output to the model.
// Our plugin for opencode does so at the first two.
var plainMoments = []string{"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch"}

// checkContract checks that a client allows the output.
func checkContract(t *testing.T, client, event, out string) {
	t.Helper()
	if n := utf8.RuneCountInString(out); n >= 10_000 {
		t.Errorf("%s %s: %d characters, want under 10,000", client, event, n)
	}
	text := strings.TrimSpace(out)
	switch {
	case text == "":
	case client == transcript.ClientGoose:
		t.Errorf("goose %s prints %q, which might be taken for a decision", event, out)
	case client == transcript.ClientClaudeCode, client == transcript.ClientOpencode:
		if !slices.Contains(plainMoments, event) {
			t.Errorf("%s %s prints %q, which nobody would read", client, event, out)
		}
		if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
			t.Errorf("%s %s prints what looks like JSON: %q", client, event, out)
		}
	default:
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Errorf("%s %s prints no JSON object: %q", client, event, out)
		}
	}
}

// messages returns what people wrote, in order, as the session command prints it.
func (h *hookHome) messages() []string {
	h.t.Helper()
	var all []string
	for _, s := range jsonRows(h.t, run(h.t, h.dir, "session", "list", "--json", "--project", "*")) {
		for _, m := range jsonRows(h.t, run(h.t, h.dir, "session", "messages", s["id"].(string), "--json")) {
			all = append(all, m["content"].(string))
		}
	}
	return all
}

func (h *hookHome) wantMessages(want ...string) {
	h.t.Helper()
	if got := h.messages(); !slices.Equal(got, want) {
		h.t.Errorf("messages %q, want %q", got, want)
	}
}

func jsonRows(t *testing.T, text string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	for line := range strings.Lines(text) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// said writes rows of a Claude Code transcript, one prompt each.
func (h *hookHome) said(prompts ...string) {
	h.t.Helper()
	f, err := os.OpenFile(h.transcript, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	for _, p := range prompts {
		info, err := f.Stat()
		if err != nil {
			h.t.Fatal(err)
		}
		if _, err := f.WriteString(claudeRow(info.Size(), "user", p)); err != nil {
			h.t.Fatal(err)
		}
	}
}

func claudeRow(n int64, role, text string) string {
	data, err := json.Marshal(map[string]any{"type": role, "uuid": fmt.Sprint("row", n), "sessionId": "s1",
		"timestamp": "2026-05-04T09:00:00.000Z", "message": map[string]any{"role": role, "content": text}})
	if err != nil {
		return ""
	}
	return string(data) + "\n"
}

// I17: at every moment of every client a hook exits 0 and prints what the client's
// contract allows, even with much to print.
func TestHookContract(t *testing.T) {
	t.Parallel()
	events := map[string][]string{
		"claude-code": {"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Notification",
			"SubagentStart", "SubagentStop", "Stop", "StopFailure", "PreCompact", "PostCompact", "PostModelSwitch", "SessionEnd", "Unheard"},
		"codex":  {"SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStop", "PreCompact", "PostCompact", "Stop", "SessionEnd", "Unheard"},
		"gemini": {"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd", "Unheard"},
		"cursor": {"sessionStart", "beforeSubmitPrompt", "afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterAgentResponse",
			"preCompact", "stop", "sessionEnd", "unheard"},
		"goose":    {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd", "Unheard"},
		"opencode": {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "PreCompact", "PostCompact", "SessionEnd", "Unheard"},
	}
	for client, names := range events {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			h := newHookHome(t)
			run(t, h.dir, "save", "We chose SQLite as the order database because one file is easy to back up", "--action-type", "decision")
			for _, source := range []string{"startup", "resume", "clear", "compact", "fork", "?"} {
				h.tell(client, names[0], map[string]any{"source": source, "model": "m"})
			}
			long := "Why is SQLite the order database, and is one file easy to back up? " + strings.Repeat("x", 9_000)
			for _, event := range names {
				a := h.tell(client, event, map[string]any{"prompt": long, "message": long,
					"tool_use_id": "t1", "tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}, "tool_response": "ok", "command": "ls", "output": "ok",
					"trigger": "auto", "compact_summary": "a summary", "agent_id": "", "last_assistant_message": "done", "text": "done", "to_model": "m2", "reason": "other"})
				late := strings.EqualFold(event, "SessionEnd") && strings.Contains(a.err, "in the time allowed") // it has less than the others
				if a.err != "" && !late {
					t.Errorf("%s %s: %s", client, event, a.err)
				}
			}
		})
	}
}

// Each client gets the text in the form in which it takes it. goose takes none, and numbers
// its sessions alike on each machine.
func TestHookForms(t *testing.T) {
	t.Parallel()
	for _, is := range []struct{ client, event, want string }{
		{"claude-code", "SessionStart", "We chose SQLite"},
		{"codex", "SessionStart", `^{"hookSpecificOutput":{"additionalContext":".*We chose SQLite.*","hookEventName":"SessionStart"}}`},
		{"cursor", "sessionStart", `^{"additional_context":".*We chose SQLite.*"}`},
		{"cursor", "beforeSubmitPrompt", `^{"continue":true}`},
		{"cursor", "preCompact", `^{}`},
		{"goose", "SessionStart", "^$"},
	} {
		h := newHookHome(t)
		run(t, h.dir, "save", "We chose SQLite as the order database")
		if out := h.tell(is.client, is.event, map[string]any{"prompt": "Go on.", "source": "startup"}).out; !regexp.MustCompile(is.want).MatchString(out) {
			t.Errorf("%s %s: %q, want %s", is.client, is.event, out, is.want)
		}
	}
	h := newHookHome(t)
	run(t, h.dir, "save", "We chose SQLite as the order database because one file is easy to back up", "--action-type", "decision")
	asked := map[string]any{"prompt": "Why did we choose SQLite as the order database?", "cursor_version": "3.20.17"}
	if out := h.tell("cursor", "beforeSubmitPrompt", asked).out; !regexp.MustCompile(`^{"additional_context":".*one file.*","continue":true}`).MatchString(out) {
		t.Errorf("Cursor 3.20: %q", out)
	}
	h = newHookHome(t)
	h.tell("goose", "UserPromptSubmit", map[string]any{"session_id": "20260101_1", "message": "Go on."})
	if list := run(t, h.dir, "session", "list", "--json"); !strings.Contains(list, `"client_session_id":"20260101_1@`+machine()) {
		t.Error(list)
	}
}

// I21: after a compaction and on resume the whole restore text comes, and at a fresh start
// a short brief; a short text, too, on a further resume, as the client keeps its window. The
// last user message is in it, or referred to.
func TestHookBudgets(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	for i := range 12 {
		h.said(fmt.Sprintf("prompt %d %s", i, strings.Repeat("words and more words ", 60)))
	}
	h.prompt("the very last thing I asked for")
	for _, source := range []string{"resume", "compact"} {
		a := h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": source})
		if n := utf8.RuneCountInString(a.out); n > 8_000 || !strings.Contains(a.out, "the very last thing I asked for") {
			t.Errorf("%s: %d characters, or without the last message:\n%s", source, n, a.out)
		}
	}
	a := h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "resume"})
	if n := utf8.RuneCountInString(a.out); n > 1_500 || !strings.Contains(a.out, "the very last thing I asked for") {
		t.Errorf("resumed again: %d characters, or without the last message:\n%s", n, a.out)
	}
	long := strings.Repeat("a very long last prompt ", 1000)
	h.prompt(long)
	a = h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "compact"})
	if n := utf8.RuneCountInString(a.out); n > 8_000 || !strings.Contains(a.out, "wake://") {
		t.Errorf("%d characters, or no pointer to the last message:\n%s", n, a.out)
	}
	for i := range 30 {
		run(t, h.dir, "save", fmt.Sprintf("Decision %d: %s", i, strings.Repeat("reasons ", 50)), "--action-type", "decision")
	}
	a = h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "startup", "session_id": "s2", "transcript_path": ""})
	if n := utf8.RuneCountInString(a.out); n > 1_500 || n == 0 {
		t.Errorf("a fresh start gets %d characters:\n%s", n, a.out)
	}
}

// I5: a prompt that comes by hook and by transcript, in any order, is stored once. Two
// equal prompts stay two.
func TestHookAndImportTogether(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("first")
	h.said("first") // the transcript lags behind
	h.said("second")
	h.prompt("second") // it was faster this time
	h.prompt("again")
	h.prompt("again")
	h.said("again", "again", "third")
	run(t, h.dir, "import", "claude-code", h.transcript)
	run(t, h.dir, "import", "claude-code", h.transcript, "--whole")
	h.tell(transcript.ClientClaudeCode, "Stop", nil)
	h.wantMessages("first", "second", "again", "again", "third")
}

// If the session start after a compaction is missing, the next prompt brings the
// restore text, once per epoch.
func TestPromptRestoresAfterCompaction(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.prompt("build the importer")
	for _, round := range []string{"one", "two"} {
		h.tell(transcript.ClientClaudeCode, "PostCompact", map[string]any{"trigger": "auto", "compact_summary": "summary " + round})
		if a := h.prompt("go on " + round); !strings.Contains(a.out, "build the importer") {
			t.Errorf("round %s: the prompt after the compaction gets %q", round, a.out)
		}
		if a := h.prompt("and then " + round); a.out != "" {
			t.Errorf("round %s: the next prompt gets it again: %q", round, a.out)
		}
	}
	h.tell(transcript.ClientClaudeCode, "PostCompact", map[string]any{"trigger": "auto", "compact_summary": "summary three"})
	if a := h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "compact"}); !strings.Contains(a.out, "build the importer") {
		t.Errorf("the session start gets %q", a.out)
	}
	if a := h.prompt("go on three"); a.out != "" {
		t.Errorf("the prompt gets what the start delivered: %q", a.out)
	}
}

// Without a hook after the compaction, the session's start reports it, and the boundary
// may reach the transcript before or after that. The restore text comes once per
// compaction, and each compaction counts once.
func TestHookRestoresOnce(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.said("build the importer")
	rows := 0
	boundary := func() {
		rows++
		appendTo(t, h.transcript, fmt.Sprintf(`{"type":"system","subtype":"compact_boundary","uuid":"b%d","sessionId":"s1","compactMetadata":{"trigger":"manual","preTokens":1000}}`+"\n"+
			`{"type":"user","uuid":"c%d","sessionId":"s1","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued …"}}`+"\n", rows, rows))
	}
	start := func() {
		if a := h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "compact"}); !strings.Contains(a.out, "build the importer") {
			t.Errorf("compaction %d: the session start gets %q", rows, a.out)
		}
	}
	after := func() {
		h.tell(transcript.ClientClaudeCode, "PostCompact", map[string]any{"trigger": "manual", "compact_summary": "a summary"})
	}
	for round, order := range [][]func(){{start, boundary}, {boundary, start}, {start, after, boundary}, {after, start, boundary}, {after, boundary, start}, {start, boundary, after}} {
		for _, step := range order {
			step()
		}
		for range 2 {
			if a := h.prompt(fmt.Sprintf("go on %d", round)); a.out != "" {
				t.Errorf("round %d: the prompt gets what the start delivered: %q", round, a.out)
			}
		}
	}
	sessions := jsonRows(t, run(t, h.dir, "session", "list", "--json"))
	if epoch := sessions[0]["epoch"]; epoch != 7.0 {
		t.Errorf("epoch %v after 6 compactions, want 7", epoch)
	}
}

// Claude Code reports the start after a compaction, which does not say what began it,
// before it reports the compaction itself. All the same the limit is learnt at which it
// compacts by itself.
func TestHookLearnsTheLimit(t *testing.T) {
	t.Parallel()
	for trigger, want := range map[string]any{"auto": 150_000.0, "manual": nil} {
		h := newHookHome(t)
		h.said("build the importer")
		appendTo(t, h.transcript, `{"type":"assistant","uuid":"a1","sessionId":"s1","timestamp":"2026-05-04T09:00:01.000Z","message":{"id":"m1","role":"assistant","model":"opus",`+
			`"content":[{"type":"text","text":"done"}],"usage":{"input_tokens":149000,"output_tokens":1000}}}`+"\n")
		h.tell(transcript.ClientClaudeCode, "PreCompact", map[string]any{"trigger": trigger})
		h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "compact"})
		h.tell(transcript.ClientClaudeCode, "PostCompact", map[string]any{"trigger": trigger, "compact_summary": "a summary"})
		sessions := jsonRows(t, run(t, h.dir, "session", "list", "--json"))
		if limit := sessions[0]["learned_limit"]; limit != want {
			t.Errorf("%s: learnt %v, want %v", trigger, limit, want)
		}
		if timeline := run(t, h.dir, "session", "timeline", sessions[0]["id"].(string)); !strings.Contains(timeline, "compacted ("+trigger+")") {
			t.Errorf("%s: it is not in the timeline:\n%s", trigger, timeline)
		}
	}
}

// Claude Code reports the end of a turn some 50 ms before it writes the assistant's last
// words to its transcript. They are there all the same if nothing is heard of it again.
func TestHookWaitsForTheReply(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.said("build the importer")
	written := make(chan error, 1)
	go func() {
		time.Sleep(80 * time.Millisecond)
		f, err := os.OpenFile(h.transcript, os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(claudeRow(1000, "assistant", "It imports all ten formats."))
			err = errors.Join(err, f.Close())
		}
		written <- err
	}()
	h.tell(transcript.ClientClaudeCode, "Stop", map[string]any{"last_assistant_message": "It imports all ten formats."})
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if told := run(t, h.dir, "resume"); !strings.Contains(told, "It imports all ten formats.") {
		t.Errorf("the reply is missing:\n%s", told)
	}
}

// claude --fork-session reports the first prompt before it has written the copy of the
// history: the prompt is the last message all the same. Where no transcript comes by
// the next prompt or the end, it is a message then.
func TestHookOfAFork(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	tell := func(event string, fields map[string]any) {
		fields["session_id"] = "s2"
		h.tell(transcript.ClientClaudeCode, event, fields)
	}
	tell("SessionStart", map[string]any{"source": "fork"})
	tell("UserPromptSubmit", map[string]any{"prompt": "try another layout"})
	if timeline := run(t, h.dir, "session", "timeline"); !strings.Contains(timeline, "try another layout") {
		t.Errorf("the prompt is not safe:\n%s", timeline)
	}
	for i, row := range []string{claudeRow(1, "user", "build the page"), claudeRow(2, "assistant", "built"), claudeRow(3, "user", "try another layout"), claudeRow(4, "assistant", "tried")} {
		appendTo(t, h.transcript, strings.Replace(row, `"s1"`, `"s2"`, 1))
		if i == 3 {
			tell("Stop", map[string]any{"last_assistant_message": "tried"})
		}
	}
	tell("UserPromptSubmit", map[string]any{"prompt": "and a third one"})
	h.wantMessages("build the page", "try another layout", "and a third one")
	h = newHookHome(t) // without a transcript
	tell("SessionStart", map[string]any{"source": "fork"})
	tell("UserPromptSubmit", map[string]any{"prompt": "one"})
	tell("UserPromptSubmit", map[string]any{"prompt": "two"})
	h.wantMessages("one", "two")
	h = newHookHome(t) // without a transcript
	tell("SessionStart", map[string]any{"source": "fork"})
	tell("UserPromptSubmit", map[string]any{"prompt": "the only one"})
	tell("SessionEnd", map[string]any{})
	h.wantMessages("the only one")
}

// The same holds for a sub-agent, of which no later hook tells.
func TestHookWaitsForTheSubagentsReply(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.said("count the files")
	file := filepath.Join(h.dir, "s1", "subagents", "agent-a7.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	mark := func(row string) string { return strings.Replace(row, "{", `{"isSidechain":true,"agentId":"a7",`, 1) }
	if err := os.WriteFile(file, []byte(mark(claudeRow(2000, "user", "Count them."))), 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		time.Sleep(80 * time.Millisecond)
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(mark(claudeRow(2001, "assistant", "There are forty files.")))
			err = errors.Join(err, f.Close())
		}
		written <- err
	}()
	h.tell(transcript.ClientClaudeCode, "SubagentStop", map[string]any{"agent_id": "a7", "agent_transcript_path": file, "last_assistant_message": "There are forty files."})
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if told := run(t, h.dir, "export"); !strings.Contains(told, `"There are forty files."`) {
		t.Errorf("the sub-agent's reply is missing:\n%s", told)
	}
}

// Of a sub-agent that the person interrupts, or that is at work when the session ends, no hook
// tells. What it did comes at the end of the turn or of the session, also when it has gone on.
func TestHookOfAnInterruptedSubagent(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.said("count the files")
	folder := filepath.Join(h.dir, "s1", "subagents")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	n := int64(2000)
	says := func(agent, text string) {
		n++
		appendTo(t, filepath.Join(folder, "agent-"+agent+".jsonl"), strings.Replace(claudeRow(n, "assistant", text), "{", `{"isSidechain":true,"agentId":"`+agent+`",`, 1))
	}
	told := func(texts ...string) {
		t.Helper()
		all := run(t, h.dir, "export")
		for _, text := range texts {
			if strings.Count(all, `"`+text+`"`) != 1 {
				t.Errorf("%q is not told once:\n%s", text, all)
			}
		}
	}
	says("a7", "There are forty.")
	h.tell(transcript.ClientClaudeCode, "Stop", nil)
	told("There are forty.")
	says("a7", "No, fifty.")
	h.tell(transcript.ClientClaudeCode, "Stop", nil)
	told("There are forty.", "No, fifty.")
	says("a8", "One is empty.")
	h.tell(transcript.ClientClaudeCode, "SubagentStop", map[string]any{"agent_id": "a8", "agent_transcript_path": filepath.Join(folder, "agent-a8.jsonl")})
	says("a8", "Two are.")
	later := time.Now().Add(time.Minute) // a file's time is coarse
	if err := os.Chtimes(filepath.Join(folder, "agent-a8.jsonl"), later, later); err != nil {
		t.Fatal(err)
	}
	for range 20 { // a hook at the end has little time; what it leaves comes with a later one
		h.tell(transcript.ClientClaudeCode, "SessionEnd", nil)
		if strings.Contains(run(t, h.dir, "export"), `"Two are."`) {
			break
		}
	}
	told("There are forty.", "No, fifty.", "One is empty.", "Two are.")
}

// Claude Code reports an end even for a command such as claude mcp list, which begins no
// session: there is none then.
func TestHookEndsWhatBegan(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	h.tell(transcript.ClientClaudeCode, "SessionEnd", map[string]any{"reason": "other"})
	if sessions := run(t, h.dir, "session", "list", "--json"); sessions != "" {
		t.Errorf("an end alone makes a session: %s", sessions)
	}
	h.said("build the importer")
	h.tell(transcript.ClientClaudeCode, "SessionEnd", map[string]any{"reason": "other"})
	if sessions := run(t, h.dir, "session", "list", "--json"); !strings.Contains(sessions, `"status":"ended"`) {
		t.Errorf("a session that only the transcript tells of does not end: %s", sessions)
	}
}

// I16, I17: a transcript whose times go back, as in real ones, is stored by hooks in
// its own order: nothing fails, the sequence has no gap, and the restore text has the
// last prompt by position, not by time.
func TestHookTimesGoBack(t *testing.T) {
	t.Parallel()
	h := newHookHome(t)
	times := []string{"2026-05-04T09:00:00Z", "2026-05-04T09:00:10Z", "2026-05-04T08:59:00Z", "2026-05-03T23:00:00Z", "2026-05-04T09:00:05Z", "1999-12-31T00:00:00Z"}
	var want []string
	for i, at := range times {
		text := fmt.Sprintf("prompt %d", i)
		want = append(want, text)
		reply := strings.ReplaceAll(claudeRow(int64(100+i), "assistant", fmt.Sprintf("reply %d", i)), "2026-05-04T09:00:00.000Z", at)
		appendTo(t, h.transcript, strings.ReplaceAll(claudeRow(int64(i), "user", text), "2026-05-04T09:00:00.000Z", at)+reply)
		event := []string{"UserPromptSubmit", "Stop", "PreCompact"}[i%3]
		if a := h.tell(transcript.ClientClaudeCode, event, map[string]any{"prompt": text, "trigger": "manual"}); a.err != "" {
			t.Errorf("%s: %s", event, a.err)
		}
	}
	h.wantMessages(want...)
	a := h.tell(transcript.ClientClaudeCode, "SessionStart", map[string]any{"source": "resume"})
	if told := regexp.MustCompile(`(?s)last message \(event \d+\)\nprompt 5\n.*prompt 4\n.*prompt 3\n.*prompt 2\n.*prompt 1\n.*prompt 0\n`); !told.MatchString(a.out) {
		t.Errorf("restored:\n%s", a.out)
	}
	session := jsonRows(t, run(t, h.dir, "session", "list", "--json"))[0]
	if said, turn := session["user_messages"], session["turn"]; said != 6.0 || turn != 6.0 {
		t.Errorf("%v prompts and turn %v, want 6 and 6", said, turn)
	}
	run(t, h.dir, "verify", session["id"].(string)) // reads the log again, place by place
}

func appendTo(t *testing.T, path, text string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Error(err)
	}
}

// Gemini CLI gives its hooks the prompt that it made of a command of the person's own. Its
// log has what they typed, and later the transcript has both.
func TestHookOfGeminiCommand(t *testing.T) {
	h := newHookHome(t)
	chats := filepath.Join(h.dir, "tmp", "shop", "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	h.transcript = filepath.Join(chats, "session-1.jsonl")
	appendTo(t, h.transcript, `{"sessionId":"s1","projectHash":"h","startTime":"2026-05-01T10:00:00Z"}`+"\n")
	type entry struct {
		SessionID string    `json:"sessionId"`
		MessageID int       `json:"messageId"`
		Type      string    `json:"type"`
		Message   string    `json:"message"`
		Timestamp time.Time `json:"timestamp"`
	}
	var log []entry
	typed := func(session, message string, ago time.Duration) {
		log = append(log, entry{session, len(log), "user", message, time.Now().Add(-ago)})
		data, err := json.MarshalIndent(log, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(chats), "logs.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sent := func(prompt string) { h.tell("gemini", "BeforeAgent", map[string]any{"prompt": prompt}) }
	row := func(id, shown, prompt string) {
		data, err := json.Marshal(map[string]any{"id": id, "type": "user", "content": prompt, "displayContent": shown})
		if err != nil {
			t.Fatal(err)
		}
		appendTo(t, h.transcript, string(data)+"\n")
	}

	typed("s1", "/fix the “stove”\nwell", 0)
	typed("s2", "in another window", 0)
	sent("You are a careful engineer. Never use gas. Repair the “stove”\nwell.\n")
	row("u1", "/fix the “stove”\nwell", "You are a careful engineer. Never use gas. Repair the “stove”\nwell.\n")
	typed("s1", "thanks", 0)
	sent("thanks")
	row("u2", "thanks", "thanks")
	typed("s1", "/stats", time.Hour)
	sent("what now?") // of which the log has nothing
	typed("s1", strings.Repeat("long ", 30_000), 0)
	sent(strings.Repeat("long ", 30_000))
	h.tell("gemini", "SessionEnd", nil)

	want := []string{"thanks", "what now?", strings.Repeat("long ", 30_000)}
	if got := h.messages(); !slices.Equal(got, want) {
		t.Errorf("people said %.300q", got)
	}
	id := jsonRows(t, run(t, h.dir, "session", "list", "--json", "--project", "*"))[0]["id"].(string)
	timeline := run(t, h.dir, "session", "timeline", id)
	if !strings.Contains(timeline, "command: /fix the “stove” well") || strings.Count(timeline, "meta: You are a careful engineer") != 1 {
		t.Errorf("the command is not told with what the client made of it:\n%s", timeline)
	}
}
