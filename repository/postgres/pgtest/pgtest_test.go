//go:build unix

package pgtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wake/repository/postgres/pgtest"
)

// A server starts wherever temporary files go, although the path of its socket must be
// short.
func TestStartInLongFolder(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 20))
	if err := os.MkdirAll(long, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	pgtest.Start(t).Schema(t)
}
