package main

import (
	"os"
	"path/filepath"
)

// absolute names a path the same way from every folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// home is the user's folder, the working folder where that is not known.
func (a *app) home() string {
	if h := a.env("HOME"); h != "" {
		return h
	}
	h, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	return h
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
