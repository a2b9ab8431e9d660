package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"wake/domain"
)

func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ann/shop":                   "shop",
		"/srv/git/tools.git":               "tools",
		"/":                                unnamed,
		"":                                 unnamed,
		"/tmp/*":                           unnamed,
		"/tmp/a\x1bb":                      "ab",
		"/tmp/b\xffc":                      "bc",
		"/tmp/Ünïcødé Ordner":              "Ünïcødé Ordner",
		"/tmp/" + strings.Repeat("é", 250): strings.Repeat("é", domain.MaxName),
	} {
		if got := nameOf(path); got != want {
			t.Errorf("nameOf(%q) = %q, want %q", path, got, want)
		}
	}
}

// Whatever a folder is called, its project has a valid name.
func FuzzNameOf(f *testing.F) {
	f.Add("/a/b")
	f.Add("\x00\xff")
	f.Fuzz(func(t *testing.T, path string) {
		name := nameOf(path)
		if err := domain.CheckName("project", name); err != nil || !utf8.ValidString(name) || name == "*" {
			t.Errorf("nameOf(%q) = %q: %v", path, name, err)
		}
	})
}
