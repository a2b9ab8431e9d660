package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
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

// recording opens a store of one context that notes what it asks.
func recording(t *testing.T) (s repository.Store, path string, asked *[]sqlite.Statement) {
	t.Helper()
	path, asked = filepath.Join(t.TempDir(), "wake.db"), new([]sqlite.Statement)
	mustPut(t, mustOpen(t, path), "1", "x")
	s, err := sqlite.OpenRecording(t.Context(), path, asked)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, path, asked
}

// No question that is asked all the time reads a whole table or project, or sorts one.
func TestPlans(t *testing.T) {
	s, path, asked := recording(t)
	x := s.SearchIndex(domain.MessageSpace)
	for name, ask := range map[string]func() error{
		"documents of a tag":     where(t, s, domain.ContextSpace, domain.Filters{Tags: []string{"t"}}),
		"documents of an action": where(t, s, domain.ContextSpace, domain.Filters{ActionTypes: []domain.ActionType{domain.Decision}}),
		"documents of a time":    where(t, s, domain.ContextSpace, domain.Filters{Since: moment, Until: moment.Add(time.Hour)}),
		"documents of a tier":    where(t, s, domain.ContextSpace, domain.Filters{Touched: []domain.Span{{From: moment}}}),
		"messages of a time":     where(t, s, domain.MessageSpace, domain.Filters{Since: moment}),
		"documents by number":    func() error { return x.Docs(t.Context(), []int64{1, 2}, func(int64, []byte) error { return nil }) },
		"events by key": func() error {
			_, err := s.EventPlaces(t.Context(), "s", []domain.Key{"u:1", "u:2"})
			return err
		},
		"events under keys": func() error {
			_, err := s.EventPlacesUnder(t.Context(), "s", []domain.Key{"u:1", "u:2", "u:3"})
			return err
		},
		"operations": func() error { // few of a session that may have had thousands
			_, err := s.Ops(t.Context(), "s", []string{"a", "b", "c"})
			return err
		},
		"ids of contexts":    func() error { _, err := s.ContextIDsUnder(t.Context(), "1", 5); return err },
		"ids of sessions":    func() error { _, err := s.SessionIDsUnder(t.Context(), "1", 5); return err },
		"ids of checkpoints": func() error { _, err := s.CheckpointIDsUnder(t.Context(), "1", 5); return err },
		"ids of hand-offs":   func() error { _, err := s.HandoffIDsUnder(t.Context(), "1", 5); return err },
		"next documents":     func() error { _, err := x.Next(t.Context(), []int64{1, 2}); return err },
		"state of the index": func() error { _, _, _, err := x.State(t.Context()); return err },
		"new documents": func() error {
			_, err := x.Rows(t.Context(), 5, 10, func(int64, []byte) error { return nil })
			return err
		},
		"removals":             func() error { return x.Removals(t.Context(), 5, 10, func(int64, int64, string, bool) {}) },
		"removals that go":     func() error { return x.DropRemovals(t.Context(), 0, []int64{1, 2}) },
		"the last of a stream": func() error { _, err := s.LastInStream(t.Context(), 1); return err },
		"document of a source": func() error {
			_, err := s.DocumentOf(t.Context(), domain.DocumentSource{SessionID: "s", Seq: 1})
			return err
		},
		"births":     func() error { _, err := s.Births(t.Context(), []int64{1, 2}); return err },
		"access log": func() error { _, err := s.AccessLog(t.Context(), "wake", 5, 10); return err },
		"list by touch": func() error {
			_, err := s.Contexts(t.Context(), domain.ContextQuery{Project: "wake", Order: domain.LeastRecent, Limit: 10})
			return err
		},
		"list by time": func() error {
			_, err := s.Contexts(t.Context(), domain.ContextQuery{Project: "wake", Limit: 10})
			return err
		},
		"list by score": func() error {
			_, err := s.Contexts(t.Context(), domain.ContextQuery{Project: "wake", Order: domain.Likely, Limit: 10})
			return err
		},
		"by hash": func() error {
			if _, err := s.ContextByHash(t.Context(), "wake", "h"); domain.KindOf(err) != domain.KindNotFound {
				return err
			}
			return nil
		},
	} {
		*asked = nil
		if err := ask(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(*asked) == 0 {
			t.Errorf("%s: nothing was asked", name)
		}
		for _, q := range *asked {
			for _, step := range plan(t, path, q.Query, q.Args...) {
				scans := strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "CONSTANT") && !strings.Contains(step, "VALUES") ||
					strings.HasSuffix(step, "(project=?)") && !strings.Contains(q.Query, "LIMIT")
				if sorts := strings.Contains(step, "TEMP B-TREE"); scans || sorts {
					t.Errorf("%s: %s\nin %s", name, step, q.Query)
				}
			}
		}
	}
}

// The few among many are found by an index of them alone, and not on a walk over the project.
func TestPlansOfFew(t *testing.T) {
	s, path, asked := recording(t)
	for index, ask := range map[string]func() error{
		"sessions_project (project=? AND updated_at>": func() error {
			_, err := s.DocumentsWhere(t.Context(), domain.DocumentQuery{Space: domain.MessageSpace, Project: "wake", Filters: domain.Filters{Since: moment}})
			return err
		},
		"context_snapshots_pinned (": func() error {
			_, err := s.Contexts(t.Context(), domain.ContextQuery{Project: "wake", Pinned: true, Limit: 50})
			return err
		},
		"context_snapshots_action (": func() error {
			_, err := s.Contexts(t.Context(), domain.ContextQuery{Project: "wake", Limit: 5, Filters: domain.Filters{ActionTypes: []domain.ActionType{domain.Decision}}})
			return err
		},
		"context_snapshots_deleted (": func() error {
			_, err := s.Contexts(t.Context(), domain.ContextQuery{Forgotten: true})
			return err
		},
		"sessions_agent (": func() error {
			_, err := s.Sessions(t.Context(), domain.SessionQuery{AgentID: "a", Limit: 1})
			return err
		},
		"sessions_parent (": func() error {
			_, err := s.Sessions(t.Context(), domain.SessionQuery{ParentID: "s"})
			return err
		},
		"context_snapshots_score (project=? AND": func() error { _, err := s.PredictionStats(t.Context(), "wake"); return err },
	} {
		*asked = nil
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		if steps := strings.Join(plan(t, path, (*asked)[0].Query, (*asked)[0].Args...), "\n"); !strings.Contains(steps, index) {
			t.Errorf("no %s…) in %s", index, steps)
		}
	}
}

// What is in the wrong tier is found in the index of touches, without looking at a row.
func TestPlanOfTiers(t *testing.T) {
	s, path, asked := recording(t)
	spans := map[domain.Tier]domain.Span{domain.TierActive: {From: moment}, domain.TierRecent: {From: moment, To: moment}, domain.TierExpired: {To: moment}}
	for _, project := range []string{"", "wake"} {
		*asked = nil
		if _, err := s.WrongTiers(t.Context(), project, spans, 10); err != nil {
			t.Fatal(err)
		}
		if len(*asked) != len(spans) {
			t.Errorf("%d statements, want %d", len(*asked), len(spans))
		}
		for _, q := range *asked {
			if steps := strings.Join(plan(t, path, q.Query, q.Args...), "\n"); !strings.Contains(steps, "COVERING INDEX context_snapshots_project_touched (project=? AND <expr>") {
				t.Errorf("%s\nin %s", steps, q.Query)
			}
		}
	}
}

func where(t testing.TB, s repository.Store, space domain.SearchSpace, f domain.Filters) func() error {
	return func() error {
		_, err := s.DocumentsWhere(t.Context(), domain.DocumentQuery{Space: space, Project: "wake", Filters: f})
		return err
	}
}

// However many contexts a chain has, no statement names more of them than SQLite takes.
func TestWideWalkAsksInParts(t *testing.T) {
	s, _, asked := recording(t)
	var links []domain.Link
	for i := range 1200 {
		links = append(links, domain.NewLink("1", fmt.Sprint("x", i), domain.Dependency, moment))
	}
	if err := s.Write(t.Context(), repository.Durable, func(tx repository.Tx) error { return tx.AddLinks(t.Context(), links) }); err != nil {
		t.Fatal(err)
	}
	*asked = nil
	if w, err := s.Walk(t.Context(), domain.ChainQuery{ID: "1", Direction: domain.Causes, Limit: 1100}); err != nil || !w.Truncated {
		t.Fatalf("truncated %v, %v", w.Truncated, err)
	}
	for _, q := range *asked {
		if len(q.Args) > 520 {
			t.Errorf("%d arguments in %.200s", len(q.Args), q.Query)
		}
	}
}
