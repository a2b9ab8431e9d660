package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// I5: files that begin or end within an API message, in any order and however they
// overlap, bring each of its blocks once. A row may hold several blocks, and a client may
// write a row again under another id.
func TestImportMessagesInPieces(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s, _, done := another(t, folder)
		defer done()
		rows, blocks := messageRows(t)
		want := map[string]bool{}
		for n := range rapid.IntRange(1, 4).Draw(t, "files") {
			from := rapid.IntRange(0, len(rows)-1).Draw(t, "from")
			to := rapid.IntRange(from+1, len(rows)).Draw(t, "to")
			source := strings.NewReader(strings.Join(rows[from:to], ""))
			if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: fmt.Sprint(n, ".jsonl"), Source: source}); err != nil {
				t.Fatal(err)
			}
			for _, texts := range blocks[from:to] {
				for _, text := range texts {
					want[text] = true
				}
			}
		}
		if diff := cmp.Diff(sorted(want), blockTexts(t, s, "s1")); diff != "" {
			t.Fatalf("blocks (-want +got):\n%s", diff)
		}
	})
}

// blockRow is a row of an assistant's message with one block of text.
func blockRow(t fataler, id, msg, text string) string {
	return row(t, map[string]any{"type": "assistant", "uuid": id, "sessionId": "s1",
		"message": map[string]any{"id": msg, "role": "assistant", "content": []any{map[string]any{"type": "text", "text": text}}}})
}

// A message's blocks are its own, though the id of another one begins with its id.
func TestImportMessagesOfLikeIDs(t *testing.T) {
	s, _ := memorytest.Open(t)
	for n, file := range []string{blockRow(t, "r1", "m", "one") + blockRow(t, "r2", "m:1", "another's"), blockRow(t, "r3", "m", "two")} {
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: fmt.Sprint(n, ".jsonl"), Source: strings.NewReader(file)}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"another's", "one", "two"}, blockTexts(t, s, "s1")); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// What the head of a transcript says of its session stays, though nothing else of it was
// written yet when it was read.
func TestImportHeadAlone(t *testing.T) {
	s, _ := memorytest.Open(t)
	head := `{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"c1","cwd":"/work/api","originator":"codex_exec","cli_version":"0.98.0","git":{"branch":"main"}}}` + "\n"
	prompt := `{"timestamp":"2026-01-02T03:04:07Z","type":"event_msg","payload":{"type":"user_message","message":"hi"}}` + "\n"
	var known domain.Session
	for _, file := range []string{head, head + prompt} {
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Codex, Name: "rollout-1.jsonl", Source: strings.NewReader(file)})
		if err != nil {
			t.Fatal(err)
		}
		if known, err = s.Store.Session(ctx, a.Sessions[0]); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"cwd": "/work/api", "git_branch": "main", "originator": "codex_exec", "version": "0.98.0"}
	if diff := cmp.Diff(want, known.Attributes); diff != "" || known.LastSeq != 1 {
		t.Errorf("%d events; attributes (-want +got):\n%s", known.LastSeq, diff)
	}
}

// I5: an older wake numbered a message's calls among its blocks. Its sessions take in
// nothing again, wherever an append begins.
func TestImportMessagesNumberedWithCalls(t *testing.T) {
	s, now := memorytest.Open(t)
	ref := memory.SessionRef{Client: "claude-code", ClientSessionID: "s1"}
	blocks := func(places ...int) (events []domain.Event) {
		for i, place := range places {
			e, err := domain.NewEvent(now.Now(), domain.AssistantKey("m", place), domain.Message{Role: domain.RoleAssistant, Content: fmt.Sprint("text ", i)})
			if err != nil {
				t.Fatal(err)
			}
			e.Source = domain.SourcePos{Name: "t.jsonl", ID: fmt.Sprint("r", i)}
			events = append(events, e)
		}
		return events
	}
	if _, err := s.Append(ctx, memory.AppendRequest{Ref: ref, Events: blocks(1, 3, 5)}); err != nil {
		t.Fatal(err)
	}
	for _, e := range blocks(0, 1, 2) {
		if a, err := s.Append(ctx, memory.AppendRequest{Ref: ref, Events: []domain.Event{e}}); err != nil || a.Repeated != 1 {
			t.Errorf("%s: %d known, %v", e.Key, a.Repeated, err)
		}
	}
}

// I5: an older wake made the keys of prompts in parts from all of their text. Its sessions take
// in nothing again, however many such prompts have the same words.
func TestImportPromptsKeyedByAllOfTheirText(t *testing.T) {
	claude := func(uuid string, text string) string {
		return row(t, map[string]any{"type": "user", "uuid": uuid, "sessionId": "s1", "message": map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "text", "text": text}}}})
	}
	codex := func(texts ...string) string {
		var parts []any
		for _, text := range texts {
			parts = append(parts, map[string]any{"type": "input_text", "text": text})
		}
		return row(t, map[string]any{"timestamp": "2026-05-01T10:00:00Z", "type": "response_item",
			"payload": map[string]any{"type": "message", "role": "user", "content": parts}})
	}
	answer := row(t, map[string]any{"timestamp": "2026-05-01T10:00:01Z", "type": "response_item",
		"payload": map[string]any{"type": "message", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "so"}}}})
	for client, rows := range map[string]string{
		"claude-code": claude("u1", "go on ") + claude("u2", "go on") + claude("u3", " go on") + claude("u4", "go on "),
		"codex":       row(t, map[string]any{"type": "session_meta", "payload": map[string]any{"id": "s1", "cwd": "/p"}}) + codex("why?", "how?") + answer + codex("why?", "how?") + answer,
	} {
		s, _ := memorytest.Open(t)
		format, name := transcript.Format(client), "s1.jsonl"
		var older []domain.Event
		nth := map[string]int{}
		reader, err := transcript.NewReader(format, name, strings.NewReader(rows), domain.IngestCursor{})
		if err != nil {
			t.Fatal(err)
		}
		for item, err := range reader.Items() {
			if err != nil {
				t.Fatal(err)
			}
			if item.Event == nil {
				continue
			}
			e := *item.Event
			if m, err := e.Message(); err == nil && m.Human() {
				nth[m.Content]++
				e.Key = domain.HumanKey(m.Content, nth[m.Content])
			}
			older = append(older, e)
		}
		ref := memory.SessionRef{Client: client, ClientSessionID: "s1"}
		if _, err := s.Append(ctx, memory.AppendRequest{Ref: ref, Events: older, Import: true}); err != nil {
			t.Fatal(err)
		}
		if a := importFile(t, s, format, "moved/"+name, []byte(rows)); a.Events.Taken != 0 || a.Events.Known != len(older) {
			t.Errorf("%s: %d of %d events are taken again", client, a.Events.Taken, len(older))
		}
		if client != "claude-code" {
			continue
		}
		s, _ = memorytest.Open(t) // that has read the same file itself
		importFile(t, s, format, name, []byte(rows))
		if a, err := s.Append(ctx, memory.AppendRequest{Ref: ref, Events: older, Import: true}); err != nil || a.Accepted != 0 {
			t.Errorf("%d of %d events of an older wake are taken again: %v", a.Accepted, len(older), err)
		}
	}
}

// messageRows are the rows of two API messages, and what each row's blocks say.
func messageRows(t *rapid.T) (rows []string, said [][]string) {
	for i := range rapid.IntRange(2, 8).Draw(t, "rows") {
		msg := "msg_" + string("ab"[min(1, i/4)])
		var blocks []any
		var texts []string
		for n := range rapid.IntRange(1, 3).Draw(t, "blocks") {
			text := fmt.Sprintf("%s %d.%d", msg, i, n)
			kind := rapid.SampledFrom([]string{"text", "thinking"}).Draw(t, "kind")
			blocks, texts = append(blocks, map[string]any{"type": kind, kind: text}), append(texts, text)
		}
		for n := range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "times") {
			rows, said = append(rows, row(t, map[string]any{"type": "assistant", "uuid": fmt.Sprint("r", i, "-", n), "sessionId": "s1",
				"message": map[string]any{"id": msg, "role": "assistant", "content": blocks}})), append(said, texts)
		}
	}
	return rows, said
}

// blockTexts are what a session's assistant said and thought, in alphabetical order.
func blockTexts(t fataler, s *memory.Service, clientID string) []string {
	t.Helper()
	owner, err := s.Store.SessionByClient(ctx, "claude-code", clientID)
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventMessage, domain.EventReasoning}})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range events {
		texts = append(texts, blockText(t, e))
	}
	slices.Sort(texts)
	return texts
}

func blockText(t fataler, e domain.Event) string {
	t.Helper()
	m, err := e.Message()
	if err == nil && e.Type == domain.EventMessage {
		return m.Content
	}
	r, err := domain.PayloadAs[domain.Reasoning](e)
	if err != nil {
		t.Fatal(err)
	}
	return r.Content
}

func sorted(texts map[string]bool) []string {
	var list []string
	for text := range texts {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// I5: beside the whole of a session its pieces add nothing, in whatever order they come.
func TestImportPiecesBesideWhole(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		rows := sessionRows(t)
		files := []string{strings.Join(rows, "")}
		want := importedKeys(t, folder, files)
		for range rapid.IntRange(1, 3).Draw(t, "pieces") {
			from := rapid.IntRange(0, len(rows)-1).Draw(t, "from")
			files = append(files, strings.Join(rows[from:rapid.IntRange(from+1, len(rows)).Draw(t, "to")], ""))
		}
		if diff := cmp.Diff(want, importedKeys(t, folder, rapid.Permutation(files).Draw(t, "order"))); diff != "" {
			t.Fatalf("events (-whole +pieces):\n%s", diff)
		}
	})
}

// sessionRows are turns of a session: a prompt, a message of one of two models with a call,
// and what it came back with. It may be compacted between.
func sessionRows(t *rapid.T) (rows []string) {
	parent := any(nil)
	add := func(fields map[string]any) {
		id := fmt.Sprint("r", len(rows))
		fields["uuid"], fields["parentUuid"], fields["sessionId"], fields["timestamp"] = id, parent, "s1", "2026-05-04T08:00:00Z"
		rows, parent = append(rows, row(t, fields)), id
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "turns") {
		add(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": rapid.SampledFrom([]string{"go on", "yes"}).Draw(t, "prompt")}})
		call, model := fmt.Sprintf("toolu_%020d", i), rapid.SampledFrom([]string{"claude-a", "claude-b"}).Draw(t, "model")
		for n, block := range []map[string]any{{"type": "thinking", "thinking": "well"}, {"type": "text", "text": "I look."},
			{"type": "tool_use", "id": call, "name": "Read", "input": map[string]any{}}, {"type": "text", "text": "And on."}} {
			add(map[string]any{"type": "assistant", "message": map[string]any{"id": fmt.Sprint("msg_", i), "role": "assistant", "model": model,
				"content": []any{block}, "usage": map[string]any{"input_tokens": 9, "output_tokens": 1 + n/2}}})
		}
		add(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": "done"}}}})
		if rapid.IntRange(0, 3).Draw(t, "compacted") == 0 {
			add(map[string]any{"type": "system", "subtype": "compact_boundary"})
			add(map[string]any{"type": "user", "isCompactSummary": true, "message": map[string]any{"role": "user", "content": "What was done."}})
		}
	}
	return rows
}

// importedKeys are the types and keys of a session's events once the files were imported.
func importedKeys(t *rapid.T, folder string, files []string) []string {
	s, _, done := another(t, folder)
	defer done()
	for n, file := range files {
		importRows(t, s, fmt.Sprint(n, ".jsonl"), file)
	}
	return sessionKeys(t, s)
}

// I18: an export that is imported piece by piece, each piece a new start, is whole
// in the end.
func TestImportExportInPieces(t *testing.T) {
	from, now := memorytest.Open(t)
	for i := range 60 {
		now.Pass(time.Minute)
		if _, err := from.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "test", ClientSessionID: fmt.Sprint(i % 2)},
			Events: []json.RawMessage{fmt.Appendf(nil, `{"type":"message","role":"user","content":"said %d"}`, i)}}); err != nil {
			t.Fatal(err)
		}
		save(t, from, memory.SaveRequest{Content: fmt.Sprintf("fact number %d", i)})
	}
	whole := exported(t, from, memory.ExportRequest{})
	to, _ := memorytest.Open(t)
	text := fmt.Sprintf(`{"wake":%d}`, transcript.LinesVersion) + "\n" + whole
	for end := 0; end < len(text); {
		end = min(len(text), end+len(text)/7)
		if _, err := to.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "all.jsonl", Source: strings.NewReader(text[:end])}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(whole, "\n"), strings.Split(exported(t, to, memory.ExportRequest{}), "\n")); diff != "" {
		t.Errorf("imported in pieces (-want +got):\n%s", diff)
	}
}

// A session that is known here under another id, because its transcript was
// imported here too, is joined: what is new comes in, once.
func TestImportExportOfKnownSession(t *testing.T) {
	record := func(s *memory.Service, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if _, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "claude-code", ClientSessionID: "s1"},
				Events: []json.RawMessage{fmt.Appendf(nil, `{"type":"message","role":"user","content":%q}`, text)}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	from, _ := memorytest.Open(t)
	to, _ := memorytest.Open(t)
	record(from, "one", "two", "three")
	record(to, "one", "elsewhere")
	body := exported(t, from, memory.ExportRequest{})
	for range 2 {
		if a := imported(t, to, body); len(a.Notes) != 1 {
			t.Errorf("the import says %q", a.Notes)
		}
	}
	if got, want := humanTexts(t, to, "claude-code", "s1"), []string{"one", "elsewhere", "two", "three"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}
