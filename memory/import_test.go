package memory_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/summarizer"
	"wake/transcript"
)

// row is one row of a Claude Code transcript.
func row(t fataler, fields map[string]any) string {
	t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func promptRow(t fataler, n int, text string) string {
	return row(t, map[string]any{"type": "user", "uuid": fmt.Sprint("u", n), "sessionId": "s1", "timestamp": "2026-05-04T08:00:00Z",
		"message": map[string]any{"role": "user", "content": text}})
}

func humanTexts(t fataler, s *memory.Service, client, clientID string) []string {
	t.Helper()
	owner, err := s.Store.SessionByClient(ctx, client, clientID)
	if err != nil {
		t.Fatal(err)
	}
	said, err := s.UserMessages(ctx, owner.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range said {
		texts = append(texts, m.Content)
	}
	return texts
}

// I5: hooks and imports of a growing transcript, in any interleaving, make each
// prompt one message, and equal prompts stay as many as they are.
func TestHooksAndImportsInterleave(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s, _, done := another(t, folder)
		defer done()
		var file strings.Builder
		var want []string
		read := func(live bool) {
			_, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "t.jsonl", Source: strings.NewReader(file.String()), Live: live})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range rapid.IntRange(1, 8).Draw(t, "prompts") {
			text := rapid.SampledFrom([]string{"go on", "yes", "fix it"}).Draw(t, "text")
			want = append(want, text)
			hook := func() {
				_, err := s.Hook(ctx, memory.HookRequest{Hook: transcript.Hook{Client: "claude-code", Moment: transcript.HookPrompt, Name: "UserPromptSubmit",
					SessionID: "s1", TranscriptPath: "t.jsonl", Prompt: text}, Project: "demo", Transcript: strings.NewReader(file.String())})
				if err != nil {
					t.Fatal(err)
				}
			}
			write := func() { file.WriteString(promptRow(t, i, text)) }
			switch rapid.IntRange(0, 4).Draw(t, "order") {
			case 0:
				hook()
				write()
			case 1:
				write()
				hook()
			case 2:
				hook()
				write()
				read(true)
			case 3: // no hook ran
				write()
			case 4:
				hook()
				write()
				read(false)
				read(true)
			}
		}
		read(true)
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "copy.jsonl", Source: strings.NewReader(file.String())}); err != nil {
			t.Fatal(err)
		}
		got := humanTexts(t, s, "claude-code", "s1")
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("said (-want +got):\n%s", diff)
		}
	})
}

// Parents and children find each other whichever is imported first: the tree has
// the sub-agent under the call that started it (001-08).
func TestImportChildren(t *testing.T) {
	parent := row(t, map[string]any{"type": "user", "uuid": "a", "sessionId": "s1", "timestamp": "2026-05-04T08:00:00Z", "message": map[string]any{"role": "user", "content": "look into it"}}) +
		row(t, map[string]any{"type": "assistant", "uuid": "b", "sessionId": "s1", "timestamp": "2026-05-04T08:00:01Z", "message": map[string]any{"id": "m1", "role": "assistant", "model": "m",
			"content": []any{map[string]any{"type": "tool_use", "id": "call1", "name": "Task", "input": map[string]any{}}}}}) +
		row(t, map[string]any{"type": "user", "uuid": "c", "sessionId": "s1", "timestamp": "2026-05-04T08:00:09Z", "toolUseResult": map[string]any{"agentId": "ag1", "content": []any{}},
			"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "call1", "content": "found"}}}})
	child := row(t, map[string]any{"type": "user", "uuid": "d", "sessionId": "s1", "agentId": "ag1", "isSidechain": true, "timestamp": "2026-05-04T08:00:02Z", "message": map[string]any{"role": "user", "content": "search"}}) +
		row(t, map[string]any{"type": "assistant", "uuid": "e", "sessionId": "s1", "agentId": "ag1", "isSidechain": true, "timestamp": "2026-05-04T08:00:03Z", "message": map[string]any{"id": "m2", "role": "assistant", "model": "m", "content": []any{map[string]any{"type": "text", "text": "found"}}}})
	files := map[string]string{"s1.jsonl": parent, "s1/subagents/agent-ag1.jsonl": child}
	var trees []string
	for _, order := range [][]string{{"s1.jsonl", "s1/subagents/agent-ag1.jsonl"}, {"s1/subagents/agent-ag1.jsonl", "s1.jsonl"}} {
		s, _ := memorytest.Open(t)
		for _, name := range order {
			if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: name, Source: strings.NewReader(files[name])}); err != nil {
				t.Fatal(err)
			}
		}
		owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
		if err != nil {
			t.Fatal(err)
		}
		tree, err := s.SessionTree(ctx, owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, shape(tree))
	}
	want := "s1[call1[" + transcript.AgentSession("s1", "ag1") + "[]]]"
	if trees[0] != want || trees[1] != want {
		t.Errorf("trees %q, want both %q", trees, want)
	}
}

func shape(n domain.SessionNode) string {
	var parts []string
	for _, turn := range n.Turns {
		for _, op := range turn.Ops {
			if op.Kind == domain.OpLLM {
				continue
			}
			part := op.ID
			for _, c := range op.Children {
				part += "[" + shape(c) + "]"
			}
			parts = append(parts, part)
		}
	}
	for _, c := range n.Orphans {
		parts = append(parts, "orphan "+shape(c))
	}
	return n.Session.ClientSessionID + "[" + strings.Join(parts, " ") + "]"
}

// items is a source that is ready.
func items(list ...transcript.Item) iter.Seq2[transcript.Item, error] {
	return func(yield func(transcript.Item, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}

func rival(content string) transcript.Item {
	return transcript.Item{Context: &domain.ContextSnapshot{ID: transcript.ContextID(transcript.Engram, "obs-1", content), Content: content,
		Metadata: map[string]any{"source_id": "obs-1"}}, Whole: true}
}

// A rival's memory that was changed since the last import supersedes what was
// imported of it; one without a time has the file's; one that was purged stays
// away.
func TestImportRivalAgain(t *testing.T) {
	s, now := memorytest.Open(t)
	at := now.Now().Add(-72 * time.Hour)
	read := func(content string) memory.ImportAnswer {
		t.Helper()
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: "engram.db", Items: items(rival(content)), At: at})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	read("the queue holds ten jobs")
	now.Pass(time.Hour)
	read("the queue holds twenty jobs")
	if a := read("the queue holds twenty jobs"); a.Contexts != (memory.Tally{Known: 1}) {
		t.Errorf("the third import: %+v", a)
	}
	old, fresh := rival("the queue holds ten jobs").Context.ID, rival("the queue holds twenty jobs").Context.ID
	if c := load(t, s, old); c.SupersededBy != fresh || !c.Timestamp.Equal(at) {
		t.Errorf("the old one is superseded by %q, want %s; its time is %v, want %v", c.SupersededBy, fresh, c.Timestamp, at)
	}
	if _, err := s.Purge(ctx, memory.PurgeRequest{ID: fresh}); err != nil {
		t.Fatal(err)
	}
	if a := read("the queue holds twenty jobs"); a.Contexts.Taken != 0 {
		t.Error("what was purged came back by an import")
	}
}

// What stands beside another thing in a source does not replace it: observations of
// one entity, relations, and memories of the same name in another file.
func TestImportReplacesOnlyWhatChanged(t *testing.T) {
	s, _ := memorytest.Open(t)
	anna := func(kind string) string {
		return `{"type":"entity","name":"Anna","entityType":"` + kind + `","observations":["likes tea","works at X"]}
{"type":"relation","from":"Anna","to":"X","relationType":"works_at"}
{"type":"relation","from":"Anna","to":"Y","relationType":"left"}
`
	}
	read := func(format transcript.Format, name, text string) {
		t.Helper()
		a, err := s.Import(ctx, memory.ImportRequest{Format: format, Name: name, Source: strings.NewReader(text)})
		if err != nil || a.Skipped > 0 {
			t.Fatal(a, err)
		}
	}
	superseded := func() (gone []string) {
		t.Helper()
		list, err := s.Store.Contexts(ctx, domain.ContextQuery{Order: domain.Oldest})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.SupersededBy != "" {
				gone = append(gone, c.Summary)
			}
		}
		return gone
	}
	read(transcript.ServerMemory, "memory.jsonl", anna("person"))
	read(transcript.MemoryMD, "a/MEMORY.md", "# Build\n\nuse make")
	read(transcript.MemoryMD, "b/MEMORY.md", "# Build\n\nuse ninja")
	read(transcript.MemoryMD, "c/MEMORY.md", "# Build\n## Commands\nmake all\n# Test\n## Commands\nmake test\n# Notes\none\n# Notes\ntwo")
	folder := fstest.MapFS{"a/notes.md": {Data: []byte("---\nname: a\n---\nnote of a")}, "b/notes.md": {Data: []byte("---\nname: b\n---\nnote of b")}}
	if a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.MemoryMD, Name: "folder", Items: transcript.ReadMemoryFolder(folder)}); err != nil || a.Contexts.Taken != 2 {
		t.Fatal(a, err)
	}
	if got := superseded(); len(got) > 0 {
		t.Errorf("replaced: %q", got)
	}
	read(transcript.ServerMemory, "memory.jsonl", anna("colleague"))
	read(transcript.MemoryMD, "a/MEMORY.md", "# Build\n\nuse just")
	read(transcript.MemoryMD, "c/MEMORY.md", "# Build\n## Commands\nmake all\n# Test\n## Commands\nmake check\n# Notes\none\n# Notes\nthree")
	if diff := cmp.Diff([]string{"Anna (person)", "Build. use make", "Commands. make test"}, superseded()); diff != "" {
		t.Error(diff)
	}
}

// An event that no session takes, or whose time is ahead, does not keep its
// neighbours out.
func TestImportBadEvents(t *testing.T) {
	s, now := memorytest.Open(t)
	event := func(at time.Time, key domain.Key, payload string) transcript.Item {
		return transcript.Item{Event: &domain.Event{SessionID: "x", Type: domain.EventMessage, At: at, Key: key, Payload: []byte(payload)}, Whole: true}
	}
	var skipped []transcript.Skipped
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Codex, Name: "x", Skipped: func(sk transcript.Skipped) { skipped = append(skipped, sk) }, Items: items(
		event(now.Now(), "1", `{"role":"user","content":"good"}`),
		event(now.Now(), "2", `{"role":"nobody","content":"bad"}`),
		event(now.Now().Add(100*24*time.Hour), "3", `{"role":"user","content":"ahead"}`))})
	if err != nil || a.Events.Taken != 2 || a.Skipped != 1 || len(skipped) != 1 {
		t.Errorf("%+v, %v, %v", a, skipped, err)
	}
	if got := humanTexts(t, s, "codex", "x"); !slices.Equal(got, []string{"good", "ahead"}) {
		t.Errorf("kept %q", got)
	}
}

// A session that cannot be does not keep the others of its file out, and a name
// that cannot be does not keep out what was said.
func TestImportBadSessions(t *testing.T) {
	s, _ := memorytest.Open(t)
	said := func(id, text string) string {
		return row(t, map[string]any{"type": "user", "uuid": text, "sessionId": id, "message": map[string]any{"role": "user", "content": text}})
	}
	long := strings.Repeat("x", 600)
	file := said("s1", "one") + said(long, "nowhere") + said("s1", "two") + said("a\x00b", "nowhere else")
	var lines []int
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "t.jsonl", Source: strings.NewReader(file),
		Skipped: func(sk transcript.Skipped) { lines = append(lines, sk.Line) }})
	if err != nil || a.Skipped != 2 || !slices.Equal(lines, []int{2, 4}) {
		t.Errorf("%+v, %v, lines %v", a, err, lines)
	}
	if got := humanTexts(t, s, "claude-code", "s1"); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("kept %q", got)
	}
	rollout := `{"type":"session_meta","payload":{"id":"c1","model_provider":"` + long + `","source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + long + `"}}}}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}
`
	a, err = s.Import(ctx, memory.ImportRequest{Format: transcript.Codex, Name: "r.jsonl", Source: strings.NewReader(rollout)})
	if err != nil || a.Events.Taken != 1 || a.Skipped != 0 {
		t.Errorf("names too long: %+v, %v", a, err)
	}
}

// A line with an id or another word that no store can hold, or without the time that
// it was, is left out, and told, and the others come, on either engine.
func TestImportBadLines(t *testing.T) {
	long := noise(9000)
	context := func(fields string) string {
		return `{"context":{"id":"a","content":"Prices are whole cents"` + fields + `}}`
	}
	var file strings.Builder
	bad := []string{
		`{"context":{"id":"` + long + `","content":"x"}}`, `{"context":{"id":"a\u0000b","content":"x"}}`,
		context(`,"session_id":"` + long + `"`), context(`,"tags":["` + long + `"]`), context(`,"tags":["a,b"]`), context(`,"memory":{"tier":"` + long + `"}`),
		context(`,"causality":{"caused_by":"` + long + `"}`), context(`,"causality":{"dependencies":["` + long + `"]}`),
		`{"context":{"id":"a","content":"x"},"links":[{"from":"a","to":"` + long + `","kind":"cause","added_at":"2026-05-04T08:00:00Z"}]}`,
		`{"context":{"id":"a","content":"x"},"links":[{"from":"a","to":"b","kind":"cause"}]}`,
		`{"context":{"id":"a","content":"x"},"tags":[{"tag":"` + long + `","added_at":"2026-05-04T08:00:00Z"}]}`,
		`{"context":{"id":"a","content":"x"},"tags":[{"tag":"x"}]}`,
		`{"context":{"id":"a","content":"x"},"vectors":[{"model":"` + long + `","data":""}]}`,
		`{"link":{"from":"a","to":"` + long + `","kind":"cause"}}`,
		`{"access":{"context_id":"b","how":"` + long + `","at":"2026-05-04T08:00:00Z"}}`,
		`{"erased":{"id":"` + long + `","erased_at":"2026-05-04T08:00:00Z"}}`,
		`{"checkpoint":{"id":"` + long + `","session_id":"s"}}`, `{"handoff":{"id":"` + long + `","session_id":"s"}}`,
		`{"firing":{"session_id":"s","epoch":1}}`,
	}
	var lines []int
	fmt.Fprintln(&file, `{"wake":2}`)
	fmt.Fprintln(&file, `{"context":{"id":"b","content":"The first of its file"}}`)
	for i, line := range bad {
		lines = append(lines, i+3)
		fmt.Fprintln(&file, line)
	}
	fmt.Fprintln(&file, `{"context":{"id":"`+long[:domain.MaxID]+`","content":"The last of its file"}}`)
	onBothEngines(t, func(t *testing.T, s *memory.Service) {
		var told []int
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "bad.jsonl", Source: strings.NewReader(file.String()),
			Skipped: func(sk transcript.Skipped) { told = append(told, sk.Line) }})
		if err != nil || a.Contexts.Taken != 2 || a.Skipped != len(bad) || !slices.Equal(told, lines) {
			t.Errorf("%+v, %v, told of the lines %v", a, err, told)
		}
	})
}

// Another memory may have any words as a type, and any text as the name of a session.
func TestImportForeignWords(t *testing.T) {
	s, _ := memorytest.Open(t)
	file := `{"type":"entity","name":"Anna","entityType":"person, developer","observations":["likes tea"]}`
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ServerMemory, Name: "m.json", Source: strings.NewReader(file)})
	if err != nil || a.Contexts.Taken == 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	list, err := s.Store.Contexts(ctx, domain.ContextQuery{})
	if err != nil || !slices.Contains(list[0].Tags, "person") || !slices.Contains(list[0].Tags, "developer") {
		t.Errorf("%q, %v", list[0].Tags, err)
	}
	dump, err := json.Marshal([]map[string]any{{"id": "one", "content": "kept here", "metadata": `{"sessionId":"` + noise(9000) + `"}`}, {"id": "two", "content": "and there"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err = s.Import(ctx, memory.ImportRequest{Format: transcript.WakeIQX, Name: "d.json", Source: bytes.NewReader(dump)})
	if err != nil || a.Contexts.Taken != 1 || a.Skipped != 1 || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "session_id is longer than 500 bytes") {
		t.Errorf("%+v, %v", a, err)
	}
}

// onBothEngines runs a test over a new file, and over a new schema.
func onBothEngines(t *testing.T, test func(*testing.T, *memory.Service)) {
	t.Run("SQLite", func(t *testing.T) {
		s, _ := memorytest.Open(t)
		test(t, s)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		store, err := postgres.Open(ctx, pgtest.Start(t).Schema(t), postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s := memory.New(store, summarizer.Extractive{})
		s.DefaultProject = memorytest.Project
		defer s.Close(ctx)
		test(t, s)
	})
}

// noise is text of n letters that no database compresses to fit an index.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(26))
	}
	return string(text)
}

// A time that its zone puts outside of the years that are stored can be read again.
func TestImportTimesOfOtherYears(t *testing.T) {
	s, _ := memorytest.Open(t)
	line := `{"context":{"id":"ID","content":"Prices are whole cents","timestamp":"0000-01-01T00:00:00+12:00","saved_at":"TIME"},` +
		`"links":[{"from":"ID","to":"x","kind":"dependency","added_at":"TIME"}]}` + "\n" +
		`{"access":{"context_id":"ID","how":"used","at":"TIME"}}` + "\n"
	a := imported(t, s, strings.NewReplacer("ID", "a", "TIME", "9999-12-31T23:59:59-12:00").Replace(line)+
		strings.NewReplacer("ID", "b", "TIME", "0000-01-01T00:00:00+12:00").Replace(line))
	if a.Contexts.Taken != 2 {
		t.Errorf("%+v", a)
	}
	if out := exported(t, s, memory.ExportRequest{}); strings.Count(out, "\n") != 4 {
		t.Errorf("exported\n%s", out)
	}
}

// An import that was stopped before it came to the decisions makes up for them when
// it is started again, although nothing in the source is new.
func TestImportDistilsLater(t *testing.T) {
	s, _ := memorytest.Open(t)
	file := promptRow(t, 1, "Where do the prices live?") + row(t, map[string]any{"type": "assistant", "uuid": "a1", "sessionId": "s1",
		"timestamp": "2026-05-04T08:00:01Z", "message": map[string]any{"id": "m1", "role": "assistant",
			"content": []map[string]any{{"type": "text", "text": "We decided to use whole cents for prices because fractions do not add up."}}}})
	req := func() memory.ImportRequest {
		return memory.ImportRequest{Format: transcript.ClaudeCode, Name: "t.jsonl", Source: strings.NewReader(file)}
	}
	if _, err := s.Import(ctx, req()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0} {
		if got := importDistilled(t, s, req()).Distilled; got != want {
			t.Errorf("import %d: %d distilled, want %d", i+2, got, want)
		}
	}
}

// importDistilled imports a source and makes contexts of the decisions in it.
func importDistilled(t *testing.T, s *memory.Service, req memory.ImportRequest) memory.ImportAnswer {
	t.Helper()
	a, err := s.Import(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DistilImport(ctx, &a); err != nil {
		t.Fatal(err)
	}
	return a
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

// I5: files of one session that hold different stretches of it, as a client leaves
// them when it is resumed and a backup cuts them out, make each row one event
// whatever is read first: equal prompts stay as many as they are.
func TestImportOverlappingFiles(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s, _, done := another(t, folder)
		defer done()
		rows := make([]string, rapid.IntRange(1, 12).Draw(t, "rows"))
		texts := make([]string, len(rows))
		for i := range rows {
			texts[i] = rapid.SampledFrom([]string{"go on", "yes", "fix it"}).Draw(t, "text")
			rows[i] = promptRow(t, i, texts[i])
			if rapid.IntRange(0, 5).Draw(t, "compacted") == 0 {
				rows[i] += row(t, map[string]any{"type": "system", "subtype": "compact_boundary", "uuid": fmt.Sprint("b", i), "sessionId": "s1"})
			}
		}
		covered, boundaries := map[int]bool{}, map[int]bool{}
		for n := range rapid.IntRange(1, 5).Draw(t, "files") {
			from := rapid.IntRange(0, len(rows)-1).Draw(t, "from")
			to := rapid.IntRange(from+1, len(rows)).Draw(t, "to")
			if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: fmt.Sprint(n, ".jsonl"), Source: strings.NewReader(strings.Join(rows[from:to], ""))}); err != nil {
				t.Fatal(err)
			}
			for i := from; i < to; i++ {
				covered[i], boundaries[i] = true, strings.Contains(rows[i], "compact_boundary")
			}
		}
		var want []string
		epoch := int64(1)
		for i := range covered {
			want = append(want, texts[i])
			if boundaries[i] {
				epoch++
			}
		}
		got := humanTexts(t, s, "claude-code", "s1")
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("said (-want +got):\n%s", diff)
		}
		if owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1"); err != nil || owner.Epoch != epoch {
			t.Fatalf("epoch %d, want %d: %v", owner.Epoch, epoch, err)
		}
	})
}

// I5: what others write to a session in the middle of an import, rows that the import
// is still to come to among it, is there once.
func TestImportBesideAnother(t *testing.T) {
	s, _ := memorytest.Open(t)
	var file strings.Builder
	file.WriteString(promptRow(t, 0, "begin"))
	for i := range 3000 {
		file.WriteString(row(t, map[string]any{"type": "assistant", "uuid": fmt.Sprint("a", i), "sessionId": "s1", "timestamp": "2026-05-04T08:00:01Z",
			"message": map[string]any{"id": fmt.Sprint("msg", i/2), "role": "assistant", "model": "m", "usage": map[string]any{"output_tokens": i%2 + 1},
				"content": []any{map[string]any{"type": "tool_use", "id": fmt.Sprint("tool", i), "name": "Read", "input": map[string]any{"n": i}}}}}))
		file.WriteString(row(t, map[string]any{"type": "user", "uuid": fmt.Sprint("r", i), "sessionId": "s1", "timestamp": "2026-05-04T08:00:02Z",
			"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprint("tool", i), "content": "done"}}}}))
	}
	take := func(s *memory.Service, name string, source string, progress func(memory.ImportAnswer)) memory.ImportAnswer {
		t.Helper()
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: name, Source: strings.NewReader(source), Progress: progress})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	alone, _ := memorytest.Open(t)
	want := take(alone, "t.jsonl", file.String(), nil)

	steps := 0
	var beside memory.ImportAnswer
	got := take(s, "t.jsonl", file.String(), func(memory.ImportAnswer) {
		if steps++; steps == 3 {
			lines := strings.SplitAfter(file.String(), "\n")
			beside = take(s, "copy.jsonl", strings.Join(lines[1000:4000], ""), nil)
		}
	})
	both := beside.Events.Taken
	if both <= 0 || got.Events.Known != both || got.Events.Taken+both != want.Events.Taken {
		t.Errorf("alone %+v; %+v beside %+v", want.Events, got.Events, beside.Events)
	}
	totals := func(s *memory.Service) domain.Totals {
		owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
		if err != nil {
			t.Fatal(err)
		}
		return owner.Totals
	}
	if d := cmp.Diff(totals(alone), totals(s)); d != "" {
		t.Errorf("totals alone and beside another differ:\n%s", d)
	}
}

// A fork's file begins with copies of its origin's rows: they are in both sessions, what
// they cost is the origin's alone (I15), and a decision in them is one context.
func TestImportForks(t *testing.T) {
	s, _ := memorytest.Open(t)
	said := func(session, uuid, text, more string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:00Z","message":{"role":"user","content":%q}%s}`+"\n", uuid, session, text, more)
	}
	answered := func(session, uuid, msg, more string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:01Z","message":{"id":%q,"model":"m",`+
			`"content":[{"type":"tool_use","id":"toolu_%s","name":"Read","input":{}}],"usage":{"input_tokens":100,"output_tokens":1}}%s}`+"\n", uuid, session, msg, msg, more)
	}
	read := func(session, uuid, msg, more string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%s","content":"ok"}]}%s}`+"\n", uuid, session, msg, more)
	}
	decision := "We decided to store prices as integer cents because floats lose money when the cart adds them up."
	from := `,"forkedFrom":{"sessionId":"origin","messageUuid":"u"}`
	origin := said("origin", "u", decision, "") + answered("origin", "v", "m1", "") + read("origin", "w", "m1", "")
	fork := said("fork", "u", decision, from) + answered("fork", "v", "m1", from) + read("fork", "w", "m1", from) +
		said("fork", "x", "go on", "") + answered("fork", "y", "m2", "") + read("fork", "z", "m2", "")
	for name, data := range map[string]string{"origin": origin, "fork": fork} {
		importDistilled(t, s, memory.ImportRequest{Format: transcript.ClaudeCode, Name: name + ".jsonl", Source: strings.NewReader(data)})
	}
	for _, client := range []string{"origin", "fork"} {
		owner, err := s.Store.SessionByClient(ctx, transcript.ClientClaudeCode, client)
		if err != nil || owner.Totals.TokensIn != 100 || owner.Totals.ToolsRun != 1 {
			t.Errorf("%s: totals %+v, %v", client, owner.Totals, err)
		}
	}
	if diff := cmp.Diff([]string{decision, "go on"}, humanTexts(t, s, transcript.ClientClaudeCode, "fork")); diff != "" {
		t.Error(diff)
	}
	made, err := s.Store.Contexts(ctx, domain.ContextQuery{})
	if err != nil || len(made) != 1 {
		t.Errorf("%d contexts, want one: %v", len(made), err)
	}
}

// What is decided in a fork leads to what its origin decided: that is one context, and the
// fork's copy of it none.
func TestImportForkTakesBack(t *testing.T) {
	s, _ := memorytest.Open(t)
	said := func(session, uuid, text, more string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"timestamp":"2026-05-04T08:00:00Z","message":{"role":"user","content":%q}%s}`+"\n", uuid, session, text, more)
	}
	const decision, reversal = "Let's use Redis for the session cache.", "Actually, let's drop Redis for the session cache and use Postgres instead."
	for _, source := range [][2]string{
		{"origin", said("origin", "u", decision, "")},
		{"fork", said("fork", "u", decision, `,"forkedFrom":{"sessionId":"origin","messageUuid":"u"}`) + said("fork", "x", reversal, "")},
	} {
		importDistilled(t, s, memory.ImportRequest{Format: transcript.ClaudeCode, Name: source[0] + ".jsonl", Source: strings.NewReader(source[1])})
	}
	made, err := s.Store.Contexts(ctx, domain.ContextQuery{Order: domain.Oldest, WithContent: true})
	if err != nil || len(made) != 2 {
		t.Fatalf("%d contexts, want two: %v", len(made), err)
	}
	if old, newer := made[0], made[1]; newer.Causality.CausedBy != old.ID || old.SupersededBy != newer.ID {
		t.Errorf("%s (%q) is caused by %s; %s (%q) is superseded by %q", newer.ID, newer.Content, newer.Causality.CausedBy, old.ID, old.Content, old.SupersededBy)
	}
}

// A source in whose reading something goes wrong that nobody thought of fails, and what
// was read before it is kept: it may be read by a server, which has more to do.
func TestImportPanics(t *testing.T) {
	s, _ := memorytest.Open(t)
	_, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: "engram.db", Items: func(yield func(transcript.Item, error) bool) {
		yield(rival("Prices are whole cents."), nil)
		panic("unthought of")
	}})
	if err == nil || !strings.Contains(err.Error(), "engram.db") || !strings.Contains(err.Error(), "unthought of") {
		t.Errorf("the import says %v", err)
	}
	if a, err := s.Load(ctx, memory.LoadRequest{}); err != nil || len(a.Contexts) != 1 {
		t.Errorf("%d contexts, %v; want the one before", len(a.Contexts), err)
	}
}

// A reading that was cut off leaves out no part of its source before one that it gives:
// the next import goes on behind the last.
func TestImportLeavesNoGap(t *testing.T) {
	facts := func(yield func(transcript.Item, error) bool) {
		for i := range 3000 {
			text := fmt.Sprint("fact ", i)
			if !yield(transcript.Item{Context: &domain.ContextSnapshot{ID: text, Content: text}, Whole: true}, nil) {
				return
			}
		}
	}
	for range 10 {
		s, _ := memorytest.Open(t)
		reading, cut := context.WithCancel(ctx)
		r := s.ReadImport(reading, memory.ImportRequest{Format: transcript.Engram, Name: "engram", Items: facts})
		time.Sleep(20 * time.Millisecond) // it waits to give its first part
		cut()
		a, err := r.Store(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if first, err := s.Store.ContextsByID(ctx, []string{"fact 0"}, false); err != nil || len(first) == 0 && a.Contexts.Taken > 0 {
			t.Fatalf("%d facts came in without the first: %v", a.Contexts.Taken, err)
		}
	}
}
