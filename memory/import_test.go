package memory_test

import (
	"encoding/json"
	"fmt"
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

// Names that a source has beside the sessions are given to those that are known, once each,
// and to no others.
func TestImportNames(t *testing.T) {
	s, _ := memorytest.Open(t)
	take := func(name, rows string) memory.ImportAnswer {
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Codex, Name: name, Source: strings.NewReader(rows)})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	take("rollout-known.jsonl", `{"timestamp":"2026-05-02T10:00:00Z","type":"session_meta","payload":{"id":"known","timestamp":"2026-05-02T10:00:00Z"}}
{"timestamp":"2026-05-02T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"hello"}}
`)
	rows := `{"id":"unknown","thread_name":"Other","updated_at":"2026-05-02T10:01:00Z"}` + "\n"
	for i, name := range []string{"Cents", "Whole cents", "Cents"} {
		rows += fmt.Sprintf(`{"id":"known","thread_name":"%s","updated_at":"2026-05-02T10:0%d:00Z"}`+"\n", name, i)
		first, again := take("session_index.jsonl", rows), take("copy/session_index.jsonl", rows)
		if first.Events.Taken != 1 || first.Skipped > 0 || again.Events.Taken != 0 {
			t.Errorf("%q: %+v, then %+v", name, first, again)
		}
		list, err := s.Sessions(ctx, memory.SessionsRequest{})
		if err != nil || len(list.Sessions) != 1 || list.Sessions[0].Title != name {
			t.Errorf("sessions %+v, %v; want one named %q", list.Sessions, err, name)
		}
	}
}
