package main

import (
	"slices"
	"testing"
)

// A client that passes only these variables on to a server, as Codex does, passes all that
// settings come from.
func TestEnvironmentNamesEachSetting(t *testing.T) {
	var read []string
	envSettings(func(name string) string {
		read = append(read, name)
		return ""
	})
	for _, name := range read {
		if !slices.Contains(environment(), name) {
			t.Errorf("%s is not passed on", name)
		}
	}
}

// Words for no model are not the names of servers.
func TestOllamaOff(t *testing.T) {
	for _, word := range []string{"off", "Off", "none", "false"} {
		a := &app{env: func(string) string { return "" }, flags: settings{Ollama: word}}
		set, err := a.settings()
		if m, failed := model(set); err != nil || failed != nil || m != nil {
			t.Errorf("--ollama %s: model %v, %v, %v", word, m, err, failed)
		}
	}
}
