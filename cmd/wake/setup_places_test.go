package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
