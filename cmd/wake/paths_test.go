package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Without HOME, as under a program that starts servers with an empty environment,
// the memory is the user's own all the same, never one of the working folder.
func TestHomeUnset(t *testing.T) {
	t.Setenv("HOME", "")
	a := newApp()
	a.env = func(string) string { return "" }
	if !filepath.IsAbs(a.home()) || !filepath.IsAbs(a.dataDir()) {
		t.Errorf("home %q, data %q", a.home(), a.dataDir())
	}
	wd, err := os.Getwd()
	if err != nil || a.home() == wd {
		t.Errorf("home %q, %v", a.home(), err)
	}
}
