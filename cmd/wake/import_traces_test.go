package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/transcript"
)

// The files of an AutoByteus agent are read from the oldest traces on, and its working
// context last, whenever they were copied.
func TestAutoByteusFilesInOrder(t *testing.T) {
	root := t.TempDir()
	agent := filepath.Join(root, "memory", "agents", "a7")
	if err := os.MkdirAll(agent, 0o700); err != nil {
		t.Fatal(err)
	}
	trace := func(ts string) string {
		return `{"id":"rt_1","ts":` + ts + `,"turn_id":"turn_0001","seq":1,"trace_type":"user","content":"go on"}` + "\n"
	}
	told := `{"id":"rt_0","ts":1770000000.5,"trace_type":"system_instruction","content":"Be careful."}` + "\n" // it stays in the file at hand
	want := []string{"raw_traces_000001.jsonl", "raw_traces_000002.jsonl", "raw_traces_active.jsonl", "working_context_snapshot.json"}
	for i, text := range []string{trace("1770000001.5"), trace("1770000005.5"), told + trace("1770000009.5"), `{"schema_version":1,"agent_id":"a7","messages":[]}`} {
		file := filepath.Join(agent, want[i])
		write(t, file, text)
		copied := time.Unix(int64(1<<30-i), 0) // in the other order
		if err := os.Chtimes(file, copied, copied); err != nil {
			t.Fatal(err)
		}
	}
	all, err := (&app{}).sources(transcript.AutoByteus, []string{root})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, src := range all {
		got = append(got, filepath.Base(src.path))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
