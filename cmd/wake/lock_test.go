package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A locked file is locked for others only: it can be read, renamed and deleted, and is
// free again once the lock is closed.
func TestLockFile(t *testing.T) {
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := lockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockFile(path); err == nil || errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("it was locked twice: %v", err)
	}
	if err := os.WriteFile(path, []byte("xy"), 0o600); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "xy" {
		t.Errorf("read %q: %v", data, err)
	}
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	if !isLocked(moved) {
		t.Error("the lock did not follow the file")
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
	if isLocked(moved) {
		t.Error("the lock stayed")
	}
	again, err := lockFile(moved)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(moved), again.Close()); err != nil {
		t.Error(err)
	}
}
