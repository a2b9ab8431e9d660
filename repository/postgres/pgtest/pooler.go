//go:build unix

package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// poolerPort is in the name of the pooler's socket alone.
const poolerPort = "6432"

// Pooled puts a pooler in front of an empty schema, which gives each transaction any
// of two connections, and returns its URL. Its database strict, which is the same, gives each
// statement any of them. Where PgBouncer is not installed the test is skipped.
func (s *Server) Pooled(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed")
	}
	schema, err := url.Parse(s.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := makeDir(t)
	file := filepath.Join(dir, "pgbouncer.ini")
	settings := fmt.Sprintf(`[databases]
wake = host=%[1]s dbname=postgres user=wake connect_query='SET search_path TO %[2]s'
strict = host=%[1]s dbname=postgres user=wake connect_query='SET search_path TO %[2]s' pool_mode=statement
[pgbouncer]
unix_socket_dir = %[3]s
listen_port = %[4]s
auth_type = any
pool_mode = transaction
default_pool_size = 2
`, s.dir, schema.Query().Get("search_path"), dir, poolerPort)
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	at := "postgres://wake@/wake?" + url.Values{"host": {dir}, "port": {poolerPort}}.Encode()
	serve(t, (&Server{dir: dir}).command(t, program, file), at)
	return at
}
