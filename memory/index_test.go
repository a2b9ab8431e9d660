package memory_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// segmentFull is more texts than the fresh part of the index holds.
const segmentFull = 2100

// importMany takes in contexts of which each has a word of its own.
func importMany(t testing.TB, s *memory.Service, name string, n int) {
	t.Helper()
	importNotes(t, s, name, n, false)
}

// importNotes imports n contexts, as what happens now where live.
func importNotes(t testing.TB, s *memory.Service, name string, n int, live bool) {
	t.Helper()
	items := func(yield func(transcript.Item, error) bool) {
		for i := range n {
			c := domain.ContextSnapshot{ID: fmt.Sprintf("%s-%d", name, i), Content: fmt.Sprintf("note %d is about %s", i, own(name, i))}
			if !yield(transcript.Item{Context: &c, Whole: true}, nil) {
				return
			}
		}
	}
	a, err := s.Import(ctx, memory.ImportRequest{Name: name, Format: transcript.Wake, Live: live, Items: iter.Seq2[transcript.Item, error](items)})
	if err != nil || a.Contexts.Taken != n {
		t.Fatalf("%+v, %v", a, err)
	}
}

// own is the word of one text, far from any other.
func own(name string, i int) string {
	letters := []byte(fmt.Sprintf("%s%05d", name, i*7919%100_000))
	for k, b := range letters {
		if b >= '0' && b <= '9' {
			letters[k] = "bdfgklmprz"[b-'0']
		}
	}
	return string(letters)
}

func reindex(t testing.TB, s *memory.Service) {
	t.Helper()
	if err := s.Reindex(ctx, nil); err != nil {
		t.Fatal(err)
	}
}

// sound checks that nothing is wrong with the database.
func sound(t testing.TB, s *memory.Service) {
	t.Helper()
	if found, err := s.Check(ctx, nil); err != nil || len(found) > 0 {
		t.Errorf("not sound: %+v, %v", found, err)
	}
}

// inFiles says whether any file of the database holds a text.
func inFiles(t testing.TB, path, text string) bool {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(f string) bool {
		b, err := os.ReadFile(f)
		return err != nil || bytes.Contains(b, []byte(text))
	})
}

// inSegments says whether a part of the search index holds a text.
func inSegments(t testing.TB, path, text string) bool {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	n := 0
	err = db.QueryRow(`SELECT count(*) FROM search_chunks WHERE instr(blob, CAST(? AS BLOB)) > 0`, text).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// After a purge no word of the text is in any file of the database, nor in the
// segments that were built of it (001-07).
func TestPurgedWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s := at(t, path)
	importMany(t, s, "con", segmentFull)
	var events []string
	for i := range segmentFull {
		events = append(events, user(fmt.Sprintf("what about %s", own("mes", i))))
	}
	const context, message = "quixjabberwock", "zofelbandersnatch"
	id := save(t, s, memory.SaveRequest{Content: "the password is " + context, Tags: []string{"secret", context}}).ID
	events[1077] = user("I typed " + message)
	var session string
	for some := range slices.Chunk(events, 1000) {
		session = record(t, s, claude, some...).SessionID
	}
	reindex(t, s)
	for _, word := range []string{context, message} {
		if !inSegments(t, path, word[4:]) { // the first letters may be shared with the term before
			t.Fatalf("the test looks for %s in the wrong place", word)
		}
	}
	if _, err := s.Purge(ctx, memory.PurgeRequest{ID: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PurgeEvent(ctx, session, 1078); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{context, message} {
		if inFiles(t, path, word) || inFiles(t, path, word[4:]) || inSegments(t, path, word[4:]) {
			t.Errorf("%s can still be read", word)
		}
	}
	sound(t, s)
	finds(t, s, own("con", 78), "con-78")
	finds(t, s, context, "")
}

// finds checks that a word leads to the context that has it, or to none.
func finds(t testing.TB, s *memory.Service, word, id string) {
	t.Helper()
	a, err := s.Search(ctx, memory.SearchRequest{Query: word, In: memory.InContexts})
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	if len(a.Hits) > 0 && strings.Contains(a.Hits[0].Snippet, word) {
		first = a.Hits[0].ID
	}
	if first != id {
		t.Errorf("%s finds %q, want %q: %+v", word, first, id, a.Hits)
	}
}

// Whatever was saved, imported, forgotten, brought back, tagged, purged and
// indexed again, by two processes in turn, an old index answers as a fresh one.
func TestIndexAsFresh(t *testing.T) {
	for seed := range uint64(2) {
		path := filepath.Join(t.TempDir(), "wake.db")
		both := []*memory.Service{at(t, path), at(t, path)}
		importMany(t, both[0], "first", segmentFull)
		reindex(t, both[seed%2])
		random := rand.New(rand.NewPCG(seed, 7))
		words := map[string]string{} // of contexts that can be found, by id
		for i := range 300 {
			words[fmt.Sprintf("first-%d", i)] = own("first", i)
		}
		gone := map[string]string{}
		for step := range 60 {
			shuffle(t, both[random.IntN(2)], random, step, words, gone)
		}
		for _, s := range append(both, at(t, path)) {
			findsAll(t, s, words, gone)
		}
		reindex(t, both[0])
		for _, s := range append(both, at(t, path)) {
			findsAll(t, s, words, gone)
			sound(t, s)
		}
	}
}

// shuffle does something to the contexts.
func shuffle(t testing.TB, s *memory.Service, random *rand.Rand, step int, words, gone map[string]string) {
	t.Helper()
	one := func(of map[string]string) string {
		ids := make([]string, 0, len(of))
		for id := range of {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		if len(ids) == 0 {
			return ""
		}
		return ids[random.IntN(len(ids))]
	}
	var err error
	id := one(words)
	switch random.IntN(8) {
	case 0, 1:
		word := own("saved", step)
		words[save(t, s, memory.SaveRequest{Content: "saved was " + word}).ID] = word
	case 2:
		name := fmt.Sprint("more", string(rune('a'+step%26)), step)
		importMany(t, s, name, 5)
		words[name+"-3"] = own(name, 3)
	case 3, 4:
		_, err = s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}})
		gone[id] = words[id]
		delete(words, id)
	case 5:
		if back := one(gone); back != "" {
			_, err = s.Forget(ctx, memory.ForgetRequest{IDs: []string{back}, Undo: true})
			words[back] = gone[back]
			delete(gone, back)
		}
	case 6:
		_, err = s.Update(ctx, memory.UpdateRequest{ID: id, AddTags: []string{"tagged"}})
	case 7:
		if step%4 > 0 {
			return
		}
		_, err = s.Purge(ctx, memory.PurgeRequest{ID: id})
		delete(words, id)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// findsAll checks every word that is there, and every one that is forgotten.
func findsAll(t testing.TB, s *memory.Service, words, gone map[string]string) {
	t.Helper()
	for id, word := range words {
		finds(t, s, word, id)
	}
	for _, word := range gone {
		finds(t, s, word, "")
	}
}

// Two processes that build the index at once, while a third asks, harm nothing:
// every text is in it once, and every question is answered.
func TestIndexedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	first := at(t, path)
	importMany(t, first, "con", segmentFull)
	all := []*memory.Service{first, at(t, path), at(t, path)}
	var wg sync.WaitGroup
	for i, s := range all {
		wg.Go(func() {
			for round := range 3 {
				var err error
				switch {
				case i < 2:
					err = s.Reindex(ctx, nil)
				default:
					for k := 0; k < 100 && err == nil; k++ {
						_, err = s.Search(ctx, memory.SearchRequest{Query: own("con", round*k)})
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, s := range append(all, at(t, path)) {
		sound(t, s)
		for i := 0; i < segmentFull; i += 150 {
			finds(t, s, own("con", i), fmt.Sprint("con-", i))
		}
	}
}

// What many small sources bring is put into segments as what one large source brings,
// else the next process that asks reads all of it first. Of what happens now a client waits
// for the end: that is left to the periodic work.
func TestIndexKeptOverSources(t *testing.T) {
	const sources, each = 10, 1700
	for _, live := range []bool{false, true} {
		s, _ := memorytest.Open(t)
		for i := range sources {
			importNotes(t, s, fmt.Sprintf("source%c", 'a'+i), each, live)
		}
		_, heads, err := s.Store.SearchIndex(domain.ContextSpace).Segments(ctx)
		if err != nil || (len(heads) == 0) != live {
			t.Errorf("%d contexts, live %v, are in %d segments, %v", sources*each, live, len(heads), err)
		}
		finds(t, s, own("sourcec", 77), "sourcec-77")
	}
}

// removed counts the entries of the list of what left the index of contexts.
func removed(t testing.TB, s *memory.Service) int {
	t.Helper()
	ids, _, _, _, err := s.Store.SearchIndex(domain.ContextSpace).Removals(ctx, 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return len(ids)
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
	for end := time.Now().Add(20 * time.Second); removed(t, awake) > len(back) && time.Now().Before(end); {
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
	for name, statement := range map[string]string{
		"a document":  `UPDATE search_documents SET document = x'00' || substr(document, 2) WHERE n = (SELECT max(n) FROM search_documents)`,
		"a head":      `UPDATE search_segments SET head = x'00'`,
		"chunks":      `UPDATE search_chunks SET blob = substr(blob, 1, length(blob) / 2)`,
		"lost chunks": `DELETE FROM search_chunks`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wake.db")
			s := at(t, path)
			importMany(t, s, "con", segmentFull)
			reindex(t, s)
			save(t, s, memory.SaveRequest{Content: "The tide tables lie in the harbour office"})
			sound(t, s)
			damage(t, s, statement)
			s = at(t, path)
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
				if err != nil || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "wake doctor --repair") {
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
	for end := time.Now().Add(10 * time.Second); !strings.HasPrefix(by, "analysis ") && time.Now().Before(end); time.Sleep(time.Millisecond) {
		var err error
		if by, err = s.Store.IndexedBy(ctx); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	<-done
}
