package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
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
		if m, err := e.Message(); err == nil && e.Type == domain.EventMessage {
			texts = append(texts, m.Content)
		} else if r, err := domain.PayloadAs[domain.Reasoning](e); err == nil {
			texts = append(texts, r.Content)
		} else {
			t.Fatal(err)
		}
	}
	slices.Sort(texts)
	return texts
}

func sorted(texts map[string]bool) []string {
	var list []string
	for text := range texts {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}
