package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// sessionsIn writes n short sessions of Claude Code into a folder.
func sessionsIn(t *testing.T, folder string, n int) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		row := fmt.Sprintf(`{"type":"user","uuid":"u","sessionId":"s%d","timestamp":"2026-05-04T08:00:00Z","message":{"role":"user","content":"go on"}}`+"\n", i)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("s%d.jsonl", i)), []byte(row), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// writersLock holds the writer's lock of a database until the test ends.
func writersLock(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return db
}

// runningImport is an import that prints a line for each source.
type runningImport struct {
	*exec.Cmd
	lines  *bufio.Scanner
	stderr *bytes.Buffer // to be read after it has ended
}

// startImport starts an import of many sessions into the database of home.
func startImport(t *testing.T, home string) *runningImport {
	t.Helper()
	folder := filepath.Join(home, "sessions")
	sessionsIn(t, folder, 1500)
	im := &runningImport{Cmd: command(home, "import", "claude-code", "--lines", folder), stderr: &bytes.Buffer{}}
	im.Stderr = im.stderr
	out, err := im.StdoutPipe()
	if err == nil {
		err = im.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	im.lines = bufio.NewScanner(out)
	return im
}

// An import without anything new writes nothing: it does not wait for another program's
// lock, and works on a read-only database.
func TestImportOfNothingNewWritesNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, "sessions")
	sessionsIn(t, folder, 3)
	run(t, home, "import", "claude-code", folder)
	writersLock(t, filepath.Join(home, "wake.db"))
	began := time.Now()
	if out := run(t, home, "import", "claude-code", folder); !strings.Contains(out, "in 3 nothing was new") {
		t.Errorf("it says %q", out)
	}
	if took := time.Since(began); took > 15*time.Second { // whoever waits for the lock waits 30
		t.Errorf("it took %v", took)
	}
}

// What --lines has printed is safe from a power cut, and an interrupted import ends
// soon, even while another program holds the writer's lock.
func TestImportStoppedUnderLock(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	im := startImport(t, home)
	if !im.lines.Scan() || !strings.Contains(im.lines.Text(), "1 new") {
		t.Errorf("it begins with %q", im.lines.Text())
	}
	var kept int
	if err := writersLock(t, filepath.Join(home, "wake.db")).QueryRow(`SELECT count(*) FROM ingest_cursors WHERE source = 'imports'`).Scan(&kept); err != nil || kept != 1 {
		t.Errorf("it told of a source before it was safe: %v", err)
	}
	send(t, im.Cmd, os.Interrupt)
	began := time.Now()
	for im.lines.Scan() {
	}
	if err := im.Wait(); err == nil || !strings.Contains(im.stderr.String(), "start it again") {
		t.Errorf("stopped, it says %v, %q", err, im.stderr.String())
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it ended %v after it was stopped", took)
	}
}

// If nothing can be stored any more, that is said once, and no more sources are read.
func TestImportStopsWhereNothingCanBeStored(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a database that is open cannot be moved away")
	}
	t.Parallel()
	home := t.TempDir()
	im := startImport(t, home)
	im.lines.Scan()
	if err := os.Rename(filepath.Join(home, "wake.db"), filepath.Join(home, "aside.db")); err != nil {
		t.Fatal(err)
	}
	for im.lines.Scan() {
	}
	err := im.Wait()
	if err == nil || strings.Count(im.stderr.String(), "moved away") != 1 || !strings.Contains(im.stderr.String(), "start it again") {
		t.Errorf("%v, %d lines: %.1000s", err, strings.Count(im.stderr.String(), "\n"), im.stderr.String())
	}
}

// A damaged row stops only the source that needs it.
func TestImportContinuesAfterDamagedRow(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	graph, folder := filepath.Join(home, "memory.json"), filepath.Join(home, "sessions")
	if err := os.WriteFile(graph, []byte(`{"entities":[{"name":"billing","entityType":"service","observations":["runs at night"]}],"relations":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	sessionsIn(t, folder, 3)
	run(t, home, "import", "auto", graph)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(home, "wake.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE context_snapshots SET dependencies = '{'`); err != nil {
		t.Fatal(err)
	}
	db.Close()
	out, err := command(home, "import", "auto", "--whole", graph, folder).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is damaged") || !strings.Contains(string(out), "1 could not be read") || !strings.Contains(string(out), "in 3 sessions") {
		t.Errorf("%v: %s", err, out)
	}
}

// A line without an end does not keep an import from being stopped.
func TestImportStopsWithinALine(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	endless := filepath.Join(home, "endless.jsonl")
	if err := os.WriteFile(endless, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(endless, 1<<42); err != nil {
		t.Skip(err) // the file system has no holes
	}
	c := command(home, "import", "claude-code", endless)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "it opens no file", func() bool { return mayHaveOpen(c.Process.Pid, endless) })
	time.Sleep(time.Second) // it is reading
	send(t, c, os.Interrupt)
	late := time.AfterFunc(patience, func() { c.Process.Kill() })
	defer late.Stop()
	if err := c.Wait(); err == nil || !strings.Contains(stderr.String(), "the import was stopped") {
		t.Errorf("%v: %s", err, stderr.String())
	}
}

// mayHaveOpen reports whether a process has a file open, true where the system does not tell.
func mayHaveOpen(pid int, path string) bool {
	opened, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	return len(opened) == 0 || slices.ContainsFunc(opened, func(fd string) bool {
		to, err := os.Readlink(fd)
		return err == nil && filepath.Base(to) == filepath.Base(path)
	})
}
