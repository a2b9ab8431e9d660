//go:build unix

package main

import "testing"

// A client on Windows that starts wake in the Linux within it starts it where it is itself.
func TestOutOfProgramsOfWindows(t *testing.T) {
	for dir, want := range map[string]string{
		"/mnt/c/WINDOWS/system32": "/",
		"/mnt/c":                  "/",
		"/mnt/c/Program Files/WindowsApps/Claude_1/app": "/",
		"/mnt/c/Users/ann":      "/",
		"/mnt/c/Users/ann/shop": "/mnt/c/Users/ann/shop",
		"/mnt/d/windows-shop":   "/mnt/d/windows-shop",
		"/mnt/data/windows":     "/mnt/data/windows",
		"/home/ann":             "/home/ann",
	} {
		for within, want := range map[string]string{"Ubuntu": want, "": dir} {
			t.Setenv("WSL_DISTRO_NAME", within)
			if got := outOfPrograms(dir); got != want {
				t.Errorf("%s in %q: %s, want %s", dir, within, got, want)
			}
		}
	}
}
