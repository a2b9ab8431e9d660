package transcript_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"wake/domain"
	"wake/transcript"
)

// said is the set of people's messages, each once, in the order of their first
// appearance, as a store keeps them.
func (r result) said(t testing.TB) []string {
	t.Helper()
	var texts []string
	seen := map[string]bool{}
	for _, e := range r.events {
		if e.Type != domain.EventMessage || seen[e.SessionID+string(e.Key)] {
			continue
		}
		seen[e.SessionID+string(e.Key)] = true
		if m, err := e.Message(); err != nil {
			t.Fatal(err)
		} else if m.Human() {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// userRow is a row of Claude Code with the fields given.
func userRow(t testing.TB, uuid string, content any, more ...string) string {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":"s",%s"timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":%s}}`+"\n",
		uuid, strings.Join(append(more, ""), ","), text)
}

type block = map[string]any

func textBlock(text string) block { return block{"type": "text", "text": text} }

// What clients of all versions put into user rows: a person's words come back byte
// for byte, and what the client put there is nobody's.
func TestClaudeUserRows(t *testing.T) {
	image := block{"type": "image", "source": block{"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}
	result := block{"type": "tool_result", "tool_use_id": "t1", "content": "done"}
	const done = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"
	for name, c := range map[string]struct {
		content any
		more    []string
		want    []string
	}{
		"string":                      {"fix it", nil, []string{"fix it"}},
		"blocks":                      {[]any{textBlock("fix it")}, nil, []string{"fix it"}},
		"several texts":               {[]any{textBlock("one"), textBlock("two\n"), textBlock(" three")}, nil, []string{"one\ntwo\n\n three"}},
		"string among blocks":         {[]any{"one", textBlock("two")}, nil, []string{"one\ntwo"}},
		"image alone":                 {[]any{image}, nil, []string{""}},
		"image and text":              {[]any{textBlock("see"), image}, nil, []string{"see"}},
		"beside a tool's answer":      {[]any{result, textBlock("no, the other file")}, nil, []string{"no, the other file"}},
		"a tool's answer":             {[]any{result}, []string{`"toolUseResult":{"stdout":"done"}`}, nil},
		"meta":                        {"Caveat", []string{`"isMeta":true`}, nil},
		"compact summary":             {"the summary", []string{`"isCompactSummary":true`, `"isVisibleInTranscriptOnly":true`}, nil},
		"command":                     {"<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>", nil, nil},
		"command, message first":      {"<command-message>fix is running…</command-message>\n<command-name>/fix</command-name>\n<command-args>the bug</command-args>", nil, nil},
		"command's output":            {"<local-command-stdout>Bye!</local-command-stdout>", nil, nil},
		"command's caveat":            {"<local-command-caveat>Caveat: The messages below …</local-command-caveat>", nil, nil},
		"shell line":                  {"<bash-input>ls</bash-input>", nil, nil},
		"note to memory":              {"<user-memory-input>use tabs</user-memory-input>", nil, nil},
		"interrupted":                 {[]any{textBlock("[Request interrupted by user]")}, nil, nil},
		"interrupted, then words":     {[]any{textBlock("[Request interrupted by user for tool use]"), textBlock("do this instead")}, nil, []string{"[Request interrupted by user for tool use]\ndo this instead"}},
		"reminder":                    {"<system-reminder>\nbe brief\n</system-reminder>", nil, nil},
		"two reminders":               {"<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>", nil, nil},
		"reminder, then words":        {"<system-reminder>a</system-reminder>\nwhat is <T>", nil, []string{"<system-reminder>a</system-reminder>\nwhat is <T>"}},
		"words, then reminder":        {"what is this\n<system-reminder>a</system-reminder>", nil, []string{"what is this\n<system-reminder>a</system-reminder>"}},
		"open file":                   {[]any{textBlock("<ide_opened_file>a.go</ide_opened_file>"), textBlock("why?")}, nil, []string{"<ide_opened_file>a.go</ide_opened_file>\nwhy?"}},
		"selection, then a tag":       {"<ide_selection>x</ide_selection> make it <b>bold</b>", nil, []string{"<ide_selection>x</ide_selection> make it <b>bold</b>"}},
		"selection alone":             {"<ide_selection>x\ny</ide_selection>", nil, nil},
		"task notification":           {"<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the output file.", []string{`"origin":{"kind":"task-notification"}`}, nil},
		"task's output":               {done + "\nRead the output file to retrieve the result: /tmp/a b/tasks/b1.output", nil, nil},
		"task's transcript":           {done + "\nFull transcript available at: /tmp/tasks/b1.output\n" + done, nil, nil},
		"task that began":             {`{"task_id":"a1b2","tool_use_id":"toolu_1","description":"Look around","task_type":"local_agent"}`, nil, nil},
		"a person's JSON":             {`{"task_id":"a1b2","status":"open"}`, nil, []string{`{"task_id":"a1b2","status":"open"}`}},
		"task, then words":            {done + "\nFull transcript available at: /tmp/tasks/b1.output\ngo on", nil, []string{done + "\nFull transcript available at: /tmp/tasks/b1.output\ngo on"}},
		"hook's feedback":             {"Stop hook feedback:\n[lint.sh]: 3 errors", nil, nil},
		"skill":                       {"Base directory for this skill: /home/u/.claude/skills/x\n\n# X\n\nDo x.", nil, nil},
		"skill on Windows":            {"Base directory for this skill: C:\\Users\\u\\.claude\\skills\\x\n\n# X", nil, nil},
		"about a skill":               {"Base directory for this skill: where is it?", nil, []string{"Base directory for this skill: where is it?"}},
		"answer that shows nothing":   {"[Your previous response had no visible output. Please continue and produce a user-visible response.]", nil, nil},
		"caption of a picture":        {"[Image: original 1260x2736, displayed at 921x2000. Multiply coordinates by 1.37 to map to original image.]", nil, nil},
		"place of a picture":          {"[Image: source: /tmp/shot.png]", nil, nil},
		"words behind a caption":      {"[Image: original 9x9] is wrong", nil, []string{"[Image: original 9x9] is wrong"}},
		"a picture's mark":            {"[Image #1]", nil, []string{"[Image #1]"}},
		"about a hook":                {"Stop hook feedback: what is that?", nil, []string{"Stop hook feedback: what is that?"}},
		"another session":             {"please help", []string{`"origin":{"kind":"peer","from":"unknown"}`}, nil},
		"from a person":               {"go on", []string{`"origin":{"kind":"human"}`, `"promptSource":"typed"`}, []string{"go on"}},
		"team mate":                   {`<teammate-message teammate_id="a">done</teammate-message>`, nil, nil},
		"a scheduled task":            {"<scheduled-task name=\"log\" file=\"/tasks/SKILL.md\">\nThis is an automated run.\n</scheduled-task>", []string{`"origin":{"kind":"human"}`, `"promptSource":"sdk"`}, nil},
		"another session, unmarked":   {"Another Claude session sent a message:\n<cross-session-message from=\"uds:/x.sock\">\nmerged\n</cross-session-message>\n", nil, nil},
		"another session's agent":     {"Another Claude session sent a message while you were working:\n<agent-message from=\"a1\">\nmerged\n</agent-message>\n\nThis came from another Claude session", nil, nil},
		"a peer":                      {"A peer session sent a message while you were working:\n<cross-session-message from=\"x\">merged</cross-session-message>", nil, nil},
		"about a peer's line":         {"A peer session sent a message while you were working:\nwhere does that come from?", nil, []string{"A peer session sent a message while you were working:\nwhere does that come from?"}},
		"not from a person":           {"[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nThe browser was closed.", nil, nil},
		"task that waits":             {done + "\nLast output:\nGo on? [y/N]\n\nThe command is likely blocked on an interactive prompt.", nil, nil},
		"an agent was stopped":        {`Background agent "Look around" was stopped by the user.`, nil, nil},
		"agents were stopped":         {`3 background agents were stopped by the user: "Look around", "x", "y".`, nil, nil},
		"about a stopped agent":       {`Background agent "Look around" was stopped by the user. Why?`, nil, []string{`Background agent "Look around" was stopped by the user. Why?`}},
		"what a hook said at first":   {"<session-start-hook>be brief</session-start-hook>", nil, nil},
		"a tick":                      {"<tick>14:20:15</tick>", nil, nil},
		"a fetched page":              {`<fetched-web-content url="https://example.com">hi</fetched-web-content>`, nil, nil},
		"a pasted text":               {"\n<pasted_content id=\"1c\">\nfix it\n</pasted_content id=\"1c\">\n", nil, []string{"\n<pasted_content id=\"1c\">\nfix it\n</pasted_content id=\"1c\">\n"}},
		"about another session":       {"Another Claude session sent a message: what now?", nil, []string{"Another Claude session sent a message: what now?"}},
		"another agent":               {`<agent-message from="a1">done</agent-message>`, nil, nil},
		"goes on by itself":           {"Your limit has reset. Continue.", []string{`"origin":{"kind":"auto-continuation"}`}, nil},
		"put there by the client":     {"poll the trail", []string{`"promptSource":"system"`}, nil},
		"a tool that was loaded":      {[]any{result, textBlock("Tool loaded.")}, nil, nil},
		"about a tool":                {[]any{textBlock("Tool loaded. Now use it.")}, nil, []string{"Tool loaded. Now use it."}},
		"a goal":                      {"A session-scoped Stop hook is now active with condition: \"the tests pass\". Briefly acknowledge the goal.", nil, nil},
		"stopped by a hook":           {"Operation stopped by hook: commit your changes first.\n\nPress the up arrow key to get your prompt back.", nil, nil},
		"stopped without a reason":    {[]any{textBlock("Operation stopped by hook")}, nil, nil},
		"about a stopped prompt":      {"Operation stopped by hook is all I see", nil, []string{"Operation stopped by hook is all I see"}},
		"a scheduled turn":            {"Check in on the build.", []string{`"turnOrigin":"scheduled"`, `"scheduledTaskId":"f5"`}, nil},
		"a turn that another asked":   {"merge it", []string{`"turnOrigin":"peer"`}, nil},
		"a person's turn":             {"merge it", []string{`"turnOrigin":"human"`}, []string{"merge it"}},
		"a program's turn":            {"merge it", []string{`"turnOrigin":"sdk"`, `"promptSource":"sdk"`}, []string{"merge it"}},
		"typed into a client's turn":  {"merge it", []string{`"turnOrigin":"scheduled"`, `"promptSource":"typed"`}, []string{"merge it"}},
		"kept from the model":         {"a note", []string{`"isVisibleInTranscriptOnly":true`}, nil},
		"from a chat":                 {"go on", []string{`"origin":{"kind":"channel"}`}, []string{"go on"}},
		"from a program":              {"go on", []string{`"promptSource":"sdk"`, `"entrypoint":"sdk-cli"`}, []string{"go on"}},
		"a notice of the system":      {"[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event.\n" + done, nil, nil},
		"about a notice":              {"[SYSTEM NOTIFICATION - NOT USER INPUT] is what I see", nil, []string{"[SYSTEM NOTIFICATION - NOT USER INPUT] is what I see"}},
		"streamed to a sub-agent":     {"look for x", []string{`"parent_tool_use_id":"toolu_1"`, `"session_id":"s"`}, nil},
		"streamed, made up":           {"look for x", []string{`"isSynthetic":true`, `"parent_tool_use_id":null`}, nil},
		"streamed, said":              {"look for x", []string{`"isReplay":true`, `"parent_tool_use_id":null`}, []string{"look for x"}},
		"HTML":                        {"<div>\n  why does this not show?\n</div>", nil, []string{"<div>\n  why does this not show?\n</div>"}},
		"less than":                   {"<3 thanks", nil, []string{"<3 thanks"}},
		"about a mark":                {"what does <system-reminder> mean?", nil, []string{"what does <system-reminder> mean?"}},
		"unclosed mark, then words":   {"<system-reminder> is what I see in the log", nil, []string{"<system-reminder> is what I see in the log"}},
		"brace":                       {"{\"a\": 1} is not valid here", nil, []string{"{\"a\": 1} is not valid here"}},
		"slash":                       {"/etc/hosts has a wrong entry", nil, []string{"/etc/hosts has a wrong entry"}},
		"blanks":                      {"  \n\tkeep me \r\n", nil, []string{"  \n\tkeep me \r\n"}},
		"NUL and bidi":                {"a\x00b\u202ec\u2028d", nil, []string{"a\x00b\u202ec\u2028d"}},
		"side chain":                  {"look for x", []string{`"isSidechain":true`}, nil},
		"sub-agent":                   {"look for x", []string{`"isSidechain":true`, `"agentId":"a1"`}, nil},
		"thinking metadata":           {"think hard", []string{`"thinkingMetadata":{"level":"high"}`, `"todos":[]`, `"permissionMode":"default"`}, []string{"think hard"}},
		"fields of strange types":     {"still here", []string{`"isMeta":"no"`, `"toolUseResult":null`, `"version":7`, `"origin":"x"`, `"cwd":{}`}, []string{"still here"}},
		"fields of the future":        {"still here", []string{`"zzz":{"a":[1,2,{}]}`}, []string{"still here"}},
		"blocks of the future":        {[]any{block{"type": "hologram", "text": 7}, textBlock("still here")}, nil, []string{"still here"}},
		"the words of a continuation": {"This session is being continued from a previous conversation that ran out of context. Summary: x", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(userRow(t, "u1", c.content, c.more...)), domain.IngestCursor{})
			if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) > 0 {
				t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
			}
		})
	}
}

// Some tools write times as seconds or milliseconds since 1970; what is no time is
// none, and the row before tells it.
func TestRowTimes(t *testing.T) {
	for at, want := range map[string]string{
		`1777629603`: "2026-05-01T10:00:03.000000Z", `1777629603250`: "2026-05-01T10:00:03.250000Z", `1777629603.25`: "2026-05-01T10:00:03.250000Z",
		`"1777629603250"`: "2026-05-01T10:00:03.250000Z", `"2026-05-01T12:00:03+02:00"`: "2026-05-01T10:00:03.000000Z",
		`null`: "2026-05-01T10:00:00.000000Z", `{}`: "2026-05-01T10:00:00.000000Z", `1e300`: "2026-05-01T10:00:00.000000Z", `"soon"`: "2026-05-01T10:00:00.000000Z",
	} {
		claude := userRow(t, "u1", "first") + strings.Replace(userRow(t, "u2", "second"), `"2026-05-01T10:00:00Z"`, at, 1)
		codex := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","timestamp":` + at + `}}` + "\n" +
			`{"timestamp":` + at + `,"type":"event_msg","payload":{"type":"user_message","message":"second"}}` + "\n"
		for format, data := range map[transcript.Format]string{transcript.ClaudeCode: claude, transcript.Codex: codex} {
			res := read(t, format, "rollout.jsonl", []byte(data), domain.IngestCursor{})
			if last := res.events[len(res.events)-1]; domain.FormatTime(last.At) != want || len(res.skipped) > 0 {
				t.Errorf("%s %s: %s, want %s %v", format, at, domain.FormatTime(last.At), want, res.skipped)
			}
			if started := domain.FormatTime(res.sessions[0].StartedAt); format == transcript.Codex && started != want {
				t.Errorf("%s: the session began %s, want %s", at, started, want)
			}
		}
	}
}

// How files come: byte order marks, Windows' line ends, blank lines, NULs left by a
// crash, glued and cut rows, rows without times and ids, bytes that are no UTF-8.
func TestClaudeFiles(t *testing.T) {
	a, b := userRow(t, "u1", "first"), userRow(t, "u2", "second")
	for name, c := range map[string]struct {
		data string
		want []string
		bad  int
	}{
		"empty":                  {"", nil, 0},
		"blank":                  {"\n\r\n  \n", nil, 0},
		"byte order mark":        {"\xef\xbb\xbf" + a + b, []string{"first", "second"}, 0},
		"Windows' line ends":     {strings.ReplaceAll(a+b, "\n", "\r\n"), []string{"first", "second"}, 0},
		"no last newline":        {a + strings.TrimSpace(b), []string{"first", "second"}, 0},
		"NULs between":           {a + strings.Repeat("\x00", 512) + b, []string{"first", "second"}, 1},
		"a line of NULs":         {a + strings.Repeat("\x00", 512) + "\n" + b, []string{"first", "second"}, 1},
		"glued":                  {strings.TrimSpace(a) + b, []string{"first", "second"}, 1},
		"cut and glued":          {a[:len(a)/2] + b, []string{"second"}, 1},
		"the same row twice":     {a + a + b, []string{"first", "second"}, 0},
		"equal words twice":      {a + userRow(t, "u3", "first"), []string{"first", "first"}, 0},
		"without ids and times":  {`{"type":"user","message":{"role":"user","content":"x"}}` + "\n" + `{"type":"user","message":{"role":"user","content":"x"}}` + "\n", []string{"x", "x"}, 0},
		"content outside":        {`{"type":"user","sessionId":"s","content":"x"}` + "\n", []string{"x"}, 0},
		"not UTF-8":              {strings.Replace(a, "first", "fi\xffrst", 1), []string{"fi\ufffdrst"}, 0},
		"half a surrogate pair":  {strings.Replace(a, "first", `fi\ud83drst`, 1), []string{"fi\ufffdrst"}, 0},
		"no JSON":                {"hello\n[]\n7\nnull\n\"x\"\n{}\n" + a, []string{"first"}, 6},
		"unknown types":          {`{"type":"hologram","uuid":"h"}` + "\n" + `{"type":"mode","mode":"normal"}` + "\n" + a, []string{"first"}, 0},
		"title before and after": {`{"type":"summary","summary":"T","leafUuid":"z"}` + "\n" + a + `{"type":"custom-title","customTitle":"U","sessionId":"s"}` + "\n", []string{"first"}, 0},
		"bookkeeping": {`{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}` + "\n" +
			`{"type":"progress","data":{"type":"hook_progress"},"uuid":"p","sessionId":"s"}` + "\n" +
			`{"type":"last-prompt","lastPrompt":"first","sessionId":"s"}` + "\n" +
			`{"type":"system","subtype":"turn_duration","durationMs":7,"uuid":"y1","sessionId":"s"}` + "\n" +
			`{"type":"system","subtype":"api_error","error":{"status":529},"uuid":"y2","sessionId":"s"}` + "\n" +
			`{"type":"system","subtype":"local_command","content":"<command-name>/model</command-name>","uuid":"y3","sessionId":"s"}` + "\n" +
			`{"type":"system","subtype":"stop_hook_summary","hookInfos":[],"uuid":"y4","sessionId":"s"}` + "\n" + a, []string{"first"}, 0},
		"API error": {a + `{"type":"assistant","uuid":"e","sessionId":"s","isApiErrorMessage":true,"message":{"id":"e","model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"Prompt is too long"}]}}` + "\n", []string{"first"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(c.data), domain.IngestCursor{})
			if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) != c.bad {
				t.Errorf("said (-want +got):\n%s%d skipped, want %d: %v", diff, len(res.skipped), c.bad, res.skipped)
			}
		})
	}
}

// A prompt that was typed while the assistant worked is one message, whether the
// client says so by its removal alone, by an attachment before or behind it, or by
// a row of the user; and the same words typed again later are another.
func TestClaudeQueue(t *testing.T) {
	op := func(what, content string) string {
		text := ""
		if content != "" {
			text = fmt.Sprintf(`,"content":%q`, content)
		}
		return fmt.Sprintf(`{"type":"queue-operation","operation":%q,"timestamp":"2026-05-01T10:00:05Z","sessionId":"s"%s}`+"\n", what, text)
	}
	because := func(reason string) string {
		return strings.Replace(op("remove", "x"), `"timestamp"`, fmt.Sprintf(`"reason":%q,"timestamp"`, reason), 1)
	}
	attached := func(uuid, text, more string) string {
		return fmt.Sprintf(`{"type":"attachment","uuid":%q,"sessionId":"s","attachment":{"type":"queued_command","prompt":%q,"commandMode":"prompt"%s}}`+"\n", uuid, text, more)
	}
	reply := func(id string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s","message":{"id":%q,"role":"assistant","content":[{"type":"text","text":"ok"}]}}`+"\n", id, id)
	}
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"removed alone":                     {[]string{op("enqueue", "x"), op("remove", "")}, []string{"x"}},
		"removed by name, enqueued before":  {[]string{op("remove", "x")}, []string{"x"}},
		"removed, attached":                 {[]string{op("enqueue", "x"), op("remove", "x"), attached("q", "x", "")}, []string{"x"}},
		"removed, answered, attached":       {[]string{op("enqueue", "x"), op("remove", ""), reply("a"), attached("q", "x", `,"origin":{"kind":"human"}`)}, []string{"x"}},
		"attached, removed":                 {[]string{op("enqueue", "x"), attached("q", "x", ""), op("remove", "x")}, []string{"x"}},
		"attached, removed without words":   {[]string{op("enqueue", "x"), attached("q", "x", ""), reply("a"), op("remove", "")}, []string{"x"}},
		"dequeued, attached":                {[]string{op("enqueue", "x"), op("dequeue", ""), attached("q", "x", "")}, []string{"x"}},
		"attached, dequeued":                {[]string{op("enqueue", "x"), attached("q", "x", ""), op("dequeue", "x")}, []string{"x"}},
		"dequeued, said":                    {[]string{op("enqueue", "x"), op("dequeue", ""), userRow(t, "u", "x", `"promptSource":"queued"`)}, []string{"x"}},
		"removed, said":                     {[]string{op("enqueue", "x"), op("remove", "x"), userRow(t, "u", "x", `"promptSource":"queued"`)}, []string{"x"}},
		"removed, answered, said":           {[]string{op("enqueue", "x"), op("remove", "x"), reply("a"), userRow(t, "u", "x", `"promptSource":"queued"`)}, []string{"x"}},
		"removed, said again later":         {[]string{op("enqueue", "x"), op("remove", "x"), reply("a"), userRow(t, "u", "x")}, []string{"x", "x"}},
		"attached, removed, attached again": {[]string{op("enqueue", "x"), attached("q", "x", ""), op("remove", "x"), reply("a"), op("enqueue", "x"), op("remove", "x"), attached("q2", "x", "")}, []string{"x", "x"}},
		"taken back":                        {[]string{op("enqueue", "x"), op("popAll", "")}, nil},
		"absorbed":                          {[]string{op("enqueue", "x"), because("absorbed_mid_turn"), attached("q", "x", `,"origin":{"kind":"human"}`)}, []string{"x"}},
		"absorbed, not attached":            {[]string{op("enqueue", "x"), because("absorbed_mid_turn")}, []string{"x"}},
		"its agent had stopped":             {[]string{op("enqueue", "x"), because("agent_stopped")}, nil},
		"still waiting":                     {[]string{op("enqueue", "x")}, nil},
		"not a person's":                    {[]string{attached("q", "x", `,"origin":{"kind":"task-notification"}`), attached("q2", "y", `,"isMeta":true`)}, nil},
		"not a person's, then removed":      {[]string{op("enqueue", "go on"), op("enqueue", "x"), attached("q", "go on", `,"origin":{"kind":"auto-continuation"},"isMeta":true`), op("remove", "go on"), op("remove", "x")}, []string{"x"}},
		"a shell line, then removed":        {[]string{op("enqueue", "ls"), strings.Replace(attached("q", "ls", ""), `"prompt"}`, `"bash"}`, 1), op("remove", "ls")}, nil},
		"a notification":                    {[]string{op("enqueue", "<task-notification>x</task-notification>"), op("remove", "")}, nil},
		"a task that began":                 {[]string{op("enqueue", `{"task_id":"b1","description":"Build","task_type":"local_bash"}`), op("enqueue", "x"), op("remove", ""), op("remove", "")}, []string{"x"}},
		"two, the later one first":          {[]string{op("enqueue", "x"), op("enqueue", "y"), op("remove", "y"), op("remove", "x")}, []string{"y", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(strings.Join(c.rows, ""))
			res := read(t, transcript.ClaudeCode, "s.jsonl", data, domain.IngestCursor{})
			if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) > 0 {
				t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
			}
			var pieces result
			for i := range c.rows { // row by row, as hooks see it
				part := read(t, transcript.ClaudeCode, "s.jsonl", []byte(strings.Join(c.rows[:i+1], "")), pieces.cursor)
				pieces.events, pieces.cursor = append(pieces.events, part.events...), part.cursor
			}
			if diff := cmp.Diff(c.want, pieces.said(t)); diff != "" {
				t.Errorf("row by row (-want +got):\n%s", diff)
			}
		})
	}
}

// Pictures above the limit of an event cost only themselves: the words beside them
// are kept.
func TestHugePictures(t *testing.T) {
	image := block{"type": "image", "source": block{"type": "base64", "media_type": "image/png", "data": base64.StdEncoding.EncodeToString(make([]byte, 7<<20))}}
	row := userRow(t, "u1", []any{textBlock("what is in these?"), image, image, image})
	res := read(t, transcript.ClaudeCode, "s.jsonl", []byte(row), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"what is in these?"}, res.said(t)); diff != "" || len(res.skipped) != 1 {
		t.Errorf("%s%v", diff, res.skipped)
	}
}

// Codex writes a prompt as a response item and as an event, in either order, and
// puts its own texts into user items.
func TestCodexPrompts(t *testing.T) {
	meta := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/p"}}`
	item := func(texts ...string) string {
		var parts []any
		for _, text := range texts {
			parts = append(parts, block{"type": "input_text", "text": text})
		}
		data, err := json.Marshal(block{"timestamp": "2026-05-01T10:00:01Z", "type": "response_item", "payload": block{"type": "message", "role": "user", "content": parts}})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	event := func(text string) string {
		data, err := json.Marshal(block{"timestamp": "2026-05-01T10:00:01Z", "type": "event_msg", "payload": block{"type": "user_message", "message": text, "images": []any{}, "kind": "plain"}})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	completed := func(text string) string {
		data, err := json.Marshal(block{"timestamp": "2026-05-01T10:00:01Z", "type": "event_msg", "payload": block{"type": "item_completed", "turn_id": "t",
			"item": block{"type": "UserMessage", "id": "u", "content": []any{block{"type": "text", "text": text, "text_elements": []any{}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const (
		reply  = `{"timestamp":"2026-05-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}`
		call   = `{"timestamp":"2026-05-01T10:00:02Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"k"}}`
		output = `{"timestamp":"2026-05-01T10:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"k","output":"done"}}`
		broken = `{"timestamp":"2026-05-01T10:00:03Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}`
	)
	const goal = "<codex_internal_context source=\"goal\">\ngo on\n</codex_internal_context>"
	bare := func(text string) string {
		return `{"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}]}`
	}
	head := `{"id":"c1","timestamp":"2025-08-01T10:00:00Z","instructions":null}`
	agents, env := "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nuse tabs\n</INSTRUCTIONS>", "<environment_context>\n  <cwd>/p</cwd>\n</environment_context>"
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"item, event":               {[]string{meta, item("x"), event("x")}, []string{"x"}},
		"event, item":               {[]string{meta, event("x"), item("x")}, []string{"x"}},
		"equal prompts":             {[]string{meta, item("x"), event("x"), item("x"), event("x")}, []string{"x", "x"}},
		"instructions first":        {[]string{meta, item(agents), item(env), item("x"), event("x")}, []string{"x"}},
		"instructions in one item":  {[]string{meta, item(agents, env), item("x"), event("x")}, []string{"x"}},
		"an element of the future":  {[]string{meta, item("<plugins_instructions>a</plugins_instructions>"), item("x"), event("x")}, []string{"x"}},
		"items alone":               {[]string{meta, item(env), item("x"), item("<div>y</div>")}, []string{"x", "<div>y</div>"}},
		"bare rows":                 {[]string{head, bare("<user_instructions>a</user_instructions>"), bare("x"), bare("x")}, []string{"x", "x"}},
		"with a picture":            {[]string{meta, item("<image name=[Image #1]>", "</image>", "see [Image #1]"), event("see [Image #1]")}, []string{"see [Image #1]"}},
		"the environment as events": {[]string{meta, event(env), event("x")}, []string{"x"}},
		"compacted": {[]string{meta, item("x"), event("x"), `{"type":"compacted","payload":{"message":"sum","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}]}}`,
			`{"type":"event_msg","payload":{"type":"context_compacted"}}`, item("y"), event("y")}, []string{"x", "y"}},
		"steered, no event":           {[]string{meta, item("x"), event("x"), call, output, item("y"), reply, item("z"), event("z")}, []string{"x", "y", "z"}},
		"steered with the same words": {[]string{meta, item("x"), event("x"), call, output, item("x"), reply}, []string{"x", "x"}},
		"steered, then interrupted":   {[]string{meta, item("x"), event("x"), call, output, item("y"), broken, item("y"), event("y")}, []string{"x", "y", "y"}},
		"steered, the event late":     {[]string{meta, item("x"), event("x"), call, output, item("y"), reply, event("y"), item("y"), event("y")}, []string{"x", "y", "y"}},
		"warned while it works":       {[]string{meta, item("x"), event("x"), call, item("Warning: apply_patch was requested via exec_command."), output, reply}, []string{"x"}},
		"a heartbeat":                 {[]string{meta, completed("<heartbeat>\nlook\n</heartbeat>"), reply, completed("x")}, []string{"x"}},
		"a goal goes on":              {[]string{meta, item("x"), event("x"), reply, item(goal), reply, completed(goal)}, []string{"x"}},
		"completed items":             {[]string{meta, item(agents), item("x"), completed("x"), reply, item("x"), completed("x"), reply}, []string{"x", "x"}},
		"completed items alone":       {[]string{meta, completed("x"), completed("<div>y</div>")}, []string{"x", "<div>y</div>"}},
		"completed, and an event":     {[]string{meta, item("x"), completed("x"), event("x"), reply, completed("x"), event("x")}, []string{"x", "x"}},
		"events, later completed":     {[]string{meta, item("x"), event("x"), reply, item("x"), completed("x"), reply, completed("y")}, []string{"x", "x", "y"}},
		"another's words beside them": {[]string{meta, item("x"), event("x"), reply, item("# Project context"), item("y"), completed("y")}, []string{"x", "y"}},
		"two texts in one item":       {[]string{meta, item("a", "b"), event("ab"), reply, item("c", "d"), event("cd")}, []string{"a\nb", "cd"}},
		"about Codex's own": {[]string{meta, event("<environment_context> is what I see"), event("# AGENTS.md instructions are not read")},
			[]string{"<environment_context> is what I see", "# AGENTS.md instructions are not read"}},
		"types of the future": {[]string{meta, `{"type":"hologram","payload":{}}`, `{"type":"event_msg","payload":{"type":"hologram"}}`, `{"type":"response_item","payload":{"type":"hologram"}}`, event("x")}, []string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			res := read(t, transcript.Codex, "rollout-2026-05-01T10-00-00-c1.jsonl", []byte(strings.Join(c.rows, "\r\n")+"\r\n"), domain.IngestCursor{})
			if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) > 0 {
				t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
			}
			var pieces result
			for i := range c.rows { // row by row, as hooks see it
				part := read(t, transcript.Codex, "rollout-2026-05-01T10-00-00-c1.jsonl", []byte(strings.Join(c.rows[:i+1], "\n")+"\n"), pieces.cursor)
				pieces.events, pieces.cursor = append(pieces.events, part.events...), part.cursor
			}
			if diff := cmp.Diff(c.want, pieces.said(t)); diff != "" {
				t.Errorf("row by row (-want +got):\n%s", diff)
			}
		})
	}
	doc := `{"session":{"timestamp":"2025-04-20T10:00:00Z","id":"c0","instructions":""},"items":[` + bare("x") + `,{"type":"function_call","name":"shell","arguments":"{}","call_id":"k"}]}`
	res := read(t, transcript.Codex, "rollout-2025-04-20-c0.json", []byte(doc), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"x"}, res.said(t)); diff != "" || len(res.skipped) > 0 || res.sessions[0].ClientSessionID != "c0" {
		t.Errorf("the first rollouts: %s%v", diff, res.skipped)
	}
}

// Gemini's shapes: documents, also cut off ones, rows, and the log of what was typed.
func TestGeminiShapes(t *testing.T) {
	doc := `{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z","messages":[{"id":"1","type":"user","content":"x"},{"id":"2","type":"gemini","content":"y"},{"id":"3","type":"user","content":[{"text":"a"},{"text":"b"}]}]}`
	log := `[{"sessionId":"g1","messageId":0,"type":"user","message":"x","timestamp":"2026-05-01T10:00:00Z"},
		{"sessionId":"g1","messageId":1,"type":"user","message":"/quit","timestamp":"2026-05-01T10:00:01Z"},
		{"sessionId":"g2","messageId":0,"type":"user","message":"x","timestamp":"2026-05-01T10:00:02Z"},{"sessionId":"g2","messageId":1,"type":"user","message":"x","timestamp":"2026-05-01T10:00:03Z"}]`
	rows := `{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z"}
{"id":"1","type":"user","content":"x"}
{"id":"1","type":"user","content":"x"}
{"$set":{"summary":"About x","messages":[{"id":"1","type":"user","content":"x"},{"id":"9","type":"user","content":"only here"}]}}
{"$rewindTo":"1"}
not JSON
{"id":"3","type":"user","content":[{"text":"a"},{"text":"b"}]}
{"id":"4","type":"us`
	for name, c := range map[string]struct {
		file, data string
		want       []string
		bad        int
	}{
		"document":        {"session-1.json", doc, []string{"x", "a\nb"}, 0},
		"byte order mark": {"session-1.json", "\xef\xbb\xbf" + doc, []string{"x", "a\nb"}, 0},
		"cut off":         {"session-1.json", doc[:strings.Index(doc, `{"id":"3"`)+12], []string{"x"}, 1},
		"rows":            {"session-1.jsonl", rows, []string{"x", "only here", "a\nb"}, 1},
		"log":             {"logs.json", log, []string{"x", "x", "x"}, 0},
		"renamed":         {"full.jsonl", strings.ReplaceAll(doc, ",", ",\n"), []string{"x", "a\nb"}, 0},
		"rows renamed":    {"session-1.json", rows, []string{"x", "only here", "a\nb"}, 1},
		"empty":           {"session-1.json", "", nil, 1},
		"empty list":      {"logs.json", "[]", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			res := read(t, transcript.Gemini, c.file, []byte(c.data), domain.IngestCursor{})
			if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) != c.bad {
				t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
			}
			if f, ok := transcript.Detect("/home/u/.gemini/tmp/h/"+c.file, []byte(c.data)); len(c.data) > 2 && (!ok || f != transcript.Gemini) {
				t.Errorf("it is taken for %q", f)
			}
		})
	}
}

// Gemini CLI writes what it tells the model by itself into rows of the user.
func TestGeminiOwnWords(t *testing.T) {
	for text, person := range map[string]bool{
		"System: Please continue.": false,
		"System: Potential loop detected. Details: Repeated tool call. Please take a step back.": false,
		"<hook_context>branch: main</hook_context>":                                              false,
		"<session_context>\nToday is Monday.\n</session_context>":                                false,
		"This is the Gemini CLI. We are setting up the context for our chat.":                    false,
		"Please continue.": true,
		"System: Please continue. What does it mean?":        true,
		"fix it\n<hook_context>branch: main</hook_context>":  true,
		"<hook_context> is what I see":                       true,
		"<hook_context>a</hook_context> what is <T> in this": true,
		"Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{\"activeFile\":{\"path\":\"/w/a.go\"}}\n```":                false,
		"Here is a summary of changes in the user's editor context, in JSON format. This is for your information only.\n```json\n{\"changes\":{}}\n```":                false,
		"I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.go\n```":                                                    false,
		"Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{\"activeFile\":{\"path\":\"/w/a.go\"}}\n```\nWhat is this?": true,
		"I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.go\n```\n\nWhy is b.go missing?":                            true,
	} {
		content, _ := json.Marshal(text)
		doc := `{"sessionId":"g1","projectHash":"h","messages":[{"id":"1","type":"user","content":[{"text":` + string(content) + `}]}]}`
		row := `{"sessionId":"g1","projectHash":"h"}` + "\n" + `{"id":"1","type":"user","content":` + string(content) + `}` + "\n"
		turns := `[{"role":"user","parts":[{"text":` + string(content) + `}]},{"role":"model","parts":[{"text":"ok"}]}]`
		for name, data := range map[string]string{"chats/s.json": doc, "chats/s.jsonl": row, "checkpoint-a.json": turns} {
			res := read(t, transcript.Gemini, name, []byte(data), domain.IngestCursor{})
			if m := ofType[domain.Message](t, res); len(m) == 0 || m[0].Content != text || m[0].Human() != person {
				t.Errorf("%s: %q: %+v", name, text, m)
			}
		}
	}
}

// Newer versions keep beside what went to the model what was typed: behind a command
// of a person's own stands the client's text. A path is no command in the log either.
func TestGeminiTyped(t *testing.T) {
	row := func(id, typed, sent string) string {
		return `{"id":"` + id + `","type":"user","displayContent":` + typed + `,"content":[{"text":"` + sent + `"}]}`
	}
	rows := []string{row("1", `[{"text":"/review a.go"}]`, "You are a strict reviewer. Review a.go"), row("2", `"/review b.go"`, "You are a strict reviewer. Review b.go"),
		row("3", `"what is in @a.go"`, "what is in @a.go\\n--- Content from referenced files ---"), row("4", `[{"text":"/home/x is full"}]`, "/home/x is full"), row("5", "null", "thanks")}
	head := `{"sessionId":"g1","projectHash":"h"`
	for name, data := range map[string]string{"chats/s.json": head + `,"messages":[` + strings.Join(rows, ",") + `]}`, "chats/s.jsonl": head + "}\n" + strings.Join(rows, "\n") + "\n"} {
		res := read(t, transcript.Gemini, name, []byte(data), domain.IngestCursor{})
		if got, want := res.humans(t), []string{"what is in @a.go\n--- Content from referenced files ---", "/home/x is full", "thanks"}; !slices.Equal(got, want) {
			t.Errorf("%s: people said %q, want %q", name, got, want)
		}
		var commands, meta []string
		for _, m := range ofType[domain.Message](t, res) {
			switch m.Kind {
			case domain.CommandMessage:
				commands = append(commands, m.Content)
			case domain.MetaMessage:
				meta = append(meta, m.Content)
			}
		}
		if want := []string{"/review a.go", "/review b.go"}; !slices.Equal(commands, want) || len(meta) != 2 {
			t.Errorf("%s: commands %q, want %q, with the client's texts %q", name, commands, want, meta)
		}
	}
	log := `[{"sessionId":"g1","messageId":0,"type":"user","message":"/stats","timestamp":"2026-01-01T10:00:00Z"},
		{"sessionId":"g1","messageId":1,"type":"user","message":"/home/x is full","timestamp":"2026-01-01T10:00:01Z"},
		{"sessionId":"g1","messageId":2,"type":"user","message":"// TODO: what does this mean?","timestamp":"2026-01-01T10:00:02Z"}]`
	if got, want := read(t, transcript.Gemini, "logs.json", []byte(log), domain.IngestCursor{}).humans(t), []string{"/home/x is full", "// TODO: what does this mean?"}; !slices.Equal(got, want) {
		t.Errorf("logs.json: people said %q, want %q", got, want)
	}
}

// What is packed or written as UTF-16 is known for what it is, and reads as it was.
func TestUnpacked(t *testing.T) {
	rows := userRow(t, "u1", "grüße 你好") + userRow(t, "u2", "second")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(rows)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	zst, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	wide := func(order binary.AppendByteOrder) []byte {
		var b []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + rows)) {
			b = order.AppendUint16(b, unit)
		}
		return b
	}
	for name, data := range map[string][]byte{"s.jsonl": []byte(rows), "s.jsonl.gz": packed.Bytes(), "s2.jsonl": packed.Bytes(), "s.jsonl.zst": zst.EncodeAll([]byte(rows), nil),
		"little.jsonl": wide(binary.LittleEndian), "big.jsonl": wide(binary.BigEndian)} {
		if f, ok := transcript.Detect(name, data); !ok || f != transcript.ClaudeCode {
			t.Errorf("%s is taken for %q", name, f)
		}
		r, _, err := transcript.Unpacked(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != rows {
			t.Errorf("%s reads as %q, %v", name, got, err)
		}
	}
	const rollout = "rollout-2026-05-01T10-00-00-019cb7a0-1111-7222-8333-444455556666.jsonl.zst"
	codex := []byte(`{"timestamp":"2026-05-01T10:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"x"}}` + "\n")
	if f, ok := transcript.Detect(rollout, zst.EncodeAll(codex, nil)); !ok || f != transcript.Codex {
		t.Errorf("a packed rollout is taken for %q", f)
	}
	if res := read(t, transcript.Codex, rollout, codex, domain.IngestCursor{}); res.sessions[0].ClientSessionID != "019cb7a0-1111-7222-8333-444455556666" {
		t.Errorf("a packed rollout's session is %q", res.sessions[0].ClientSessionID)
	}
	if f, ok := transcript.Detect("x.zst", zst.EncodeAll([]byte("hello"), nil)); ok {
		t.Errorf("a packed text is taken for %q", f)
	}
	for _, short := range []string{"", "x", "\xff"} {
		if r, packed, err := transcript.Unpacked(strings.NewReader(short)); err != nil || packed || r == nil {
			t.Errorf("%q: %v, %v", short, packed, err)
		}
	}
}

// A transcript is known by its first row also where that is longer than what is
// looked at, and tells when it began.
func TestDetectLongFirstRow(t *testing.T) {
	long := strings.Repeat("x", 2*transcript.DetectSize)
	for name, c := range map[string]struct {
		row  string
		want transcript.Format
	}{
		"s.jsonl":       {userRow(t, "u1", long), transcript.ClaudeCode},
		"rollout.jsonl": {`{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","base_instructions":"` + long + `"}}` + "\n", transcript.Codex},
		"g.jsonl":       {`{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z","x":"` + long + `"}` + "\n", transcript.Gemini},
	} {
		head := []byte(c.row)[:transcript.DetectSize]
		if f, ok := transcript.Detect(name, head); !ok || f != c.want {
			t.Errorf("%s is taken for %q", name, f)
		}
		if name != "s.jsonl" && transcript.Began(head).IsZero() {
			t.Errorf("%s began at no time", name)
		}
	}
	if at := transcript.Began([]byte(`{"type":"user","timestamp": 1777629603250}`)); domain.FormatTime(at) != "2026-05-01T10:00:03.250000Z" {
		t.Errorf("it began %s", at)
	}
	if f, ok := transcript.Detect("x.json", []byte(`{"a":[1,`)); ok {
		t.Errorf("anything is taken for %q", f)
	}
}

// Rows in one list, as some tools export a transcript, are rows.
func TestRowsInAList(t *testing.T) {
	list := "[" + strings.TrimSpace(userRow(t, "u1", "first")) + ",\n 7," + userRow(t, "u2", "second") + "]\n"
	if f, ok := transcript.Detect("chat.json", []byte(list)); !ok || f != transcript.ClaudeCode {
		t.Errorf("it is taken for %q", f)
	}
	res := read(t, transcript.ClaudeCode, "chat.json", []byte(list), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"first", "second"}, res.said(t)); diff != "" || len(res.skipped) != 1 {
		t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
	}
}

// Rows in a file that is called a document are read as rows.
func TestRowsCalledJSON(t *testing.T) {
	claude := userRow(t, "u1", "first") + "\r\n" + userRow(t, "u2", "second") + "{\n"
	codex := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1"}}` + "\n" +
		`{"timestamp":"2026-05-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"first"}}` + "\n"
	for format, c := range map[transcript.Format]struct {
		data string
		want []string
		bad  int
	}{transcript.ClaudeCode: {claude, []string{"first", "second"}, 1}, transcript.Codex: {codex, []string{"first"}, 0}} {
		res := read(t, format, "renamed.json", []byte(c.data), domain.IngestCursor{})
		if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) != c.bad {
			t.Errorf("%s: said (-want +got):\n%s%v", format, diff, res.skipped)
		}
	}
}

// A file that tells of no session names it. Many files are called alike: those of two
// folders are two sessions.
func TestNamelessSessions(t *testing.T) {
	claude := `{"type":"user","uuid":"u","message":{"role":"user","content":"fix it"}}` + "\n"
	codex := `{"timestamp":"2026-05-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"fix it"}}` + "\n"
	gemini := `{"messages":[{"id":"1","type":"user","content":"fix it"}]}`
	for name, want := range map[string]string{"/x/aa/0/full.jsonl": "aa/0/full", "/x/bb/0/full.jsonl": "bb/0/full", `C:\x\bb\0\full.jsonl`: "bb/0/full", "/full.jsonl": "full",
		"full.jsonl": "full", "/x/aa/session-7.jsonl": "session-7"} {
		for format, data := range map[transcript.Format]string{transcript.ClaudeCode: claude, transcript.Codex: codex, transcript.Gemini: gemini} {
			res := read(t, format, name, []byte(data), domain.IngestCursor{})
			if len(res.sessions) != 1 || res.sessions[0].ClientSessionID != want {
				t.Errorf("%s as %s: %+v, want %s", name, format, res.sessions, want)
			}
		}
	}
}
