package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"unicode"

	"wake/domain"
	"wake/memory"
)

// unnamed is the project of a folder without a name: the root, where desktop
// applications start their servers.
const unnamed = "default"

// projectFolder finds the folder whose name a project takes: the root of the
// main git worktree around dir, so that all worktrees of a repository share one
// memory, else dir itself. Git is not run. A repository in the home folder
// (dotfiles) does not swallow the folders below it. Of a folder that is gone, or is one
// of another machine, only the name is left.
func projectFolder(dir, home string) memory.Folder {
	if isForeign(dir) {
		return memory.Folder{Name: nameOf(outOfWorktree(withoutDrive(dir)))}
	}
	root := realPath(dir)
	if found, gitDir := enclosingGit(root, realPath(home)); found != "" {
		root = mainWorktree(realPath(found), gitDir)
	} else if !isFolder(root) {
		root = outOfWorktree(root)
	}
	f := memory.Folder{Name: nameOf(root)}
	if isFolder(root) {
		f.Path, f.TakesFrom = root, isGone
		f.Machine, _ = os.Hostname()
	}
	return f
}

// person names who works here among those who share a database, as ann@laptop. Of the
// machine's name it takes the first part: the rest changes with the network.
func person() string {
	host, _ := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	if u, err := user.Current(); err == nil {
		host = u.Username[strings.LastIndexByte(u.Username, '\\')+1:] + "@" + host
	}
	return strings.ToLower(strings.ToValidUTF8(host, ""))
}

// workedIn is where the project lives of a session that worked in dir, as its transcript
// says; a folder without a name where that says nothing.
func workedIn(dir, home string) memory.Folder {
	if !filepath.IsAbs(dir) && !isForeign(dir) {
		return memory.Folder{}
	}
	return projectFolder(dir, home)
}

// isForeign reports whether a path is absolute as another system writes it.
func isForeign(path string) bool {
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return !filepath.IsAbs(path) && (drive || strings.HasPrefix(path, `\\`) || strings.HasPrefix(path, "/"))
}

// withoutDrive is a foreign path from its root, with slashes.
func withoutDrive(path string) string {
	if path[1] == ':' {
		path = path[2:]
	}
	return strings.ReplaceAll(path, `\`, "/")
}

// outOfWorktree is the repository of which a folder that is gone was a worktree, where
// its path tells: assistants make them in folders of these names.
func outOfWorktree(path string) string {
	for _, within := range []string{"/.claude/worktrees/", "/.worktrees/"} {
		if repository, _, ok := strings.Cut(filepath.ToSlash(path), within); ok && repository != "" {
			return filepath.FromSlash(repository)
		}
	}
	return path
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

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isGone reports whether a folder is there no longer, as after it was moved or on
// another machine, so that its project's name may go to another. One that cannot be
// looked at is not gone.
func isGone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// renamed says why this folder's project is not called as the folder is, "" where it is
// or another project was set.
func (a *app) renamed(s *memory.Service) string {
	here := s.Folder.Name
	if a.project != "" || here == s.DefaultProject {
		return ""
	}
	return fmt.Sprintf("another folder is called %q already, so this one's project is %q", here, s.DefaultProject)
}

// here is the folder this run is about.
func (a *app) here() memory.Folder { return projectFolder(a.workDir(), a.home()) }

// workDir is the folder that the client names, else the working folder; "" where that
// was removed, which is unnamed.
func (a *app) workDir() string {
	if dir := a.env("CLAUDE_PROJECT_DIR"); dir != "" {
		return absolute(dir)
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
