package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// The files of several patches in one call come in the same order whenever it is told.
func TestChangedFilesInOrder(t *testing.T) {
	args := map[string]string{}
	want := []string{"a.go", "b.go", "c.go", "d.go", "e.go", "f.go"}
	for _, file := range want {
		args[file] = "*** Begin Patch\n*** Update File: " + file + "\n*** End Patch"
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, changed(domain.ToolCall{Name: "shell", Arguments: raw})); diff != "" {
		t.Error(diff)
	}
}

// changed names the files that a call changes, with a minus before those that it removes.
func changed(call domain.ToolCall) (names []string) {
	for _, f := range transcript.ChangedFiles(call) {
		if f.Removed {
			f.Path = "-" + f.Path
		}
		names = append(names, f.Path)
	}
	return names
}

// What a call is about, and which files it changes, in the arguments of each client.
func TestSubject(t *testing.T) {
	for _, tt := range []struct{ name, args, subject, changed string }{
		{"Edit", `{"file_path":"/p/a.go","old_string":"x","new_string":"y"}`, "/p/a.go", "/p/a.go"},
		{"Write", `{"content":"*** Update File: no.go","file_path":"/p/a.go"}`, "/p/a.go", "/p/a.go"},
		{"NotebookEdit", `{"notebook_path":"/p/n.ipynb"}`, "/p/n.ipynb", "/p/n.ipynb"},
		{"Read", `{"file_path":"/p/a.go","limit":25}`, "/p/a.go", ""},
		{"Bash", `{"command":"make test","description":"Run tests"}`, "make test", ""},
		{"Grep", `{"path":"src","pattern":"TODO"}`, "TODO", ""},
		{"Task", `{"description":"Review the branch","prompt":"long"}`, "Review the branch", ""},
		{"write_file", `{"file_path":"docs/blue.md","content":"# Blue"}`, "docs/blue.md", "docs/blue.md"},
		{"replace", `{"file_path":"a.ts"}`, "a.ts", "a.ts"},
		{"edit", `{"filePath":"/p/b.ts"}`, "/p/b.ts", "/p/b.ts"},
		{"str_replace_editor", `{"command":"view","path":"/p/a.py"}`, "view", ""},
		{"str_replace_editor", `{"command":"create","path":"/p/a.py"}`, "/p/a.py", "/p/a.py"},
		{"shell", `{"command":["bash","-lc","go test ./..."]}`, "go test ./...", ""},
		{"shell", `{"command":["git","status"]}`, "git status", ""},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Add File: src/b.rs\n+x\n*** End Patch"]}`, "src/a.rs, src/b.rs", "src/a.rs, src/b.rs"},
		{"apply_patch", `"*** Begin Patch\n*** Delete File: old.go\n*** End Patch"`, "old.go", "-old.go"},
		{"exec", `"ls -la"`, "ls -la", ""},
		{"TodoWrite", `{"todos":[]}`, "", ""},
		{"odd", `not JSON`, "", ""},
	} {
		call := domain.ToolCall{Name: tt.name, Arguments: json.RawMessage(tt.args)}
		if got := transcript.Subject(call); got != tt.subject {
			t.Errorf("%s %s is about %q, want %q", tt.name, tt.args, got, tt.subject)
		}
		if got := strings.Join(changed(call), ", "); got != tt.changed {
			t.Errorf("%s %s changes %q, want %q", tt.name, tt.args, got, tt.changed)
		}
	}
}

// Files that a shell command writes, moves, copies or removes.
func TestShellFiles(t *testing.T) {
	for command, want := range map[string]string{
		"sed -i 's/a b/c/' src/a.go src/b.go":                    "src/a.go, src/b.go",
		"sed -i '' -e 's/a/b/' -e 's/c/d/' a.go":                 "a.go",
		"sed -i.bak -E 's/a/b/; s/c/d/' a.go && rm a.go.bak":     "a.go, -a.go.bak",
		"sed --in-place=.old s/a/b/ a.go":                        "a.go",
		"sed -n 's/a/b/p' a.go":                                  "",
		"sed -n -i 5p a.go":                                      "a.go",
		"sed -ni '/x/p' a.go":                                    "a.go",
		"sed -i -f script.sed a.go":                              "a.go",
		"perl -pi -e 's/a/b/' a.go":                              "a.go",
		"perl -0777 -i -pe 's/a/b/' a.go b.go":                   "a.go, b.go",
		"perl -MList::Util -ne 'print' a.go":                     "",
		"sed -i.orige s/a/b/ a.go":                               "a.go",
		"perl -e 'print 1' a.go":                                 "",
		"mv old.go new.go":                                       "new.go",
		"mv a.go b.go lib/":                                      "lib/a.go, lib/b.go",
		"git mv -f a.go lib/a.go":                                "lib/a.go",
		"cp -r a/b.txt c/b.txt":                                  "c/b.txt",
		"cp -t lib a.go b.go":                                    "lib/a.go, lib/b.go",
		"rm -f a.go b.go; rm -rf node_modules build":             "-a.go, -b.go",
		"git rm -q --cached a.go":                                "",
		"git rm a.go":                                            "-a.go",
		"git checkout main -- a.go b/c.go":                       "a.go, b/c.go",
		"git checkout -b fix":                                    "",
		"git checkout main":                                      "",
		"git restore --source HEAD~1 a.go":                       "a.go",
		"git restore --staged a.go":                              "",
		"git -C sub restore a.go":                                "sub/a.go",
		"touch a.go":                                             "a.go",
		"cat > 'my notes.md' <<'EOF'\nrm x.go\n> y.go\nEOF\nls":  "my notes.md",
		"cat <<EOF >> a.txt\nx > y.go\n\tEOF\nEOF\nmv b.go c.go": "a.txt, c.go",
		"cat >a.txt <<-EOF\n\tx\n\tEOF\nrm b.go":                 "a.txt, -b.go",
		"cat <<A > a.txt; cat <<B > b.txt\n1\nA\n2 > no.txt\nB":  "a.txt, b.txt",
		"grep x <<< 'a > b.go'":                                  "",
		"echo hi >> log.txt 2>&1":                                "log.txt",
		"echo hi >&2":                                            "",
		"make 2>err.txt >/dev/null":                              "",
		"make &> build.log":                                      "",
		"python gen.py > out/data.json":                          "out/data.json",
		"echo x >| a.txt":                                        "a.txt",
		"sort a.txt | tee b.txt -a c.txt > /dev/null":            "b.txt, c.txt",
		"go test ./... > /tmp/out.txt":                           "",
		"cd server && mv a.py b.py && cd ../client; touch c.py":  "server/b.py, client/c.py",
		"cd /srv/app && touch a.py":                              "/srv/app/a.py",
		"(cd sub; touch a.py)":                                   "sub/a.py",
		"cd \"$DIR\" && touch a.py":                              "a.py",
		"if true; then touch a.py; fi":                           "a.py",
		"for f in *.go; do sed -i s/a/b/ $f; done":               "",
		"FOO=1 sudo -u me env BAR=2 touch a.py":                  "a.py",
		"bash -c 'touch a.py'":                                   "a.py",
		"ssh host 'touch a.py'":                                  "",
		"docker exec box bash -c 'rm a.py'":                      "",
		"echo 'a > b.go' # > c.go":                               "",
		"if [[ $a > 3 ]]; then x; fi":                            "",
		"awk '$1 > 3' a.txt":                                     "",
		"touch a\\ b.txt":                                        "a b.txt",
		"mv \"a b.txt\" \"c d.txt\"":                             "c d.txt",
		"rm -- -odd.txt":                                         "--odd.txt",
		"touch a.txt && touch a.txt":                             "a.txt",
		"touch a.txt && rm a.txt":                                "-a.txt",
		"rm a.txt; touch a.txt":                                  "a.txt",
		"git status":                                             "",
		"unclosed 'quote > a.txt":                                "",
		"mv a.go":                                                "",
		"cat <<EOF":                                              "",
		"git":                                                    "",
		"ls >":                                                   "",
		"a=$(cat b.txt > c.txt)":                                 "",
		"diff <(sort a.txt) b.txt > d.txt":                       "d.txt",
		"x=$(basename $(pwd)) && touch a.txt":                    "a.txt",
		"echo \"$(wc \"$f\") lines > 3\" > a.txt":                "a.txt",
		"if (( n > 5 )); then touch a.txt; fi":                   "a.txt",
		"(cd a && touch b.txt); touch c.txt":                     "a/b.txt, c.txt",
		"cd a; (cd b && (cd c; rm d.txt); rm e.txt); rm f.txt":   "-a/b/c/d.txt, -a/b/e.txt, -a/f.txt",
		"bash -c 'cd a && touch b.txt'; touch c.txt":             "a/b.txt, c.txt",
		`cp "C:\My Work\a.go" "C:\My Work\new.go"`:               `C:\My Work\new.go`,
		`mv C:\work\a.go src\b.go`:                               `src\b.go`,
		`\rm "a\"b.txt"`:                                         `-a"b.txt`,
		"git commit -m \"$(cat <<'EOF'\nSay \"a -> b\" in \"c > d\" now\nrm \"e.txt\"\nEOF\n)\" && rm f.txt": "-f.txt",
	} {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		call := domain.ToolCall{Name: "Bash", Arguments: args}
		if got := strings.Join(changed(call), ", "); got != want {
			t.Errorf("%q changes %q, want %q", command, got, want)
		}
		if got := transcript.Subject(call); got != command {
			t.Errorf("%q is about %q", command, got)
		}
		call.Name = "notes" // of another server
		if got := changed(call); got != nil {
			t.Errorf("%q of another tool changes %q", command, got)
		}
	}
}

// A command of many comments or files takes time that grows with its length, not with the
// square of it: a session's start waits for it.
func TestShellFilesOfLongCommands(t *testing.T) {
	const n = 200_000
	var touch strings.Builder
	touch.WriteString("touch")
	for i := range n {
		fmt.Fprintf(&touch, " f%d.go", i)
	}
	for command, want := range map[string]int{touch.String(): n, strings.Repeat("# x\n", n) + "touch a.go": 1} {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		if files := transcript.ChangedFiles(domain.ToolCall{Name: "Bash", Arguments: args}); len(files) != want {
			t.Errorf("%d files of %.20q…, want %d", len(files), command, want)
		}
	}
}

// Shells by other names, with lists of words.
func TestShellFilesOfClients(t *testing.T) {
	for name, args := range map[string]string{
		"shell":             `{"command":["bash","-lc","cd sub && mv a b.go"]}`,
		"exec_command":      `{"cmd":"mv a sub/b.go","yield_time_ms":1000}`,
		"run_shell_command": `{"command":"mv a sub/b.go","description":"Move"}`,
		"local_shell":       `{"command":["mv","a","sub/b.go"]}`,
		"exec":              `"mv a sub/b.go"`,
	} {
		call := domain.ToolCall{Name: name, Arguments: json.RawMessage(args)}
		if diff := cmp.Diff([]string{"sub/b.go"}, changed(call)); diff != "" {
			t.Error(name, diff)
		}
	}
}

// Nothing that is taken for a shell's command breaks the search for files.
func FuzzShellFiles(f *testing.F) {
	for _, command := range []string{"cat <<'E' > a\nE\n", "sed -i '' s/a/b/ c", "cd x && mv a b", "a\\", "\"`$(", "<<", "git -C", "\"$(cat <<'E'\n)\"\nE\n)\"", "((1)) (a) b)", "$((1<<2))\n2"} {
		f.Add(command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range transcript.ChangedFiles(domain.ToolCall{Name: "Bash", Arguments: args}) {
			if strings.TrimSpace(file.Path) == "" {
				t.Errorf("%q changes %v", command, file)
			}
		}
	})
}

// The lists of things to do of Claude Code and opencode, Codex and Gemini CLI, which set
// the whole list, the last one being in force.
func TestTodosSetWhole(t *testing.T) {
	want := []domain.Todo{{Text: "one", Status: domain.TodoDone}, {Text: "two", Status: domain.TodoUnderWay}, {Text: "three", Status: "pending"}}
	for name, args := range map[string]string{
		"TodoWrite":   `{"todos":[{"content":"one","status":"completed","activeForm":"Doing one"},{"content":"two","status":"in_progress"},{"content":"three","status":"pending"}]}`,
		"update_plan": `{"explanation":"so","plan":[{"step":"one","status":"completed"},{"step":"two","status":"in_progress"},{"step":"three","status":"pending"}]}`,
		"write_todos": `{"todos":[{"description":"one","status":"completed"},{"description":"two","status":"in_progress"},{"description":"three","status":"pending"}]}`,
	} {
		var latest transcript.LatestTodos
		latest.Called(10, domain.ToolCall{Name: "TodoRead"})
		latest.Called(9, domain.ToolCall{Name: name, Arguments: json.RawMessage(args)})
		latest.Called(8, domain.ToolCall{Name: name, Arguments: json.RawMessage(`{"todos":[{"content":"old"}]}`)})
		if diff := cmp.Diff(want, latest.List()); latest.Seq != 9 || diff != "" {
			t.Errorf("%s at %d: %s", name, latest.Seq, diff)
		}
	}
	var emptied transcript.LatestTodos
	emptied.Called(9, domain.ToolCall{Name: "TodoWrite", Arguments: json.RawMessage(`{"todos":[]}`)})
	emptied.Called(8, domain.ToolCall{Name: "TodoWrite", Arguments: json.RawMessage(`{"todos":[{"content":"old"}]}`)})
	if list := emptied.List(); len(list) > 0 {
		t.Errorf("an emptied list has %v", list)
	}
}

// A list that the client refused is not the assistant's.
func TestTodosRefused(t *testing.T) {
	var latest transcript.LatestTodos
	set := func(seq int64, id, args string) {
		latest.Called(seq, domain.ToolCall{ID: id, Name: "update_plan", Arguments: json.RawMessage(args)})
	}
	latest.Answered(12, domain.Message{Role: domain.RoleTool, ToolCallID: "c2", ToolName: "update_plan", Error: "failed to parse function arguments"})
	set(11, "c2", `{"plan":[{"step":"refused","status":"under way"}]}`)
	set(10, "c1", `{"plan":[{"step":"one","status":"pending"}]}`)
	if diff := cmp.Diff([]domain.Todo{{Text: "one", Status: "pending"}}, latest.List()); latest.Seq != 10 || diff != "" {
		t.Errorf("at %d: %s", latest.Seq, diff)
	}
}

// Some models give their calls no ids, or the same ones in each turn. A call that failed is the
// one before its answer.
func TestTodosBeforeAFailedCallOfTheSameID(t *testing.T) {
	for _, id := range []string{"", "call_0"} {
		var latest transcript.LatestTodos
		latest.Answered(12, domain.Message{Role: domain.RoleTool, ToolCallID: id, ToolName: "shell", Error: "no such file"})
		latest.Called(11, domain.ToolCall{ID: id, Name: "shell", Arguments: json.RawMessage(`{}`)})
		latest.Called(10, domain.ToolCall{ID: id, Name: "update_plan", Arguments: json.RawMessage(`{"plan":[{"step":"one","status":"pending"}]}`)})
		if diff := cmp.Diff([]domain.Todo{{Text: "one", Status: "pending"}}, latest.List()); diff != "" {
			t.Errorf("id %q: %s", id, diff)
		}
	}
}

// Claude Code's newer tools make and change one item at a time; a hook is told of an item
// in another form than the transcript.
func TestTodosChangedOneByOne(t *testing.T) {
	var latest transcript.LatestTodos
	update := func(seq int64, args string) {
		latest.Called(seq, domain.ToolCall{Name: "TaskUpdate", Arguments: json.RawMessage(args)})
	}
	created := func(seq int64, content string) {
		latest.Answered(seq, domain.Message{Role: domain.RoleTool, ToolName: "TaskCreate", Content: content})
	}
	update(20, `{"taskId":"3","status":"deleted"}`)
	update(19, `{"taskId":2,"status":"in_progress"}`)
	update(18, `{"taskId":"1","status":"completed"}`)
	update(17, `{"taskId":"1","status":"in_progress"}`)
	update(16, `{"taskId":"7","status":"completed"}`) // made before the part of the log that is read
	created(15, `{"task":{"id":"4","subject":"publish"}}`)
	created(14, "Task #3 created successfully: drop it")
	created(13, "Task #2 created successfully: write tests")
	created(12, "Task #1 created successfully: design")
	created(11, "no such form")
	want := []domain.Todo{{Text: "design", Status: domain.TodoDone}, {Text: "write tests", Status: domain.TodoUnderWay}, {Text: "publish"}}
	if diff := cmp.Diff(want, latest.List()); latest.Seq != 20 || diff != "" {
		t.Errorf("at %d: %s", latest.Seq, diff)
	}
}
