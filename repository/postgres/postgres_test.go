package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"wake/domain"
	"wake/migrations"
	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/repository/repotest"
)

func TestPostgres(t *testing.T) {
	server := pgtest.Start(t)
	for name, open := range map[string]opener{"Suite": postgres.OpenPreparing, "Brief": brief} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // begins behind the tests that disturb the whole server
			repotest.Run(t, fresh(server, open))
		})
	}
	for name, test := range map[string]func(*testing.T, *pgtest.Server){
		"SeveralHosts": testSeveralHosts, "SilentFirstHost": testSilentFirstHost, "OlderWake": testOlderWake, "MadeAtOnce": testMadeAtOnce, "Busy": testBusy, "Locked": testLocked, "Backup": testBackup,
		"Restarted": testRestarted, "Forgotten": testForgotten, "StatementTimeout": testStatementTimeout,
		"Refused": testRefused, "Pooled": testPooled, "Unprepared": testUnprepared, "Full": testFull, "NotLetIn": testNotLetIn, "Asleep": testAsleep, "Encoding": testEncoding, "ClientEncoding": testClientEncoding, "Named": testNamed, "CutWhileOpening": testCutWhileOpening, "Bytes": testBytes, "Scrub": testScrub, "PurgeByOthers": testPurgeByOthers,
		"Neighbours": testNeighbours, "TwoSchemas": testTwoSchemas, "RowsBehind": testRowsBehind, "Rights": testRights, "RoundTrips": testRoundTrips, "Unsent": testUnsent, "BriefUpgrade": testBriefUpgrade, "RightsAfterUpgrade": testRightsAfterUpgrade,
	} {
		t.Run(name, func(t *testing.T) { test(t, server) })
	}
}

func BenchmarkSuite(b *testing.B) { repotest.Bench(b, fresh(pgtest.Start(b), postgres.Open)) }

type opener func(context.Context, string, postgres.Options) (repository.Store, error)

// brief opens as a hook does.
func brief(ctx context.Context, url string, o postgres.Options) (repository.Store, error) {
	o.Brief = true
	return postgres.Open(ctx, url, o)
}

// fresh is a schema of the test's own on one server.
func fresh(server *pgtest.Server, open opener) repotest.Fresh {
	return func(t testing.TB) repotest.Open {
		url := server.Schema(t)
		return func() repository.Store { return mustOpenWith(t, url, open) }
	}
}

func mustOpen(t testing.TB, url string) repository.Store {
	t.Helper()
	return mustOpenWith(t, url, postgres.Open)
}

func mustOpenWith(t testing.TB, url string, open opener) repository.Store {
	t.Helper()
	s, err := open(t.Context(), url, postgres.Options{Version: "test", BusyTimeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func wantKind(t testing.TB, err error, kind domain.ErrorKind, says string) {
	t.Helper()
	if domain.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
		t.Fatalf("got %v (kind %q), want kind %q that says %q", err, domain.KindOf(err), kind, says)
	}
}

// claim is a small write.
func claim(t testing.TB, s repository.Store, name string) error {
	return s.Write(t.Context(), repository.Durable, func(tx repository.Tx) error {
		return tx.ClaimProject(t.Context(), name, domain.Place{Path: "/" + name}, nil, time.Unix(0, 0))
	})
}

// A server that takes the connection and never answers is told from none of ours.
func TestSilentServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, err = postgres.Open(t.Context(), "postgres://u@"+listener.Addr().String()+"/x?sslmode=disable&connect_timeout=1", postgres.Options{})
	wantKind(t, err, domain.KindUnavailable, "not ready")
}

// Bytes come back as they were whatever way the server has to write them as text.
func testBytes(t *testing.T, server *pgtest.Server) {
	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	for _, style := range []string{"hex", "escape"} {
		index := mustOpenWith(t, server.Schema(t)+"&bytea_output="+style, brief).SearchIndex(domain.ContextSpace)
		_, _, version, err := index.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		id, err := index.NewSegment(t.Context(), version)
		if err != nil {
			t.Fatal(err)
		}
		for key, blob := range [][]byte{all, []byte("x"), {}} {
			if err := index.PutChunks(t.Context(), id, []int64{int64(key)}, [][]byte{blob}); err != nil {
				t.Fatal(err)
			}
			if got, err := index.Chunk(t.Context(), id, int64(key)); err != nil || !bytes.Equal(got, blob) {
				t.Errorf("%s: %q came back as %q, %v", style, blob, got, err)
			}
		}
	}
}

// What the URL asks for and the server has not is told in words.
func testRefused(t *testing.T, server *pgtest.Server) {
	for asks, says := range map[string]string{"&search_path=nowhere": "search_path", "&wrong=1": "refuses", "&DateStyle=wrong": "refuses"} {
		url := strings.Replace(server.URL("public")+asks, "search_path=public&", "", 1)
		_, err := postgres.Open(t.Context(), url, postgres.Options{})
		wantKind(t, err, domain.KindUnavailable, says)
	}
}

// A server without room for one more connection is told from one that is away.
func testFull(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	first := mustOpen(t, url)
	exec(t, url, `CREATE ROLE lonely LOGIN CONNECTION LIMIT 0`)
	_, err := postgres.Open(t.Context(), strings.Replace(url, "wake@", "lonely@", 1), postgres.Options{})
	wantKind(t, err, domain.KindUnavailable, "no connection free")
	if err := claim(t, first, "x"); err != nil {
		t.Error(err)
	}
}

// A machine that the server's administrator does not let in is not told to check its password.
func testNotLetIn(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	exec(t, url, `DO $$ BEGIN EXECUTE format('COPY (SELECT ''local all banned reject'' UNION ALL SELECT regexp_split_to_table(%L, ''\n'')) TO %L',
		pg_read_file(current_setting('hba_file')), current_setting('hba_file')); END $$`)
	exec(t, url, `SELECT pg_reload_conf()`)
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		_, err := postgres.Open(t.Context(), strings.Replace(url, "wake@", "banned@", 1), postgres.Options{})
		if err != nil && strings.Contains(err.Error(), "does not exist") && time.Since(began) < time.Minute {
			continue // the server has not read it yet
		}
		wantKind(t, err, domain.KindUnavailable, "have its administrator allow")
		return
	}
}

// A writer that falls asleep in its transaction, as a laptop does whose lid is
// closed, does not keep the others from writing for ever, and is told.
func testAsleep(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	open := func(busy time.Duration) repository.Store {
		s, err := postgres.Open(t.Context(), url, postgres.Options{BusyTimeout: busy})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	awake := open(time.Minute)
	err := open(time.Second).Write(t.Context(), repository.Durable, func(tx repository.Tx) error {
		if err := tx.ClaimProject(t.Context(), "asleep", domain.Place{Path: "/asleep"}, nil, time.Unix(0, 0)); err != nil {
			return err
		}
		if err := claim(t, awake, "awake"); err != nil {
			t.Error(err)
		}
		return tx.ClaimProject(t.Context(), "late", domain.Place{Path: "/late"}, nil, time.Unix(0, 0))
	})
	wantKind(t, err, domain.KindUnavailable, "try again")
}

// A database of another encoding would keep texts under a false name, and give
// others back when its dump is read.
func testEncoding(t *testing.T, server *pgtest.Server) {
	url := server.URL("public")
	for name, encoding := range map[string]string{"latin": "LATIN1", "ascii": "SQL_ASCII"} {
		create := `CREATE DATABASE ` + name + ` ENCODING '` + encoding + `' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`
		if tryExec(t, url, create+` LOCALE_PROVIDER libc`) != nil { // PostgreSQL 13 and 14 have no other
			exec(t, url, create)
		}
		s, err := postgres.Open(t.Context(), strings.Replace(url, "/postgres?", "/"+name+"?", 1), postgres.Options{})
		if err == nil {
			s.Close()
		}
		if name == "latin" {
			wantKind(t, err, domain.KindUnavailable, "ENCODING 'UTF8'")
		} else if err != nil {
			t.Error(err)
		}
	}
}

// What is written by somebody whose programs are taken to speak another encoding is read
// by others as it was.
func testClientEncoding(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	exec(t, url, `CREATE ROLE western LOGIN SUPERUSER; ALTER ROLE western SET client_encoding = 'LATIN1'`)
	if err := claim(t, mustOpen(t, strings.Replace(url, "wake@", "western@", 1)), "Köln"); err != nil {
		t.Fatal(err)
	}
	name, err := mustOpen(t, url).ProjectName(t.Context(), "Köln", domain.Place{Path: "/elsewhere"}, nil)
	if err != nil || name != "Köln~2" {
		t.Errorf("another folder gets the name %q, %v", name, err)
	}
}

// Whoever looks at the server's connections sees which are wake's, or what the URL calls them.
func testNamed(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	for _, asks := range []string{"", "&application_name=mine"} {
		mustOpen(t, url+asks)
	}
	var named int
	conn, err := pgx.Connect(t.Context(), url)
	if err == nil {
		defer conn.Close(t.Context())
		err = conn.QueryRow(t.Context(), `SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE application_name IN ('wake', 'mine')`).Scan(&named)
	}
	if err != nil || named != 2 {
		t.Errorf("%d of 2 names are seen, %v", named, err)
	}
}

// exec runs one statement on a connection of its own.
func exec(t testing.TB, url, statement string) {
	t.Helper()
	if err := tryExec(t, url, statement); err != nil {
		t.Fatal(err)
	}
}

func tryExec(t testing.TB, url, statement string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), statement)
	return err
}

// A server that gives statements too little time is told from one that is away.
func testStatementTimeout(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	first := mustOpen(t, url)
	err := first.Write(t.Context(), repository.Durable, func(repository.Tx) error {
		return claim(t, mustOpen(t, url+"&statement_timeout=1s"), "late")
	})
	wantKind(t, err, domain.KindUnavailable, "raise its statement_timeout")
}

// A URL that is none and a server that is not there are told in words, without
// the password.
func TestBadURL(t *testing.T) {
	for _, password := range []string{"p/hunter2", "p%zzhunter2", "p@hunter2"} {
		_, err := postgres.Open(t.Context(), "postgres://u:"+password+"@h/x", postgres.Options{})
		wantKind(t, err, domain.KindInvalid, "postgres://user")
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows the password %s: %v", password, err)
		}
	}
	_, err := postgres.Open(t.Context(), "postgres://u:p@h/x?connect_timeout=soon", postgres.Options{})
	wantKind(t, err, domain.KindInvalid, "connect_timeout")
	_, err = postgres.Open(t.Context(), "postgres://u:p@h/x?sslmode=wrong", postgres.Options{})
	wantKind(t, err, domain.KindInvalid, "cannot be used: failed to configure TLS")
	_, err = postgres.Open(t.Context(), "postgres://u:secret@127.0.0.1:1/x?connect_timeout=2", postgres.Options{})
	wantKind(t, err, domain.KindUnavailable, "start it, or check the URL, and try again (connection refused)")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the password is in %v", err)
	}
	_, err = postgres.Open(t.Context(), "postgres://u@127.0.0.1:1/x?sslmode=disable&connect_timeout=2&password=secret&sslpassword=secret", postgres.Options{})
	wantKind(t, err, domain.KindUnavailable, "sslmode=disable")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the password of the certificate's key is in %v", err)
	}
}

// A URL that leaves everything to the environment stays a URL in a command to copy.
func TestBareURL(t *testing.T) {
	for _, bare := range []string{"postgres://", "postgresql://?sslmode=disable"} {
		wantKind(t, postgres.Restore(bare), domain.KindUnavailable, "--dbname='postgres")
		wantKind(t, postgres.Restore(bare), domain.KindUnavailable, "://")
	}
}

// Of several hosts the one that is there is used.
func testSeveralHosts(t *testing.T, server *pgtest.Server) {
	u, err := url.Parse(server.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("host", t.TempDir()+","+query.Get("host"))
	u.RawQuery = query.Encode()
	if err := claim(t, mustOpen(t, u.String()), "x"); err != nil {
		t.Error(err)
	}
}

// The host that took over is found in the time that a hook has, although the first one
// takes connections and stays silent.
func testSilentFirstHost(t *testing.T, server *pgtest.Server) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	u, err := url.Parse(server.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	_, port, _ := net.SplitHostPort(silent.Addr().String())
	query.Set("host", "127.0.0.1,"+query.Get("host"))
	query.Set("port", port+",5432")
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
	defer cancel()
	s, err := postgres.Open(ctx, u.String(), postgres.Options{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// An older wake that is running refuses writes once the tables were upgraded, and
// goes on reading.
func testOlderWake(t *testing.T, server *pgtest.Server) {
	address := server.Schema(t)
	old := mustOpen(t, address)
	known, err := migrations.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	v := len(known) + 1
	newer, err := postgres.OpenKnowing(t.Context(), address, postgres.Options{Version: "9.0"},
		append(known, migrations.Migration{Version: v, SQL: "CREATE TABLE added (x BIGINT)", OldestWriter: v}))
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	wantKind(t, claim(t, old, "x"), domain.KindConflict, "wake 9.0")
	if _, err := old.Contexts(t.Context(), domain.ContextQuery{}); err != nil {
		t.Error(err)
	}
	_, err = postgres.Open(t.Context(), address, postgres.Options{})
	wantKind(t, err, domain.KindConflict, "use the newer wake")
}

// Who waits while another makes the tables finds them made, also where an administrator
// wants transactions that see nothing of what others do meanwhile.
func testMadeAtOnce(t *testing.T, server *pgtest.Server) {
	known, err := migrations.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	v := len(known) + 1
	known = append(known, migrations.Migration{Version: v, SQL: "SELECT pg_sleep(0.5)", OldestWriter: v}) // so that all have looked
	for _, settings := range []string{"", "&default_transaction_isolation=serializable"} {
		url := server.Schema(t) + settings
		var opening sync.WaitGroup
		for range 4 {
			opening.Go(func() {
				s, err := postgres.OpenKnowing(t.Context(), url, postgres.Options{}, known)
				if err != nil {
					t.Errorf("%q: %v", settings, err)
					return
				}
				defer s.Close()
				if err := claim(t, s, "x"); err != nil {
					t.Errorf("%q: %v", settings, err)
				}
			})
		}
		opening.Wait()
	}
}

// A writer that waits too long for another gets an Unavailable error.
func testBusy(t *testing.T, server *pgtest.Server) {
	address := server.Schema(t)
	holder := mustOpen(t, address)
	hasty, err := postgres.Open(t.Context(), address, postgres.Options{BusyTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close()
	err = holder.Write(t.Context(), repository.Durable, func(repository.Tx) error {
		wantKind(t, claim(t, hasty, "x"), domain.KindUnavailable, "try again")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := claim(t, hasty, "x"); err != nil {
		t.Error(err)
	}
}

// A table that somebody has locked, as its administrator may, is not waited for without
// end, neither by who has read before nor by who opens the database.
func testLocked(t *testing.T, server *pgtest.Server) {
	address := server.Schema(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	options := postgres.Options{BusyTimeout: 100 * time.Millisecond}
	reader, err := postgres.Open(ctx, address, options)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	admin, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	if _, err := admin.Exec(ctx, `BEGIN; LOCK TABLE context_snapshots, meta`); err != nil {
		t.Fatal(err)
	}
	_, err = reader.Contexts(ctx, domain.ContextQuery{})
	wantKind(t, err, domain.KindUnavailable, "try again")
	_, err = reader.ContextsByID(ctx, []string{"1"}, false)
	wantKind(t, err, domain.KindUnavailable, "try again")
	_, err = postgres.Open(ctx, address, options)
	wantKind(t, err, domain.KindUnavailable, "try again")
}

// Backups are PostgreSQL's own business; the error names the command.
func testBackup(t *testing.T, server *pgtest.Server) {
	s := mustOpen(t, server.Schema(t))
	wantKind(t, s.Backup(context.Background(), "x", nil), domain.KindUnavailable, "pg_dump")
	s = mustOpen(t, server.Schema(t)+"&statement_timeout=60s&application_name=wake")
	err := s.Backup(context.Background(), "x", nil)
	if _, known, _ := strings.Cut(err.Error(), "postgres://"); strings.Contains(known, "search_path") || strings.Contains(known, "statement_timeout") {
		t.Errorf("pg_dump takes no settings of the server in a URL: %v", err)
	}
	wantKind(t, err, domain.KindUnavailable, "--schema='test_")
}

// A URL may ask for no prepared statements, as one does that was made for a pooler.
func testUnprepared(t *testing.T, server *pgtest.Server) {
	for _, asks := range []string{"&statement_cache_capacity=0", "&default_query_exec_mode=exec"} {
		if err := claim(t, mustOpen(t, server.Schema(t)+asks), "x"); err != nil {
			t.Error(err)
		}
	}
}

// A pooler that gives each transaction another connection knows nothing of statements
// that were prepared on the last.
func testPooled(t *testing.T, server *pgtest.Server) {
	url := server.Pooled(t)
	for asks, says := range map[string]string{"/none?": "check the URL", "/wake?search_path=public&": "refuses a setting", "/strict?": "pool_mode"} {
		_, err := postgres.Open(t.Context(), strings.Replace(url, "/wake?", asks, 1), postgres.Options{})
		wantKind(t, err, domain.KindUnavailable, says)
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			s := mustOpen(t, url)
			for i := range 10 {
				if err := claim(t, s, fmt.Sprint("p", n, "-", i)); err != nil {
					t.Error(err)
				}
				if _, err := s.Projects(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
