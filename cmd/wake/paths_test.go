package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without HOME, as under a program that starts servers with an empty environment, or
// with a useless one, the memory is still the user's own, not one in the working
// folder.
func TestHomeUnset(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_DATA_HOME", "")
	for _, home := range []string{"", ".", "there"} {
		t.Setenv("HOME", home)
		a := newApp()
		if !filepath.IsAbs(a.home()) || !filepath.IsAbs(a.dataDir()) || strings.HasPrefix(a.home(), wd) {
			t.Errorf("HOME=%q: home %q, data %q", home, a.home(), a.dataDir())
		}
	}
}
