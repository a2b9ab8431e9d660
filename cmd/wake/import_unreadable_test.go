//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An unreadable file or folder among others is reported and makes the import fail, but
// the others are imported, also from the products' own folders.
func TestImportReportsUnreadableFiles(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "wake") // under t.TempDir another user could not reach it
	if err != nil {
		t.Fatal(err)
	}
	projects := filepath.Join(home, ".claude", "projects")
	t.Cleanup(func() {
		_ = os.Chmod(filepath.Join(projects, "closed"), 0o755)
		os.RemoveAll(home)
	})
	program := filepath.Join(home, "wake")
	copyProgram(t, program)
	for path, mode := range map[string]os.FileMode{"open/good.jsonl": 0o644, "open/secret.jsonl": 0, "open/notes.txt": 0, "closed/far.jsonl": 0o644} {
		path = filepath.Join(projects, path)
		id := filepath.Base(path)
		row := `{"type":"user","uuid":"u-` + id + `","sessionId":"` + id + `","timestamp":"2026-02-03T04:00:00Z","message":{"role":"user","content":"hello"}}` + "\n"
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(row), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(projects, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(home, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // root may read everything
		if err := os.Chown(data, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"auto", projects}, {"claude-code", projects}, {"claude-code"}} {
		c := exec.Command(program, append([]string{"import"}, args...)...)
		c.Env, c.Dir = append(wakeEnv(home), "WAKE_DB="+filepath.Join(data, "wake.db")), "/"
		if os.Getuid() == 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		said := fails(t, c)
		for _, unread := range []string{"secret.jsonl: it cannot be read: permission denied", "closed: it cannot be read: permission denied"} {
			if strings.Count(said, unread) != 1 {
				t.Errorf("%q tells %q %d times:\n%s", args, unread, strings.Count(said, unread), said)
			}
		}
		if strings.Contains(said, "good.jsonl") || strings.Contains(said, "notes.txt") {
			t.Errorf("%q:\n%s", args, said)
		}
	}
}
