package memory_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
	"wake/transcript"
)

// A session that cannot be read keeps no other one from being distilled.
func TestDistilPastDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		s := server(t, path)
		said := user("We decided to use whole cents for prices because fractions do not add up.")
		record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "older"}, said, `{"type":"end"}`)
		time.Sleep(time.Minute)
		newer := record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "newer"}, said, `{"type":"end"}`).SessionID
		damage(t, s, `UPDATE events SET seq = 'x' WHERE session_id = ? AND seq = 1`, newer)
		jobs, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); s.RunJobs(jobs, "test") }()
		time.Sleep(time.Hour)
		stop()
		<-done
		a, err := s.Load(ctx, memory.LoadRequest{})
		if err != nil || len(a.Contexts) != 1 {
			t.Errorf("%d contexts were distilled, want 1 (%v)", len(a.Contexts), err)
		}
	})
}

// What the assistant saved by itself is not distilled again, and what would have led to it
// leads nowhere, rather than to what is not there.
func TestDistilBesideSaved(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("Let's use Redis for the session cache."),
		user("Actually, let's drop Redis for the session cache and use Postgres instead.")).SessionID
	save(t, s, memory.SaveRequest{Content: "Decision: use Redis for the session cache", SessionID: id})
	if n, err := s.Distil(ctx, id); err != nil || n != 1 {
		t.Fatalf("%d distilled, %v", n, err)
	}
	a, err := s.Load(ctx, memory.LoadRequest{})
	if err != nil || len(a.Contexts) != 2 {
		t.Fatalf("%d contexts, %v", len(a.Contexts), err)
	}
	for _, c := range a.Contexts {
		if c.Causality != nil && c.Causality.CausedBy != "" || c.SupersededBy != "" {
			t.Errorf("%q is caused by %+v, superseded by %q", c.Summary, c.Causality, c.SupersededBy)
		}
	}
	if stats, err := s.Stats(ctx, ""); err != nil || stats.Causality.LostParents != 0 {
		t.Errorf("%d links lead to nothing, %v", stats.Causality.LostParents, err)
	}
}

// What an assistant saves right after it was said may have other words; what else was said
// then is distilled.
func TestDistilBesideSavedSoon(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("Let's use 72h as the default TTL so that a download on a slow phone can be resumed."), assistant("Done."),
		user("Never reformat files that you only touch in a few lines.")).SessionID
	save(t, s, memory.SaveRequest{Content: "PartialTTL raised from 24h to 72h: phones on slow links resume late.", SessionID: id})
	if kept := distilled(t, s, id); len(kept) != 1 || !strings.HasPrefix(kept[0], "Never reformat") {
		t.Errorf("distilled %q, want the preference alone", kept)
	}
}

// An assistant puts what it was told into its own words, into several contexts and their
// reasons, and sums up at the end of the turn. All that is kept once: a twin would outlive
// the contexts when they are superseded.
func TestDistilNoTwinsOfSaved(t *testing.T) {
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, user("Hosted search looks attractive because of the free tier. Let's go with Algolia.")).SessionID
	save(t, s, memory.SaveRequest{Content: "We move the catalogue from Lucene to Algolia in March.", Rationale: "Its free tier is enough for our size.", SessionID: id, ActionType: domain.Decision})
	record(t, s, claude, user("Some rows are missing in the export, can you look?"))
	save(t, s, memory.SaveRequest{Content: "export.go line 40 stops at the first row without a price.", SessionID: id})
	save(t, s, memory.SaveRequest{Content: "Rows without a price are written with an empty field, and the export goes on.", SessionID: id})
	record(t, s, claude, assistant("Root cause: the export stopped at the first row without a price. Rows without one are written with an empty field now."))
	if kept := distilled(t, s, id); len(kept) != 0 {
		t.Errorf("distilled %q beside what was saved", kept)
	}
}

// Without hooks, only the transcript tells which contexts were saved in a session.
func TestDistilImportBesideSaved(t *testing.T) {
	s, _ := memorytest.Open(t)
	saved := save(t, s, memory.SaveRequest{Content: "PartialTTL default raised from 24h to 72h: mobile users resume late, the longest took 31 hours."})
	const row = `{"type":%q,"uuid":"%d","sessionId":"5b2f0c1e-0000-4000-8000-00000000a777","timestamp":"2026-02-03T09:00:0%[2]d.000Z","cwd":"/shop","message":{"role":%[1]q,"content":%[3]s}}` + "\n"
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "s.jsonl", Source: strings.NewReader(
		fmt.Sprintf(row, "user", 1, `"Let's use 72h as the default TTL of partial uploads because mobile users resume late."`) +
			fmt.Sprintf(row, "assistant", 2, `[{"type":"tool_use","id":"t1","name":"mcp__wake__save_context","input":{"content":"PartialTTL"}}]`) +
			fmt.Sprintf(row, "user", 3, `[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"{\"id\":\"`+saved.ID+`\"}"}]}]`) +
			fmt.Sprintf(row, "user", 4, `"Never reformat files that you only touch in a few lines."`))})
	if err != nil || len(a.Sessions) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	if kept := distilled(t, s, a.Sessions[0]); len(kept) != 1 || !strings.HasPrefix(kept[0], "Never reformat") {
		t.Errorf("distilled %q, want the preference alone", kept)
	}
}

// A session that somebody forgot, or in which a message was taken back, before the import
// came to distil it, is distilled as it is then.
func TestDistilImportOfWhatChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(s *memory.Service, id string) error{
		"nothing": func(*memory.Service, string) error { return nil },
		"forgotten": func(s *memory.Service, id string) error {
			_, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id})
			return err
		},
		"taken back": func(s *memory.Service, _ string) error {
			_, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "b.jsonl", Source: strings.NewReader(
				conversation(t, "user a - hello", "assistant b a hi", "user c b Never reformat files that you only touch in a few lines.", "assistant d c ok", "user e b bye"))})
			return err
		},
	} {
		s, _ := memorytest.Open(t)
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "a.jsonl", Source: strings.NewReader(
			conversation(t, "user a - hello", "assistant b a hi", "user c b Never reformat files that you only touch in a few lines.", "assistant d c ok"))})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(change(s, a.Sessions[0]), s.DistilImport(ctx, &a)); err != nil || (a.Distilled > 0) != (name == "nothing") {
			t.Errorf("%s: %d contexts, %v", name, a.Distilled, err)
		}
	}
}

// An import that was interrupted before it distilled a session leaves that to the next one
// of the source, also where it stored a message that was taken back, or more of a session
// that is known.
func TestDistilImportThatWasInterrupted(t *testing.T) {
	begun := []string{"user a - hello", "assistant b a hi"}
	decided := append(begun, "user c b Never reformat files that you only touch in a few lines.", "assistant d c ok")
	for name, c := range map[string]struct{ before, rows []string }{
		"one":        {nil, decided},
		"taken back": {nil, append(decided, "user e d bye", "user f d good bye", "assistant g f bye")},
		"grown":      {begun, decided},
	} {
		s, _ := memorytest.Open(t)
		source := func(rows []string) memory.ImportRequest {
			return memory.ImportRequest{Format: transcript.ClaudeCode, Name: "a.jsonl", Source: strings.NewReader(conversation(t, rows...))}
		}
		if c.before != nil {
			importDistilled(t, s, source(c.before))
		}
		if _, err := s.Import(ctx, source(c.rows)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{1, 0} {
			if a := importDistilled(t, s, source(c.rows)); a.Distilled != want || a.Events.Taken != 0 {
				t.Errorf("%s: %d contexts of %d new events, want %d of none", name, a.Distilled, a.Events.Taken, want)
			}
		}
	}
}

// distilled distils a session and returns what that made.
func distilled(t *testing.T, s *memory.Service, id string) (made []string) {
	t.Helper()
	if _, err := s.Distil(ctx, id); err != nil {
		t.Fatal(err)
	}
	a, err := s.Load(ctx, memory.LoadRequest{Filter: memory.Filter{Tags: []string{"distilled"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Contexts {
		made = append(made, c.Summary)
	}
	return made
}

// What an earlier wake made of an event in fewer words is not made again in more, nor is an
// answer beside another question or none, whether it was forgotten or not.
func TestDistilAfterEarlierRules(t *testing.T) {
	for earlier, said := range map[string][]string{
		"Let's cache it in Redis instead of the browser.": {user("The monthly report takes a minute to load for most of our larger customers. Let's cache it in Redis instead of the browser.")},
		"read the task and begin → Let's go with plain and spare": {user("read the task and begin"),
			assistant("Two choices before I start:\n\n1. Plain HTML or a framework?\n2. A spare look or a polished one?\n\nI'll create the folder unless you object."), user("Let's go with plain and spare")},
		"why is the tuning page so narrow? → replace the workspace with projects": {user("why is the tuning page so narrow?"),
			assistant("It has one column of 576 px, unlike the others."), user("replace the workspace with projects")},
		"Fix: the total is read from the database.": {user("go on with the report"),
			assistant("The totals are stale after each import. Fix: the total is read from the database.")},
	} {
		s, _ := memorytest.Open(t)
		id := record(t, s, claude, said...).SessionID
		if n, err := s.Distil(ctx, id); err != nil || n != 1 {
			t.Fatalf("%q: %d distilled at first, %v", earlier, n, err)
		}
		s, _ = memorytest.Open(t)
		id = record(t, s, claude, said...).SessionID
		line := fmt.Sprintf(`{"wake":2}`+"\n"+`{"context":{"id":"old","project":"demo","timestamp":"2026-05-04T08:00:00Z","content":%q,"tags":["distilled","decision"],"metadata":{"distilled_by":"decision"},"session_id":%q,"seq":%d}}`+"\n", earlier, id, len(said))
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "old", Source: strings.NewReader(line)}); err != nil {
			t.Fatal(err)
		}
		for _, forgotten := range []bool{false, true} {
			if forgotten {
				if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{"old"}}); err != nil {
					t.Fatal(err)
				}
			}
			if n, err := s.Distil(ctx, id); err != nil || n != 0 {
				a, _ := s.Load(ctx, memory.LoadRequest{})
				t.Errorf("forgotten %v: %d distilled, %v: %+v", forgotten, n, err, a.Contexts)
			}
		}
	}
}

// What a person decides takes the place of what the assistant said before, unless that was
// distilled already.
func TestDistilBetweenAssistantAndPerson(t *testing.T) {
	said := []string{user("what about the layout of the shop"), assistant("We decided to use tabs for indentation in all Makefiles of the shop."),
		user("Always use tabs for indentation in all Makefiles, please.")}
	s, _ := memorytest.Open(t)
	if kept := distilled(t, s, record(t, s, claude, said...).SessionID); len(kept) != 1 || !strings.HasPrefix(kept[0], "Always use tabs") {
		t.Errorf("at once: %q", kept)
	}
	s, _ = memorytest.Open(t)
	first := distilled(t, s, record(t, s, claude, said[:2]...).SessionID)
	if kept := distilled(t, s, record(t, s, claude, said[2]).SessionID); len(kept) != 1 || len(first) != 1 || kept[0] != first[0] {
		t.Errorf("one after the other: %q, %q", first, kept)
	}
}

// announcing is a store that tells of each write before it waits for its turn.
type announcing struct {
	repository.Store
	writes chan struct{}
}

func (a announcing) Write(ctx context.Context, d repository.Durability, fn func(repository.Tx) error) error {
	select {
	case a.writes <- struct{}{}:
	default:
	}
	return a.Store.Write(ctx, d, fn)
}

// announceWrites makes a service's store announcing.
func announceWrites(s *memory.Service) <-chan struct{} {
	writes := make(chan struct{}, 1)
	s.Store = announcing{s.Store, writes}
	return writes
}

// What is purged while a session is distilled leaves nothing in what is made of it, nor
// in what only quotes it.
func TestDistilWhilePurged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s, other := at(t, path), at(t, path)
	const secret = "quixotic-7731"
	id := record(t, s, claude, user("where do we keep the door code"), assistant("I'd suggest a sealed note with "+secret+" at the reception."),
		user("yes, do that"), assistant("noted"), user("We decided to use whole cents for prices because fractions do not add up.")).SessionID
	distilled, writes := make(chan error, 1), announceWrites(s)
	err := other.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		go func() { _, err := s.Distil(ctx, id); distilled <- err }()
		<-writes // it has read the events
		_, err := tx.EraseEvents(ctx, domain.EventQuery{SessionID: id, After: 1, Until: 2}, func(domain.Event) []byte { return []byte("{}") })
		return err
	})
	if err := errors.Join(err, <-distilled); err != nil {
		t.Fatal(err)
	}
	a, err := s.Load(ctx, memory.LoadRequest{})
	if err != nil || len(a.Contexts) != 1 {
		t.Errorf("%d contexts are there, want 1 (%v)", len(a.Contexts), err)
	}
	if inFiles(t, path, secret) {
		t.Error("the text can still be read")
	}
}

// That a reader keeps the files from being scrubbed leaves none of it behind.
func TestDistilWhilePurgedAndRead(t *testing.T) {
	other, path := hasty(t)
	s := hastyAt(t, path, time.Second)
	id := record(t, s, claude, user("where do we keep the door code"), assistant("I'd suggest a sealed note at the reception."),
		user("yes, do that"), assistant("noted"), user("We decided to use whole cents for prices because fractions do not add up.")).SessionID
	err := at(t, path).Store.View(ctx, func(r repository.Reader) error {
		if _, err := r.Session(ctx, id); err != nil {
			return err
		}
		distilled, writes := make(chan error, 1), announceWrites(s)
		_ = other.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
			go func() { _, err := s.Distil(ctx, id); distilled <- err }()
			<-writes // it has read the events
			_, err := tx.EraseEvents(ctx, domain.EventQuery{SessionID: id}, func(domain.Event) []byte { return []byte("{}") })
			return err
		})
		refused(t, <-distilled, domain.KindUnavailable)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Load(ctx, memory.LoadRequest{})
	if err != nil || len(a.Contexts) != 0 {
		t.Errorf("%d contexts are there, want none (%v)", len(a.Contexts), err)
	}
}
