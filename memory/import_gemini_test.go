package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// geminiSaid is a message of a person in a chat of Gemini.
func geminiSaid(id, text string) map[string]any {
	return map[string]any{"id": id, "type": "user", "timestamp": "2025-10-01T10:00:01Z", "content": text}
}

// geminiChat is a chat of Gemini, of the session s1.
func geminiChat(t *testing.T, messages ...map[string]any) string {
	return row(t, map[string]any{"sessionId": "s1", "projectHash": "h", "messages": messages})
}

// importGemini imports chats of Gemini whole, and other files that it keeps, one after the other.
func importGemini(t *testing.T, s *memory.Service, files ...string) {
	t.Helper()
	for i, file := range files {
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Gemini, Name: fmt.Sprint("session-", i, ".json"), Source: strings.NewReader(file), Whole: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// A prompt of Gemini that names files was once stored under a key made from these, too. A
// chat that goes on does not bring it again.
func TestImportGeminiPromptOfOlderWake(t *testing.T) {
	s, _ := memorytest.Open(t)
	const typed, files = "What says @fees.txt of it?", "\n--- Content from referenced files ---\nContent from @fees.txt:\nFees are 2 percent.\n--- End of content ---"
	read := func(body string) memory.ImportAnswer {
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Gemini, Name: "session-s1.json", Source: strings.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	id := read(geminiChat(t, geminiSaid("z", "hello"))).Sessions[0]
	old, err := domain.NewEvent(time.Date(2025, 10, 1, 10, 0, 1, 0, time.UTC), domain.HumanKey(typed+files, 1), domain.Message{Role: domain.RoleUser, Content: typed})
	if err != nil {
		t.Fatal(err)
	}
	old.Source = domain.SourcePos{Name: "session-s1.json", Pos: 2000, ID: "a"}
	if _, err := s.Append(ctx, memory.AppendRequest{Ref: memory.SessionRef{SessionID: id}, Events: []domain.Event{old}, Import: true}); err != nil {
		t.Fatal(err)
	}
	first := geminiSaid("a", typed+files)
	read(geminiChat(t, geminiSaid("z", "hello"), first, geminiSaid("b", typed+files), geminiSaid("c", typed)))
	read(geminiChat(t, geminiSaid("z", "hello"), first, geminiSaid("b", typed+files), geminiSaid("c", typed), geminiSaid("d", "thanks")))
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: id, Human: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		m, err := e.Message()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Source.ID+" "+m.Content)
	}
	if diff := cmp.Diff([]string{"z hello", "a " + typed, "b " + typed, "c " + typed, "d thanks"}, got); diff != "" {
		t.Errorf("prompts (-want +got):\n%s", diff)
	}
}

// Until version 0.30, Gemini CLI went on after /clear in another file under the same session, and
// each file counts its prompts and compressions from its own beginning.
func TestImportGeminiChatsOfOneSession(t *testing.T) {
	const summary = "<state_snapshot>\nall is well\n</state_snapshot>"
	first := geminiChat(t, geminiSaid("a", "go on"), geminiSaid("b", summary), geminiSaid("c", "go on"))
	begun, second := geminiChat(t, geminiSaid("d", "go on")), geminiChat(t, geminiSaid("d", "go on"), geminiSaid("e", summary), geminiSaid("f", "thanks"), geminiSaid("g", "go on"))
	var log []any // has the words of both, one after the other
	for _, text := range []string{"go on", "go on", "go on", "thanks", "go on"} {
		log = append(log, map[string]any{"sessionId": "s1", "messageId": len(log), "type": "user", "message": text, "timestamp": "2025-10-01T10:00:01Z"})
	}
	typed, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][]string{"in order": {first, begun, second, first}, "the later one first": {begun, second, first, second},
		"behind the log": {string(typed), first, second, first}, "before the log": {first, second, string(typed)}, "beside the log": {first, string(typed), second}} {
		s, _ := memorytest.Open(t)
		importGemini(t, s, files...)
		owner, err := s.Store.SessionByClient(ctx, transcript.ClientGemini, "s1")
		if err != nil {
			t.Fatal(err)
		}
		got := humanTexts(t, s, transcript.ClientGemini, "s1")
		slices.Sort(got)
		if want := []string{"go on", "go on", "go on", "go on", "thanks"}; !slices.Equal(got, want) || owner.Epoch != 3 {
			t.Errorf("%s: said %q, epoch %d, want %q and 3", name, got, owner.Epoch, want)
		}
	}
}

// A prompt of Gemini behind wake's brief was once stored together with that, from its row or
// by a hook alone. A chat that goes on does not bring it again, but one in the same words.
func TestImportGeminiPromptStoredWithBrief(t *testing.T) {
	const brief = "wake remembers the project shop.\nMore: search_context with a question, causal_chain with an id for the why.\n\n"
	for name, source := range map[string]domain.SourcePos{"row": {Name: "session-s1.json", Pos: 1000, ID: "a"}, "hook": {}} {
		s, _ := memorytest.Open(t)
		old, err := domain.NewEvent(time.Date(2025, 10, 1, 10, 0, 1, 0, time.UTC), domain.HumanKey(brief+"Who pays?", 1), domain.Message{Role: domain.RoleUser, Content: brief + "Who pays?"})
		if err != nil {
			t.Fatal(err)
		}
		old.Source = source
		if _, err := s.Append(ctx, memory.AppendRequest{Ref: memory.SessionRef{Client: "gemini", ClientSessionID: "s1"}, Events: []domain.Event{old}, Import: true}); err != nil {
			t.Fatal(err)
		}
		messages := []map[string]any{geminiSaid("a", brief+"Who pays?"), geminiSaid("b", "And fees?"), geminiSaid("c", "Who pays?"), geminiSaid("d", "Thanks")}
		for n := 2; n <= len(messages); n++ {
			importGemini(t, s, geminiChat(t, messages[:n]...))
		}
		if got, want := humanTexts(t, s, "gemini", "s1"), []string{brief + "Who pays?", "And fees?", "Who pays?", "Thanks"}; !slices.Equal(got, want) {
			t.Errorf("%s: said %q, want %q", name, got, want)
		}
	}
}

// So does a chat of the same session where an earlier one has the same words.
func TestImportGeminiPromptOfOlderWakeElsewhere(t *testing.T) {
	const brief = "wake remembers the project shop.\nMore: search_context with a question, causal_chain with an id for the why.\n\n"
	row := domain.SourcePos{Name: "session-1.json", Pos: 1000, ID: "b"}
	for name, c := range map[string]struct {
		said, stored string
		source       domain.SourcePos
	}{
		"with a file":      {"read @a.txt\n--- Content from referenced files ---\nContent from @a.txt:\nx\n--- End of content ---", "read @a.txt", row},
		"behind the brief": {brief + "go on", brief + "go on", row},
		"told by a hook":   {brief + "go on", brief + "go on", domain.SourcePos{}},
	} {
		s, _ := memorytest.Open(t)
		old, err := domain.NewEvent(time.Date(2025, 10, 1, 10, 0, 1, 0, time.UTC), domain.HumanKey(c.said, 1), domain.Message{Role: domain.RoleUser, Content: c.stored})
		if err != nil {
			t.Fatal(err)
		}
		old.Source = c.source
		if _, err := s.Append(ctx, memory.AppendRequest{Ref: memory.SessionRef{Client: "gemini", ClientSessionID: "s1"}, Events: []domain.Event{old}, Import: true}); err != nil {
			t.Fatal(err)
		}
		hello, first, second := geminiSaid("z", "hello"), geminiSaid("a", c.said), geminiSaid("b", c.said)
		if c.source.ID != "" {
			importGemini(t, s, geminiChat(t, hello, first))
		}
		importGemini(t, s, geminiChat(t, second), geminiChat(t, hello, first), geminiChat(t, second))
		if got := humanTexts(t, s, "gemini", "s1"); len(got) != 3 {
			t.Errorf("%s: said %q, want 3", name, got)
		}
	}
}

// A copy without ids brings nothing again, and its places are no ids.
func TestImportGeminiWithoutIDs(t *testing.T) {
	s, _ := memorytest.Open(t)
	a, b, c := geminiSaid("a", "go on"), geminiSaid("b", "go on"), geminiSaid("c", "go on")
	importGemini(t, s, geminiChat(t, a, b), geminiChat(t, geminiSaid("", "go on"), geminiSaid("", "go on")), geminiChat(t, a, b, c))
	if got := humanTexts(t, s, transcript.ClientGemini, "s1"); len(got) != 3 {
		t.Errorf("said %q, want 3", got)
	}
}

// A message that goes on keeps what it had, under the numbers that it has in the chat.
func TestImportGeminiMessageGoesOn(t *testing.T) {
	s, _ := memorytest.Open(t)
	answer := func(content string, thoughts ...string) string {
		var all []any
		for _, thought := range thoughts {
			all = append(all, map[string]any{"subject": thought, "description": "so"})
		}
		return geminiChat(t, geminiSaid("a", "go on"), map[string]any{"id": "b", "type": "gemini", "content": content, "thoughts": all})
	}
	importGemini(t, s, answer("", "one"), answer("done", "one"), answer("done", "one", "two"))
	owner, err := s.Store.SessionByClient(ctx, transcript.ClientGemini, "s1")
	if err != nil {
		t.Fatal(err)
	}
	held, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID})
	if err != nil {
		t.Fatal(err)
	}
	var got []domain.Key
	for _, e := range held[1:] {
		got = append(got, e.Key)
	}
	if diff := cmp.Diff([]domain.Key{domain.AssistantKey("b", 1), domain.AssistantKey("b", 0), domain.AssistantKey("b", 2)}, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}
