package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wake/cmd/wake/internal/edit"
)

// Wake's own hooks are recognised in every form, even if the program was renamed; those
// of other programs are not.
func TestRunsHook(t *testing.T) {
	group := func(hook map[string]any) any { return map[string]any{"hooks": []any{hook}} }
	for _, c := range []struct {
		hook map[string]any
		want bool
	}{
		{map[string]any{"command": "/usr/bin/wake hook codex"}, true},
		{map[string]any{"command": `"C:\Program Files\wake.exe" hook codex`}, true},
		{map[string]any{"command": `C:\Users\ann\bin\Wake.exe hook codex`}, true},
		{map[string]any{"command": `& 'C:\Users\ann lee\wake.exe' hook codex --db 'C:\my hook db'`}, true},
		{map[string]any{"command": `C:/Users/ann/bin/wake.exe hook goose`}, true},
		{map[string]any{"command": `& '/my tools/memory' hook codex`}, true},
		{map[string]any{"command": `C:\Users\ann\bin\awake.exe hook codex`}, false},
		{map[string]any{"command": "/opt/wake-linux-amd64 hook codex --db x"}, true},
		{map[string]any{"command": `"/my tools/memory" hook codex`}, true},
		{map[string]any{"command": "/my tools/memory", "args": []any{"hook", "claude-code"}}, true},
		{map[string]any{"command": "/usr/bin/wake", "args": []any{"hook", "claude-code"}}, true},
		{map[string]any{"command": "/my tools/memory", "args": []any{"save"}}, false},
		{map[string]any{"command": "/usr/bin/awake hook codex"}, false},
		{map[string]any{"command": "/usr/bin/other hook codex"}, false},
		{map[string]any{"command": "echo wake"}, false},
	} {
		if runsHook(c.hook, "/my tools/memory") != c.want || runsHook(group(c.hook), "/my tools/memory") != c.want {
			t.Errorf("%v: want %v", c.hook, c.want)
		}
	}
}

// On Windows, most clients run hooks in PowerShell, which takes a quoted word for a text, and
// the others in a posix shell, which takes a backslash for a quotation mark.
func TestHooksOnWindows(t *testing.T) {
	for _, c := range []struct {
		program string
		flags   []string
		want    map[string]string
	}{
		{`C:\Users\ann\bin\wake.exe`, nil, map[string]string{
			"codex":  `C:\Users\ann\bin\wake.exe hook codex`,
			"gemini": `C:\Users\ann\bin\wake.exe hook gemini`,
			"cursor": `C:\Users\ann\bin\wake.exe hook cursor`,
			"goose":  `C:/Users/ann/bin/wake.exe hook goose`,
		}},
		{`C:\Program Files (x86)\Ann's\wake.exe`, []string{"--db", `D:\my $db\wake.db`, "--project", "shop"}, map[string]string{
			"codex": `& 'C:\Program Files (x86)\Ann''s\wake.exe' hook codex --db 'D:\my $db\wake.db' --project shop`,
			"goose": `"C:/Program Files (x86)/Ann's/wake.exe" hook goose --db "D:\\my \$db\\wake.db" --project shop`,
		}},
	} {
		p := places{goos: "windows", program: c.program, flags: c.flags, env: func(string) string { return "" }}
		for _, client := range mcpClients() {
			want := c.want[client.name]
			if want == "" {
				continue
			}
			for _, e := range client.hooks(p).entries {
				command := hookLine(t, e.Value)
				if command != want || !e.Mine(map[string]any{"command": command}) {
					t.Errorf("%s: %s, want %s", client.name, command, want)
				}
			}
		}
	}
}

// hookLine is the command line of a hook.
func hookLine(t *testing.T, hook any) string {
	t.Helper()
	switch h := hook.(type) {
	case hookGroup[shellHook]:
		return h.Hooks[0].Command
	case cursorHook:
		return h.Command
	}
	t.Fatalf("%T is no hook", hook)
	return ""
}

// Gemini CLI refuses a prompt whose hook ends with any code but 0 and 1, as a shell does that
// does not find the program.
func TestGeminiWithoutWake(t *testing.T) {
	program := filepath.Join(t.TempDir(), "my wake")
	command := func(goos string) string {
		p := places{goos: goos, program: program, env: func(string) string { return "" }}
		return geminiHooks(p).entries[0].Value.(hookGroup[shellHook]).Hooks[0].Command
	}
	ends := func(want int) {
		t.Helper()
		run := exec.Command("bash", "-c", command("linux"))
		if err := run.Run(); run.ProcessState == nil || run.ProcessState.ExitCode() != want {
			t.Errorf("%s: %v, want exit code %d", run, err, want)
		}
	}
	if runtime.GOOS != "windows" { // which has no bash, and no scripts that are programs
		ends(1)
		for code, want := range []int{0, 1, 1} {
			if err := os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\nexit %d\n", code), 0o700); err != nil {
				t.Fatal(err)
			}
			ends(want)
		}
	}
	if said := command("windows"); strings.Contains(said, "||") {
		t.Errorf("PowerShell is to run %s", said)
	}
}

// If a client writes its file while the user reads what setup would do, that change
// stays.
func TestSetupOfAFileThatChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	file := oneEntry(path, edit.JSON{}, "command", plainServer{"wake", []string{"mcp"}}, "mcpServers", "wake")
	for _, step := range []struct {
		remove       bool
		shown, wrote string // the file when it was shown, and when it is written
		want         string
	}{
		{false, "{\"a\": 1}\n", "{\"a\": 2}\n", "{\"a\": 2, \"mcpServers\": {\"wake\":{\"command\":\"wake\",\"args\":[\"mcp\"]}}}\n"},
		{true, "{\"a\": 2, \"mcpServers\": {\"wake\": {}}}\n", "{\"a\": 3, \"mcpServers\": {\"wake\": {}}}\n", "{\"a\": 3}\n"},
	} {
		write(t, path, step.shown)
		c, err := file.change(step.remove)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, step.wrote)
		if err := c.write(places{remove: step.remove}); err != nil {
			t.Fatal(err)
		}
		if got, err := readIfExists(path); err != nil || got != step.want {
			t.Errorf("it is %q, %v", got, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each client's files are written, found complete, and taken out again on each system. What
// an editor on Windows has put into them stays.
func TestSetupEachClient(t *testing.T) {
	for _, c := range mcpClients() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := places{home: home, goos: runtime.GOOS, env: func(string) string { return "" }}
			mine := map[edit.Format]string{
				edit.JSON{}: "\ufeff{\r\n  \"a\": \"C:\\\\x\"\r\n}\r\n",
				edit.TOML{}: "\ufeffa = 'C:\\x'\r\n",
				edit.YAML{}: "\ufeffa: C:\\x\r\n",
			}[c.server(p).format]
			path := c.server(p).path
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, path, mine)
			says := func(want string, args ...string) {
				t.Helper()
				if out := run(t, home, append([]string{"setup", c.name}, args...)...); !strings.Contains(out, want) {
					t.Errorf("%v: %s, want %s", args, out, want)
				}
			}
			says("is connected: ")
			says("is connected already")
			if text, err := readIfExists(path); err != nil || !strings.HasPrefix(text, "\ufeff") || strings.Count(text, "\n") != strings.Count(text, "\r\n") {
				t.Errorf("%q, %v", text, err)
			}
			says("is no longer connected", "--remove")
			if text, err := readIfExists(path); err != nil || text != mine {
				t.Errorf("%q, %v", text, err)
			}
			says("was not connected", "--remove")
		})
	}
}
