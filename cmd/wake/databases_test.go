//go:build unix

package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	_ "modernc.org/sqlite"

	"wake/domain"
)

// A database upgraded by a newer wake is not changed, and the error says what to do.
func TestNewerDatabase(t *testing.T) {
	home := t.TempDir()
	run(t, home, "save", "Written by this version.")
	db, err := sql.Open("sqlite", filepath.Join(home, "wake.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"INSERT INTO meta (key, value) VALUES ('oldest_writer', '9999') ON CONFLICT (key) DO UPDATE SET value = '9999'",
		"INSERT INTO meta (key, value) VALUES ('upgraded_by', '9.9.9') ON CONFLICT (key) DO UPDATE SET value = '9.9.9'",
		"PRAGMA user_version = 9999",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"save", "Too late."}, {"search", "version"}} {
		said := fails(t, command(home, args...))
		if !strings.Contains(said, "wake 9.9.9 has upgraded") {
			t.Errorf("the error does not say who upgraded the database: %s", said)
		}
		if strings.Contains(said, "reading goes on") {
			t.Errorf("a command that does not even read says: %s", said)
		}
	}
}

// The readable part of a damaged database can be exported. The exit code tells scripts
// that something is missing.
func TestExportOfDamagedDatabase(t *testing.T) {
	home := t.TempDir()
	for i := range 20 {
		run(t, home, "save", fmt.Sprintf("Decision %d: %s", i, strings.Repeat(fmt.Sprint("because ", i, " "), 120)))
	}
	path := filepath.Join(home, "wake.db")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const pageSize = 4096
	at := bytes.Index(file, []byte("Decision 7:")) / pageSize * pageSize
	for i := range pageSize {
		file[at+i] = byte(i*i%251 + 1)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(home, "saved.jsonl")
	if said := fails(t, command(home, "export", "-o", out)); !strings.Contains(said, "wake: not readable: contexts numbered") || !strings.Contains(said, "everything else is in "+out) {
		t.Errorf("it says %s", said)
	}
	saved, err := os.ReadFile(out)
	if err != nil || !bytes.Contains(saved, []byte("Decision 1:")) || !bytes.Contains(saved, []byte("Decision 19:")) || bytes.Contains(saved, []byte("Decision 7:")) {
		t.Errorf("%v: %d bytes", err, len(saved))
	}
}

// A read-only database answers questions and refuses saves with a clear error.
func TestReadOnlyDatabase(t *testing.T) {
	home, err := os.MkdirTemp("", "wake-readonly-") // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	program := filepath.Join(home, "wake")
	copyProgram(t, program)
	run(t, home, "save", "The bridge is closed on Sundays.")
	for path, mode := range map[string]os.FileMode{home: 0o555, filepath.Join(home, "wake.db"): 0o444} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	reader := func(args ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		c.Env, c.Dir = wakeEnv(home), "/"
		if os.Getuid() == 0 { // root may write anywhere
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		return c
	}
	for _, args := range [][]string{{"search", "when is the bridge closed?"}, {"next", "-p", "*"}, {"load", "-p", "*", "--mode", "likely"}} {
		if out, err := reader(args...).CombinedOutput(); err != nil || !strings.Contains(string(out), "Sundays") {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}
	if said := fails(t, reader("save", "It is open on Mondays.")); !strings.Contains(said, "writable") {
		t.Errorf("the error does not say what to do: %s", said)
	}
	if said := diagnosis(t, reader("doctor")); !strings.Contains(said, "problem writing ") || !strings.Contains(said, "writable") {
		t.Errorf("doctor does not see it:\n%s", said)
	}
}

// An interrupted wake doctor reports no problem.
func TestDoctorStopped(t *testing.T) {
	home := t.TempDir()
	run(t, home, "save", "Nothing is wrong with it.")
	var out, complaint bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &complaint, env: func(name string) string {
		return map[string]string{"WAKE_DB": filepath.Join(home, "wake.db"), homeVariable(runtime.GOOS): home}[name]
	}}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if code := a.run(ctx, []string{"doctor"}); code != exitFailed || strings.Contains(out.String(), "problem") || !strings.Contains(complaint.String(), "it was stopped") {
		t.Errorf("exit code %d, %s\n%s", code, &out, &complaint)
	}
}

// copyProgram copies the test binary, which is wake under that name, to a place from
// which every user can run it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, program, 0o755); err != nil {
		t.Fatal(err)
	}
}

// On a full disk (here a limit on file sizes) saves fail with a clear error, the server
// goes on reading, and nothing acknowledged is lost.
func TestFullDisk(t *testing.T) {
	home := t.TempDir()
	run(t, home, "save", "There was room for this one.")
	shell := exec.Command("bash", "-c", `ulimit -f 1024 && exec wake mcp`) // blocks of 1 KiB
	shell.Env, shell.Dir = wakeEnv(home), home
	server := introduce(t, shell)
	var acknowledged []string
	for i := range 100 {
		server.call(i, fmt.Sprintf("fact %d. %s", i, strings.Repeat("It is long. ", 5000)))
		id, refusal := server.reply(t)
		if refusal != "" {
			t.Logf("refused after %d: %s", i, refusal)
			break
		}
		acknowledged = append(acknowledged, id)
	}
	if len(acknowledged) == 100 {
		t.Fatal("the limit was never reached")
	}
	server.send(`{"jsonrpc":"2.0","id":1000,"method":"tools/call","params":{"name":"search_context","arguments":{"query":"was there room?"}}}`)
	if line, err := server.out.ReadString('\n'); err != nil || !strings.Contains(line, "There was room") {
		t.Errorf("reading on a full disk: %v %q", err, line)
	}
	server.in.Close()
	if err := shell.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	run(t, home, append([]string{"load", "--content=false"}, acknowledged...)...)
	run(t, home, "save", "There is room again.")
	run(t, home, "doctor")
}

// A path with a control character is a slip, unless a former version has made a database there.
func TestPathWithControlCharacter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db\r")
	if err := checkPath(path); domain.KindOf(err) != domain.KindInvalid {
		t.Errorf("where nothing is: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkPath(path); err != nil {
		t.Errorf("where a database is: %v", err)
	}
}
