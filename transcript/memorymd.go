package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"wake/domain"
)

// ReadMemoryFolder reads a folder of Markdown memories, as Claude keeps them: a
// MEMORY.md whose sections are memories or links to other files, and files with front
// matter. Times are taken from the front matter, or from the files.
func ReadMemoryFolder(fsys fs.FS) iter.Seq2[Item, error] {
	return readMemories(fsys, func() ([]string, error) { return markdownFiles(fsys) })
}

// ReadMemoryFile reads one Markdown file of a folder as [ReadMemoryFolder] does.
func ReadMemoryFile(fsys fs.FS, name string) iter.Seq2[Item, error] {
	return readMemories(fsys, func() ([]string, error) { return []string{name}, nil })
}

func readMemories(fsys fs.FS, files func() ([]string, error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		names, err := files()
		if err == nil && len(names) == 0 {
			err = domain.Invalid("there are no Markdown files in it")
		}
		if err != nil {
			yield(Item{}, err)
			return
		}
		out := &sink{}
		all := notesIn(fsys, names, out)
		if len(out.items) == len(names) {
			yield(Item{}, domain.Invalid("%s", out.items[0].Skipped.Reason)) // of one, or the first of them
			return
		}
		notes := notesByName(all)
		for _, n := range all {
			out.source = n.file
			out.context(n.context)
			linked := map[string]bool{}
			for _, target := range n.references() {
				if to := notes[target]; to != nil && !linked[to.ID] {
					linked[to.ID] = true
					out.link(n.context.ID, to.ID, "refers to "+target)
				}
			}
		}
		out.flush(yield)
	}
}

// notesByName returns the files that are one memory by the names that links to them
// use: the name in the front matter, or the file's without extension, which comes first.
func notesByName(all []memoryNote) map[string]*domain.ContextSnapshot {
	files, named := map[string]*domain.ContextSnapshot{}, map[string]*domain.ContextSnapshot{}
	for _, n := range all {
		if n.whole {
			files[strings.ToLower(baseName(n.file, ".md"))] = n.context
			name, _ := n.context.Metadata["name"].(string)
			named[strings.ToLower(name)] = n.context
		}
	}
	maps.Copy(named, files)
	return named
}

// notesIn returns the memories of the files. Unreadable files are skipped.
func notesIn(fsys fs.FS, names []string, out *sink) (all []memoryNote) {
	for _, name := range names {
		data, err := readUnpacked(fsys, name)
		if err == nil && !isText(data) {
			err = errNoText
		}
		if err != nil {
			out.source = name
			out.skip("it cannot be read: " + err.Error())
			continue
		}
		all = append(all, readMemoryMD(name, data, modTime(fsys, name))...)
	}
	return all
}

// readUnpacked reads a file that may be compressed.
func readUnpacked(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	r, packed, err := Unpacked(bytes.NewReader(data))
	if err != nil || !packed {
		return data, err
	}
	whole, err := readWhole(r, maxDocument)
	if err != nil && !errors.Is(err, errTooLarge) {
		err = domain.Invalid("its compressed data are damaged or end too early") // and a part of a memory is none
	}
	return whole, err
}

func markdownFiles(fsys fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil && name == "." {
			return err
		}
		if err == nil && !d.IsDir() && strings.EqualFold(path.Ext(name), ".md") {
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

func modTime(fsys fs.FS, name string) time.Time {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// memoryNote is one memory of a Markdown file.
type memoryNote struct {
	file    string
	whole   bool // the whole file is this memory
	context *domain.ContextSnapshot
}

var errNoText = domain.Invalid("it is no text")

// isText reports whether a file can be a text, in whatever encoding.
func isText(data []byte) bool { return utf16Text(data) != nil || bytes.IndexByte(data, 0) < 0 }

// readMarkdownMemory reads a single Markdown memory.
func readMarkdownMemory(name string, doc []byte, out *sink) error {
	if !isText(doc) {
		return errNoText
	}
	for _, n := range readMemoryMD(name, doc, time.Time{}) {
		out.context(n.context)
	}
	return nil
}

// readMemoryMD splits a file: one with front matter is a single memory; in any other,
// each section is one.
func readMemoryMD(name string, data []byte, changed time.Time) []memoryNote {
	if wide := utf16Text(data); wide != nil {
		data, _ = wide.Bytes(data) // what cannot be decoded is replaced
	}
	text := strings.ReplaceAll(string(bytes.TrimPrefix(data, byteOrderMark)), "\r\n", "\n")
	matter, body, has := frontMatter(text)
	if has {
		c := memoryContext(name, "", body, matter, changed)
		c.Metadata["source_id"] = name + "#"
		return []memoryNote{{name, true, c}}
	}
	var notes []memoryNote
	for _, s := range sections(text) {
		if onlyPointers(s.body) {
			continue
		}
		c := memoryContext(name, s.title, s.text(), nil, changed)
		c.Metadata["source_id"] = name + "#" + s.path
		notes = append(notes, memoryNote{name, false, c})
	}
	forgetShared(notes)
	return notes
}

// forgetShared clears the names of sections that share one: if the file changes, it is
// unclear which of them a later section replaces.
func forgetShared(notes []memoryNote) {
	times := map[any]int{}
	for _, n := range notes {
		times[n.context.Metadata["source_id"]]++
	}
	for _, n := range notes {
		if times[n.context.Metadata["source_id"]] > 1 {
			delete(n.context.Metadata, "source_id")
		}
	}
}

func memoryContext(name, title, body string, matter map[string]string, changed time.Time) *domain.ContextSnapshot {
	at := changed
	for _, field := range []string{"modified", "updated", "date", "created"} {
		if t, err := domain.ParseTime(matter[field]); matter[field] != "" && err == nil {
			at = t
		}
	}
	file := baseName(name)
	c := importedContext(MemoryMD, file+"#"+title, at, strings.TrimSpace(body))
	c.Kind = domain.Semantic
	c.SessionID = cutName(matter["originsessionid"])
	c.Tags = cutTags(append([]string{"memory", matter["type"]}, listed(matter["tags"])...)...)
	c.Metadata["file"] = file
	summarize(c, cmp.Or(matter["description"], matter["name"]))
	for field, value := range matter {
		c.Metadata[field] = value
	}
	return c
}

// section is the text below a heading. path joins the headings above it, since several
// sections may have the same title.
type section struct{ title, path, body string }

func (s section) text() string {
	if s.title == "" {
		return s.body
	}
	return s.title + "\n\n" + s.body
}

// sections splits Markdown at its headings; headings inside code fences are text.
func sections(text string) []section {
	var all []section
	var above []string // the current headings by level
	var title string
	var body []string
	end := func() {
		all = append(all, section{title, strings.Join(above, "/"), strings.TrimSpace(strings.Join(body, "\n"))})
		body = nil
	}
	fence := "" // of the code that is open
	for line := range strings.SplitSeq(text, "\n") {
		fence = fenceBehind(strings.TrimSpace(line), fence)
		heading := strings.TrimLeft(line, "#")
		if fence == "" && heading != line && strings.HasPrefix(heading, " ") {
			end()
			title = strings.TrimSpace(heading)
			above = append(above[:min(len(above), len(line)-len(heading)-1)], title)
			continue
		}
		body = append(body, line)
	}
	end()
	return all
}

var pointer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*+]|\d+[.)]) (?:\*\*|__)?\[.*\.md\)`) })

// onlyPointers reports whether every line is an index entry, a link to another file, or says
// nothing.
func onlyPointers(body string) bool {
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !isRule(line) && !pointer().MatchString(line) {
			return false
		}
	}
	return true
}

// isRule reports whether a line is drawn between two parts of a text.
func isRule(line string) bool {
	return len(line) > 2 && strings.Contains("-*_", line[:1]) && strings.Trim(line, line[:1]) == ""
}

var memoryLink = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\]\(([^()\s#]+)\.md(?:#[^()\s]*)?\)|\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]`)
})

// references returns the other memories that a text links to: [text](file.md) and
// [[name]].
func (n memoryNote) references() []string {
	var all []string
	for _, m := range memoryLink().FindAllStringSubmatch(n.context.Content, -1) {
		all = append(all, strings.ToLower(strings.TrimSuffix(strings.TrimSpace(path.Base(m[1]+m[2])), ".md")))
	}
	return all
}
