package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"wake/domain"
	"wake/files"
)

// absolute makes a path absolute.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// home is the user's home folder, from its variable, or if that is not set, as for a
// server started without it, from the system. It is never relative, because then there
// would be another memory in each working folder.
func (a *app) home() string {
	if h := a.env(homeVariable(runtime.GOOS)); filepath.IsAbs(h) {
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

// homeVariable names a system's variable with the home folder. On Windows only some
// programs have HOME, such as Git Bash, in which Claude Code may run hooks: with a folder
// of its own there, they would find another memory than the server.
func homeVariable(goos string) string {
	if goos == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// fromHome expands a leading ~/ that no shell has expanded, as in a client's configuration
// or in --flag=~/path. Otherwise there would be another memory in each working folder.
func (a *app) fromHome(path string) string {
	if below, ok := strings.CutPrefix(filepath.ToSlash(path), "~/"); ok {
		return filepath.Join(a.home(), below)
	}
	return path
}

// realPath is the absolute path without links, as [files.Resolve] follows them; "" stays "".
func realPath(path string) string {
	if path == "" {
		return ""
	}
	return files.Resolve(absolute(path))
}

// checkRegular refuses pipes and devices: opening a pipe waits for its writer, maybe for
// ever, and a device may have no end.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return err
	}
	return &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not an ordinary file")}
}

// maxRead limits files that are read as a whole. The largest are hooks in a spool, as
// large as a message.
const maxRead = 2 * domain.MaxMessage

// readRegular reads a regular file of at most maxRead bytes.
func readRegular(path string) ([]byte, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > maxRead {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is larger than %d MB", maxRead>>20)}
	}
	return os.ReadFile(path)
}

// sameFile reports whether two paths lead to one file, without opening it.
func sameFile(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// fileExists reports whether there is something at a path.
func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// xdg is a base folder of the XDG specification: the variable's value if that is an
// absolute path, as the specification demands, else a folder in the home folder.
func (a *app) xdg(variable, below string) string {
	if dir := a.env(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(a.home(), below)
}
