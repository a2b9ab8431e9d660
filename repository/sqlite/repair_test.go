package sqlite_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

// inChains stores contexts, more than are checked at a time, with the tag one. The last
// four have links and the tag two, the very last only this.
func inChains(t *testing.T, s repository.Store) {
	t.Helper()
	const many = 250
	var all []*domain.ContextSnapshot
	for k := 1; k <= many; k++ {
		c := &domain.ContextSnapshot{ID: fmt.Sprint("c", k), Project: "wake", Content: fmt.Sprint("content ", k), ContentHash: domain.HashText(fmt.Sprint("content ", k)),
			Summary: "s", SummaryBy: domain.ByExtract, Source: "test", Memory: domain.Memory{Tier: domain.TierActive}, Kind: domain.Episodic, Origin: domain.FromUser,
			Timestamp: moment, SavedAt: moment, Tags: []string{"one"}}
		if k > many-4 {
			c.Tags = []string{"one", "two"}
			if k == many {
				c.Tags = c.Tags[1:]
			}
			c.Causality = &domain.Causality{ActionType: domain.Decision, CausedBy: fmt.Sprint("c", k-1), Dependencies: []string{fmt.Sprint("c", k-2)}}
		}
		all = append(all, c)
	}
	err := s.Write(t.Context(), repository.Durable, func(tx repository.Tx) error {
		for _, c := range all {
			if err := tx.InsertContext(t.Context(), c); err != nil {
				return err
			}
			document := domain.Document{DocumentSource: domain.DocumentSource{ContextN: c.N}, Scope: c.Project, Stream: 1, Data: []byte("d")}
			if _, err := tx.PutDocument(t.Context(), document); err != nil {
				return err
			}
		}
		return tx.AddLinks(t.Context(), []domain.Link{domain.NewLink("c248", "c249", domain.Supersedes, moment), domain.NewLink("c250", "c249", domain.Supersedes, moment.Add(time.Minute)),
			{From: "c247", To: "c1", Kind: domain.Dependency, Origin: domain.Auto, Confidence: 0.5, AddedAt: moment}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What others have made the file do at a write is told: a copy that was handed over may
// keep what its user erases.
func TestTriggersAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	check := func() (told []string) {
		t.Helper()
		found, err := s.Check(t.Context(), func(domain.Event) bool { return false }, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			told = append(told, f.Subject+": "+f.Detail)
		}
		return told
	}
	if told := check(); len(told) > 0 {
		t.Errorf("a new database: %q", told)
	}
	execIn(t, path, "CREATE TRIGGER keeps BEFORE DELETE ON context_snapshots BEGIN SELECT raise(ignore); END")
	if told := check(); len(told) != 1 || !strings.HasPrefix(told[0], "triggers: ") || !strings.HasSuffix(told[0], "keeps") {
		t.Errorf("with a trigger: %q", told)
	}
}

// Rows of tags and links that differ from what their contexts say are found and put
// right, and no others change.
func TestRepairOfRows(t *testing.T) {
	for name, tt := range map[string]struct{ sql, found string }{
		"a tag is missing":             {`DELETE FROM context_tags WHERE context_n = 248 AND tag = 'two'`, "tags c248"},
		"a tag ended":                  {`UPDATE context_tags SET removed_at = added_at WHERE context_n = 249 AND tag = 'one'`, "tags c249"},
		"a tag too many":               {`INSERT INTO context_tags (context_n, tag, added_at) VALUES (2, 'two', '2026-02-01T00:00:00.000000Z')`, "tags c2"},
		"a tag that others have":       {`INSERT INTO context_tags (context_n, tag, added_at) VALUES (250, 'one', '2026-02-01T00:00:00.000000Z')`, "tags c250"},
		"a cause is missing":           {`DELETE FROM context_links WHERE from_id = 'c250' AND kind = 'cause'`, "links c250"},
		"a dependency is too many":     {`INSERT INTO context_links (from_id, to_id, kind, origin, confidence, reason, added_at) VALUES ('c248', 'c3', 'dependency', 'explicit', 1, '', '2026-02-01T00:00:00.000000Z')`, "links c248"},
		"one of what is superseded":    {`INSERT INTO context_links (from_id, to_id, kind, origin, confidence, reason, added_at) VALUES ('c249', 'c3', 'dependency', 'explicit', 1, '', '2026-02-01T00:00:00.000000Z')`, "links c249"},
		"a successor is missing":       {`DELETE FROM context_links WHERE kind = 'supersedes'`, "links c249"},
		"a successor that nobody says": {`INSERT INTO context_links (from_id, to_id, kind, origin, confidence, reason, added_at) VALUES ('c4', 'c5', 'supersedes', 'explicit', 1, '', '2026-02-01T00:00:00.000000Z')`, "links c5"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wake.db")
			s := mustOpen(t, path)
			inChains(t, s)
			before := indexed(t, s)
			execIn(t, path, tt.sql)
			subject, id, _ := strings.Cut(tt.found, " ")
			if found, err := s.Check(t.Context(), nil, nil); err != nil || len(found) != 1 || found[0].Subject != subject || found[0].Count != 1 || !strings.HasSuffix(found[0].Detail, " "+id) {
				t.Errorf("found %+v, %v", found, err)
			}
			if err := s.Repair(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if found, err := s.Check(t.Context(), nil, nil); err != nil || len(found) != 0 {
				t.Errorf("still found %+v, %v", found, err)
			}
			if diff := cmp.Diff(before, indexed(t, s)); diff != "" {
				t.Errorf("-before +repaired:\n%s", diff)
			}
		})
	}
}

// indexed is what rows of tags and links lead to.
func indexed(t *testing.T, s repository.Store) (out []string) {
	t.Helper()
	for _, tag := range []string{"one", "two"} {
		found, err := s.Contexts(t.Context(), domain.ContextQuery{Order: domain.Oldest, Filters: domain.Filters{Tags: []string{tag}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			out = append(out, tag+" "+c.ID)
		}
	}
	links, err := s.Links(t.Context(), []string{"c3", "c4", "c5", "c246", "c247", "c248", "c249", "c250"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if l.Kind != domain.Supersedes || l.From != "c248" { // of an older successor no column tells
			out = append(out, fmt.Sprint(l.From, " ", l.Kind, " ", l.To, " ", l.Origin))
		}
	}
	slices.Sort(out)
	return out
}

// Of many texts that have changed five are named. Rows whose context is gone are told by
// their tables.
func TestCheckOfTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := mustOpen(t, path)
	inChains(t, s)
	execIn(t, path, `UPDATE context_snapshots SET content = 'other' WHERE n > 240 AND n <= 247`)
	found, err := s.Check(t.Context(), nil, nil)
	if err != nil || len(found) != 1 || found[0].Subject != "texts" || found[0].Count != 7 || !strings.HasSuffix(found[0].Detail, "c241, c242, c243, c244, c245") {
		t.Errorf("found %+v, %v", found, err)
	}
	path = filepath.Join(t.TempDir(), "wake.db")
	s = mustOpen(t, path)
	inChains(t, s)
	execIn(t, path, `DELETE FROM context_snapshots WHERE id IN ('c7', 'c8')`)
	found, err = s.Check(t.Context(), nil, nil)
	at := slices.IndexFunc(found, func(f repository.Finding) bool { return f.Subject == "foreign keys" })
	if err != nil || at < 0 || found[at].Count != 2 || !strings.HasSuffix(found[at].Detail, " in context_tags") {
		t.Errorf("found %+v, %v", found, err)
	}
}
