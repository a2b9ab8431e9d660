package transcript_test

import (
	"encoding/json"
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
	if diff := cmp.Diff(want, transcript.ChangedFiles(domain.ToolCall{Name: "shell", Arguments: raw})); diff != "" {
		t.Error(diff)
	}
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
		{"apply_patch", `"*** Begin Patch\n*** Delete File: old.go\n*** End Patch"`, "old.go", "old.go"},
		{"exec", `"ls -la"`, "ls -la", ""},
		{"TodoWrite", `{"todos":[]}`, "", ""},
		{"odd", `not JSON`, "", ""},
	} {
		call := domain.ToolCall{Name: tt.name, Arguments: json.RawMessage(tt.args)}
		if got := transcript.Subject(call); got != tt.subject {
			t.Errorf("%s %s is about %q, want %q", tt.name, tt.args, got, tt.subject)
		}
		if got := strings.Join(transcript.ChangedFiles(call), ", "); got != tt.changed {
			t.Errorf("%s %s changes %q, want %q", tt.name, tt.args, got, tt.changed)
		}
	}
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
