package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// removed counts the entries of the list of what left the index of contexts.
func removed(t testing.TB, s *memory.Service) int {
	t.Helper()
	entries := 0
	err := s.Store.SearchIndex(domain.ContextSpace).Removals(ctx, 0, 1<<30, func(int64, int64, string, bool) { entries++ })
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// What was removed for good leaves the list of removals by and by. A process that slept
// meanwhile finds none of it and all of the rest, as does one that begins now; what was
// only forgotten is found as of then, and comes back.
func TestRemovalsBeforeAProcessWakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	awake, clock := memorytest.OpenFile(t, path)
	asleep, _ := memorytest.OpenFile(t, path)
	asleep.Now = clock.Now
	importMany(t, awake, "con", segmentFull+200)
	words, gone := map[string]string{}, map[string]string{}
	for i := range 150 {
		words[fmt.Sprintf("con-%d", i)] = own("con", i)
	}
	findsAll(t, asleep, words, gone)
	then := clock.Now()
	clock.Pass(time.Hour)
	leave := func(from, to int) (ids []string) {
		for i := from; i < to; i++ {
			id := fmt.Sprintf("con-%d", i)
			ids, gone[id] = append(ids, id), words[id]
			delete(words, id)
		}
		return ids
	}
	forget := func(ids []string, undo bool) {
		t.Helper()
		if _, err := awake.Forget(ctx, memory.ForgetRequest{IDs: ids, Undo: undo}); err != nil {
			t.Fatal(err)
		}
	}
	forget(leave(0, 50), false)
	clock.Pass(domain.UndoWindow + time.Hour)
	if err := awake.CleanUp(ctx); err != nil {
		t.Fatal(err)
	}
	for i := 50; i < 100; i++ { // each is indexed anew
		if _, err := awake.Update(ctx, memory.UpdateRequest{ID: fmt.Sprintf("con-%d", i), AddTags: []string{"tagged"}}); err != nil {
			t.Fatal(err)
		}
	}
	back := leave(100, 105)
	forget(back, false)
	listed := removed(t, awake)
	jobs, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { awake.RunJobs(jobs, "first"); close(done) }()
	for end := time.Now().Add(time.Minute); removed(t, awake) > len(back) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
	if left := removed(t, awake); listed != 105 || left != len(back) {
		t.Errorf("of %d entries %d are left, want %d", listed, left, len(back))
	}
	all := []*memory.Service{asleep, awake, at(t, path)}
	for _, s := range all {
		findsAll(t, s, words, gone)
		a, err := s.Search(ctx, memory.SearchRequest{Query: own("con", 101), In: memory.InContexts, Filter: memory.Filter{AsOf: then}})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].ID != "con-101" {
			t.Errorf("as of then: %+v, %v", a.Hits, err)
		}
	}
	forget(back, true)
	for _, s := range all {
		finds(t, s, own("con", 101), "con-101")
		sound(t, s)
	}
}

// What is damaged in the index makes questions fail with what to do, is found and put
// right, and keeps no hook from storing what it tells.
func TestIndexDamage(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "wake.db")
	s := at(t, whole)
	importMany(t, s, "con", segmentFull)
	reindex(t, s)
	save(t, s, memory.SaveRequest{Content: "The tide tables lie in the harbour office"})
	sound(t, s)
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, statement := range map[string]string{
		"a document":  `UPDATE search_documents SET document = x'00' || substr(document, 2) WHERE n = (SELECT max(n) FROM search_documents)`,
		"a head":      `UPDATE search_segments SET head = x'00'`,
		"chunks":      `UPDATE search_chunks SET blob = substr(blob, 1, length(blob) / 2)`,
		"lost chunks": `DELETE FROM search_chunks`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wake.db")
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			damage(t, at(t, path), statement)
			s := at(t, path)
			_, err := s.Search(ctx, memory.SearchRequest{Query: own("con", 5) + " harbour", Project: memory.AllProjects})
			refused(t, err, domain.KindUnavailable)
			if err == nil || !strings.Contains(err.Error(), "wake doctor --repair") {
				t.Errorf("the question fails with %v", err)
			}
			_, err = s.Hook(ctx, memory.HookRequest{Hook: transcript.Hook{Client: "claude-code", Moment: transcript.HookPrompt, Name: "UserPromptSubmit",
				SessionID: "s", Prompt: "where do the tide tables of the harbour lie"}})
			if err != nil {
				t.Errorf("the hook fails: %v", err)
			}
			if found, err := s.Check(ctx, nil); err != nil || len(found) != 1 || found[0].Subject != "index" {
				t.Errorf("found %+v, %v", found, err)
			}
			if err := s.Repair(ctx, nil); err != nil {
				t.Fatal(err)
			}
			sound(t, s)
			finds(t, s, own("con", 5), "con-5")
		})
	}
}

func lastDocument(t testing.TB, s *memory.Service) int64 {
	t.Helper()
	last, _, _, err := s.Store.SearchIndex(domain.ContextSpace).State(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// A text that changed on the disk is found, and a row that cannot be read is named.
func TestDamagedContexts(t *testing.T) {
	s, _ := memorytest.Open(t)
	save(t, s, memory.SaveRequest{Content: "another"})
	id := save(t, s, memory.SaveRequest{Content: "The tide tables lie in the harbour office"}).ID
	damage(t, s, `UPDATE context_snapshots SET content = replace(content, 'office', 'off1ce') WHERE id = ?`, id)
	if found, err := s.Check(ctx, nil); err != nil || len(found) != 1 || found[0].Subject != "texts" || !strings.Contains(found[0].Detail, id) {
		t.Errorf("found %+v, %v", found, err)
	}
	damage(t, s, `UPDATE context_snapshots SET timestamp = '2026,01-02' WHERE id = ?`, id)
	_, err := s.Load(ctx, memory.LoadRequest{IDs: []string{id}})
	refused(t, err, domain.KindUnavailable)
	if err == nil || !strings.Contains(err.Error(), id) {
		t.Errorf("the error names no context: %v", err)
	}
}

// A server builds the index that an older wake left out or made otherwise, and goes on
// with one that was stopped; one that is right it leaves alone.
func TestRenewIndex(t *testing.T) {
	for name, tt := range map[string]struct {
		statement string
		anew      bool
	}{
		"none":      {`DELETE FROM search_documents`, true},
		"old ones":  {`DELETE FROM search_documents WHERE context_n < 10`, true},
		"older":     {`UPDATE search_documents SET document = x'00' || substr(document, 2)`, true},
		"under way": {`DELETE FROM search_documents WHERE n > 10; INSERT INTO meta VALUES ('indexed_by', 'under way')`, true},
		"right":     {`DELETE FROM meta WHERE key = 'indexed_by'`, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wake.db")
			s := at(t, path)
			importMany(t, s, "con", 20)
			record(t, s, claude, user("the lighthouse keeper"))
			before := lastDocument(t, s)
			damage(t, s, tt.statement)
			s = at(t, path)
			if name == "none" {
				a, err := s.Search(ctx, memory.SearchRequest{Query: own("con", 15), Project: memory.AllProjects})
				if err != nil || !strings.Contains(strings.Join(a.Notes, "\n"), "wake doctor --repair") {
					t.Errorf("%+v, %v", a, err)
				}
			}
			renewed(t, s)
			sound(t, s)
			finds(t, s, own("con", 15), "con-15")
			if after := lastDocument(t, s); after > before != tt.anew {
				t.Errorf("the last document was %d and is %d", before, after)
			}
			if d, err := s.Store.DocumentOf(ctx, domain.DocumentSource{ContextN: 11}); err != nil || d.Prev == 0 {
				t.Errorf("context 11 is behind no other: %+v, %v", d, err)
			}
		})
	}
}

// renewed does the periodic work until the index is noted to be whole.
func renewed(t testing.TB, s *memory.Service) {
	t.Helper()
	jobs, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { s.RunJobs(jobs, "first"); close(done) }()
	by := ""
	for end := time.Now().Add(time.Minute); !strings.HasPrefix(by, "analysis ") && time.Now().Before(end); time.Sleep(time.Millisecond) {
		var err error
		if by, err = s.Store.IndexedBy(ctx); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	<-done
}
