package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/transcript"
)

// source is one file, folder or database to import.
type source struct {
	format transcript.Format
	path   string // absolute
	fault  error  // why it is none: it was named among others, which are read
}

// size is the size of the source in bytes, 0 if not known.
func (src source) size() int64 {
	info, err := os.Stat(src.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// began is when the content of the source began; if that is not known, when the file
// was changed.
func (src source) began() time.Time {
	if t := transcript.Began(unpackedHead(src.path)); !t.IsZero() {
		return t
	}
	info, err := os.Stat(src.path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func sizesOf(sources []source) int64 {
	var total int64
	for _, src := range sources {
		total += src.size()
	}
	return total
}

// sources finds what to import: the files at the paths and below, or without paths
// those in the products' own folders. Those that only add to others come last.
func (a *app) sources(want transcript.Format, paths []string) (all []source, err error) {
	if len(paths) == 0 {
		all, err = a.discover(want)
	} else {
		all, err = sourcesBelow(want, a.expanded(paths))
	}
	all = onceEach(all)
	slices.SortStableFunc(all, func(a, b source) int { return transcript.Rank(a.format, a.path) - transcript.Rank(b.format, b.path) })
	return all, err
}

// onceEach leaves each source out but once. The files of a folder of memories are one source,
// because they refer to each other.
func onceEach(all []source) (once []source) {
	seen := map[source]bool{}
	for _, src := range all {
		if src.format == transcript.MemoryMD && src.fault == nil {
			src.path = memoryFolder(src.path)
		}
		key := source{format: src.format, path: src.path}
		if src.fault != nil || !seen[key] {
			once = append(once, src)
		}
		seen[key] = true
	}
	return once
}

// memoryFolder returns the folder of memories that a file is in, or Claude's one for a project
// that it is below; the file itself if there is none.
func memoryFolder(file string) string {
	if !fileExists(file) || isFolder(file) {
		return file
	}
	if holdsMemories(filepath.Dir(file)) {
		return filepath.Dir(file)
	}
	for at := filepath.Dir(file); at != filepath.Dir(at); at = filepath.Dir(at) {
		if projects := filepath.Dir(filepath.Dir(at)); filepath.Base(at) == "memory" && filepath.Base(projects) == "projects" {
			return at
		}
	}
	return file
}

// expanded are the paths without what shells on Windows leave to programs: the home folder
// and patterns, which are no names of files there.
func (a *app) expanded(paths []string) (all []string) {
	for _, path := range paths {
		path = a.fromHome(path)
		found := []string{path}
		if isPattern(path) {
			if matching, _ := filepath.Glob(path); len(matching) > 0 {
				found = matching
			}
		}
		all = append(all, found...)
	}
	return all
}

// isPattern reports whether a path is a pattern that the shell has left as it is.
func isPattern(path string) bool { return runtime.GOOS == "windows" && strings.ContainsAny(path, "*?") }

// sourcesBelow finds the files at the paths and below.
func sourcesBelow(want transcript.Format, paths []string) ([]source, error) {
	var all []source
	for _, p := range paths {
		found, err := sourcesAt(want, absolute(p))
		if err != nil && len(paths) == 1 {
			return nil, err
		}
		if err != nil {
			found = append(found, source{format: want, path: absolute(p), fault: err})
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, withHint(nothingOf(want, strings.Join(paths, ", ")), "name a file and its format, if you know it: wake import FORMAT FILE")
	}
	return all, nil
}

// nothingOf is the error that no files of a format were found.
func nothingOf(want transcript.Format, where string) error {
	if want == transcript.Auto {
		return domain.NotFound("no files of a known format were found in %s", where)
	}
	return domain.NotFound("no files of the format %s were found in %s", want, where)
}

// discover searches the products' own folders: in the home folder, and where their
// variables and settings point.
func (a *app) discover(want transcript.Format) ([]source, error) {
	found := foundIn(a.home(), transcript.Discover(os.DirFS(a.home())))
	for own, dir := range map[string]string{".claude": a.env("CLAUDE_CONFIG_DIR"), ".codex": a.env("CODEX_HOME"),
		".gemini": filepath.Join(a.env("GEMINI_CLI_HOME"), ".gemini")} {
		if filepath.IsAbs(dir) && filepath.Clean(dir) != filepath.Join(a.home(), own) {
			found = append(found, foundIn(dir, transcript.DiscoverBelow(os.DirFS(dir), own))...)
		}
	}
	found = append(found, a.keptElsewhere()...)
	slices.SortStableFunc(found, func(a, b transcript.Found) int { return a.Changed.Compare(b.Changed) })
	var all []source
	for _, f := range found {
		if want == transcript.Auto || want == f.Format {
			all = append(all, source{format: f.Format, path: f.Path})
		}
	}
	if len(all) == 0 {
		return nil, withHint(nothingOf(want, a.home()), "name them: wake import %s PATH", want)
	}
	return all, nil
}

// foundIn makes the paths of what was found in a folder absolute.
func foundIn(folder string, found []transcript.Found) []transcript.Found {
	for i, f := range found {
		found[i].Path = filepath.Join(folder, filepath.FromSlash(f.Path))
	}
	return found
}

func sourcesAt(want transcript.Format, path string) ([]source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, withHint(domain.NotFound("%s cannot be read: %v", path, domain.Reason(err)),
			"name a file or a folder that is there; without one, wake import %s looks where the products keep theirs", want)
	}
	switch {
	case !info.IsDir():
		return fileSource(want, path, true)
	case want == transcript.MemoryMD:
		return []source{{format: want, path: path}}, nil
	case want == transcript.AutoByteus:
		return autoByteus(path)
	}
	return walkSources(want, path)
}

// autoByteus lists the files of an agent's memory folder in their order, or those of
// all agents below a folder.
func autoByteus(path string) ([]source, error) {
	var all []source
	for _, name := range transcript.AutoByteusFiles(os.DirFS(path)) {
		all = append(all, source{format: transcript.AutoByteus, path: filepath.Join(path, filepath.FromSlash(name))})
	}
	if len(all) > 0 {
		return all, nil
	}
	return walkSources(transcript.AutoByteus, path)
}

// walkSources finds the sources below a folder. They are sorted by their beginning, so
// that parents come before their children, and the parts of a session are in order.
func walkSources(want transcript.Format, root string) ([]source, error) {
	type aged struct {
		source
		began time.Time
	}
	var all []aged
	followed := strings.TrimSuffix(root, string(filepath.Separator)) + string(filepath.Separator) // so that WalkDir follows a link
	err := filepath.WalkDir(followed, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.Type().IsRegular() {
			return nil
		}
		var found []source
		if err == nil {
			found, err = fileSource(want, path, false)
		}
		if errors.Is(err, fs.ErrPermission) && mayHold(path, d) {
			found = []source{{format: want, path: filepath.Clean(path)}} // the import will report that it cannot be read
		}
		for _, f := range found {
			all = append(all, aged{f, f.began()})
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b aged) int { return a.began.Compare(b.began) })
	out := make([]source, len(all))
	for i, f := range all {
		out[i] = f.source
	}
	return withoutCopies(out), err
}

// withoutCopies leaves out what Gemini CLI keeps beside its chats: copies of them, and a log
// of what was typed that goes on after /clear under the name of the session before.
func withoutCopies(found []source) []source {
	chats := map[string]bool{} // by project
	for _, src := range found {
		if project, chat := transcript.GeminiProject(src.path); chat && src.format == transcript.Gemini {
			chats[project] = true
		}
	}
	return slices.DeleteFunc(found, func(src source) bool {
		project, chat := transcript.GeminiProject(src.path)
		return src.format == transcript.Gemini && !chat && chats[project]
	})
}

// mayHold reports whether something that cannot be read may be or contain a source: a
// folder, or a file with a name like those of products.
func mayHold(path string, d fs.DirEntry) bool {
	endings := []string{".json", ".jsonl", ".gz", ".zst", ".traj", ".db", ".sqlite", ".sql"}
	return d.IsDir() || slices.Contains(endings, filepath.Ext(path)) || filepath.Base(path) == "MEMORY.md"
}

// folder returns the working folder of a source, if the files around it show it, else
// "": Gemini notes it in its folder for the project, and Claude's memories are below the
// project's transcripts.
func (src source) folder() string {
	for at := filepath.Dir(src.path); at != filepath.Dir(at); at = filepath.Dir(at) {
		dir := ""
		switch src.format {
		case transcript.Gemini:
			dir, _ = readLine(filepath.Join(at, ".project_root"))
		case transcript.MemoryMD:
			dir = transcribedFolder(at)
		default:
			return ""
		}
		if dir != "" {
			return dir
		}
	}
	return ""
}

// transcribedFolder returns the working folder of the Claude Code sessions whose
// transcripts are in a folder of its projects; "" for any other folder.
func transcribedFolder(at string) string {
	if filepath.Base(filepath.Dir(at)) != "projects" {
		return ""
	}
	files, _ := os.ReadDir(at)
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".jsonl" {
			continue
		}
		head, _ := headOf(filepath.Join(at, file.Name()))
		for line := range bytes.Lines(head) {
			var row struct{ CWD string }
			if json.Unmarshal(line, &row) == nil && row.CWD != "" {
				return row.CWD
			}
		}
	}
	return ""
}
