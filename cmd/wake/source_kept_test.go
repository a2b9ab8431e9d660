package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/transcript"
)

// Memories are found where their variables and settings put them, also if only the client that
// starts them has the variable, and in the cache of npx.
func TestDiscoverKeptElsewhere(t *testing.T) {
	home := t.TempDir()
	at := func(below ...string) string { return filepath.Join(append([]string{home}, below...)...) }
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inJSON := func(path string) string { return strings.ReplaceAll(path, `\`, `\\`) }
	npx := at(".npm", "_npx", "ab12", "node_modules", "@modelcontextprotocol", "server-memory", "dist", "memory.json")
	want := []string{"engram " + at("team", "engram.db"), "claude-mem " + at("big disk", "claude-mem.db"), "claude-mem " + at(".claude-mem", "claude-mem.db"),
		"server-memory " + at("notes", "graph.jsonl"), "server-memory " + at("codex.jsonl"), "server-memory " + npx}
	for _, file := range want {
		_, path, _ := strings.Cut(file, " ")
		write(path, "{}")
	}
	write(at(".claude-mem", "settings.json"), `{"CLAUDE_MEM_MODEL": "m", "CLAUDE_MEM_DATA_DIR": "`+inJSON(at("big disk"))+`"}`)
	write(at(".claude.json"), `{"mcpServers": {"memory": {"command": "npx", "env": {"MEMORY_FILE_PATH":"~/notes/graph.jsonl"}},
		"other": {"env": {"OLD_MEMORY_FILE_PATH": "`+inJSON(at("codex.jsonl"))+`", "MEMORY_FILE_PATH": "relative.jsonl"}}}}`)
	write(at(".codex", "config.toml"), "[mcp_servers.memory.env]\nMEMORY_FILE_PATH = '"+at("codex.jsonl")+"'\n")
	env := map[string]string{homeVariable(runtime.GOOS): home, "ENGRAM_DATA_DIR": at("team")}
	a := &app{env: func(name string) string { return env[name] }}
	found, err := a.discover(transcript.Auto)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, string(f.format)+" "+f.path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// The files of a folder of memories are one source, which is read and counted once.
func TestMemoryFolderIsOneSource(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".claude", "projects", "-work-shop", "memory")
	alone := filepath.Join(home, "plan.md")
	for _, file := range []string{filepath.Join(folder, "MEMORY.md"), filepath.Join(folder, "prices.md"), filepath.Join(folder, "old", "queue.md"), alone} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("# Prices\n\nwhole cents\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{env: func(name string) string { return map[string]string{homeVariable(runtime.GOOS): home}[name] }}
	for _, paths := range [][]string{nil, {filepath.Join(folder, "prices.md"), filepath.Join(folder, "MEMORY.md"), filepath.Join(folder, "old", "queue.md"), alone, alone}} {
		all, err := a.sources(transcript.MemoryMD, paths)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{folder}
		if paths != nil {
			want = append(want, alone)
		}
		var got []string
		for _, src := range all {
			got = append(got, src.path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", paths, diff)
		}
	}
}
