package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Each client's file is where the client looks for it on each system.
func TestWhereClientsLook(t *testing.T) {
	home := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	packed := at("AppData", "Local", "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude")
	if err := os.MkdirAll(packed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ client, goos, env, want string }{
		{"claude-desktop", "linux", "", at(".config", "Claude", "claude_desktop_config.json")},
		{"claude-desktop", "darwin", "", at("Library", "Application Support", "Claude", "claude_desktop_config.json")},
		{"claude-desktop", "windows", "", filepath.Join(packed, "claude_desktop_config.json")},
		{"claude-desktop", "windows", "LOCALAPPDATA=" + at("none"), at("AppData", "Roaming", "Claude", "claude_desktop_config.json")},
		{"goose", "linux", "XDG_CONFIG_HOME=" + at("xdg"), at("xdg", "goose", "config.yaml")},
		{"goose", "darwin", "", at(".config", "goose", "config.yaml")},
		{"goose", "windows", "APPDATA=" + at("roaming"), at("roaming", "Block", "goose", "config", "config.yaml")},
		{"vscode", "windows", "", at("AppData", "Roaming", "Code", "User", "mcp.json")},
		{"gemini", "linux", "", at(".gemini", "settings.json")},
		{"gemini", "linux", "GEMINI_CLI_HOME=" + at("other"), at("other", ".gemini", "settings.json")},
	} {
		name, value, _ := strings.Cut(c.env, "=")
		p := places{home: home, goos: c.goos, program: "wake", env: func(asked string) string {
			if asked == name {
				return value
			}
			return ""
		}}
		for _, client := range mcpClients() {
			if client.name == c.client && client.server(p).path != c.want {
				t.Errorf("%s on %s with %q: %s, want %s", c.client, c.goos, c.env, client.server(p).path, c.want)
			}
		}
	}
}

// On Windows, Claude Desktop's folder is the one that is there; before its first start, that of
// its package.
func TestClaudeDesktopOnWindows(t *testing.T) {
	const own, usual = "AppData/Local/Packages/Claude_b/LocalCache/Roaming/Claude", "AppData/Roaming/Claude"
	for _, c := range []struct {
		there []string
		want  string
	}{
		{nil, usual},
		{[]string{usual}, usual},
		{[]string{"AppData/Local/Packages/Claude_b"}, own},
		{[]string{"AppData/Local/Packages/Claude_b", usual}, usual},
		{[]string{"AppData/Local/Packages/Claude_a", own, usual}, own},
	} {
		home := t.TempDir()
		for _, folder := range c.there {
			if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		p := places{home: home, goos: "windows", env: func(string) string { return "" }}
		if got := p.claudeDesktop(); got != filepath.Join(home, c.want) {
			t.Errorf("with %v: %s, want %s", c.there, got, c.want)
		}
	}
}

// Whoever has Claude Code in an editor or in Claude Desktop alone has no program claude, but its
// version is known. The oldest of several programs decides, each with its newest version.
func TestClaudeCodeWithoutItsProgram(t *testing.T) {
	for _, c := range []struct {
		there []string
		want  string
	}{
		{nil, commonClaude},
		{[]string{".vscode/extensions/anthropic.claude-code-2.1.251-win32-x64"}, "2.1.251-win32-x64"},
		{[]string{".vscode/extensions/anthropic.claude-code-2.1.71-win32-x64", ".vscode/extensions/anthropic.claude-code-2.2.0-win32-x64"}, "2.2.0-win32-x64"},
		{[]string{".vscode/extensions/anthropic.claude-code-2.1.71-win32-x64", ".vscode/extensions/other.claude-code-2.2.0"}, "2.1.71-win32-x64"},
		{[]string{".vscode/extensions/anthropic.claude-code-2.2.0-win32-x64", ".cursor/extensions/anthropic.claude-code-2.0.9-universal"}, "2.0.9-universal"},
		{[]string{"AppData/Roaming/Claude/claude-code/2.10.1"}, "2.10.1"},
	} {
		home := t.TempDir()
		t.Setenv("PATH", home)
		for _, folder := range c.there {
			if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		p := places{home: home, goos: "windows", env: func(string) string { return "" }}
		if got := p.claudeVersion(); got != c.want {
			t.Errorf("with %v: %s, want %s", c.there, got, c.want)
		}
	}
}

// A script called claude may leave something running that holds its output open.
func TestVersionOfAScriptThatLeavesSomethingRunning(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script")
	}
	program := filepath.Join(t.TempDir(), "claude")
	script := "#!/bin/sh\nwhile [ -e \"$0\" ]; do sleep 0.1; done &\necho '2.1.31 (Claude Code)'\n" // until the test has ended
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	version := make(chan string, 1)
	go func() { version <- versionOf(program) }()
	select {
	case got := <-version:
		if got != "2.1.31" {
			t.Errorf("version %q", got)
		}
	case <-time.After(3 * versionTime):
		t.Error("it waits for what was left running")
	}
}
