package main

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
)

// opencodeDir is a folder that opencode always reads, even if OPENCODE_CONFIG_DIR
// names another.
func (p places) opencodeDir() string {
	return filepath.Join(p.dir("XDG_CONFIG_HOME", ".config"), "opencode")
}

// opencodeFile is opencode's settings file, which may have two names.
func (p places) opencodeFile() string {
	if commented := filepath.Join(p.opencodeDir(), "opencode.jsonc"); fileExists(commented) {
		return commented
	}
	return filepath.Join(p.opencodeDir(), "opencode.json")
}

// opencodePlugin is a plugin that runs wake hook opencode.
//
//go:embed opencode.js
var opencodePlugin string

// opencodeHooks are a plugin too, a program, since opencode starts no other programs.
// All versions load plugins from the folder plugin, later ones also from plugins.
func opencodeHooks(p places) target {
	command, _ := json.Marshal(append([]string{p.program, "hook", "opencode"}, p.flags...)) // strings always marshal
	return target{path: filepath.Join(p.opencodeDir(), "plugin", "wake.js"),
		content: strings.Replace(opencodePlugin, `["wake", "hook", "opencode"]`, string(command), 1)}
}
