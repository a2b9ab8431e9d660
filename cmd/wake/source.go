package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// size is how many bytes the source has, 0 where that is not known.
func (src source) size() int64 {
	info, err := os.Stat(src.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// began is when what the source tells began, or when it was changed where it does
// not say.
func (src source) began() time.Time {
	if head, err := headOf(src.path); err == nil {
		if r, packed, err := transcript.Unpacked(bytes.NewReader(head)); err == nil && packed {
			head, _ = io.ReadAll(io.LimitReader(r, transcript.DetectSize)) // as far as it goes
		}
		if t := transcript.Began(head); !t.IsZero() {
			return t
		}
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

// sources finds what to import: the files that the paths name or hold, or where
// the product keeps its own.
func (a *app) sources(want transcript.Format, paths []string) ([]source, error) {
	if len(paths) == 0 {
		return a.discover(want)
	}
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

// nothingOf is the error that files of a format were sought in vain.
func nothingOf(want transcript.Format, where string) error {
	if want == transcript.Auto {
		return domain.NotFound("no files of a known format were found in %s", where)
	}
	return domain.NotFound("no files of the format %s were found in %s", want, where)
}

// discover looks where products keep their files: below the home directory, and where
// their variables point.
func (a *app) discover(want transcript.Format) ([]source, error) {
	found := foundIn(a.home(), transcript.Discover(os.DirFS(a.home())))
	for own, dir := range map[string]string{".claude": a.env("CLAUDE_CONFIG_DIR"), ".codex": a.env("CODEX_HOME"),
		".gemini": filepath.Join(a.env("GEMINI_CLI_HOME"), ".gemini")} {
		if filepath.IsAbs(dir) && filepath.Clean(dir) != filepath.Join(a.home(), own) {
			found = append(found, foundIn(dir, transcript.DiscoverBelow(os.DirFS(dir), own))...)
		}
	}
	slices.SortStableFunc(found, func(a, b transcript.Found) int { return a.Changed.Compare(b.Changed) })
	var all []source
	for _, f := range found {
		if src := (source{format: f.Format, path: f.Path}); (want == transcript.Auto || want == f.Format) && !slices.Contains(all, src) {
			all = append(all, src)
		}
	}
	if len(all) == 0 {
		return nil, withHint(nothingOf(want, a.home()), "name them: wake import %s PATH", want)
	}
	return all, nil
}

// foundIn tells the paths of what was found in a folder from the root.
func foundIn(folder string, found []transcript.Found) []transcript.Found {
	for i, f := range found {
		found[i].Path = filepath.Join(folder, filepath.FromSlash(f.Path))
	}
	return found
}

func sourcesAt(want transcript.Format, path string) ([]source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, domain.NotFound("%s cannot be read: %v", path, err)
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

// autoByteus lists the files of one agent's memory folder in their order, or of
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

// walkSources looks at every file below a folder, those that began first before
// the others, so that parents come before what they started and the parts of a
// session in their order.
func walkSources(want transcript.Format, root string) ([]source, error) {
	type aged struct {
		source
		began time.Time
	}
	var all []aged
	followed := strings.TrimSuffix(root, string(filepath.Separator)) + string(filepath.Separator) // a link to the folder leads into it so
	err := filepath.WalkDir(followed, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.Type().IsRegular() {
			return nil
		}
		var found []source
		if err == nil {
			found, err = fileSource(want, path, false)
		}
		if errors.Is(err, fs.ErrPermission) && mayHold(path, d) {
			found = []source{{format: want, path: filepath.Clean(path)}} // its turn to be read tells that it cannot be
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
	return out, err
}

// mayHold reports whether something that cannot be looked at may be, or hold, a source: a
// folder, or a file that is called as products call theirs.
func mayHold(path string, d fs.DirEntry) bool {
	endings := []string{".json", ".jsonl", ".gz", ".zst", ".traj", ".db", ".sqlite", ".sql"}
	return d.IsDir() || slices.Contains(endings, filepath.Ext(path)) || filepath.Base(path) == "MEMORY.md"
}

// fileSource looks at one file. A file that was named is taken for what it was
// said to be; one found in a folder must look like it.
func fileSource(want transcript.Format, path string, named bool) ([]source, error) {
	if named && want != transcript.Auto {
		return []source{{format: want, path: path}}, nil
	}
	head, err := headOf(path)
	if err != nil {
		return nil, err
	}
	format, ok := transcript.Detect(path, head)
	switch {
	case !ok && named && isDatabase(path):
		return nil, withHint(domain.Invalid("%s is a database of no product that wake knows", path),
			"a copy of wake's own goes in as an export: wake --db FILE export -o everything.jsonl")
	case !ok && named:
		return nil, domain.Invalid("wake does not recognise the format of %s; name the format if you know it", path)
	case !ok || want != transcript.Auto && format != want:
		return nil, nil
	case format == transcript.MemoryMD && !named && filepath.Base(path) != "MEMORY.md":
		return nil, nil // Markdown is everywhere; a memory folder is known by its index
	}
	return []source{{format: format, path: path}}, nil
}

func headOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, domain.NotFound("%s cannot be read: %v", path, err)
	}
	head, err := io.ReadAll(io.LimitReader(f, transcript.DetectSize))
	return head, errors.Join(err, f.Close())
}

// folder is where the work that a source tells of was done, as far as it is told beside
// it: Gemini notes it in the folder that it keeps for a project, and Claude's memories
// lie below the project's transcripts. It is "" where it is not.
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

// transcribedFolder is where the sessions of Claude Code began whose transcripts lie in a
// folder of its projects; it keeps them apart by that. It is "" for any other folder.
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
