package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wake/domain"
	"wake/memory/memorytest"
	"wake/repository"
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

// A worktree that is gone is known by where assistants and editors make them.
func TestOutOfWorktree(t *testing.T) {
	for path, want := range map[string]string{
		"/src/shop/.claude/worktrees/fix/web":                           "/src/shop",
		"/src/shop/.worktrees/fix":                                      "/src/shop",
		"/src/shop.worktrees/agents-fix/web":                            "/src/shop", // VS Code
		"/home/ann/.cursor/worktrees/shop/x1f":                          "/home/ann/.cursor/worktrees/shop",
		"/home/ann/.codex/worktrees/a1b2/shop/web":                      "/home/ann/.codex/worktrees/a1b2/shop",
		"/home/ann/.copilot/repos/copilot-worktrees/shop/brave-cat/web": "/home/ann/.copilot/repos/copilot-worktrees/shop",
		"/home/ann/.codex/worktrees":                                    "/home/ann/.codex/worktrees",
		"/.worktrees/fix":                                               "/.worktrees/fix",
		"/src/shop":                                                     "/src/shop",
	} {
		if got := filepath.ToSlash(outOfWorktree(filepath.FromSlash(path))); got != want {
			t.Errorf("%s is of %s, want %s", path, got, want)
		}
	}
}

// A folder has the form that this system knows it by, whichever program names it.
func TestNativeForm(t *testing.T) {
	for _, c := range []struct {
		goos, dir, want string
		sure            bool
	}{
		{"windows", "/c:/Users/ann/shop", `C:\Users\ann\shop`, true},
		{"windows", "/C:", `C:\`, true},
		{"windows", "/c/Users/ann/shop", `C:\Users\ann\shop`, false},
		{"windows", "/mnt/d/shop", `D:\shop`, false},
		{"windows", "/c", `C:\`, false},
		{"windows", `C:\Users\ann`, "", false},
		{"windows", "/home/ann/shop", "", false},
		{"windows", "//server/share", "", false},
		{"windows", "c/shop", "", false},
		{"windows", "", "", false},
		{"linux", `C:\Users\ann\shop`, "/mnt/c/Users/ann/shop", false},
		{"linux", "d:/shop", "/mnt/d/shop", false},
		{"linux", "/c/Users/ann", "", false},
		{"linux", "c", "", false},
		{"darwin", `C:\Users\ann\shop`, "", false},
	} {
		if got, sure := nativeForm(c.goos, c.dir); got != c.want || sure != c.sure {
			t.Errorf("%s on %s: %q, %v", c.dir, c.goos, got, sure)
		}
	}
}

// Windows ignores the case of names, and clients do not agree on it: a folder is one project.
func TestProjectFolderOnWindows(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("paths of Windows")
	}
	home := t.TempDir()
	shop := filepath.Join(home, "Shop")
	for _, dir := range []string{".git", "src"} {
		if err := os.MkdirAll(filepath.Join(shop, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	want := projectFolder(shop, home)
	for _, dir := range []string{strings.ToLower(shop), strings.ToUpper(shop), filepath.ToSlash(shop), "/" + filepath.ToSlash(shop),
		"/" + strings.ToLower(shop[:1]) + filepath.ToSlash(shop[2:]), filepath.Join(shop, "SRC"), shop + `\`, `\\?\` + shop} {
		if got := projectFolder(dir, home); got.Name != "Shop" || got.Path != want.Path {
			t.Errorf("%s: %q in %s, want %s", dir, got.Name, got.Path, want.Path)
		}
	}
}

// A folder from an archive may have a .git file that names a repository of its user's. It
// is a project of its own, unless that repository knows it.
func TestForgedWorktree(t *testing.T) {
	home := t.TempDir()
	put := func(text string, path ...string) {
		t.Helper()
		putFile(t, text, append([]string{home}, path...)...)
	}
	own := filepath.Join("shop", ".git", "worktrees", "fix")
	put("../..\n", own, "commondir")
	put(filepath.Join(home, "fix", ".git")+"\n", own, "gitdir")
	put("gitdir: ../shop/.git/worktrees/fix\n", "fix", ".git")
	put("gitdir: ../shop/.git/worktrees/fix\n", "unpacked", ".git")
	put("gitdir: notes\n", "forged", ".git")
	put(filepath.Join(home, "shop", ".git")+"\n", "forged", "notes", "commondir")
	put(filepath.Join(home, "forged", ".git")+"\n", "forged", "notes", "gitdir")
	for dir, want := range map[string]string{"fix": "shop", "unpacked": "unpacked", "forged": "forged"} {
		if got := projectFolder(filepath.Join(home, dir), home).Name; got != want {
			t.Errorf("%s is of %q, want %q", dir, got, want)
		}
	}
	if err := os.Rename(filepath.Join(home, "fix"), filepath.Join(home, "moved")); err != nil {
		t.Fatal(err)
	}
	if got := projectFolder(filepath.Join(home, "moved"), home).Name; got != "shop" {
		t.Errorf("a worktree that was moved is of %q", got)
	}
}

func putFile(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// layouts makes repositories of several kinds in a folder.
func layouts(t *testing.T) (dir string) {
	t.Helper()
	dir = realFolder(t.TempDir())
	bare := filepath.Join(dir, "site", ".bare")
	putFile(t, "../..\n", bare, "worktrees", "main", "commondir")
	putFile(t, "gitdir: ../.bare/worktrees/main\n", dir, "site", "main", ".git")
	sub := filepath.Join(dir, "shop", ".git", "modules", "fees")
	putFile(t, "[core]\n\tbare = false\n\tworktree = ../../../fees\n", sub, "config")
	putFile(t, "gitdir: ../.git/modules/fees\n", dir, "shop", "fees", ".git")
	putFile(t, "../..\n", sub, "worktrees", "fix", "commondir")
	putFile(t, "gitdir: ../shop/.git/modules/fees/worktrees/fix\n", dir, "fix", ".git")
	putFile(t, "[core]\n\tworktree = ../shop\n", dir, "tools.git", "config") // as one that is forged may say
	putFile(t, "../..\n", dir, "tools.git", "worktrees", "next", "commondir")
	putFile(t, "gitdir: ../tools.git/worktrees/next\n", dir, "next", ".git")
	return dir
}

// All that is checked out of a repository is one project, in whatever part of it a session begins.
func TestPartsOfARepository(t *testing.T) {
	dir := layouts(t)
	for part, want := range map[string]string{
		"site/main": "site", "site": "site", "site/.bare": "site",
		"fix": "shop/fees", "shop/fees": "shop/fees", "shop/.git/modules/fees": "shop",
		"next": "tools.git", "tools.git": "tools.git",
	} {
		if got := projectFolder(filepath.Join(dir, part), dir); got.Path != filepath.Join(dir, want) {
			t.Errorf("%s is of %s, want %s", part, got.Path, want)
		}
	}
}

// What has claimed the name of a project for a path keeps it: that by which earlier versions knew
// a repository, and that of a folder that is gone, however it was reached, or of another system.
func TestKnownByPath(t *testing.T) {
	dir := layouts(t)
	if err := os.Mkdir(filepath.Join(dir, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("work", filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	foreign := `C:\work\shop`
	if runtime.GOOS == "windows" {
		foreign = "/work/shop"
	}
	for _, c := range []struct{ folder, path string }{
		{filepath.Join(dir, "site", "main"), filepath.Join(dir, "site", ".bare")},
		{filepath.Join(dir, "site", ".bare"), filepath.Join(dir, "site", ".bare")},
		{filepath.Join(dir, "fix"), filepath.Join(dir, "shop", ".git", "modules", "fees")},
		{filepath.Join(dir, "link", "gone"), filepath.Join(dir, "work", "gone")},
		{foreign, foreign},
	} {
		s, _ := memorytest.Open(t)
		err := s.Store.Write(t.Context(), repository.Relaxed, func(tx repository.Tx) error {
			return tx.ClaimProject(t.Context(), "known", domain.Place{Machine: "this", Path: c.path}, nil, time.Unix(0, 0))
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := projectFolder(c.folder, dir).NameIn(t.Context(), s.Store); err != nil || got != "known" {
			t.Errorf("%s is of %q: %v", c.folder, got, err)
		}
	}
}

// unplugged is a folder on a drive that is not there.
var unplugged = map[string]string{"linux": "/media/nobody/stick/shop", "darwin": "/Volumes/no such drive/shop", "windows": `B:\work\shop`}[runtime.GOOS]

// A folder on a drive that is not plugged in is not gone.
func TestGone(t *testing.T) {
	for path, want := range map[string]bool{t.TempDir(): false, filepath.Join(t.TempDir(), "shop"): true, unplugged: false} {
		if got := hasLeft(domain.Place{Machine: "this", Path: path}); got != want && path != "" {
			t.Errorf("%s is gone: %v", path, got)
		}
	}
	for _, c := range []struct{ goos, path, want string }{
		{"linux", "/media/ann/stick/work/shop", "/media/ann/stick"}, {"linux", "/run/media/ann/stick", "/run/media/ann/stick"},
		{"linux", "/media/ann", ""}, {"linux", "/home/media/ann/shop", ""}, {"linux", "/Volumes/Stick/shop", ""}, {"linux", `B:\work\shop`, ""},
		{"darwin", "/Volumes/Stick/shop", "/Volumes/Stick"}, {"darwin", "/Users/ann/shop", ""}, {"darwin", "/media/ann/stick/shop", ""},
	} {
		if got := removable(c.goos, c.path); got != c.want {
			t.Errorf("on %s, %s is on the drive %q, want %q", c.goos, c.path, got, c.want)
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

// What a colleague has on a drive that this machine has not is no folder of this machine.
func TestDriveOfAnotherMachine(t *testing.T) {
	if unplugged == "" {
		t.Skip("no drives are known")
	}
	home := t.TempDir()
	shop := filepath.Join(home, "shop")
	if err := os.Mkdir(shop, 0o700); err != nil {
		t.Fatal(err)
	}
	here := projectFolder(shop, home)
	for owner, want := range map[string]string{"colleague's": "shop", here.Machine: "shop~2"} {
		s, _ := memorytest.Open(t)
		err := s.Store.Write(t.Context(), repository.Relaxed, func(tx repository.Tx) error {
			return tx.ClaimProject(t.Context(), "shop", domain.Place{Machine: owner, Path: unplugged}, nil, time.Unix(0, 0))
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := here.NameIn(t.Context(), s.Store); err != nil || got != want {
			t.Errorf("with the drive at %s, the folder here is named %q, want %q; %v", owner, got, want, err)
		}
	}
}
