package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/repository/postgres/pgtest"
)

// workplace is a home folder with repositories, in which wake runs without a project
// set.
type workplace struct {
	t    *testing.T
	home string
	db   string
}

func newWorkplace(t *testing.T) *workplace {
	t.Helper()
	return workplaceIn(t, t.TempDir())
}

func workplaceIn(t *testing.T, home string) *workplace {
	t.Helper()
	w := &workplace{t: t, home: home}
	w.db = filepath.Join(w.home, "wake.db")
	for _, dir := range []string{"desk", "shop/.git", "shop/web", "play/shop/.git", ".claude/projects/p"} {
		if err := os.MkdirAll(filepath.Join(w.home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// wake runs wake in the folder desk.
func (w *workplace) wake(stdin string, args ...string) string {
	w.t.Helper()
	c := exec.Command("wake", args...)
	c.Env, c.Dir, c.Stdin = append(wakeEnv(w.home), "WAKE_PROJECT=", "WAKE_DB="+w.db), filepath.Join(w.home, "desk"), strings.NewReader(stdin)
	out, err := c.CombinedOutput()
	if err != nil {
		w.t.Fatalf("wake %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (w *workplace) json(fields map[string]any) string {
	w.t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data) + "\n"
}

// transcript writes a session of Claude Code that begins in a folder; "" names none.
func (w *workplace) transcript(session, folder string, more ...string) {
	w.t.Helper()
	rows := w.json(map[string]any{"type": "queue-operation", "operation": "enqueue", "sessionId": session, "timestamp": "2026-05-04T08:00:00Z"})
	for i, dir := range append([]string{folder}, more...) {
		fields := map[string]any{"type": "user", "uuid": session + string(rune('a'+i)), "sessionId": session, "timestamp": "2026-05-04T08:00:01Z",
			"message": map[string]any{"role": "user", "content": "go on"}}
		if dir != "" {
			fields["cwd"] = dir
		}
		rows += w.json(fields)
	}
	w.write(".claude/projects/p/"+session+".jsonl", rows)
}

func (w *workplace) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// projects returns the projects of all sessions, by the client's id.
func (w *workplace) projects() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, s := range jsonRows(w.t, w.wake("", "session", "list", "--json", "--project", "*", "--limit", "100")) {
		all[s["client_session_id"].(string)] = s["project"].(string)
	}
	return all
}

// Each session goes into the project of its working folder. The end of the import says
// what went where.
func TestImportProjects(t *testing.T) {
	url := pgtest.Start(t).Schema(t)
	for engine, db := range map[string]string{"sqlite": "", "postgres": url} {
		t.Run(engine, func(t *testing.T) {
			w := newWorkplace(t)
			if db != "" {
				w.db = db
			}
			want := map[string]string{}
			for session, of := range map[string]struct{ folder, project string }{
				"root":        {"shop", "shop"},
				"sub":         {"shop/web", "shop"},
				"sub-gone":    {"shop/old/api", "shop"},
				"tree-gone":   {"shop/.claude/worktrees/fix", "shop"},
				"gone":        {"lost/letters", "letters"},
				"gone-tree":   {"lost/letters/.claude/worktrees/fix/src", "letters"},
				"other-shop":  {"/Users/ann/work/shop", "shop"}, // perhaps the same on another machine
				"home":        {".", filepath.Base(w.home)},
				"system":      {"/", unnamed},
				"windows":     {`C:\Users\ann\ledger`, "ledger"},
				"windows-top": {`C:\`, unnamed},
				"literal":     {`\\?\D:\ledger`, "ledger"},
				"literal-top": {`\\?\D:\`, unnamed},
				"share":       {`\\wsl.localhost\Ubuntu\home\ann\ledger`, "ledger"},
				"none":        {"", "desk"},
			} {
				dir := of.folder
				if dir != "" && !filepath.IsAbs(dir) && !strings.Contains(dir, `\`) {
					dir = filepath.Join(w.home, dir)
				}
				w.transcript(session, dir)
				want[session] = of.project
			}
			w.transcript("moves", filepath.Join(w.home, "shop"), filepath.Join(w.home, "play/shop")) // where it began
			w.write(".codex/sessions/rollout-1.jsonl", w.json(map[string]any{"timestamp": "2026-05-04T08:00:00Z", "type": "session_meta",
				"payload": map[string]any{"id": "thread", "cwd": filepath.Join(w.home, "shop")}}))
			w.write(".gemini/tmp/letters/.project_root", "/home/bob/letters")
			w.write(".gemini/tmp/letters/chats/session-1.json", `{"sessionId":"chat","messages":[{"id":"1","type":"user","content":"go on"}]}`)
			want["moves"], want["thread"], want["chat"] = "shop", "shop", "letters"
			w.write(".claude/projects/ledger/old.jsonl", w.json(map[string]any{"type": "queue-operation", "sessionId": "old"})+
				w.json(map[string]any{"type": "user", "uuid": "o", "sessionId": "old", "cwd": "/home/bob/ledger", "message": map[string]any{"content": "go on"}}))
			w.write(".claude/projects/ledger/memory/MEMORY.md", "# Cents\n\nPrices are whole cents.\n")
			want["old"] = "ledger"

			out := w.wake("", "import", "auto")
			if diff := cmp.Diff(want, w.projects()); diff != "" {
				t.Errorf("projects (-want +got):\n%s", diff)
			}
			for _, line := range []string{"PROJECT  SESSIONS  EVENTS  CONTEXTS", "ledger 4 8 1"} {
				if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(line), " ")) {
					t.Errorf("no %q in\n%s", line, out)
				}
			}
			if notes := w.wake("", "load", "--project", "ledger"); !strings.Contains(notes, "whole cents") {
				t.Errorf("the memory is not in its project: %s", notes)
			}
			if out := w.wake("", "import", "auto", "--whole"); strings.Contains(out, "PROJECT") {
				t.Errorf("nothing was new, but it tells\n%s", out)
			}
		})
	}
}

// A named project takes everything, and a known session keeps its own.
func TestImportIntoOneProject(t *testing.T) {
	w := newWorkplace(t)
	w.transcript("one", filepath.Join(w.home, "shop"))
	w.wake("", "import", "claude-code", "--project", "all")
	w.transcript("one", filepath.Join(w.home, "shop"), filepath.Join(w.home, "shop/web"))
	w.transcript("two", filepath.Join(w.home, "shop"))
	w.wake("", "import", "claude-code")
	if diff := cmp.Diff(map[string]string{"one": "all", "two": "shop"}, w.projects()); diff != "" {
		t.Error(diff)
	}
}

// Two folders with the same name are two projects for memories too, even if none of
// their sessions is known yet.
func TestImportMemoriesFirst(t *testing.T) {
	w := newWorkplace(t)
	for folder, memory := range map[string]string{"shop": "Prices are whole cents.", "play/shop": "Prices are euros."} {
		kept := ".claude/projects/" + strings.ReplaceAll(folder, "/", "-")
		w.write(kept+"/one.jsonl", w.json(map[string]any{"type": "user", "uuid": folder, "sessionId": folder, "cwd": filepath.Join(w.home, folder),
			"message": map[string]any{"role": "user", "content": "go on"}}))
		w.write(kept+"/memory/MEMORY.md", "# Prices\n\n"+memory+"\n")
	}
	w.wake("", "import", "memory-md")
	w.wake("", "import", "claude-code")
	projects := w.projects()
	if len(projects) != 2 {
		t.Errorf("projects %v, want two", projects)
	}
	for folder, project := range projects {
		cents := strings.Contains(w.wake("", "load", "--project", project), "cents")
		euros := strings.Contains(w.wake("", "load", "--project", project), "euros")
		if cents != (folder == "shop") || euros == cents {
			t.Errorf("project %s of %s: cents %v, euros %v", project, folder, cents, euros)
		}
	}
}

// An import into the project of another folder says so, even if it is only one.
func TestImportNamesAnotherProject(t *testing.T) {
	w := newWorkplace(t)
	w.transcript("one", filepath.Join(w.home, "shop"))
	if out := w.wake("", "import", "claude-code"); !strings.Contains(out, "PROJECT") || !strings.Contains(out, "shop") {
		t.Errorf("it does not tell where the session is:\n%s", out)
	}
	w.transcript("two", filepath.Join(w.home, "desk"))
	if out := w.wake("", "import", "claude-code"); strings.Contains(out, "PROJECT") {
		t.Errorf("it tells of this folder's own project:\n%s", out)
	}
}

// I5: two folders with the same name are two projects, whether their sessions come from
// hooks, imports, or both in any order. Parents and sub-agents may come in any order.
func TestImportAndHooksShareProjects(t *testing.T) {
	for order, run := range map[string]func(w *workplace, hook, take func()){
		"import, hook":         func(_ *workplace, hook, take func()) { take(); hook() },
		"hook, import":         func(_ *workplace, hook, take func()) { hook(); take() },
		"import, hook, import": func(_ *workplace, hook, take func()) { take(); hook(); take() },
	} {
		t.Run(order, func(t *testing.T) {
			w := newWorkplace(t)
			here, there := filepath.Join(w.home, "shop"), filepath.Join(w.home, "play/shop")
			w.transcript("here", here)
			w.transcript("there", there)
			w.write(".claude/projects/p/there/subagents/agent-x.jsonl", w.json(map[string]any{"type": "user", "uuid": "x", "sessionId": "there", "agentId": "x",
				"isSidechain": true, "cwd": filepath.Join(there, ".claude/worktrees/x"), "timestamp": "2026-05-04T08:00:02Z", "message": map[string]any{"role": "user", "content": "look"}}))
			hook := func() {
				for _, said := range []map[string]any{{"session_id": "live", "cwd": there}, {"session_id": "here", "cwd": here}} {
					said["hook_event_name"], said["prompt"] = "UserPromptSubmit", "go on"
					w.wake(w.json(said), "hook", "claude-code")
				}
			}
			run(w, hook, func() { w.wake("", "import", "claude-code") })
			got := w.projects()
			if got["there"] != got["live"] || got["there/agent-x"] != got["live"] {
				t.Errorf("one folder has several projects: %v", got)
			}
			if got["here"] == got["there"] || !strings.HasPrefix(got["here"]+got["there"], "shop") {
				t.Errorf("two folders share a project: %v", got)
			}
			before := maps.Clone(got)
			w.wake("", "import", "claude-code", "--whole")
			if diff := cmp.Diff(before, w.projects()); diff != "" {
				t.Errorf("repeated, it moves sessions:\n%s", diff)
			}
		})
	}
}

// After an export is imported into another database, each folder finds its own project
// there, in whatever order they are opened.
func TestExportedProjectsFindTheirFolders(t *testing.T) {
	w := newWorkplace(t)
	here, there := filepath.Join(w.home, "shop"), filepath.Join(w.home, "play/shop")
	hook := func(session, folder string) {
		t.Helper()
		w.wake(w.json(map[string]any{"session_id": session, "cwd": folder, "hook_event_name": "UserPromptSubmit", "prompt": "go on"}), "hook", "claude-code")
	}
	hook("here", here)
	hook("there", filepath.Join(there, "web"))
	file := filepath.Join(w.home, "all.jsonl")
	w.wake("", "export", "-o", file)
	w.db = filepath.Join(w.home, "other.db")
	w.wake("", "import", "auto", file)
	hook("there again", there)
	hook("here again", here)
	want := map[string]string{"here": "shop", "there": "shop~2", "here again": "shop", "there again": "shop~2"}
	if diff := cmp.Diff(want, w.projects()); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
}
