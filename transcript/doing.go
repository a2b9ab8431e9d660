package transcript

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wake/domain"
)

// What a call of a tool is about. Each client has tools of its own; what they have in common
// is how their arguments are named.

var (
	pathNames = []string{"file_path", "filePath", "notebook_path", "path", "target_file", "absolute_path", "filename"}
	// subjectNames name the argument that says what a call is about, the most telling first.
	subjectNames = slices.Concat([]string{"command", "cmd", "pattern", "query", "url"}, pathNames,
		[]string{"description", "skill", "name", "subject", "prompt", "question"})
)

// changing are parts of the names of tools that change files: Edit, MultiEdit, NotebookEdit,
// Write, write_file, replace, search_replace, apply_patch, create_file, str_replace_editor.
var changing = []string{"edit", "write", "replace", "patch", "create_file"}

// ChangedFile is a file that a call changes.
type ChangedFile struct {
	Path    string
	Removed bool
}

// ChangedFiles returns the files that a call changes, as far as it tells.
func ChangedFiles(call domain.ToolCall) []ChangedFile {
	if files := editedFiles(call); len(files) > 0 || !isShell(call.Name) {
		return files
	}
	return shellFiles(command(call))
}

// command returns the text of a shell's command.
func command(call domain.ToolCall) string {
	var args fields
	if json.Unmarshal(call.Arguments, &args) != nil {
		return plainArguments(call)
	}
	return args.first([]string{"command", "cmd"})
}

// editedFiles returns the files that a call of a tool for editing names, or a patch.
func editedFiles(call domain.ToolCall) []ChangedFile {
	var args fields
	if json.Unmarshal(call.Arguments, &args) == nil && changes(call.Name, args) {
		if path := args.first(pathNames); path != "" {
			return []ChangedFile{{Path: path}}
		}
	}
	if !strings.Contains(string(call.Arguments), patchBegin) {
		return nil
	}
	var files []ChangedFile
	for _, m := range patchedFile().FindAllStringSubmatch(plainArguments(call), -1) {
		files = append(files, ChangedFile{strings.TrimSpace(m[2]), m[1] == "Delete"})
	}
	return files
}

// changes reports whether a tool changes the file that it is given. Some tools can look at
// one, too, and say so in their command.
func changes(tool string, args fields) bool {
	tool = strings.ToLower(tool)
	return slices.ContainsFunc(changing, func(part string) bool { return strings.Contains(tool, part) }) && args.text("command") != "view"
}

// patchBegin begins a patch in Codex's form, and patchedFile matches its lines that name a
// file.
const patchBegin = "*** Begin Patch"

var patchedFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\*\*\* (Add|Update|Delete) File: (.+)$`) })

// plainArguments returns the texts of the arguments, each on lines of its own.
func plainArguments(call domain.ToolCall) string {
	var texts []string
	var collect func(raw json.RawMessage)
	collect = func(raw json.RawMessage) {
		var text string
		var list []json.RawMessage
		var object fields
		switch {
		case json.Unmarshal(raw, &text) == nil:
			texts = append(texts, text)
		case json.Unmarshal(raw, &list) == nil:
			for _, item := range list {
				collect(item)
			}
		case json.Unmarshal(raw, &object) == nil:
			for _, name := range slices.Sorted(maps.Keys(object)) { // a text that is told twice is the same
				collect(object[name])
			}
		}
	}
	collect(call.Arguments)
	return strings.Join(texts, "\n")
}

// Subject says in a few words what a call is about: its command, its file, or whatever its
// arguments say first; "" if they do not tell.
func Subject(call domain.ToolCall) string {
	if files := editedFiles(call); len(files) > 0 {
		paths := make([]string, len(files))
		for i, f := range files {
			paths[i] = f.Path
		}
		return strings.Join(paths, ", ")
	}
	var args fields
	if json.Unmarshal(call.Arguments, &args) != nil {
		return plainArguments(call) // of a tool that takes a text
	}
	return args.first(subjectNames)
}

// first returns the first of the named fields that is a text, or a list of texts such as
// ["bash", "-lc", "make"], of which the last is the command.
func (f fields) first(names []string) string {
	for _, name := range names {
		if text := f.text(name); text != "" {
			return text
		}
		var words []string
		if json.Unmarshal(f[name], &words) == nil && len(words) > 0 {
			if words[0] == "bash" || words[0] == "sh" || words[0] == "zsh" {
				words = words[len(words)-1:]
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}
