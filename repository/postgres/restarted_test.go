package postgres_test

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"wake/domain"
	"wake/repository/postgres/pgtest"
)

// What comes after the server has cut all connections is done on new ones.
func testRestarted(t *testing.T, server *pgtest.Server) {
	for name, url := range map[string]string{"Socket": server.Schema(t), "TCP": overTCP(t, server.Schema(t))} {
		t.Run(name, func(t *testing.T) { testCut(t, url, terminate) })
		t.Run(name+"Crashed", func(t *testing.T) { testCut(t, url, crash) })
		t.Run(name+"Idle", func(t *testing.T) {
			if tryExec(t, url, `SHOW idle_session_timeout`) != nil {
				t.Skip("PostgreSQL 13 keeps idle connections")
			}
			testCut(t, url+"&idle_session_timeout=100ms", func(*testing.T, string) { time.Sleep(250 * time.Millisecond) })
		})
	}
}

// A connection that is cut before its first question was answered is not the only one.
func testCutWhileOpening(t *testing.T, server *pgtest.Server) {
	var cut atomic.Bool
	mustOpen(t, through(t, server.Schema(t), func(to, from net.Conn) {
		defer to.Close()
		for buffer := make([]byte, 1<<16); ; {
			n, err := from.Read(buffer)
			if buffer[0] == 'Q' && !cut.Swap(true) {
				from.Close()
				return
			}
			if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
				return
			}
		}
	}))
	if !cut.Load() {
		t.Error("nothing was cut")
	}
}

func testCut(t *testing.T, url string, cut func(t *testing.T, url string)) {
	s := mustOpen(t, url)
	for i, ask := range []func() error{
		func() error { return claim(t, s, "one") },
		func() error { _, err := s.Contexts(t.Context(), domain.ContextQuery{Limit: 1}); return err },
		func() error { _, err := s.Contexts(t.Context(), domain.ContextQuery{Limit: 1}); return err },
		func() error { _, err := s.ProjectName(t.Context(), "one", domain.Place{Path: "/one"}, nil); return err },
		func() error { _, _, _, err := s.SearchIndex(domain.ContextSpace).State(t.Context()); return err },
		func() error { _, err := s.ContextsByDocument(t.Context(), []int64{1}, time.Time{}); return err },
		func() error { _, err := s.Info(t.Context()); return err },
		func() error { return claim(t, s, "two") },
	} {
		for range 3 { // so that the driver does not try the connection first
			if _, err := s.ProjectName(t.Context(), "one", domain.Place{Path: "/one"}, nil); err != nil {
				t.Fatal(err)
			}
		}
		cut(t, url)
		if err := ask(); err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// terminate has the server end all other connections, as its administrator may.
func terminate(t *testing.T, url string) {
	exec(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
	awaitAlone(t, url)
}

// crash kills one of the server's processes, upon which it ends all others and begins
// anew.
func crash(t *testing.T, url string) {
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(int(conn.PgConn().PID()))
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	awaitAlone(t, url)
}

// awaitAlone waits until the server has ended all other connections, and answers.
func awaitAlone(t *testing.T, url string) {
	for !alone(t, url) {
		time.Sleep(10 * time.Millisecond)
	}
}

// alone reports whether a server answers that has no other connection.
func alone(t *testing.T, url string) bool {
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		return false
	}
	defer conn.Close(t.Context())
	var others int
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&others)
	return err == nil && others == 0
}

// overTCP is the server at a URL as it is reached from other machines: there a write
// into a connection that was cut succeeds, and only the answer tells.
func overTCP(t *testing.T, socket string) string {
	return through(t, socket, func(to, from net.Conn) { io.Copy(to, from); to.Close() })
}

// through is the server at a URL behind a port whose connections pass passes on, each way.
func through(t *testing.T, socket string, pass func(to, from net.Conn)) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	u, err := url.Parse(socket)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	path := filepath.Join(query.Get("host"), ".s.PGSQL.5432")
	query.Del("host")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", path)
			if err != nil {
				client.Close()
				continue
			}
			go pass(client, server)
			go pass(server, client)
		}
	}()
	return u.String()
}
