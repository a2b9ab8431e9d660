package memory_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/summarizer"
	"wake/transcript"
)

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
	if err != nil || a.Contexts.Taken != 1 || a.Skipped != 1 || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "session_id is 9000 bytes long; the limit is 500") {
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
