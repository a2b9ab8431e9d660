//go:build unix

// Package pgtest starts a private PostgreSQL server for tests from the installed
// binaries, in a temporary folder and on a socket of its own.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running server without durability.
type Server struct {
	dir     string
	schemas atomic.Int64 // made so far
}

// Start starts a server that runs until the end of the test. Where PostgreSQL is
// not installed the test is skipped; with CI=true in the environment it fails.
func Start(t testing.TB) *Server {
	t.Helper()
	bin, err := findBinaries()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s := &Server{dir: makeDir(t)}
	s.initialise(t, bin)
	s.start(t, bin)
	return s
}

// findBinaries returns the folder of initdb and postgres, the newest of several.
func findBinaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("PostgreSQL is not installed: no initdb on the PATH or in /usr/lib/postgresql")
	}
	return filepath.Dir(slices.Max(found)), nil
}

// longestTemp is the length of a path in which a folder still has room for a socket:
// macOS allows 103 bytes, of which "/wake-pg1234567890/.s.PGSQL.5432" takes 32.
const longestTemp = 103 - 32

// makeDir makes a folder that the server's user owns. The test's own folder is
// closed to other users.
func makeDir(t testing.TB) string {
	t.Helper()
	within := os.TempDir()
	if len(within) > longestTemp {
		within = "/tmp"
	}
	dir, err := os.MkdirTemp(within, "wake-pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if c := credential(t); c != nil {
		if err := os.Chown(dir, int(c.Uid), int(c.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// credential is whom to run the server as: it refuses to run as root.
func credential(t testing.TB) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.ParseUint(u.Uid, 10, 32)
			gid, _ := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	t.Fatal("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
	return nil
}

// command prepares a program of the server's.
func (s *Server) command(t testing.TB, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential(t), Setpgid: true}
	return cmd
}

// initialise makes the database files, with an order of text that is not that of
// bytes, because real servers have one.
func (s *Server) initialise(t testing.TB, bin string) {
	t.Helper()
	args := []string{"-D", s.data(), "-A", "trust", "-U", "wake", "--no-sync", "-E", "UTF8"}
	icu := append(slices.Clone(args), "--locale=C", "--locale-provider=icu", "--icu-locale=en-US")
	if err := s.command(t, filepath.Join(bin, "initdb"), icu...).Run(); err == nil {
		return
	}
	os.RemoveAll(s.data())
	if out, err := s.command(t, filepath.Join(bin, "initdb"), append(args, "--locale=C")...).CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// start starts the server and waits until it answers.
func (s *Server) start(t testing.TB, bin string) {
	t.Helper()
	cmd := s.command(t, filepath.Join(bin, "postgres"), "-D", s.data(), "-F",
		"-c", "listen_addresses=", "-c", "unix_socket_directories="+s.dir, "-c", "full_page_writes=off", "-c", "max_connections=200")
	serve(t, cmd, s.URL("public"))
}

// serve runs a program until the end of the test, and waits until it answers.
func serve(t testing.TB, cmd *exec.Cmd, url string) {
	t.Helper()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGQUIT)
		<-exited
	})
	if err := await(t.Context(), url, exited); err != nil {
		t.Fatalf("%s did not start: %v\n%s", filepath.Base(cmd.Path), err, log.String())
	}
}

// await waits until a server answers, or has ended.
func await(ctx context.Context, url string, exited chan error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := run(ctx, url, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case end := <-exited:
			exited <- end
			return fmt.Errorf("it ended: %v", end)
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// URL is the address of the server with the given schema in front.
func (s *Server) URL(schema string) string {
	query := url.Values{"host": {s.dir}, "search_path": {schema}}
	return "postgres://wake@/postgres?" + query.Encode()
}

// Schema makes an empty schema and returns the URL whose tables go there.
func (s *Server) Schema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", s.schemas.Add(1))
	if err := run(t.Context(), s.URL("public"), `CREATE SCHEMA `+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run(context.Background(), s.URL("public"), `DROP SCHEMA `+name+` CASCADE`) })
	return s.URL(name)
}

// run runs one statement, of no parameters, on a connection of its own.
func run(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
