package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"wake/domain"
	"wake/memory"
)

// folder is where a project lives.
type folder struct {
	name string // base name of path, fit to be a project's name
	path string // absolute, without symbolic links
}

// unnamed is the project of a folder without a name: the root, where desktop
// applications start their servers.
const unnamed = "default"

// projectFolder finds the folder whose name a project takes: the root of the
// main git worktree around dir, so that all worktrees of a repository share one
// memory, else dir itself. Git is not run. A repository in the home folder
// (dotfiles) does not swallow the folders below it.
func projectFolder(dir, home string) folder {
	dir = realPath(dir)
	root := dir
	if found, gitDir := enclosingGit(dir, realPath(home)); found != "" {
		root = mainWorktree(found, gitDir)
	}
	return folder{name: nameOf(root), path: root}
}

// enclosingGit walks up from dir to the first folder with a .git in it.
func enclosingGit(dir, home string) (root, gitDir string) {
	for at := dir; ; at = filepath.Dir(at) {
		dotGit := filepath.Join(at, ".git")
		if _, err := os.Lstat(dotGit); err == nil && (at != home || at == dir) {
			return at, dotGit
		}
		if at == filepath.Dir(at) {
			return "", ""
		}
	}
}

// mainWorktree follows a linked worktree's .git file to the repository it
// belongs to. A submodule, whose .git is a file too, has no commondir and is a
// project of its own.
func mainWorktree(root, dotGit string) string {
	line, err := readLine(dotGit)
	if err != nil { // a folder: this is the main worktree
		return root
	}
	gitDir := rooted(root, strings.TrimSpace(strings.TrimPrefix(line, "gitdir:")))
	common, err := readLine(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return root
	}
	repository := rooted(gitDir, common)
	if filepath.Base(repository) == ".git" {
		return realPath(filepath.Dir(repository))
	}
	return realPath(repository) // bare
}

func readLine(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line), nil
}

func rooted(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// nameOf makes a project's name of a folder's: valid, printable, not too long.
func nameOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".git")
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if runes := []rune(name); len(runes) > domain.MaxName {
		name = string(runes[:domain.MaxName])
	}
	if name = strings.TrimSpace(name); name == "" || name == string(filepath.Separator) || name == "." || name == "*" {
		return unnamed
	}
	return name
}

// takesFrom reports whether the folder may have the name that another one claimed: that
// is there no longer, as after it was moved or on another machine, and this one is. One
// that cannot be looked at is not gone.
func (f folder) takesFrom(path string) bool {
	info, err := os.Stat(f.path)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// renamed says why this folder's project is not called as the folder is, "" where it is
// or another project was set.
func (a *app) renamed(s *memory.Service) string {
	here := a.here().name
	if a.project != "" || here == s.DefaultProject {
		return ""
	}
	return fmt.Sprintf("Another folder is called %q already, so this one's project is %q.", here, s.DefaultProject)
}

// here is the folder this run is about: the one the client names, else the
// working folder.
func (a *app) here() folder {
	dir := a.env("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir, _ = os.Getwd() // a removed folder gives "", which is unnamed
	}
	return projectFolder(dir, a.home())
}
