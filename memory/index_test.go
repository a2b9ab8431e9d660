package memory_test

import (
	"bytes"
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
	if _, err := s.Purge(ctx, id); err != nil {
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
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
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
		_, err = s.Purge(ctx, id)
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
