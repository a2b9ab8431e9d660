package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

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

// How files come: byte order marks, Windows' line ends, blank lines, NULs left by a
// crash, glued and cut rows, rows without times and ids, bytes that are no UTF-8.
func TestClaudeFiles(t *testing.T) {
	a, b := userRow(t, "u1", "first"), userRow(t, "u2", "second")
	for name, c := range map[string]struct {
		data string
		want []string
		bad  int
	}{
		"empty":                               {"", nil, 0},
		"blank":                               {"\n\r\n  \n", nil, 0},
		"byte order mark":                     {"\xef\xbb\xbf" + a + b, []string{"first", "second"}, 0},
		"Windows' line ends":                  {strings.ReplaceAll(a+b, "\n", "\r\n"), []string{"first", "second"}, 0},
		"no last newline":                     {a + strings.TrimSpace(b), []string{"first", "second"}, 0},
		"NULs between":                        {a + strings.Repeat("\x00", 512) + b, []string{"first", "second"}, 1},
		"a line of NULs":                      {a + strings.Repeat("\x00", 512) + "\n" + b, []string{"first", "second"}, 1},
		"glued":                               {strings.TrimSpace(a) + b, []string{"first", "second"}, 1},
		"cut and glued":                       {a[:len(a)/2] + b, []string{"second"}, 1},
		"glued without ids":                   {`{"type":"user","timestamp":"2026-05-04T08:00:00Z","message":{"content":"x"}}` + `{"type":"user","timestamp":"2026-05-04T08:00:01Z","message":{"content":"y"}}` + "\n", []string{"x", "y"}, 1},
		"the end of a row that holds another": {`ing":true,"data":{"message":` + strings.TrimSpace(userRow(t, "u7", "look around")) + `,"type":"agent_progress","agentId":"a"},"type":"progress","uuid":"p"}` + "\n" + b, []string{"second"}, 1},
		"the same row twice":                  {a + a + b, []string{"first", "second"}, 0},
		"equal words twice":                   {a + userRow(t, "u3", "first"), []string{"first", "first"}, 0},
		"without ids and times":               {`{"type":"user","message":{"role":"user","content":"x"}}` + "\n" + `{"type":"user","message":{"role":"user","content":"x"}}` + "\n", []string{"x", "x"}, 0},
		"content outside":                     {`{"type":"user","sessionId":"s","content":"x"}` + "\n", []string{"x"}, 0},
		"not UTF-8":                           {strings.Replace(a, "first", "fi\xffrst", 1), []string{"fi\ufffdrst"}, 0},
		"half a surrogate pair":               {strings.Replace(a, "first", `fi\ud83drst`, 1), []string{"fi\ufffdrst"}, 0},
		"no JSON":                             {"hello\n[]\n7\nnull\n\"x\"\n{}\n" + a, []string{"first"}, 6},
		"unknown types":                       {`{"type":"hologram","uuid":"h"}` + "\n" + `{"type":"mode","mode":"normal"}` + "\n" + a, []string{"first"}, 0},
		"title before and after":              {`{"type":"summary","summary":"T","leafUuid":"z"}` + "\n" + a + `{"type":"custom-title","customTitle":"U","sessionId":"s"}` + "\n", []string{"first"}, 0},
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

// What a tool answered that is no text is kept as it stands there, but for what nobody can
// read: a found page, a list of tools, the fault of a search.
func TestClaudeAnswersWithoutText(t *testing.T) {
	for content, want := range map[string]struct{ answer, fault string }{
		`"plain"`: {answer: "plain"},
		`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`:                                                                     {answer: "a\nb"},
		`[{"type":"tool_reference","tool_name":"Read"}]`:                                                                              {answer: `{"type":"tool_reference","tool_name":"Read"}`},
		`[{"type":"text","text":"found"},{"type":"search_result","title":"T","content":[{"type":"text","text":"inner"}]}]`:            {answer: "found\n" + `{"type":"search_result","title":"T","content":[{"type":"text","text":"inner"}]}`},
		`[{"type":"web_search_result","url":"https://go.dev","encrypted_content":"x"}]`:                                               {answer: `{"type":"web_search_result","url":"https://go.dev"}`},
		`{"type":"web_search_tool_result_error","error_code":"unavailable"}`:                                                          {`{"type":"web_search_tool_result_error","error_code":"unavailable"}`, `{"type":"web_search_tool_result_error","error_code":"unavailable"}`},
		`[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}},{"type":"text","text":"a picture"}]`: {answer: "a picture"},
		`[]`: {}, `null`: {}, `[{"text":"no kind"},7]`: {answer: "no kind"},
	} {
		row := `{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":` + content + `}]}}` + "\n"
		m := ofType[domain.Message](t, read(t, transcript.ClaudeCode, "s1.jsonl", []byte(row), domain.IngestCursor{}))
		if len(m) != 1 || !sameJSON(m[0].Content, want.answer) || !sameJSON(m[0].Error, want.fault) {
			t.Errorf("%s: %+v, want %+v", content, m, want)
		}
	}
}

// sameJSON compares texts, whatever the order of fields is where one is a JSON object.
func sameJSON(a, b string) bool {
	var x, y map[string]any
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}
