package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Without a home folder, as under a program that starts servers with an empty environment, or
// with a useless one, the memory is still the user's own, not one in the working
// folder.
func TestHomeUnset(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_DATA_HOME", "")
	for _, home := range []string{"", ".", "there"} {
		t.Setenv(homeVariable(runtime.GOOS), home)
		a := newApp()
		if !filepath.IsAbs(a.home()) || !filepath.IsAbs(a.dataDir()) || strings.HasPrefix(a.home(), wd) {
			t.Errorf("home folder %q: home %q, data %q", home, a.home(), a.dataDir())
		}
	}
}

// Git Bash, in which Claude Code may run hooks on Windows, has a HOME that its server has
// not.
func TestHomeOfGitBash(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("elsewhere HOME counts")
	}
	ann := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("USERPROFILE", ann)
	if got := newApp().home(); got != ann {
		t.Errorf("home %q, want %q", got, ann)
	}
}
