package main

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
)

// opencodeDir is a folder that opencode reads also where OPENCODE_CONFIG_DIR names another.
func (p places) opencodeDir() string {
	return filepath.Join(p.dir("XDG_CONFIG_HOME", ".config"), "opencode")
}

// opencodeFile is the one of its two names that is there.
func (p places) opencodeFile() string {
	if commented := filepath.Join(p.opencodeDir(), "opencode.jsonc"); fileExists(commented) {
		return commented
	}
	return filepath.Join(p.opencodeDir(), "opencode.json")
}

// opencodePlugin runs wake hook opencode.
//
//go:embed opencode.js
var opencodePlugin string

// opencodeHooks are a plugin too, a program: opencode starts no others. All of its versions
// look into the folder plugin, later ones into plugins as well.
func opencodeHooks(p places) target {
	command, _ := json.Marshal(append([]string{p.program, "hook", "opencode"}, p.flags...)) // strings always marshal
	folder := filepath.Join(p.opencodeDir(), "plugin")
	return target{path: filepath.Join(folder, "wake.js"), own: folder,
		whole: strings.Replace(opencodePlugin, `["wake", "hook", "opencode"]`, string(command), 1)}
}
