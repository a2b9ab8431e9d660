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
	const yes = "<send_user_message_question_reply>\n[{\"question\":\"Both?\",\"answer\":\"yes\"}]\n</send_user_message_question_reply>"
	const no = "<send_user_message_question_reply>\n[{\"question\":\"Today?\",\"answer\":\"no\"}]\n</send_user_message_question_reply>"
	const delegation = "<codex_delegation>\n  <source_thread_id>c0</source_thread_id>\n  <input>look</input>\n</codex_delegation>"
	const rules = "<system_instruction>\nYou work for Conductor.\n</system_instruction>"
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
		"like a picture's mark":     {[]string{meta, item("<image> is what it shows")}, []string{"<image> is what it shows"}},
		"items without a type":      {[]string{meta, strings.Replace(item("x"), `"type":"message"`, `"id":null`, 1)}, []string{"x"}},
		"bare rows":                 {[]string{head, bare("<user_instructions>a</user_instructions>"), bare("x"), bare("x")}, []string{"x", "x"}},
		"with a picture":            {[]string{meta, item("<image name=[Image #1]>", "</image>", "see [Image #1]"), event("see [Image #1]")}, []string{"see [Image #1]"}},
		"the environment as events": {[]string{meta, event(env), event("x")}, []string{"x"}},
		"compacted": {[]string{meta, item("x"), event("x"), `{"type":"compacted","payload":{"message":"sum","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}]}}`,
			`{"type":"event_msg","payload":{"type":"context_compacted"}}`, item("y"), event("y")}, []string{"x", "y"}},
		"steered, no event":           {[]string{meta, item("x"), event("x"), call, output, item("y"), reply, item("z"), event("z")}, []string{"x", "y", "z"}},
		"steered with the same words": {[]string{meta, item("x"), event("x"), call, output, item("x"), reply}, []string{"x", "x"}},
		"steered, then interrupted":   {[]string{meta, item("x"), event("x"), call, output, item("y"), broken, item("y"), event("y")}, []string{"x", "y", "y"}},
		"steered, the event late":     {[]string{meta, item("x"), event("x"), call, output, item("y"), reply, event("y"), item("y"), event("y")}, []string{"x", "y", "y"}},
		"answered, no event":          {[]string{meta, item("x"), event("x"), call, output, item(yes), reply, item("z"), event("z")}, []string{"x", yes, "z"}},
		"answered":                    {[]string{meta, item("x"), completed("x"), call, output, item(yes), completed(yes), reply, completed("z")}, []string{"x", yes, "z"}},
		"answered one by one":         {[]string{meta, item("x"), event("x"), call, output, item(yes), item(no), completed(no), reply}, []string{"x", no, yes}},
		"asked by another thread":     {[]string{meta, item(delegation), event(delegation), reply, item("x"), event("x")}, []string{"x"}},
		"a person's warning":          {[]string{meta, item("Warning: this fails"), reply}, []string{"Warning: this fails"}},
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
		"half a mark": {[]string{meta, item("<skill"), event("<skill"), reply}, []string{"<skill"}},
		"words behind an element": {[]string{meta, event("<skill>go</skill> is not read, fix it"), reply, event(agents + "\n\nwhy twice?"), reply, event(rules + "\n\nfix it")},
			[]string{"<skill>go</skill> is not read, fix it", agents + "\n\nwhy twice?", rules + "\n\nfix it"}},
		"a program's rules":        {[]string{meta, item(rules), event(rules), item("x"), event("x")}, []string{"x"}},
		"one after another":        {[]string{meta, event(agents + "\n" + env), event("x")}, []string{"x"}},
		"a conversation beside it": {[]string{meta, item("Side conversation boundary.\n\nEverything before this boundary is inherited history from the parent thread. It is reference context only."), event("x"), reply}, []string{"x"}},
		"types of the future":      {[]string{meta, `{"type":"hologram","payload":{}}`, `{"type":"event_msg","payload":{"type":"hologram"}}`, `{"type":"response_item","payload":{"type":"hologram"}}`, event("x")}, []string{"x"}},
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

// What Codex adds is nobody's words, though it cannot be told by its marks in a rollout
// that was redacted: the events tell what people typed. In a rollout without events, items
// do, each at its own line.
func TestCodexRedacted(t *testing.T) {
	item := func(text string) string {
		return `{"timestamp":"2026-05-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}]}}`
	}
	const (
		meta  = `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/p"}}`
		event = `{"timestamp":"2026-05-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"x"}}`
		reply = `{"timestamp":"2026-05-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}`
	)
	hidden := item("# AGENTS.md instructions for /p [redacted]")
	for name, c := range map[string]struct{ rows, want []string }{
		"told by an event":        {[]string{meta, hidden, item("[redacted]"), item("x"), event, reply}, []string{"x"}},
		"told by an event alone":  {[]string{meta, hidden, event, reply}, []string{"x"}},
		"without events":          {[]string{meta, item("x"), reply, item("y"), reply, item("z")}, []string{"x", "y", "z"}},
		"nothing of the model":    {[]string{meta, item("x"), item("y")}, []string{"x", "y"}},
		"cut off before an event": {[]string{meta, item("x")}, []string{"x"}},
	} {
		res := read(t, transcript.Codex, "rollout-2026-05-01T10-00-00-c1.jsonl", []byte(strings.Join(c.rows, "\n")+"\n"), domain.IngestCursor{})
		if diff := cmp.Diff(c.want, res.said(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for i, e := range res.events {
			if i > 0 && e.Source.Pos < res.events[i-1].Source.Pos {
				t.Errorf("%s: event %d stands before the one before it: %v", name, i, e.Source)
			}
		}
	}
}

// In a conversation by voice, what a person said is theirs, and what the model that heard it
// passed on is not, unless the rollout has nothing else.
func TestCodexVoice(t *testing.T) {
	row := func(kind, payload string) string {
		return `{"timestamp":"2026-08-07T19:07:45Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	spoken := func(id, role, text string) string {
		return row("realtime_item", fmt.Sprintf(`{"id":%q,"realtime_session_id":"v","type":"transcript_segment","role":%q,"text":%q}`, id, role, text))
	}
	const delegated = "<realtime_delegation>\n  <input>Inspect it.</input>\n</realtime_delegation>"
	passed := row("response_item", fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}`, delegated)) +
		row("event_msg", fmt.Sprintf(`{"type":"item_completed","item":{"type":"UserMessage","id":"u","content":[{"type":"text","text":%q}]}}`, delegated)) +
		row("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}`)
	begun := row("realtime_item", `{"id":"b","realtime_session_id":"v","type":"realtime_session_started"}`)
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"spoken":         {begun + spoken("s1", "user", "look at it") + spoken("s2", "assistant", "I will.") + passed, []string{"look at it"}},
		"heard later":    {begun + passed + spoken("s1", "user", "look at it"), []string{"look at it"}},
		"written twice":  {begun + spoken("s1", "user", "yes") + spoken("s1", "user", "yes") + spoken("s3", "user", "yes"), []string{"yes", "yes"}},
		"passed on only": {passed, []string{delegated}},
	} {
		res := read(t, transcript.Codex, "rollout-c1.jsonl", []byte(c.rows), domain.IngestCursor{})
		if diff := cmp.Diff(c.want, res.said(t)); diff != "" || len(res.skipped) > 0 {
			t.Errorf("%s (-want +got):\n%s%v", name, diff, res.skipped)
		}
	}
	var answers []string
	for _, m := range ofType[domain.Message](t, read(t, transcript.Codex, "rollout-c1.jsonl", []byte(begun+spoken("s2", "assistant", "I will.")), domain.IngestCursor{})) {
		answers = append(answers, string(m.Role)+": "+m.Content)
	}
	if diff := cmp.Diff([]string{"assistant: I will."}, answers); diff != "" {
		t.Error(diff)
	}
}

// Of what a person adds to a prompt, only pictures are media: a skill or a mentioned file
// has a path, too.
func TestCodexPromptMedia(t *testing.T) {
	rows := `{"timestamp":"2026-09-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/p"}}
{"timestamp":"2026-09-01T10:00:01Z","type":"event_msg","payload":{"type":"item_completed","thread_id":"c1","item":{"type":"UserMessage","id":"u","content":[` +
		`{"type":"text","text":"Round to cents"},{"type":"skill","name":"money","path":"/skills/money/SKILL.md"},{"type":"mention","name":"cart.go","path":"/p/cart.go"},{"type":"local_image","path":"/tmp/a.png"}]}}}
`
	said := ofType[domain.Message](t, read(t, transcript.Codex, "r.jsonl", []byte(rows), domain.IngestCursor{}))
	if len(said) != 1 || said[0].Content != "Round to cents" || len(said[0].Media) != 1 || said[0].Media[0].URL != "/tmp/a.png" {
		t.Errorf("said %+v", said)
	}
}

// Codex copies sessions of Claude Code into rollouts of its own, and what that client adds
// in the user's role becomes a prompt there.
func TestCodexImported(t *testing.T) {
	line := func(kind string, payload block) string {
		data, err := json.Marshal(block{"timestamp": "2026-09-05T10:00:00Z", "type": kind, "payload": payload})
		if err != nil {
			t.Fatal(err)
		}
		return string(data) + "\n"
	}
	turn := func(id, prompt string) string {
		event := line("event_msg", block{"type": "user_message", "message": prompt, "images": nil, "local_images": []any{}})
		item := line("response_item", block{"type": "message", "role": "user", "content": []any{block{"type": "input_text", "text": prompt}}})
		reply := line("response_item", block{"type": "message", "role": "assistant", "content": []any{block{"type": "output_text", "text": "ok"}}})
		return line("event_msg", block{"type": "task_started", "turn_id": id}) + event + item + reply
	}
	const note = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
	rollout := line("session_meta", block{"id": "c1", "cwd": "/p", "originator": "Codex Desktop", "source": "vscode"}) +
		turn("external-import-turn-1", "<command-name>/model</command-name>\n<command-args></command-args>") +
		turn("external-import-turn-2", "<ide_opened_file>a.go is open</ide_opened_file>\n\nfix it") +
		turn("external-import-turn-3", note) +
		turn("external-import-turn-4", "This session is being continued from a previous conversation that ran out of context. It was about a.go.") +
		turn("external-import-turn-5", "[Request interrupted by user]") +
		turn("external-import-turn-6", "and b.go") +
		turn("01a0b3da-f503-7b40-814f-8b7cbda5ef8e", note)
	res := read(t, transcript.Codex, "r.jsonl", []byte(rollout), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"<ide_opened_file>a.go is open</ide_opened_file>\n\nfix it", "and b.go", note}, res.said(t)); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	others := map[domain.MessageKind]int{}
	for _, m := range ofType[domain.Message](t, res) {
		if m.Role == domain.RoleUser && !m.Human() {
			others[m.Kind]++
		}
	}
	if diff := cmp.Diff(map[domain.MessageKind]int{domain.CommandMessage: 1, domain.MetaMessage: 2, domain.SummaryMessage: 1}, others); diff != "" {
		t.Errorf("nobody's words (-want +got):\n%s", diff)
	}
}
