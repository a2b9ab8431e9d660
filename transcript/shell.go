package transcript

import (
	"path"
	"slices"
	"strings"
)

// Which files a shell's command changes, as far as its words tell without running it: what
// is written by redirection, edited in place, moved, copied, removed, or fetched from git.

// shellTools are parts of the names of tools that run a shell's commands.
var shellTools = []string{"bash", "shell", "exec", "terminal", "run_command"}

// isShell reports whether a tool runs commands of a shell.
func isShell(tool string) bool {
	tool = strings.ToLower(tool)
	return !strings.HasPrefix(tool, "mcp__") && slices.ContainsFunc(shellTools, func(part string) bool { return strings.Contains(tool, part) })
}

// writingWords are those of which a command has one if it changes files that it names.
var writingWords = []string{">", "sed", "perl", "mv", "cp", "rm", "touch", "tee", "checkout", "restore"}

// shellFiles returns the files that a command changes. Names with variables or patterns in
// them are left out, and what is written beside the work: in folders for what is temporary,
// and logs.
func shellFiles(command string) []ChangedFile {
	if !slices.ContainsFunc(writingWords, func(word string) bool { return strings.Contains(command, word) }) {
		return nil
	}
	s := shell{place: map[string]int{}}
	for words := range shellCommands(command) {
		s.run(words)
	}
	return s.files
}

// shell follows simple commands one after the other.
type shell struct {
	dir   string   // where cd has led to
	outer []string // the same outside of the subshells
	files []ChangedFile
	place map[string]int // of a file among them, by its path
}

// run takes in a simple command.
func (s *shell) run(words []shellWord) {
	if len(words) == 1 && words[0].operator {
		s.bracket(words[0].text)
		return
	}
	var args []string
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w.operator && i+1 < len(words) && !words[i+1].operator:
			if w.text == ">" || w.text == ">>" || w.text == ">|" {
				s.change(words[i+1].text)
			}
			i++
		case !w.operator:
			args = append(args, w.text)
		}
	}
	args = bareCommand(args)
	if len(args) == 0 {
		return
	}
	name, args := path.Base(args[0]), args[1:]
	if name == "git" {
		s.git(args)
		return
	}
	s.command(name, args)
}

// bracket begins or ends a subshell, which leaves the folder outside as it was.
func (s *shell) bracket(which string) {
	switch n := len(s.outer); {
	case which == "(":
		s.outer = append(s.outer, s.dir)
	case which == ")" && n > 0:
		s.dir, s.outer = s.outer[n-1], s.outer[:n-1]
	}
}

// before are words that stand before the name of a command.
var before = []string{"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "sudo", "env", "nohup", "command", "exec"}

// bareCommand drops what stands before a command's name: keywords of the shell, variables,
// and commands that run another one.
func bareCommand(args []string) []string {
	for len(args) > 0 {
		name, _, set := strings.Cut(args[0], "=")
		switch {
		case args[0] == "sudo" && len(args) > 2 && args[1] == "-u":
			args = args[3:]
		case slices.Contains(before, args[0]), set && !strings.ContainsAny(name, "/-. "):
			args = args[1:]
		default:
			return args
		}
	}
	return nil
}

func (s *shell) command(name string, args []string) {
	switch name {
	case "cd", "pushd":
		if dir := last(operands(args)); plainName(dir) {
			s.dir = s.at(dir)
		}
	case "bash", "sh", "zsh":
		if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && strings.HasSuffix(a, "c") }); i >= 0 && i+1 < len(args) {
			s.bracket("(")
			for words := range shellCommands(args[i+1]) {
				s.run(words)
			}
			s.bracket(")")
		}
	case "sed", "perl":
		s.inPlace(args)
	case "mv", "cp":
		s.move(args)
	case "rm": // folders hardly are what somebody worked on
		for _, file := range operands(args) {
			if path.Ext(file) != "" {
				s.changed(file, true)
			}
		}
	case "touch", "tee":
		s.change(operands(args)...)
	}
}

// git takes in the commands that change named files in the working tree.
func (s *shell) git(args []string) {
	if len(args) > 2 && args[0] == "-C" {
		defer func(dir string) { s.dir = dir }(s.dir)
		s.dir, args = s.at(args[1]), args[2:]
	}
	if len(args) == 0 {
		return
	}
	name, args := args[0], args[1:]
	switch name {
	case "mv":
		s.move(args)
	case "rm":
		if !slices.Contains(args, "--cached") {
			s.command("rm", args)
		}
	case "checkout":
		if i := slices.Index(args, "--"); i >= 0 {
			s.change(args[i+1:]...)
		}
	case "restore":
		if !slices.Contains(args, "--staged") || slices.Contains(args, "--worktree") {
			s.change(operands(args, "--source", "-s")...)
		}
	}
}

// inPlace takes in the arguments of sed and perl, which edit files if told so. The first word
// is the script, unless an option gives one.
func (s *shell) inPlace(args []string) {
	edits, scripted := false, false
	var files []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case strings.HasPrefix(a, "--"):
			edits = edits || strings.HasPrefix(a, "--in-place")
			scripted = scripted || strings.HasPrefix(a, "--expression") || strings.HasPrefix(a, "--file")
		case strings.HasPrefix(a, "-M"), strings.HasPrefix(a, "-I"): // modules of perl
		case strings.HasPrefix(a, "-") && len(a) > 1:
			_, suffix, in := strings.Cut(a, "i") // of copies, or more options
			edits = edits || in
			if (strings.HasSuffix(a, "e") || strings.HasSuffix(a, "f")) && !strings.HasPrefix(suffix, ".") {
				scripted = true
				i++
			}
		case a == "": // the suffix that sed on macOS takes for copies
		default:
			files = append(files, a)
		}
	}
	if !scripted && len(files) > 0 {
		files = files[1:]
	}
	if edits {
		s.change(files...)
	}
}

// move takes in the arguments of mv and cp: the last one is the new name, or the folder.
func (s *shell) move(args []string) {
	into := ""
	if i := slices.Index(args, "-t"); i >= 0 && i+1 < len(args) {
		into, args = args[i+1], slices.Delete(slices.Clone(args), i, i+2)
	}
	files := operands(args)
	if into == "" {
		if len(files) < 2 {
			return
		}
		to := last(files)
		files = files[:len(files)-1]
		if len(files) == 1 && !strings.HasSuffix(to, "/") {
			s.change(to)
			return
		}
		into = to
	}
	for _, file := range files {
		if plainName(file) && plainName(into) {
			s.change(path.Join(into, path.Base(file)))
		}
	}
}

// operands returns the arguments that are no options, nor the values of the named ones.
func operands(args []string, withValue ...string) (out []string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return append(out, args[i+1:]...)
		case slices.Contains(withValue, a):
			i++
		case !strings.HasPrefix(a, "-"):
			out = append(out, a)
		}
	}
	return out
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// change adds files that were written.
func (s *shell) change(files ...string) {
	for _, file := range files {
		s.changed(file, false)
	}
}

// changed adds a file. What is done to it last counts.
func (s *shell) changed(file string, removed bool) {
	if !plainName(file) {
		return
	}
	if file = s.at(file); beside(file) {
		return
	}
	if i, known := s.place[file]; known {
		s.files[i].Removed = removed
		return
	}
	s.place[file] = len(s.files)
	s.files = append(s.files, ChangedFile{file, removed})
}

// at returns a name as seen from where the command began.
func (s *shell) at(file string) string {
	if s.dir == "" || path.IsAbs(file) || strings.HasPrefix(file, "~") || strings.HasPrefix(file, `\`) || len(file) > 1 && file[1] == ':' {
		return file
	}
	return path.Join(s.dir, file)
}

// plainName reports whether a word is the name of a file as it stands.
func plainName(word string) bool {
	return strings.TrimSpace(word) != "" && word != "." && word != "-" && !strings.ContainsAny(word, "$`*?{}<>|\n\r")
}

// beside reports whether a file is none of the work: a device, a log, or something temporary.
func beside(file string) bool {
	for _, dir := range []string{"/dev/", "/tmp/", "/var/", "/private/", "/proc/"} {
		if strings.HasPrefix(file, dir) {
			return true
		}
	}
	return path.Ext(file) == ".log"
}
