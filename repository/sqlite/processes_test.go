package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"wake/repository"
	"wake/repository/sqlite"
)

// childVariable names what the test binary does when a test starts it again.
const childVariable = "WAKE_SQLITE_TEST_CHILD"

// child is what the test binary does then.
type child func(path string, args []string) error

func TestMain(m *testing.M) {
	children := map[string]child{"open": openChild, "save": saveChild, "hold": holdChild}
	maps.Copy(children, systemChildren)
	child, ok := children[os.Getenv(childVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := child(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childOf prepares a process that works on the same database.
func childOf(t testing.TB, what, path string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{path}, args...)...)
	cmd.Env = append(os.Environ(), childVariable+"="+what)
	return cmd
}

func openChild(path string, _ []string) error {
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

// saveChild saves and prints each id once it is acknowledged.
func saveChild(path string, args []string) error {
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	each, err := strconv.Atoi(args[1])
	for k := 0; k < each && err == nil; k++ {
		id := fmt.Sprintf("%s-%d", args[0], k)
		if err = put(context.Background(), s, id, "some words of "+id); err == nil {
			fmt.Println(id)
		}
	}
	return err
}

// 80 processes open one new file at once, none fails.
func TestManyOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("80 processes")
	}
	path := filepath.Join(t.TempDir(), "wake.db")
	var wg sync.WaitGroup
	for range 80 {
		wg.Go(func() {
			if out, err := childOf(t, "open", path).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	mustPut(t, mustOpen(t, path), "1", "x")
}

// Another process may begin the database when this one has found none. Its -wal is not one
// that a database left which was moved away.
func TestOpenWhileAnotherBegins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s, err := sqlite.OpenWhile(t.Context(), path, func() { mustPut(t, mustOpen(t, path), "1", "x") })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := count(t, s); got != 1 {
		t.Errorf("%d contexts, want the other's", got)
	}
}

// 16 processes save 100 contexts each into one new file: no error, nothing lost.
func TestManySave(t *testing.T) {
	if testing.Short() {
		t.Skip("16 processes")
	}
	path := filepath.Join(t.TempDir(), "wake.db")
	const processes, each = 16, 100
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			if out, err := childOf(t, "save", path, fmt.Sprint(p), fmt.Sprint(each)).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	s := mustOpen(t, path)
	if got := count(t, s); got != processes*each {
		t.Errorf("%d contexts, want %d", got, processes*each)
	}
	sound(t, s)
}

// hold starts a process that opens the database at path, saves when next is called, and
// closes it and ends when it is called again. said waits for its answer to the first,
// ended for its end.
func hold(t *testing.T, path string) (said func() string, next, ended func()) {
	t.Helper()
	cmd := childOf(t, "hold", path)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	said = func() string { lines.Scan(); return lines.Text() }
	said()
	ended = sync.OnceFunc(func() {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { in.Close(); ended() })
	return said, func() { fmt.Fprintln(in) }, ended
}

func holdChild(path string, _ []string) error {
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	fmt.Println(put(context.Background(), s, "nowhere", "x"))
	in.Scan()
	return s.Close()
}

func saveIn(t *testing.T, path, prefix string, n int) {
	t.Helper()
	if out, err := childOf(t, "save", path, prefix, fmt.Sprint(n)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func sound(t testing.TB, s repository.Store) {
	t.Helper()
	found, err := s.Check(t.Context(), nil, nil)
	if err != nil || len(found) > 0 {
		t.Errorf("not sound: %+v, %v", found, err)
	}
}

// Killed in mid-save, nothing acknowledged is lost and the file is sound.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	rounds := 10
	switch {
	case os.Getenv("WAKE_SOAK") != "": // make soak
		rounds = 50
	case testing.Short():
		rounds = 2
	}
	acknowledged := 0
	for round := range rounds {
		acknowledged += killed(t, childOf(t, "save", path, fmt.Sprint(round), "100000"), 5+3*round)
	}
	s := mustOpen(t, path)
	if got := count(t, s); got < acknowledged || got > acknowledged+rounds {
		t.Errorf("%d contexts, %d were acknowledged", got, acknowledged)
	}
	sound(t, s)
}

// killed kills a process after some acknowledgements and counts all it gave.
func killed(t testing.TB, cmd *exec.Cmd, after int) (acknowledged int) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if acknowledged++; acknowledged == after {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	return acknowledged
}
