package main

import (
	"fmt"
	"slices"
	"strings"

	"wake/cmd/wake/internal/edit"
)

// hookSwitch is a setting of a client with which its user can switch hooks off, in one of
// the files that setup writes.
type hookSwitch struct {
	path []string // of the setting
	off  any      // its value then or, if it is a list, an element of it
}

// hooksOff returns the setting that keeps the client from running wake's hooks, and its
// file; "" if there is none.
func (c mcpClient) hooksOff(p places) (setting, path string) {
	p.remove = true // the files are the same, and no client is asked for its version
	for _, t := range c.targets(p, false) {
		if t.format == nil {
			continue
		}
		text, err := readIfExists(t.path)
		if err != nil {
			continue
		}
		settings, err := edit.Settings(t.format, text)
		if err != nil {
			continue
		}
		for _, s := range c.switches {
			if s.isOff(settings) {
				return fmt.Sprintf("%s = %v", strings.Join(s.path, "."), s.off), t.path
			}
		}
	}
	return "", ""
}

// isOff reports whether the settings of a file switch hooks off.
func (s hookSwitch) isOff(settings any) bool {
	for _, key := range s.path {
		object, _ := settings.(map[string]any)
		settings = object[key]
	}
	if list, ok := settings.([]any); ok {
		return slices.Contains(list, s.off)
	}
	return settings == s.off
}

// warnOff says what keeps a client from running wake's hooks, if anything does.
func (a *app) warnOff(title, setting, path string) {
	if setting != "" {
		fmt.Fprintf(answerWriter{a}, "hooks are switched off in %s, so it records nothing by itself: take out “%s” in %s\n", title, setting, path)
	}
}
