package memory_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"wake/memory"
	"wake/recall"
	"wake/transcript"
)

// What an import reads of messages before it knows where they go is what is read of
// them once they are there, also where two sessions say the same at other times.
func TestIndexedByImports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := at(t, path)
	var lines strings.Builder
	for i, session := range []string{"s1", "s1", "s2"} {
		for k, role := range []string{"user", "assistant"} {
			lines.WriteString(row(t, map[string]any{"type": role, "uuid": fmt.Sprint(i, role), "sessionId": session,
				"timestamp": fmt.Sprintf("2026-05-04T08:%02d:00Z", 10*i+k), "message": map[string]any{"role": role, "content": "Does port 5433 stay?"}}))
		}
	}
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "a", Source: strings.NewReader(lines.String())}); err != nil {
		t.Fatal(err)
	}
	imported := documents(t, path)
	reindex(t, s)
	if again := documents(t, path); len(again) != 6 || !maps.EqualFunc(imported, again, bytes.Equal) {
		t.Errorf("the import made %d documents, of which some are not among the %d of a new index", len(imported), len(again))
	}
}

// documents are those of messages in the index, by their places, without their numbers.
func documents(t *testing.T, path string) map[string][]byte {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT session_id, seq, document FROM search_documents WHERE session_id IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string][]byte{}
	for rows.Next() {
		var session string
		var seq int
		var data []byte
		if err := rows.Scan(&session, &seq, &data); err != nil {
			t.Fatal(err)
		}
		d, err := recall.DecodeDocument(0, data)
		if err != nil {
			t.Fatal(err)
		}
		d.Prev = 0
		found[fmt.Sprint(session, " ", seq)] = d.Encode()
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
