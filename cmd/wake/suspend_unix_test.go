//go:build unix

package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// An import that a person suspends keeps nobody from writing meanwhile.
func TestImportSuspended(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, "sessions")
	sessionsIn(t, folder, 1500)
	im := command(home, "import", "claude-code", folder)
	im.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell starts it
	if err := im.Start(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(home, "wake.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for n, began := 0, time.Now(); n == 0 && time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		_ = db.QueryRow(`SELECT count(*) FROM sessions`).Scan(&n) // the tables may not be there yet
	}
	stops := 0
	for range 5 {
		_ = im.Process.Signal(syscall.SIGTSTP)
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(im.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
			break // it had come to its end
		}
		stops++
		writes(t, db)
		_ = im.Process.Signal(syscall.SIGCONT)
		time.Sleep(10 * time.Millisecond)
	}
	_ = im.Process.Kill()
	_ = im.Wait()
	if stops == 0 {
		t.Skip("it had ended before it could be suspended")
	}
}

// writes takes and leaves the writer's lock of a database.
func writes(t *testing.T, db *sql.DB) {
	t.Helper()
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		t.Error(err)
		return
	}
	if _, err := c.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		t.Error(err)
	}
}
