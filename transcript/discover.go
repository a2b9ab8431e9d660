package transcript

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Found is a file of another product, found where that product keeps its files.
type Found struct {
	Format  Format
	Path    string // within the searched file system, with slashes
	Changed time.Time
}

// Discover finds the files that other products keep below a home directory: Claude
// Code's transcripts and memories, Codex's rollouts, Gemini's sessions, the files of
// OLLM, ai-agent and AutoByteus, and the databases of engram and claude-mem. A folder
// that cannot be read is returned in place of its contents. The oldest comes first, so
// that parents come before what they started.
func Discover(home fs.FS) []Found { return discover(home, places()) }

// DiscoverBelow finds the files that a product keeps in a folder with another name. own
// is the folder in the home directory that it uses by default.
func DiscoverBelow(folder fs.FS, own string) []Found {
	var below []place
	for _, p := range places() {
		if root, ok := strings.CutPrefix(p.root, own+"/"); ok {
			below = append(below, place{p.format, root, p.match})
		}
	}
	return discover(folder, below)
}

func discover(home fs.FS, places []place) []Found {
	var all []Found
	for _, p := range places {
		all = append(all, p.files(home)...)
	}
	slices.SortStableFunc(all, func(a, b Found) int { return a.Changed.Compare(b.Changed) })
	return all
}

// isLinkedFolder reports whether something is a link to a folder, directly in the root,
// such as that of a project kept elsewhere. On Windows everybody may make a junction, which
// is an irregular file. Links further down are not followed, so that none leads in a circle.
func isLinkedFolder(home fs.FS, root, name string, d fs.DirEntry) bool {
	if d.Type()&(fs.ModeSymlink|fs.ModeIrregular) == 0 || path.Dir(name) != root {
		return false
	}
	info, err := fs.Stat(home, name)
	return err == nil && info.IsDir()
}

// place is a folder below the home directory and the files in it that count.
type place struct {
	format Format
	root   string
	match  func(name string) bool
}

// files finds the files of the place that count.
func (p place) files(home fs.FS) (all []Found) {
	var visit fs.WalkDirFunc
	visit = func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			all = append(all, Found{Format: p.format, Path: name})
		}
		if err == nil && isLinkedFolder(home, p.root, name, d) {
			return fs.WalkDir(home, name, visit)
		}
		if err != nil || d.IsDir() || !p.match(name) {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, Found{p.format, name, info.ModTime()})
		}
		return nil
	}
	_ = fs.WalkDir(home, p.root, visit)
	return all
}

func places() []place {
	ends := func(end string) func(string) bool {
		return func(name string) bool { return strings.HasSuffix(name, end) }
	}
	told := func(name string) bool { // neither tool answers nor the list of agents started by a workflow
		return strings.HasSuffix(name, ".jsonl") && !strings.Contains(name, "/tool-results/") && path.Base(name) != "journal.jsonl"
	}
	both := func(part, end string) func(string) bool {
		return func(name string) bool { return strings.Contains(name, part) && strings.HasSuffix(name, end) }
	}
	rollout := func(name string) bool {
		return strings.Contains(name, "rollout-") && strings.HasSuffix(unpackedName(name), ".jsonl")
	}
	snapshot := func(name string) bool {
		base := path.Base(name)
		return strings.HasPrefix(base, "snapshot-") && strings.HasSuffix(base, ".json") && base != "snapshot-map.json"
	}
	return []place{
		{ClaudeCode, ".claude/projects", told},
		{MemoryMD, ".claude/projects", both("/memory/", ".md")},
		{MemoryMD, ".claude/agent-memory", ends(".md")}, // of agents that people wrote, in all projects
		{ClaudeCode, ".config/claude/projects", told},   // of some versions
		{MemoryMD, ".config/claude/projects", both("/memory/", ".md")},
		{Codex, ".codex/sessions", rollout},
		{Codex, ".codex/archived_sessions", rollout},
		{Codex, ".codex/" + codexIndexFile, isCodexIndex},
		{Gemini, ".gemini/tmp", func(name string) bool {
			return strings.Contains(name, "/chats/") && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl"))
		}},
		{OLLM, ".ollm/context-snapshots", snapshot},
		{OLLM, ".ollm/context-storage", snapshot}, // of the version on npm
		{OLLM, ".ollm/snapshots", both("transition-", ".json")},
		{OLLM, ".ollm/mode-transition-snapshots", both("transition-", ".json")},
		{OLLM, ".ollm/sessions", ends(".json")},
		{OLLM, ".ollm/session-data", ends(".json")}, // of older versions
		{AIAgent, ".ai-agent/sessions", func(name string) bool { // elsewhere below it lies what models and tools were sent
			return path.Dir(name) == ".ai-agent/sessions" && strings.HasSuffix(name, ".json.gz")
		}},
		{AIAgent, ".ai-agent/sessions/session", ends(".jsonl")},
		{AIAgent, ".ai-agent", func(name string) bool { return name == ".ai-agent/accounting.jsonl" }},
		{AutoByteus, ".autobyteus/memory", isAutoFile},
		{AutoByteus, ".autobyteus/server-data/memory", isAutoFile}, // of its server
		{Engram, ".engram", both("engram", ".db")},
		{ClaudeMem, ".claude-mem", both("claude-mem", ".db")},
	}
}
