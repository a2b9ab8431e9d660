package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Versions of Claude Code: the first with all hooks that need a shell, and one that is known to
// support hooks without a shell, and events after a compaction and a change of model.
const (
	commonClaude = "1.0.85"
	modernClaude = "2.1.251"
)

// claudeCodeEvents are the events with hooks, each with the first version that knows it.
var claudeCodeEvents = []struct{ name, since string }{
	{"SessionStart", "1.0.62"}, {"UserPromptSubmit", "1.0.53"}, {"PostToolUse", "1.0.38"}, {"SubagentStop", "1.0.41"},
	{"Stop", "1.0.38"}, {"PreCompact", "1.0.48"}, {"SessionEnd", commonClaude},
	{"PostCompact", modernClaude}, {"PostModelSwitch", modernClaude},
}

// claudeCodeHooks starts wake without a shell if Claude Code can do that: there is no
// quoting, and no output of login scripts. An older Claude Code would start wake without its
// arguments. It only gets the events that it knows, since it would ignore its whole settings,
// permissions included, because of one unknown event; those that a newer one got are taken out.
// For removal, the hooks for all versions count, because the version may have changed
// since the setup.
func claudeCodeHooks(p places) target {
	version := modernClaude
	if !p.remove {
		version = p.claudeVersion()
	}
	var hook any = hookGroup[execHook]{[]execHook{{"command", p.program, append([]string{"hook", "claude-code"}, p.flags...), hookSeconds}}}
	if !atLeast(version, modernClaude) {
		hook = hookGroup[shellHook]{[]shellHook{{Type: "command", Command: p.shell(posix, "hook claude-code"), Timeout: hookSeconds}}}
	}
	var known, unknown []string
	for _, e := range claudeCodeEvents {
		if atLeast(version, e.since) {
			known = append(known, e.name)
		} else {
			unknown = append(unknown, e.name)
		}
	}
	t := hookTarget(filepath.Join(p.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), p.hookEntries(hook, known...))
	t.refused = p.hookEntries(hook, unknown...)
	return t
}

// versionTime is how long to wait for a client's version. An old one took 10 s on a busy machine.
const versionTime = 20 * time.Second

// claudeVersion is the version of the oldest Claude Code that runs here. One of unknown version
// is taken for commonClaude.
func (p places) claudeVersion() string {
	oldest := commonClaude
	for i, v := range p.claudeVersions() {
		if i == 0 || !atLeast(v, oldest) {
			oldest = v
		}
	}
	return oldest
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

// versionOf asks a Claude Code for its version; "" if there is none, or it does not tell.
func versionOf(program string) string {
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	ask := exec.CommandContext(ctx, program, "--version")
	ask.WaitDelay = time.Second // a script may leave something running that holds its output open
	out, err := ask.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !atLeast(version, "0.0.0") {
		return ""
	}
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
