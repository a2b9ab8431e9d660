package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// clientState is the state of a client on this machine.
type clientState struct {
	Client    string `json:"client"`
	Title     string `json:"title"`
	Found     bool   `json:"found"`
	Connected bool   `json:"connected"`
	Differs   bool   `json:"differs,omitempty"`       // connected, but not as this setup would do it
	Hookless  bool   `json:"hooks_missing,omitempty"` // connected, but a hook that this wake sets is missing
	HooksOff  string `json:"hooks_off,omitempty"`     // connected, but with this setting the client runs no hooks
	Path      string `json:"path"`

	offIn string // the file with the setting HooksOff
}

// state finds out how the client is connected.
func (c mcpClient) state(p places) clientState {
	p = p.withModelTools(c)
	t := c.server(p)
	s := clientState{Client: c.name, Title: c.title, Found: c.found(p), Path: t.path}
	if t.isComplete() {
		s.Connected, s.Hookless = true, c.hooks != nil && !c.hooks(p).isComplete()
	} else if t.isThere() {
		s.Connected, s.Differs = true, true
	}
	if s.Connected {
		s.HooksOff, s.offIn = c.hooksOff(p)
	}
	return s
}

// listClients prints which clients are on this machine and how to connect them.
func (a *app) listClients(p places) error {
	var states []clientState
	for _, c := range mcpClients() {
		states = append(states, c.state(p))
	}
	if a.json {
		return jsonLines(a.out, states)
	}
	t := table{head: []string{"CLIENT", "", "CONFIGURATION"}, whole: true}
	for _, s := range states {
		t.add(s.Client, s.words(), s.Path)
	}
	t.print(a.printer())
	switch {
	case !slices.ContainsFunc(states, func(s clientState) bool { return s.Found }):
		fmt.Fprintln(answerWriter{a}, "\nnone of them was found here; connect one that you install, or that is elsewhere, with: wake setup CLIENT")
	case slices.ContainsFunc(states, func(s clientState) bool { return !s.Connected || s.Differs || s.Hookless }):
		fmt.Fprintln(answerWriter{a}, "\nconnect one with: wake setup CLIENT")
	}
	if slices.ContainsFunc(states, func(s clientState) bool { return s.Differs }) {
		fmt.Fprintln(answerWriter{a}, "another way: with another program, database or flags; wake setup CLIENT --print shows the difference")
	}
	for _, s := range states {
		a.warnOff(s.Title, s.HooksOff, s.offIn)
	}
	return nil
}

// found reports whether the client is on this machine: its program is on the PATH, or
// it has a file or folder of its own.
func (c mcpClient) found(p places) bool {
	if c.command != "" {
		if _, err := exec.LookPath(c.command); err == nil {
			return true
		}
	}
	for _, t := range c.targets(p, false) {
		if folder := filepath.Dir(t.path); fileExists(t.path) || folder != p.home && fileExists(folder) {
			return true
		}
	}
	return false
}

func (s clientState) words() string {
	switch {
	case s.Differs:
		return "connected another way"
	case s.Hookless:
		return "connected, hooks missing"
	case s.HooksOff != "":
		return "connected, hooks off"
	case s.Connected:
		return "connected"
	case s.Found:
		return "found"
	}
	return "not found"
}
