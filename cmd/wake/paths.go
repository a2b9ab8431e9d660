package main

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// absolute names a path the same way from every folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// home is the user's folder: where HOME says, else, as for a server that a program
// started without it, where the system's list of users says. It is never relative:
// a memory that lay in the working folder would be another one in each folder.
func (a *app) home() string {
	if h := a.env("HOME"); filepath.IsAbs(h) {
		return h
	}
	if h, err := os.UserHomeDir(); err == nil && filepath.IsAbs(h) {
		return h
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return string(filepath.Separator)
}

// fromHome puts the home folder in the place of a tilde that no shell has seen, as in the
// configuration of a client: as a name it would make another memory in each folder.
func (a *app) fromHome(path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(a.home(), below)
	}
	return path
}

// realPath is absolute, and leads through no link as far as there are such files.
func realPath(path string) string {
	if path == "" {
		return ""
	}
	path = absolute(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// sameFile reports whether both paths lead to one file, without opening it.
func sameFile(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// fileExists reports whether there is anything at a path.
func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// xdg is a base folder of the XDG specification: the variable, if it holds an
// absolute path as the specification wants, else below the home folder.
func (a *app) xdg(variable, below string) string {
	if dir := a.env(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(a.home(), below)
}
