package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"wake/repository/postgres/pgtest"
)

// The commands work with PostgreSQL as with a file. Its password is never shown.
func TestPostgres(t *testing.T) {
	url := pgtest.Start(t).Schema(t)
	home := t.TempDir()
	wake := func(args ...string) (string, error) {
		c := exec.Command("wake", append([]string{"--db", url}, args...)...)
		c.Env, c.Dir = wakeEnv(home), home
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"save", "The tower has nine bells.", "--action-type", "decision", "--rationale", "the tenth cracked"}, "saved "},
		{[]string{"search", "how many bells are in the tower?"}, "nine bells"},
		{[]string{"load"}, "the tenth cracked"},
		{[]string{"next"}, "nine bells"},
		{[]string{"stats"}, "1 context"},
		{[]string{"recalculate"}, "changed"},
		{[]string{"doctor"}, "ok      integrity"},
		{[]string{"verify"}, "0 sessions"},
	} {
		out, err := wake(step.args...)
		if err != nil || !strings.Contains(out, step.want) {
			t.Errorf("wake %v: %v, want %q in\n%s", step.args, err, step.want, out)
		}
	}
	// With PostgreSQL, sessions from hooks name the person who recorded them; in a
	// file, which belongs to one person, they do not.
	for db, want := range map[string]bool{url: true, filepath.Join(home, "own.db"): false} {
		c := exec.Command("wake", "hook", "claude-code")
		c.Env, c.Dir = append(wakeEnv(home), "WAKE_DB="+db), home
		c.Stdin = strings.NewReader(`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"how many bells?","cwd":"` + home + `"}`)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if out, err := wake("session", "list", "--json", "--db", db); err != nil || strings.Contains(out, `"recorded_by":"`) != want || !strings.Contains(out, `"cwd":`) {
			t.Errorf("%s: %v\n%s", db, err, out)
		}
		if out, err := wake("session", "list", "--db", db); err != nil || strings.Contains(out, "  BY  ") != want {
			t.Errorf("%s: %v\n%s", db, err, out)
		}
	}
	for _, args := range [][]string{{"backup"}, {"backup", "elsewhere"}} { // with a path or without, it says how at once
		if out, err := wake(args...); err == nil || !strings.Contains(out, "run: pg_dump ") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	c := exec.Command("wake", "--db", "postgres://ann:hunter2@127.0.0.1:1/none", "load")
	c.Env, c.Dir = wakeEnv(home), home
	if out, err := c.CombinedOutput(); err == nil || strings.Contains(string(out), "hunter2") || !strings.Contains(string(out), "wake: ") {
		t.Errorf("a server that is away: %v\n%s", err, out)
	}
}

// The doctor finds that a server opens the database and has no room left on its disk.
func TestDoctorOfFullServer(t *testing.T) {
	t.Parallel()
	url := pgtest.Start(t).Schema(t)
	wake := func() string {
		c := command(t.TempDir(), "doctor", "--db", url)
		out, _ := c.CombinedOutput() // it fails where it finds a problem
		return string(out)
	}
	if said := wake(); strings.Contains(said, "problem") {
		t.Fatalf("of a healthy server:\n%s", said)
	}
	server, err := pgx.Connect(t.Context(), url)
	if err == nil {
		defer server.Close(t.Context())
		_, err = server.Exec(t.Context(), `CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE disk_full; END';
			CREATE TRIGGER fill BEFORE INSERT ON ingest_cursors FOR EACH ROW EXECUTE FUNCTION fill()`)
	}
	if err != nil {
		t.Fatal(err)
	}
	if said := wake(); !strings.Contains(said, "problem writing") || !strings.Contains(said, "disk is full") {
		t.Errorf("of a full one:\n%s", said)
	}
}

// The doctor says that a folder with a name as containers have it is shared with strangers.
func TestDoctorOfContainer(t *testing.T) {
	t.Parallel()
	url := pgtest.Start(t).Schema(t)
	for in, want := range map[string]bool{"/tmp": true, t.TempDir(): false} {
		if in = realPath(in); strings.Count(in, "/") == 1 != want {
			continue // it is a link, as on macOS
		}
		c := command(t.TempDir(), "doctor", "--db", url)
		c.Env, c.Dir = append(c.Env, "WAKE_PROJECT="), in
		if out, err := c.CombinedOutput(); err != nil || strings.Contains(string(out), "another machine shares") != want {
			t.Errorf("in %s: %v\n%s", in, err, out)
		}
	}
}
