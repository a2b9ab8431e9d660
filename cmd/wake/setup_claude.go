package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// claudeCodeHooks starts wake without a shell if Claude Code can do that: there is no
// quoting, and no output of login scripts. An older Claude Code, or one of unknown
// version, only gets what every version knows, since it would ignore its whole
// settings because of one unknown event, and would start wake without its arguments.
// For removal, the hooks for all versions count, because the version may have changed
// since the setup.
func claudeCodeHooks(p places) target {
	path := filepath.Join(p.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
	events := []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStop", "Stop", "PreCompact", "SessionEnd"}
	if !p.remove && !p.modernClaudeCode() {
		hook := shellHook{Type: "command", Command: p.shell(posix, "hook claude-code"), Timeout: hookSeconds}
		return hookTarget(path, p.hookEntries(hookGroup[shellHook]{[]shellHook{hook}}, events...))
	}
	hook := execHook{"command", p.program, append([]string{"hook", "claude-code"}, p.flags...), hookSeconds}
	return hookTarget(path, p.hookEntries(hookGroup[execHook]{[]execHook{hook}}, append(events, "PostCompact", "PostModelSwitch")...))
}

// modernClaude is a version that is known to support hooks without a shell, and events
// after a compaction and a change of model.
const modernClaude = "2.1.251"

// versionTime is how long to wait for a client's version.
const versionTime = 5 * time.Second

// modernClaudeCode reports whether every Claude Code that runs here has at least version
// modernClaude, and there is one.
func (p places) modernClaudeCode() bool {
	versions := p.claudeVersions()
	return len(versions) > 0 && !slices.ContainsFunc(versions, func(v string) bool { return !atLeast(v, modernClaude) })
}

// claudeVersions are the version of the installed Claude Code or, without one, those of the
// programs that bring their own. Its installer leaves it to the user to put its folder on
// the PATH.
func (p places) claudeVersions() []string {
	for _, program := range []string{"claude", filepath.Join(p.home, ".local", "bin", "claude")} {
		if version := versionOf(program); version != "" {
			return []string{version}
		}
	}
	var own []string
	for _, folder := range []string{filepath.Join(p.home, ".vscode", "extensions"), filepath.Join(p.home, ".cursor", "extensions")} {
		own = append(own, newestIn(folder, "anthropic.claude-code-")...)
	}
	return append(own, newestIn(filepath.Join(p.claudeDesktop(), "claude-code"), "")...)
}

// versionOf asks a Claude Code for its version; "" if there is none.
func versionOf(program string) string {
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version
}

// newestIn finds the newest version among a folder's entries, which are called by it behind
// a prefix; none if there is no such entry.
func newestIn(folder, prefix string) (newest []string) {
	entries, _ := os.ReadDir(folder) // without the folder there are none
	for _, e := range entries {
		version, ok := strings.CutPrefix(e.Name(), prefix)
		if ok && atLeast(version, append(newest, "0.0.0")[0]) {
			newest = []string{version}
		}
	}
	return newest
}

// atLeast compares versions such as 2.1.31 by their numbers.
func atLeast(version, least string) bool {
	var have, want [3]int
	if n, err := fmt.Sscanf(version, "%d.%d.%d", &have[0], &have[1], &have[2]); n < 3 || err != nil {
		return false
	}
	_, _ = fmt.Sscanf(least, "%d.%d.%d", &want[0], &want[1], &want[2])
	return slices.Compare(have[:], want[:]) >= 0
}
