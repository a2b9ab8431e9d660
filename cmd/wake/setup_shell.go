package main

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// shell is the kind of shell in which a client runs its hooks on Windows. Elsewhere all
// run them in a posix one.
type shell int

const (
	posix      shell = iota // Claude Code before it could do without, in Git Bash; goose
	powerShell              // Codex, Gemini CLI, Cursor
)

// shell is a hook's command line, quoted for the shell that runs it. On Windows, a path
// without special characters is quoted nowhere: then it also works in the shells that
// clients fall back to, cmd and PowerShell.
func (p places) shell(kind shell, hook string) string {
	program, quote := p.program, posixWord
	switch {
	case p.goos == "windows" && kind == powerShell:
		quote = powerShellWord
	case p.goos == "windows":
		program = slashed(program)
	}
	words := []string{quote(program), hook}
	if strings.HasPrefix(words[0], "'") {
		words[0] = "& " + words[0] // a quoted word alone is a text, for PowerShell
	}
	for _, flag := range p.flags {
		words = append(words, quote(flag))
	}
	return strings.Join(words, " ")
}

// slashed is a path with slashes, which Windows knows, too.
func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// posixWord quotes a word for a posix shell if needed.
func posixWord(word string) string {
	if !strings.ContainsAny(word, " \t'\"$`\\&;()<>|*?~#") {
		return word
	}
	return `"` + strings.NewReplacer(`"`, `\"`, "$", `\$`, "`", "\\`", `\`, `\\`).Replace(word) + `"`
}

// powerShellWord quotes a word for PowerShell unless all its characters are plain ones. A
// typographic quotation mark ends a text as well as a straight one does.
func powerShellWord(word string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`\/:._-~`, r)
	}
	if word != "" && word[0] != '~' && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + regexp.MustCompile("['‘’‚‛]").ReplaceAllString(word, "$0$0") + "'"
}

// runsHook recognises wake's hooks in the form of any client: they run this program,
// or one called wake in any folder.
func runsHook(v any, program string) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	if inner, ok := m["hooks"].([]any); ok {
		return len(inner) == 1 && runsHook(inner[0], program)
	}
	command, _ := m["command"].(string)
	args, _ := m["args"].([]any)
	if len(args) > 0 && args[0] == "hook" {
		command += " hook "
	}
	return wakeHook().MatchString(command) || slices.ContainsFunc(quotedForms(program), func(quoted string) bool {
		return strings.HasPrefix(command, quoted+" hook ")
	})
}

// quotedForms are the forms of a program's path in a hook, also those that earlier
// versions wrote.
func quotedForms(program string) []string {
	return []string{program, posixWord(program), posixWord(slashed(program)), powerShellWord(program), "& " + powerShellWord(program), `"` + program + `"`}
}

// wakeHook matches a command line that runs wake hook, whatever folder wake is in.
var wakeHook = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[/\\"'])wake([-_][\w.-]*)?(\.exe)?["']? hook `)
})
