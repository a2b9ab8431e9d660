//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Without a token only this machine may have access. A token that others can read is
// refused.
func TestServeToken(t *testing.T) {
	home := t.TempDir()
	open := command(home, "serve", "--no-token", "--listen", "0.0.0.0:0")
	var stderr bytes.Buffer
	open.Stderr = &stderr
	if err := open.Run(); err == nil || open.ProcessState.ExitCode() != exitUsage || !strings.Contains(stderr.String(), "network") {
		t.Errorf("--no-token on all interfaces: %v %s", err, stderr.Bytes())
	}
	for name, tt := range map[string]struct {
		make func(path string) error
		want string
	}{
		"open to others": {func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("secret\n"), 0o600), os.Chmod(path, 0o644)) // whatever the umask
		}, "chmod 600"},
		"empty":     {func(path string) error { return os.WriteFile(path, []byte(" \n"), 0o600) }, "is empty"},
		"two lines": {func(path string) error { return os.WriteFile(path, []byte("one\ntwo\n"), 0o600) }, "several lines"},
		"folder":    {func(path string) error { return os.Mkdir(path, 0o700) }, "not an ordinary file"},
		"pipe":      {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not an ordinary file"},
		"file/in":   {func(path string) error { return os.WriteFile(filepath.Dir(path), nil, 0o600) }, "file/in can be neither read nor made: not a directory; choose another"},
	} {
		path := filepath.Join(home, name)
		if err := tt.make(path); err != nil {
			t.Fatal(err)
		}
		cmd := command(home, "serve", "--listen", "127.0.0.1:0", "--token-file", path)
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		if said := fails(t, cmd); !strings.Contains(said, tt.want) {
			t.Errorf("%s: %s", name, said)
		}
		late.Stop()
	}
	cmd := command(home, "serve", "--listen", "127.0.0.1:0", "--token-file=~/empty") // shells expand no ~ behind a =
	cmd.Dir = t.TempDir()
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if said := fails(t, cmd); !strings.Contains(said, filepath.Join(home, "empty")+" is empty") {
		t.Errorf("in the home folder: %s", said)
	}
}
