package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"wake/domain"
	"wake/memory"
)

// unnamed is the project of a folder without a name, such as the root, where desktop
// applications start their servers.
const unnamed = "default"

// projectFolder finds the folder that gives a project its name: the root of the main
// git worktree around dir, so that all worktrees of a repository share one memory, or of
// the checkout of Jujutsu or Mercurial, else dir itself. It does not run git. A repository in the home folder (dotfiles)
// does not include the folders below it. If the folder is gone, or on another machine,
// only its name and its path are known.
func projectFolder(dir, home string) memory.Folder {
	if dir = native(dir); isForeign(dir) {
		return memory.Folder{Name: nameOf(outOfWorktree(withoutDrive(dir))), Was: dir}
	}
	root, was := realFolder(dir), ""
	if found := enclosing(root, realFolder(home), dotGit); found != "" {
		root, was = mainWorktree(realFolder(found))
	} else if found := enclosing(root, realFolder(home), ".jj", ".hg"); found != "" {
		if found != root {
			was = root // earlier versions knew git alone
		}
		root = found
	} else if isFolder(root) {
		root, was = outOfHidden(outOfPrograms(root))
	} else if root = outOfWorktree(root); isThere(filepath.Join(root, dotGit)) {
		return projectFolder(root, home)
	} else {
		return memory.Folder{Name: nameOf(root), Machine: machine(), Was: root}
	}
	return memory.Folder{Name: nameOf(root), Machine: machine(), Path: root, Was: was,
		TakesFrom: func(at domain.Place) bool { return hasLeft(at) || sameFile(at.Path, root) }}
}

// realFolder is the absolute path of a folder without links, spelled as on the disk. Of one that
// is gone, that is so of what is left above it.
func realFolder(path string) string {
	path = realPath(path)
	if above := filepath.Dir(path); path != "" && above != path && isGone(path) {
		return filepath.Join(realFolder(above), filepath.Base(path))
	}
	return spelled(path)
}

// person names the user among those who share a database, as ann@laptop. It uses only
// the first part of the machine's name, since the rest changes with the network.
func person() string {
	host, _, _ := strings.Cut(machine(), ".")
	if u, err := user.Current(); err == nil {
		host = u.Username[strings.LastIndexByte(u.Username, '\\')+1:] + "@" + host
	}
	return strings.ToLower(strings.ToValidUTF8(host, ""))
}

// workedIn returns the folder of the project of a session that worked in dir,
// according to its transcript. The folder has no name if dir is not known.
func workedIn(dir, home string) memory.Folder {
	if dir = native(dir); !filepath.IsAbs(dir) && !isForeign(dir) {
		return memory.Folder{}
	}
	return projectFolder(dir, home)
}

// worktreesUnder are folders in which programs make the worktrees of all repositories, with
// the place of the repository's name in the path below.
var worktreesUnder = map[string]int{"/.cursor/worktrees/": 1, "/.codex/worktrees/": 2, "/copilot-worktrees/": 1}

// outOfWorktree returns the repository of a worktree that is gone, or at least a folder of
// its name, if the path shows it: assistants and editors make worktrees in folders with these names.
func outOfWorktree(path string) string {
	slash := filepath.ToSlash(path)
	for _, within := range []string{"/.claude/worktrees/", ".worktrees/"} {
		repository, _, ok := strings.Cut(slash, within)
		if repository = strings.TrimSuffix(repository, "/"); ok && repository != "" {
			return filepath.FromSlash(repository)
		}
	}
	for within, place := range worktreesUnder {
		above, below, ok := strings.Cut(slash, within)
		if names := strings.Split(below, "/"); ok && len(names) > place {
			return filepath.FromSlash(above + within + strings.Join(names[:place], "/"))
		}
	}
	return path
}

// enclosing walks up from dir to the first folder in which is one of the marks of a
// repository; "" if there is none.
func enclosing(dir, home string, marks ...string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if (at != home || at == dir) && slices.ContainsFunc(marks, func(mark string) bool { return isThere(filepath.Join(at, mark)) }) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// isThere reports whether there is something at a path, be it a link that leads nowhere.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// dotGit is a repository in its folder, or the file that leads to it.
const dotGit = ".git"

// mainWorktree follows the .git file of a linked worktree to its repository. A
// submodule, which has a .git file too, has no commondir and is a project of its own.
// A worktree of a submodule belongs to that. A bare repository that is hidden among its worktrees
// is named as the folder around it. Earlier versions knew both by the repository's path.
func mainWorktree(root string) (folder, was string) {
	gitDir := linkedGit(root)
	if gitDir == "" {
		return root, ""
	}
	common, err := readLine(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return root, ""
	}
	repository := rooted(gitDir, common)
	if !isWorktreeOf(repository, gitDir, filepath.Join(root, dotGit)) {
		return root, ""
	}
	repository = realFolder(repository)
	around := filepath.Dir(repository)
	if filepath.Base(repository) == dotGit {
		return around, ""
	}
	if checkout := checkedOut(repository); checkout != "" {
		return checkout, repository
	}
	if sameFile(linkedGit(around), repository) {
		return around, repository
	}
	return outOfHidden(repository)
}

// outOfHidden returns the folder around a bare repository that is hidden by its usual name, and
// that repository; any other folder itself.
func outOfHidden(folder string) (around, bare string) {
	if filepath.Base(folder) == ".bare" {
		return filepath.Dir(folder), folder
	}
	return folder, ""
}

// checkedOut is the folder of a submodule, whose repository lies in that of the whole and names
// it in its configuration; "" for any other repository, and if that folder does not lead back.
func checkedOut(repository string) string {
	for _, config := range []string{"config.worktree", "config"} {
		text, err := readRegular(filepath.Join(repository, config))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, "=")
			if strings.TrimSpace(name) != "worktree" {
				continue
			}
			folder := realFolder(rooted(repository, strings.Trim(strings.TrimSpace(value), `"`)))
			if sameFile(linkedGit(folder), repository) {
				return folder
			}
		}
	}
	return ""
}

// linkedGit is where the .git file of a folder leads, "" if that has none.
func linkedGit(folder string) string {
	line, err := readLine(filepath.Join(folder, dotGit))
	if err != nil { // .git is a folder, or not there
		return ""
	}
	return rooted(folder, strings.TrimSpace(strings.TrimPrefix(line, "gitdir:")))
}

// isWorktreeOf reports whether a repository knows the folder of a .git file as its worktree:
// its notes on the worktree are in it, and name that file, or one that is gone because the
// worktree was moved. Otherwise a folder that was unpacked from an archive could say that it
// belongs to any repository, and be told what is remembered there.
func isWorktreeOf(repository, gitDir, link string) bool {
	if !sameFile(filepath.Join(repository, "worktrees", filepath.Base(gitDir)), gitDir) {
		return false
	}
	known, err := readLine(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return true
	}
	known = rooted(gitDir, known)
	return isGone(known) || sameFile(known, link)
}

func readLine(path string) (string, error) {
	text, err := readRegular(path)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line), nil
}

func rooted(base, path string) string {
	if path = native(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// nameOf makes a valid project name of a folder's name.
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

// isGone reports whether a folder does not exist any more. One that cannot be accessed is
// not gone.
func isGone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// hasLeft reports whether a project's folder is gone from this machine, so that the project's
// name may go to another. What this machine has on a drive that is not plugged in is not: it
// would come back to find that its memory is another's.
func hasLeft(at domain.Place) bool {
	drive := removable(runtime.GOOS, at.Path)
	return isGone(at.Path) && (at.Machine == "" || drive == "" || fileExists(drive))
}

// drivesAt are the folders at which systems show drives that can be taken out.
var drivesAt = map[string][]string{"darwin": {"/Volumes/*"}, "linux": {"/media/*/*", "/run/media/*/*"}}

// removable is the folder of the drive that a folder is on, if that can be taken out, else "".
// On Windows any drive may be one.
func removable(goos, folder string) string {
	if drive := filepath.VolumeName(folder); goos == "windows" && drive != "" {
		return drive + `\`
	}
	names := strings.Split(folder, "/")
	for _, at := range drivesAt[goos] {
		drive := strings.Join(names[:min(len(names), strings.Count(at, "/")+1)], "/")
		if ok, _ := path.Match(at, drive); ok {
			return drive
		}
	}
	return ""
}

// renamed explains why this folder's project has not just the folder's name, as another has
// it. It returns "" otherwise, and if a project was set.
func (a *app) renamed(s *memory.Service) string {
	here := s.Folder.Name
	if a.project != "" || !strings.HasPrefix(s.DefaultProject, here+"~") {
		return ""
	}
	return fmt.Sprintf("another folder is called %q already, so this one's project is %q; if both are one to you, set WAKE_PROJECT=%s here", here, s.DefaultProject, posixWord(here))
}

// recordsIn is the project into which hooks and imports put sessions, if set is the one
// in the settings. "" means that of each session's folder, and so do all projects, which
// are only for reading.
func recordsIn(set string) string {
	if set == memory.AllProjects {
		return ""
	}
	return set
}

// writesTo is the project that a command writes to; "" means the folder's. All projects
// in the settings mean that too. On the command line they stay, and are refused.
func (a *app) writesTo() string {
	if a.flags.Project == "" {
		return recordsIn(a.project)
	}
	return a.project
}

// here is the folder of this run's project.
func (a *app) here() memory.Folder { return projectFolder(a.workDir(), a.home()) }

// claudeRoot is the variable in which Claude Code names the folder it was started in to its
// servers and hooks.
const claudeRoot = "CLAUDE_PROJECT_DIR"

// workDir is the folder named by the client, else the working folder, if that was removed
// as the shell calls it.
func (a *app) workDir() string {
	if dir := a.env(claudeRoot); dir != "" {
		return absolute(native(dir))
	}
	dir, err := os.Getwd()
	if err != nil && filepath.IsAbs(a.env("PWD")) {
		return a.env("PWD")
	}
	return dir
}
