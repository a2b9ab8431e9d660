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
