// Package migrations holds the tables of wake as numbered SQL files, one folder
// per engine. Within a major version a file only adds; a number is never used
// twice and a published file never changes.
//
// A first line `-- oldest writer: N` names the oldest version of the tables whose
// programs may still write after the migration. Without it only programs that
// know the new version may.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed sqlite/*.sql
var sqlite embed.FS

//go:embed postgres/*.sql
var postgres embed.FS

// Migration is one step from a version of the tables to the next.
type Migration struct {
	Version      int // 1, 2, 3 …
	Name         string
	SQL          string // a script of several statements
	OldestWriter int    // programs that know no version this high may only read
}

// SQLite returns the migrations of the SQLite engine, in order.
func SQLite() ([]Migration, error) { return load(sqlite, "sqlite") }

// Postgres returns the migrations of the PostgreSQL engine, in order.
func Postgres() ([]Migration, error) { return load(postgres, "postgres") }

func load(files fs.FS, folder string) ([]Migration, error) {
	entries, err := fs.ReadDir(files, folder) // sorted by name
	if err != nil {
		return nil, err
	}
	var out []Migration
	for i, e := range entries {
		text, err := fs.ReadFile(files, folder+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		m, err := parse(e.Name(), string(text))
		if err != nil {
			return nil, err
		}
		if m.Version != i+1 {
			return nil, fmt.Errorf("migration %s: want version %d here", e.Name(), i+1)
		}
		out = append(out, m)
	}
	return out, nil
}

// parse reads a file named like 0001_contexts.sql.
func parse(file, text string) (Migration, error) {
	number, name, ok := strings.Cut(strings.TrimSuffix(file, ".sql"), "_")
	version, err := strconv.Atoi(number)
	if !ok || err != nil {
		return Migration{}, fmt.Errorf("migration %s: want a name like 0001_contexts.sql", file)
	}
	m := Migration{Version: version, Name: name, SQL: text, OldestWriter: version}
	first, _, _ := strings.Cut(text, "\n")
	if oldest, ok := strings.CutPrefix(first, "-- oldest writer:"); ok {
		if m.OldestWriter, err = strconv.Atoi(strings.TrimSpace(oldest)); err != nil {
			return Migration{}, fmt.Errorf("migration %s: oldest writer: %w", file, err)
		}
	}
	return m, nil
}
