package main

import (
	"path/filepath"
	"runtime"
	"strings"
)

// native returns a path in this system's own form. On Windows, Cursor reports folders as
// URIs have them (/c:/Users/ann), and Git Bash and the Linux within Windows have names of
// their own for drives (/c/Users/ann, /mnt/c/Users/ann). That Linux is told of C:\Users\ann.
func native(dir string) string {
	dir = unmarked(dir)
	form, sure := nativeForm(runtime.GOOS, dir)
	if form != "" && (sure || isFolder(form)) {
		return form
	}
	return dir
}

// nativeForm is the form that a system may have for a path of a drive, "" for any other
// path. It is sure if the path can mean nothing else there.
func nativeForm(goos, dir string) (form string, sure bool) {
	drive, below := driveOf(dir)
	switch {
	case drive == "":
		return "", false
	case goos == "windows" && strings.HasPrefix(dir, "/"):
		return strings.ToUpper(drive) + `:\` + strings.ReplaceAll(below, "/", `\`), strings.HasPrefix(dir[2:], ":")
	case goos == "linux" && strings.HasPrefix(slashed(dir[1:]), ":/"):
		return "/mnt/" + strings.ToLower(drive) + "/" + below, false
	}
	return "", false
}

// unmarked is a path without the mark behind which Windows takes a path literally, as programs
// in Rust such as Codex write it (\\?\C:\Users\ann, \\?\UNC\server\share).
func unmarked(path string) string {
	if share, ok := strings.CutPrefix(path, `\\?\UNC\`); ok {
		return `\\` + share
	}
	return strings.TrimPrefix(path, `\\?\`)
}

// driveOf splits a path of a drive, in any form, into the drive's letter and the rest.
func driveOf(path string) (drive, below string) {
	path = strings.TrimPrefix(strings.TrimPrefix(slashed(path), "/mnt/"), "/")
	drive, below, _ = strings.Cut(path, "/")
	drive = strings.TrimSuffix(drive, ":")
	if letter := strings.ToLower(drive); len(letter) != 1 || letter < "a" || letter > "z" {
		return "", ""
	}
	return drive, below
}

// isForeign reports whether a path is absolute on another system.
func isForeign(path string) bool {
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return !filepath.IsAbs(path) && (drive || strings.HasPrefix(path, `\\`) || strings.HasPrefix(path, "/"))
}

// withoutDrive is a foreign path without its drive, with slashes.
func withoutDrive(path string) string {
	if len(path) > 1 && path[1] == ':' {
		path = path[2:]
	}
	return slashed(path)
}
