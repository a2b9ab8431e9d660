package main

import "testing"

// A hook of ours is known in every form, also when the program was renamed; another
// program's is not.
func TestRunsHook(t *testing.T) {
	group := func(hook map[string]any) any { return map[string]any{"hooks": []any{hook}} }
	for _, c := range []struct {
		hook map[string]any
		want bool
	}{
		{map[string]any{"command": "/usr/bin/wake hook codex"}, true},
		{map[string]any{"command": `"C:\Program Files\wake.exe" hook codex`}, true},
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
