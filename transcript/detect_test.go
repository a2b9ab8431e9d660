package transcript_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

func TestDetect(t *testing.T) {
	for path, want := range map[string]transcript.Format{
		"claude-code/session.jsonl": transcript.ClaudeCode, "claude-code/traps.jsonl": transcript.ClaudeCode, "codex/" + codexFile: transcript.Codex,
		"codex/old-rollout.jsonl": transcript.Codex, "gemini/session-2026-01-15T20-51-7a6b5c4d.json": transcript.Gemini,
		"gemini/checkpoint-plan.json": transcript.Gemini, "server-memory/graph.json": transcript.ServerMemory,
		"gemini/session-2026-04-01T10-00-9c8b7a6d.jsonl": transcript.Gemini, "ollm/snapshot-new.json": transcript.OLLM,
		"ollm/snapshot-old.json": transcript.OLLM, "ollm/session.json": transcript.OLLM, "ollm/transition-1769508000000.json": transcript.OLLM,
		"ai-agent/txn-root.json.gz": transcript.AIAgent, "ai-agent/payload.json": transcript.AIAgent, "ai-agent/accounting.jsonl": transcript.AIAgent, "ai-agent/session/txn-lead.jsonl": transcript.AIAgent,
		"autobyteus/agents/agent_7/working_context_snapshot.json": transcript.AutoByteus, "autobyteus/agents/agent_7/raw_traces.jsonl": transcript.AutoByteus,
		"autobyteus/agents/agent_7/episodic.jsonl": transcript.AutoByteus, "swe-agent/fix-colon.traj": transcript.SWEAgent,
		"engram/export.json": transcript.Engram, "server-memory/memory.jsonl": transcript.ServerMemory, "memory-md/prices.md": transcript.MemoryMD,
		"wakeiqx/dump.sql": transcript.WakeIQX,
	} {
		head := own(t, path)
		for _, n := range []int{len(head), min(len(head), 700)} {
			if got, ok := transcript.Detect(path, head[:n]); got != want || !ok {
				if n < len(head) && strings.HasSuffix(path, ".json") {
					continue // the telling fields may stand further down
				}
				t.Errorf("%s by %d bytes: %q, %v; want %s", path, n, got, ok, want)
			}
		}
	}
	abridged := `{"v":1,"agent":"claude-code","cli_version":"1.0","type":"user","ts":"2026-05-08T17:47:43Z","content":[{"id":"u1","text":"fix it"}]}`
	qwen := `{"uuid":"1","sessionId":"s","type":"user","cwd":"/p","message":{"role":"user","parts":[{"text":"fix it"}]}}` + "\n" +
		`{"uuid":"2","sessionId":"s","type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{}}}` + "\n"
	for _, junk := range []string{"", "hello", "{}", `{"a":1}`, "\x1f\x8bjunk", "[1,2]", qwen, abridged, abridged + "\n" + abridged + "\n"} {
		if got, ok := transcript.Detect("x.json", []byte(junk)); ok {
			t.Errorf("%q was taken for %s", junk, got)
		}
	}
	const row = `{"id":"a","project":"p","summary":"s","caused_by":null,"memory_tier":"active"}`
	const answer = `{"results":[` + row + `],"success":true}`
	for _, text := range []string{"[" + answer + "]", "[" + strings.ReplaceAll(answer, ",", ",\n  ") + "]", answer, `{"result":[` + answer + `],"success":true}`, row + "\n" + row + "\n", "[" + row + "]"} {
		if got, ok := transcript.Detect("d1.json", []byte(text)); !ok || got != transcript.WakeIQX {
			t.Errorf("rows of WakeIQX were taken for %q", got)
		}
	}
	const said = `"messages":[{"id":"1","timestamp":"2026-03-01T10:00:00Z","type":"user","content":"fix it"},{"id":"2","timestamp":"2026-03-01T10:00:05Z","type":"gemini","content":"done"}]}`
	for name, text := range map[string]string{"aa/0/full.jsonl": `{` + said, "s.json": `{"sessionId":"s","startTime":"2026-03-01T10:00:00Z",` + said} {
		if got, ok := transcript.Detect(name, []byte(text)); !ok || got != transcript.Gemini {
			t.Errorf("a part of a session of Gemini was taken for %q", got)
		}
	}
	for want, text := range map[transcript.Format]string{ // what is said of a table is no dump of it
		transcript.Gemini:     `[{"role":"user","parts":[{"text":"read context_snapshots"}]},{"role":"model","parts":[{"text":"done"}]}]`,
		transcript.ClaudeCode: `[{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"read context_snapshots"}}]`,
	} {
		if got, ok := transcript.Detect("saved.json", []byte(text)); !ok || got != want {
			t.Errorf("a conversation of %s was taken for %q", want, got)
		}
	}
	for _, file := range samples(t, "claude-code/*.jsonl", "claude-code/entire/*.jsonl", "agentsview/*.json*", "gemini-cli/*.json", "ollm/*.json", "swe-agent/*.traj") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := transcript.Detect(file, data[:min(len(data), transcript.DetectSize)]); !ok {
			t.Errorf("%s was not recognised", file)
		}
	}
}

// Chats of Qwen Code have rows like Claude Code's, and are of no format that wake reads,
// wherever what is seen of them ends.
func TestDetectQwenCode(t *testing.T) {
	const chat = `{"uuid":"a","parentUuid":null,"sessionId":"q","type":"user","message":{"role":"user","parts":[{"text":"save it"}]}}
{"uuid":"b","parentUuid":"a","sessionId":"q","type":"system","subtype":"ui_telemetry","systemPayload":{}}
{"uuid":"c","parentUuid":"b","sessionId":"q","type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"1","name":"save","args":{"content":"it"}}}]}}
`
	for n := strings.Index(chat, "save it"); n <= len(chat); n++ {
		if f, known := transcript.Detect("a.jsonl", []byte(chat[:n])); known || !transcript.IsQwenCode([]byte(chat[:n])) {
			t.Errorf("%d bytes were taken for %q", n, f)
		}
	}
	if transcript.IsQwenCode([]byte(userRow(t, "u", "save it"))) {
		t.Error("a row of Claude Code was taken for one of Qwen Code")
	}
}

// A file is never told to be of another format than its own, whatever it is called and however
// little of it is seen; one that holds rows of two formats is taken for either.
func TestAnother(t *testing.T) {
	for _, f := range transcript.Formats() {
		files, _ := filepath.Glob(filepath.Join("..", "testdata", "transcripts", string(f), "*.*")) // the pattern is well formed
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= len(data); n += 97 {
				if got, ok := transcript.Another(f, "x", data[:n]); ok {
					t.Errorf("%d bytes of %s were taken for %s", n, file, got)
				}
			}
		}
	}
	rows := []byte(`{"type":"event_msg","payload":{}}` + "\n" + `{"type":"user","uuid":"u","message":{"role":"user","content":"x"}}` + "\n")
	for f, want := range map[transcript.Format]transcript.Format{transcript.Codex: "", transcript.ClaudeCode: "", transcript.AIAgent: transcript.Codex} {
		if got, ok := transcript.Another(f, "x.jsonl", rows); got != want || ok != (want != "") {
			t.Errorf("as %s it was taken for %q", f, got)
		}
	}
	for f, text := range map[transcript.Format]string{
		transcript.Gemini:    `[{"sessionId":"s","messageId":0,"type":"user","message":"Use cents","timestamp":"2025-09-01T10:00:00Z"}]`,
		transcript.ClaudeMem: `{"sessions":[],"observations":[{"id":1,"title":"Cents","created_at_epoch":1756720800000}],"prompts":[]}`,
	} {
		if got, ok := transcript.Another(f, "copy.json", []byte(text)); ok {
			t.Errorf("%s was taken for %s", f, got)
		}
	}
	for _, headless := range []string{`{"id":"a","timestamp":"2026-03-01T10:00:00Z","type":"user","content":[{"text":"Use cents"}]}` + "\n",
		`{"sessionId":"s","messages":[{"id":"a","type":"user","content":"Use cents"}]}`} {
		if got, ok := transcript.Another(transcript.Gemini, "x.jsonl", []byte(headless)); ok {
			t.Errorf("a part of a session of Gemini was taken for %s", got)
		}
	}
	if got, ok := transcript.Another(transcript.MemoryMD, "x.json.gz", own(t, "ai-agent/txn-root.json.gz")); !ok || got != transcript.AIAgent {
		t.Errorf("a packed file was taken for %q", got)
	}
}

// ai-agent keeps what it sent and got packed beside its trees: that is no tree. A tree
// whose beginning is damaged still is.
func TestDetectPacked(t *testing.T) {
	noise := make([]byte, 200<<10)
	for i := range noise {
		noise[i] = "0123456789abcdef"[(i*i+i/7)%16]
	}
	tree := packed(t, `{"version":1,"reason":"final","opTree":{"id":"x","turns":[]}}`)
	for name, c := range map[string]struct {
		path string
		data []byte
		want bool
	}{
		"a tree":          {"sessions/o.json.gz", tree, true},
		"a damaged tree":  {"sessions/o.json.gz", tree[:len(tree)-30], true},
		"a request":       {"payloads/o/turn-0001/tool-0001-request.json.gz", packed(t, `{"model":"m","messages":[]}`), false},
		"a long response": {"payloads/o/turn-0001/llm-0001-response.json.gz", packed(t, `{"text":"`+string(noise)+`"}`), false},
		"traffic":         {"payloads/o/turn-0001/llm-0001-request.http.gz", packed(t, "POST / HTTP/1.1\r\n\r\n{}"), false},
	} {
		if f, ok := transcript.Detect(c.path, c.data[:min(len(c.data), transcript.DetectSize)]); ok != c.want || ok && f != transcript.AIAgent {
			t.Errorf("%s is taken for %q, %v", name, f, ok)
		}
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Where the clients keep their files below a home directory.
func TestDiscover(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	file := func(d int) *fstest.MapFile { return &fstest.MapFile{Data: []byte("{}"), ModTime: day(d)} }
	home := fstest.MapFS{
		".claude/projects/-home-ana-shop/aaa.jsonl":                                  file(3),
		".claude/projects/-home-ana-shop/aaa/subagents/agent-1.jsonl":                file(4),
		".claude/projects/-home-ana-shop/memory/MEMORY.md":                           file(2),
		".claude/settings.json":                                                      file(1),
		".claude/agent-memory/reviewer/MEMORY.md":                                    file(1),
		".codex/sessions/2026/01/05/rollout-x.jsonl":                                 file(5),
		".codex/archived_sessions/rollout-y.jsonl.zst":                               file(5),
		".codex/session_index.jsonl":                                                 file(5),
		".gemini/tmp/ab12/chats/session-1.json":                                      file(6),
		".gemini/tmp/ab12/logs.json":                                                 file(6),
		".ollm/context-snapshots/s/snapshots/snapshot-1.json":                        file(7),
		".ollm/context-snapshots/snapshot-map.json":                                  file(7),
		".ollm/context-snapshots/s/snapshots/snapshots-index.json":                   file(7),
		".ollm/context-storage/s/snapshots/snapshot-snap_1.json":                     file(7),
		".ollm/context-storage/s/snapshots/snapshots-index.json":                     file(7),
		".ollm/context-storage/snapshot-map.json":                                    file(7),
		".ollm/snapshots/session-s/transition-1.json":                                file(8),
		".ollm/session-data/s.json":                                                  file(8),
		".ai-agent/sessions/o.json.gz":                                               file(9),
		".ai-agent/sessions/session/o.jsonl":                                         file(9),
		".ai-agent/sessions/payloads/o/turn-0001/tool-0001-request.json.gz":          file(9),
		".ai-agent/accounting.jsonl":                                                 file(10),
		".autobyteus/memory/agents/a7/raw_traces_000001.jsonl":                       file(10),
		".autobyteus/memory/agents/a7/compaction_lineage.jsonl":                      file(10),
		".autobyteus/server-data/memory/agent_teams/t1/a8/raw_traces_active.jsonl":   file(10),
		".engram/engram.db":                                                          file(11),
		".claude-mem/claude-mem.db":                                                  file(12),
		".config/claude/projects/-home-ana-shop/bbb.jsonl":                           file(13),
		".claude/projects/-home-ana-shop/aaa/tool-results/b.jsonl":                   file(14),
		".claude/projects/-home-ana-shop/aaa/subagents/workflows/wf_1/journal.jsonl": file(14),
	}
	var got []string
	for _, f := range transcript.Discover(home) {
		got = append(got, string(f.Format)+" "+f.Path)
	}
	want := []string{
		"memory-md .claude/agent-memory/reviewer/MEMORY.md", "memory-md .claude/projects/-home-ana-shop/memory/MEMORY.md", "claude-code .claude/projects/-home-ana-shop/aaa.jsonl",
		"claude-code .claude/projects/-home-ana-shop/aaa/subagents/agent-1.jsonl", "codex .codex/sessions/2026/01/05/rollout-x.jsonl",
		"codex .codex/archived_sessions/rollout-y.jsonl.zst", "codex .codex/session_index.jsonl", "gemini .gemini/tmp/ab12/chats/session-1.json", "ollm .ollm/context-snapshots/s/snapshots/snapshot-1.json", "ollm .ollm/context-storage/s/snapshots/snapshot-snap_1.json",
		"ollm .ollm/snapshots/session-s/transition-1.json", "ollm .ollm/session-data/s.json", "ai-agent .ai-agent/sessions/o.json.gz", "ai-agent .ai-agent/sessions/session/o.jsonl", "ai-agent .ai-agent/accounting.jsonl",
		"autobyteus .autobyteus/memory/agents/a7/raw_traces_000001.jsonl", "autobyteus .autobyteus/server-data/memory/agent_teams/t1/a8/raw_traces_active.jsonl", "engram .engram/engram.db", "claude-mem .claude-mem/claude-mem.db", "claude-code .config/claude/projects/-home-ana-shop/bbb.jsonl",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestParseFormat(t *testing.T) {
	for text, want := range map[string]transcript.Format{"Claude_Code": transcript.ClaudeCode, " auto ": transcript.Auto, "wake": transcript.Wake} {
		if got, err := transcript.ParseFormat(text); got != want || err != nil {
			t.Errorf("ParseFormat(%q) = %q, %v", text, got, err)
		}
	}
	if _, err := transcript.ParseFormat("word"); domain.KindOf(err) != domain.KindInvalid || !strings.Contains(err.Error(), "claude-code, codex") {
		t.Errorf("unknown format: %v", err)
	}
}

// junctions is a file system in which the folders with a name are junctions, as Go sees
// them on Windows.
type junctions struct {
	fstest.MapFS
	name string
}

func (j junctions) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := j.MapFS.ReadDir(dir)
	for i, e := range entries {
		if e.Name() == j.name {
			entries[i] = junction{e}
		}
	}
	return entries, err
}

type junction struct{ fs.DirEntry }

func (junction) IsDir() bool       { return false }
func (junction) Type() fs.FileMode { return fs.ModeIrregular }

// On Windows a project's folder that is kept elsewhere is a junction.
func TestDiscoverFollowsJunctions(t *testing.T) {
	home := junctions{fstest.MapFS{".claude/projects/linked/kept.jsonl": {}, ".claude/projects/plain/linked/again.jsonl": {}}, "linked"}
	if found := transcript.Discover(home); len(found) != 1 || found[0].Path != ".claude/projects/linked/kept.jsonl" {
		t.Errorf("found %v", found)
	}
}

// A project's folder may be a link to where it is kept; links in a circle end the search
// nowhere.
func TestDiscoverFollowsLinkedFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("who may make links is a matter of rights there, and Wine makes none to folders")
	}
	home := t.TempDir()
	kept, projects := filepath.Join(home, "kept"), filepath.Join(home, ".claude", "projects")
	for _, folder := range []string{kept, filepath.Join(projects, "plain")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(folder)+".jsonl"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{filepath.Join(projects, "linked"): kept, filepath.Join(projects, "plain", "again"): projects, filepath.Join(kept, "again"): projects, filepath.Join(projects, "nowhere"): filepath.Join(home, "gone")} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err) // some systems let few people make links
		}
	}
	var found []string
	for _, f := range transcript.Discover(os.DirFS(home)) {
		found = append(found, f.Path)
	}
	slices.Sort(found)
	if diff := cmp.Diff([]string{".claude/projects/linked/kept.jsonl", ".claude/projects/plain/plain.jsonl"}, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}
