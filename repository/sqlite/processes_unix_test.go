//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wake/domain"
	"wake/repository"
	"wake/repository/sqlite"
)

// systemChildren are the children that only this system can have.
var systemChildren = map[string]child{
	"full": fullChild, "fulljoined": fullJoinedChild, "fullend": fullEndChild, "fullopen": fullOpenChild, "readonly": readOnlyChild,
}

// Whoever puts a copy in the place of an open database by hand also deletes the -wal and
// -shm. The process that has them open writes nothing more that would be lost with them,
// and leaves alone what others have written since.
func TestDeletedWAL(t *testing.T) {
	for _, deleted := range []string{"-wal -shm", "-wal", "-shm"} {
		t.Run(deleted, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wake.db")
			said, next, ended := hold(t, path)
			saveIn(t, path, "before", 1)
			s := mustOpen(t, path)
			if err := s.Backup(t.Context(), path+".bak", func(int, int) {}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("cp", path+".bak", path).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, suffix := range strings.Fields(deleted) {
				if err := os.Remove(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			next()
			if got := said(); !strings.Contains(got, "was moved away or deleted while wake had it open") {
				t.Errorf("the next save: %s", got)
			}
			if deleted == "-wal" { // others still see in the -shm what it held
				_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
				wantKind(t, err, domain.KindUnavailable, "-wal was moved away or deleted")
			}
			want := 21
			if deleted == "-wal -shm" {
				saveIn(t, path, "beside", 20)
				want += 20
			}
			next()
			ended() // its locks go with it
			saveIn(t, path, "after", 20)
			s = mustOpen(t, path)
			if got := count(t, s); got != want {
				t.Errorf("%d contexts, want %d", got, want)
			}
			sound(t, s)
		})
	}
}

// fullChild saves until a limit on file sizes ends it, as a full disk would.
func fullChild(path string, _ []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := put(ctx, s, "first", "words"); err != nil {
		return err
	}
	limit := unix.Rlimit{Cur: 1 << 20, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for k := 0; err == nil && k < 100; k++ {
		err = put(ctx, s, fmt.Sprint(k), strings.Repeat("word ", 10_000))
	}
	fmt.Println(domain.KindOf(err), err)
	found, err := s.Contexts(ctx, domain.ContextQuery{})
	fmt.Println("reads", len(found) > 0, err)
	limit.Cur = 64 << 10
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	fmt.Println("backup", s.Backup(ctx, path+".copy", nil))
	limit.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	_, err = sqlite.Open(ctx, path+".new", sqlite.Options{})
	fmt.Println("new", err)
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	return put(ctx, s, "last", "words")
}

// On a full disk a save is an Unavailable error that names the remedy, and so is a backup,
// of the place of the copy; reading goes on, and saving does once there is room again.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	out, err := childOf(t, "full", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"unavailable nothing was saved", "reads true <nil>", "backup the copy was not made, because there is no room to write " + path + ".copy",
		"new there is no room to create the database " + path + ".new"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	if left, _ := filepath.Glob(path + ".copy*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s := mustOpen(t, path)
	if got := count(t, s); got < 3 {
		t.Errorf("%d contexts", got)
	}
	sound(t, s)
}

// fullJoinedChild joins writes until there is no room for them, then tries on with room.
func fullJoinedChild(path string, _ []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err == nil {
		err = put(ctx, s, "first", "words")
	}
	if err != nil {
		return err
	}
	s.JoinWrites()
	limit := unix.Rlimit{Cur: 1 << 20, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for k := 0; err == nil && k < 1000; k++ {
		err = putAs(ctx, s, repository.Relaxed, fmt.Sprint(k), strings.Repeat("word ", 10_000))
	}
	fmt.Println(domain.KindOf(err), err)
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	fmt.Println("relaxed", putAs(ctx, s, repository.Relaxed, "last", "words") == err)
	fmt.Println("durable", put(ctx, s, "last", "words") == err)
	_, reads := s.Contexts(ctx, domain.ContextQuery{})
	fmt.Println("reads", reads)
	fmt.Println("close", s.Close())
	return nil
}

// Once a commit of joined writes fails, nothing that could build on them is written.
func TestFullDiskUnderJoinedWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	out, err := childOf(t, "fulljoined", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"unavailable nothing was saved", "relaxed true", "durable true", "reads <nil>", "close <nil>"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	s := mustOpen(t, path)
	sound(t, s)
	if _, err := s.ContextsByID(t.Context(), []string{"first"}, false); err != nil {
		t.Error(err)
	}
	mustPut(t, s, "last", "words")
}

// fullEndChild joins a write for which there is no room, and waits until it is committed: by a
// timer or, if args says so, behind another write that takes long and fails.
func fullEndChild(path string, args []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	s.JoinWrites()
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: unix.RLIM_INFINITY}); err != nil {
		return err
	}
	wrote := putAs(ctx, s, repository.Relaxed, "last", "words")
	if len(args) > 0 {
		_ = s.Write(ctx, repository.Relaxed, func(repository.Tx) error {
			time.Sleep(100 * time.Millisecond)
			return errors.New("refused")
		})
	}
	for there := wrote == nil; there; time.Sleep(time.Millisecond) {
		list, err := s.ContextsByID(ctx, []string{"last"}, false)
		if there = len(list) > 0; err != nil && domain.KindOf(err) != domain.KindNotFound {
			return err
		}
	}
	fmt.Println(errors.Join(wrote, s.Close()))
	return nil
}

// If no write follows a commit of joined writes that failed, Close tells of it.
func TestFullDiskAtTheEndOfJoinedWrites(t *testing.T) {
	for _, behind := range [][]string{nil, {"another"}} {
		out, err := childOf(t, "fullend", filepath.Join(t.TempDir(), "wake.db"), behind...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "nothing was saved") {
			t.Errorf("behind %q %v: it says %s", behind, err, out)
		}
	}
}

// fullOpenChild opens a file where there is no room for another byte, reads it, and
// goes on until another program has written to it.
func fullOpenChild(path string, _ []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	limit := unix.Rlimit{Cur: 0, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	_, err := sqlite.Open(ctx, path, sqlite.Options{Brief: true})
	fmt.Println("brief", err)
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	found, err := s.Contexts(ctx, domain.ContextQuery{})
	fmt.Println("reads", len(found), err)
	fmt.Println("saves", put(ctx, s, "second", "words"))
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	other, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	if err := put(ctx, other, "second", "words"); err != nil {
		return err
	}
	if err := other.Close(); err != nil {
		return err
	}
	_, err = s.Contexts(ctx, domain.ContextQuery{})
	fmt.Println("later", err)
	return s.Close()
}

// A file whose disk is full can still be opened and read by whoever is not in a hurry. Once others have
// written to it, reading it without their -shm would not be safe.
func TestOpenOnFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	if err := put(t.Context(), s, "first", "words"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := childOf(t, "fullopen", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"brief there is no room beside " + path, "reads 1 <nil>", "saves nothing was saved, because the disk",
		"later the disk of " + path + " was full when wake opened it, and others have written"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	s = mustOpen(t, path)
	if got := count(t, s); got != 2 {
		t.Errorf("%d contexts", got)
	}
	sound(t, s)
}

// Where a -wal was left, a full disk has no room for what even readers need; that is what the
// error says, not that somebody has written since.
func TestOpenOnFullDiskBesideWAL(t *testing.T) {
	begun, left := t.TempDir(), t.TempDir()
	mustPut(t, mustOpen(t, filepath.Join(begun, "wake.db")), "first", "words")
	if err := os.CopyFS(left, os.DirFS(begun)); err != nil { // as a killed process leaves it
		t.Fatal(err)
	}
	path := filepath.Join(left, "wake.db")
	out, _ := childOf(t, "fullopen", path).CombinedOutput()
	if said := strings.Count(string(out), "there is no room beside "+path); said != 2 { // when opened briefly, and when not
		t.Errorf("it says it %d times: %s", said, out)
	}
}

// readOnlyChild reads a file that it may not write.
func readOnlyChild(path string, _ []string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := s.Contexts(ctx, domain.ContextQuery{WithContent: true})
	if err != nil {
		return err
	}
	hits, err := s.DocumentsWhere(ctx, domain.DocumentQuery{Project: "wake"})
	fmt.Println(len(found), len(hits), err)
	err = put(ctx, s, "2", "x")
	fmt.Println(domain.KindOf(err), err)
	return nil
}

// A file that cannot be written can be read; writes are Unavailable errors.
func TestReadOnly(t *testing.T) {
	dir, path := openFolder(t)
	s := mustOpen(t, path)
	mustPut(t, s, "1", "words")
	chmod(t, map[string]os.FileMode{path: 0o444, path + "-wal": 0o444, path + "-shm": 0o444, dir: 0o555})
	readByOther(t, path)
	s.Close()
	readByOther(t, path)
	chmod(t, map[string]os.FileMode{dir: 0o777})
	readByOther(t, path)
}

// openFolder makes a folder for a database: the test's own is closed to other users.
func openFolder(t testing.TB) (dir, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "wake-others")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir, filepath.Join(dir, "wake.db")
}

func chmod(t testing.TB, modes map[string]os.FileMode) {
	t.Helper()
	for name, mode := range modes {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that was read while it could not be written, and may be written again, can
// be: what SQLite made beside it meanwhile keeps nobody out.
func TestWritableAgain(t *testing.T) {
	dir, path := openFolder(t)
	s := mustOpen(t, path)
	mustPut(t, s, "1", "words")
	s.Close()
	if os.Getuid() == 0 {
		for _, name := range []string{dir, path} {
			if err := os.Chown(name, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod(t, map[string]os.FileMode{path: 0o400})
	readByOther(t, path)
	chmod(t, map[string]os.FileMode{path: 0o600})
	if out, err := childOfOther(t, "save", path, "later", "1").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// nobody is a user who is not root.
const nobody = 65534

// childOfOther is childOf, run as a user who is not root: root may write all.
func childOfOther(t testing.TB, what, path string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := childOf(t, what, path, args...)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Path = copyBinary(t, filepath.Dir(path))
		cmd.Dir = "/"
	}
	return cmd
}

// readByOther opens the file as a user who may not write it.
func readByOther(t testing.TB, path string) {
	t.Helper()
	out, err := childOfOther(t, "readonly", path).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "1 1 <nil>\nunavailable ") {
		t.Errorf("%v: %s", err, out)
	}
}

// copyBinary puts the test binary where other users can run it.
func copyBinary(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(dir, "test.bin")
	raw, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
