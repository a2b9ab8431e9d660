package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"wake/domain"
	"wake/repository/sqlite"
)

// plan returns how SQLite would run a query.
func plan(t testing.TB, path, query string, args ...any) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		out = append(out, detail)
	}
	return out
}

// MATCH runs once: the full-text side is the outermost loop, whatever the filters
// (GROUND: 196 ms against 0.2 ms the other way round).
func TestSearchPlan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	mustPut(t, mustOpen(t, path), "1", "x")
	for name, f := range map[string]domain.Filters{
		"none":    {},
		"tags":    {Tags: []string{"a", "b"}},
		"time":    {Since: moment, Until: moment},
		"touched": {Touched: []domain.Span{{From: moment}}},
		"as of":   {AsOf: moment},
		"action":  {ActionTypes: []domain.ActionType{domain.Decision}},
	} {
		query, args := sqlite.SearchSQL(domain.TermQuery{Project: "wake", Terms: []string{"x"}, Limit: 10, Filters: f})
		steps := plan(t, path, query, args...)
		if !strings.HasPrefix(steps[0], "SCAN m VIRTUAL TABLE INDEX") {
			t.Errorf("%s: the outermost loop is not the full-text index: %q", name, steps)
		}
		for _, step := range steps[1:] {
			if strings.Contains(step, "VIRTUAL TABLE") {
				t.Errorf("%s: MATCH runs for each row: %q", name, steps)
			}
		}
	}
}
