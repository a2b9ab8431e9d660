package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// A file is recognised although a long text stands before what tells its format.
func TestImportRecognisesLongBeginnings(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	dir := filepath.Join(w.home, "files")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(strings.Repeat("a long patch ", 20_000))
	for name, data := range map[string]string{
		"row.jsonl": `{"parentUuid":null,"sessionId":"s1","message":{"role":"user","content":` + string(text) + `},"type":"user","uuid":"u1","timestamp":"2026-02-03T04:00:00Z"}` + "\n",
		"run.json":  `{"info":{"submission":` + string(text) + `},"messages":[{"role":"system","content":"You solve issues."},{"role":"user","content":"fix it"}],"trajectory_format":"mini-swe-agent-1.1"}`,
		"else.json": `{"text":` + string(text) + `,"number":1}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := w.wake("", "import", "auto", dir); !strings.Contains(out, "read 2 sources") || !strings.Contains(out, "in 2 sessions") {
		t.Error(out)
	}
}

// Every product's files may have been stored as UTF-16, as some Windows tools do.
func TestImportWideFiles(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	row := `{"type":"llm","timestamp":1770000000000,"status":"ok","provider":"p","model":"m","tokens":{"inputTokens":7,"outputTokens":8},"txnId":"a"}`
	for path, text := range map[string]string{
		"wide/accounting.jsonl": row + "\n",
		"wide/b.json":           `{"opTree":{"traceId":"b","startedAt":1770000000000,"turns":[{"index":1,"ops":[{"opId":"1","kind":"llm","status":"ok","accounting":[` + row + `]}]}]}}`,
	} {
		wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		w.write(path, wide)
	}
	total := jsonRows(t, w.wake("", "import", "auto", w.home+"/wide", "--json"))[0]
	if total["sources"] != 2.0 || total["failed"] != 0.0 || total["skipped"] != 0.0 || total["sessions"] != 2.0 {
		t.Errorf("%v", total)
	}
}
