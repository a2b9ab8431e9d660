package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
	"wake/transcript"
)

const purgedWord = "quixotic-7731"

// gone fails if the word is in the files of the database.
func gone(t *testing.T, s *memory.Service, when string) {
	t.Helper()
	info, err := s.Store.Info(ctx)
	if err != nil || inFiles(t, info.Address, purgedWord) {
		t.Errorf("%s, the text can be read (%v)", when, err)
	}
}

// exportFile is a whole export, as a file has it.
func exportFile(t *testing.T, s *memory.Service) []byte {
	t.Helper()
	return []byte("{\"wake\":2}\n" + exported(t, s, memory.ExportRequest{}))
}

// What another wake made later of an event that was purged here does not bring its text:
// a title, checkpoints, hand-offs, restored states, distilled contexts, forks.
func TestPurgeImportedLater(t *testing.T) {
	goal := `{"type":"goal","id":"g1","text":"change the door code ` + purgedWord + `"}`
	decided := user("Decision: the door code is " + purgedWord + ", because it is easy to keep.")
	for name, c := range map[string]struct {
		first []string
		purge int64
		later func(t *testing.T, from *memory.Service, ref memory.SessionRef)
	}{
		"title": {[]string{user("the door code is " + purgedWord), assistant("noted")}, 1, func(*testing.T, *memory.Service, memory.SessionRef) {}},
		"end": {[]string{user("hello"), `{"type":"end","success":false,"error":"` + purgedWord + ` was refused"}`}, 2,
			func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
				record(t, from, ref, user("again"), `{"type":"end","success":false}`)
			}},
		"checkpoint": {[]string{user("the door code is " + purgedWord), assistant("noted")}, 1, func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
			checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
		}},
		"goal": {[]string{user("hello"), goal}, 2, func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
			point := checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
			checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
		}},
		"hand-off": {[]string{user("the door code is " + purgedWord), assistant("noted")}, 1, func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
			record(t, from, ref, `{"type":"mode","to":"code"}`)
		}},
		"distilled": {[]string{decided, assistant("noted")}, 1, func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
			if n, err := from.Distil(ctx, ref.SessionID); err != nil || n != 1 {
				t.Fatalf("%d distilled, %v", n, err)
			}
		}},
		"forks": {[]string{user("the door code is " + purgedWord), assistant("noted")}, 1, func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
			for range 2 {
				point := checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
				ref = byID(checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID)
			}
		}},
		"distilled in a fork": {[]string{decided, assistant("noted")}, 1, func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
			point := checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
			fork := checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID
			if n, err := from.Distil(ctx, fork); err != nil || n != 1 {
				t.Fatalf("%d distilled, %v", n, err)
			}
		}},
		"fork of what came before": {[]string{assistant("hello"), user("the door code is " + purgedWord)}, 2, func(t *testing.T, from *memory.Service, ref memory.SessionRef) {
			point := checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointList, Ref: ref}).Checkpoints[0]
			checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID})
		}},
	} {
		for _, earlier := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, earlier %v", name, earlier), func(t *testing.T) {
				from, _ := memorytest.Open(t)
				ref := byID(record(t, from, claude, c.first[0]).SessionID)
				checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
				record(t, from, ref, c.first[1:]...)
				s, _ := memorytest.Open(t)
				importFile(t, s, transcript.Wake, "all.jsonl", exportFile(t, from))
				if _, err := s.PurgeEvent(ctx, ref.SessionID, c.purge); err != nil {
					t.Fatal(err)
				}
				gone(t, s, "after the purge")
				if earlier {
					forgetPurged(t, s)
				}
				record(t, from, ref, user("and the lamp"), assistant("noted"))
				c.later(t, from, ref)
				record(t, from, ref, user("and the stairs"), assistant("noted"))
				for _, name := range []string{"all.jsonl", "later.jsonl"} {
					importFile(t, s, transcript.Wake, name, exportFile(t, from))
					if err := workUntilPurged(s); err != nil {
						t.Fatal(err)
					}
					gone(t, s, "after the import of "+name)
				}
				verified(t, s)
				// Nor does the store that it was purged from hand it on.
				third, _ := memorytest.Open(t)
				importFile(t, third, transcript.Wake, "all.jsonl", exportFile(t, s))
				gone(t, third, "in a third store")
				importFile(t, third, transcript.Wake, "later.jsonl", exportFile(t, from))
				gone(t, third, "in a third store, after the import of the first one")
				verified(t, third)
			})
		}
	}
}

// forgetPurged makes purges count as those of an earlier wake, which did not list them.
func forgetPurged(t *testing.T, s *memory.Service) {
	t.Helper()
	all, err := s.Store.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		for _, o := range all {
			o.Purged, o.PurgedTitles = nil, nil
			if err := tx.SaveSession(ctx, o); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A transcript that has grown names the session after a purged prompt again.
func TestPurgeTitleLater(t *testing.T) {
	const said = "the door code is " + purgedWord + " today"
	row := func(n int, text string) string {
		return fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"one","timestamp":"2026-05-04T09:0%d:00.000Z","message":{"role":"user","content":"%s"}}`+"\n", n, n, text)
	}
	named := func(title string) string {
		return `{"type":"custom-title","sessionId":"one","customTitle":"` + title + `"}` + "\n"
	}
	s, _ := memorytest.Open(t)
	file := row(1, said) + named(said)
	importFile(t, s, transcript.ClaudeCode, "one.jsonl", []byte(file))
	if _, err := s.PurgeEvent(ctx, onlySession(t, s), 1); err != nil {
		t.Fatal(err)
	}
	gone(t, s, "after the purge")
	file += named("other") + named(said) + row(2, "and the lamp")
	importFile(t, s, transcript.ClaudeCode, "one.jsonl", []byte(file))
	gone(t, s, "after an import of what has grown")
	importFile(t, s, transcript.ClaudeCode, "copy.jsonl", []byte(file))
	gone(t, s, "after an import of a copy")
	if a, err := s.Sessions(ctx, memory.SessionsRequest{}); err != nil || a.Sessions[0].Title != "other" {
		t.Errorf("%+v, %v", a.Sessions, err)
	}
	verified(t, s)
}

// Codex keeps the names of sessions in a file of their own. The keys that an earlier wake gave
// them quote the name.
func TestPurgeNamed(t *testing.T) {
	for name, earlier := range map[string]bool{"before": false, "by an earlier wake": true} {
		t.Run(name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			id := record(t, s, memory.SessionRef{Client: transcript.ClientCodex, ClientSessionID: "one"}, user("lock the door"), user(purgedWord), assistant("noted")).SessionID
			row := `{"id":"one","thread_name":"%s","updated_at":"2026-05-04T%s:00:00Z"}` + "\n"
			names := fmt.Sprintf(row, purgedWord, "09")
			if earlier {
				e, err := domain.NewEvent(time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC), domain.NameKey("2026-05-04T09:00:00.000000Z "+purgedWord), domain.About{Title: purgedWord})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Append(ctx, memory.AppendRequest{Ref: byID(id), Events: []domain.Event{e}}); err != nil {
					t.Fatal(err)
				}
			}
			importFile(t, s, transcript.Codex, "session_index.jsonl", []byte(names))
			if e, err := s.Store.Events(ctx, domain.EventQuery{SessionID: id, Types: []domain.EventType{domain.EventAbout}}); err != nil || len(e) != 1 {
				t.Fatalf("named %d times, %v", len(e), err)
			}
			if _, err := s.PurgeEvent(ctx, id, 2); err != nil {
				t.Fatal(err)
			}
			gone(t, s, "after the purge")
			for i, want := range []string{"", "lamps"} {
				importFile(t, s, transcript.Codex, "session_index.jsonl", []byte(names))
				gone(t, s, "after an import of the names")
				if a, err := s.Sessions(ctx, memory.SessionsRequest{}); err != nil || a.Sessions[0].Title != want {
					t.Errorf("import %d: %+v, %v", i, a.Sessions, err)
				}
				names += fmt.Sprintf(row, "lamps", "10")
			}
		})
	}
}

// A name that an earlier wake stored under a key that quotes it does not come back, nor does
// its key.
func TestPurgeNamedKeyLater(t *testing.T) {
	from, _ := memorytest.Open(t)
	ref := byID(record(t, from, claude, user(purgedWord), assistant("noted")).SessionID)
	s, _ := memorytest.Open(t)
	importFile(t, s, transcript.Wake, "all.jsonl", exportFile(t, from))
	if _, err := s.PurgeEvent(ctx, ref.SessionID, 1); err != nil {
		t.Fatal(err)
	}
	gone(t, s, "after the purge")
	e, err := domain.NewEvent(time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC), domain.NameKey("2026-05-04T09:00:00.000000Z "+purgedWord), domain.About{Title: purgedWord})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Append(ctx, memory.AppendRequest{Ref: ref, Events: []domain.Event{e}}); err != nil {
		t.Fatal(err)
	}
	importFile(t, s, transcript.Wake, "later.jsonl", exportFile(t, from))
	gone(t, s, "after the import")
	verified(t, s)
}

// An import that was stopped behind a session's events brings what follows them, though
// something of the session was purged in the store that it comes from.
func TestPurgedImportStopped(t *testing.T) {
	from, _ := memorytest.Open(t)
	id := record(t, from, claude, user("the door code is "+purgedWord), assistant("noted")).SessionID
	if _, err := from.PurgeEvent(ctx, id, 1); err != nil {
		t.Fatal(err)
	}
	record(t, from, byID(id), user("mend the lamp"), assistant("noted"), `{"type":"mode","to":"code"}`)
	checkpoint(t, from, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(id)})
	whole := string(exportFile(t, from))
	lines := strings.SplitAfter(whole, "\n")
	for cut := 1; cut < len(lines); cut++ {
		s, _ := memorytest.Open(t)
		for _, part := range []string{strings.Join(lines[:cut], ""), whole} {
			if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "all.jsonl", Source: strings.NewReader(part)}); err != nil {
				t.Fatal(err)
			}
		}
		if got := string(exportFile(t, s)); got != whole {
			t.Errorf("stopped behind line %d of %d:\n%s\nwant\n%s", cut, len(lines)-1, got, whole)
		}
	}
}

// What an import remembers of the rows that it has read does not keep a purged text.
func TestPurgeCursors(t *testing.T) {
	const said = "the door code is " + purgedWord + " today"
	at := `"sessionId":"one","timestamp":"2026-05-04T09:00:00.000Z"`
	row := `{"type":"user","uuid":"u1",` + at + `,"message":{"role":"user","content":"` + said + `"}}` + "\n"
	for name, rows := range map[string]string{
		"name":  row + `{"type":"custom-title","sessionId":"one","customTitle":"` + said + `"}` + "\n",
		"queue": row + `{"type":"queue-operation","operation":"enqueue",` + at + `,"content":"` + said + `"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			importFile(t, s, transcript.ClaudeCode, "one.jsonl", []byte(rows))
			if _, err := s.PurgeEvent(ctx, onlySession(t, s), 1); err != nil {
				t.Fatal(err)
			}
			gone(t, s, "after the purge")
			rows += `{"type":"user","uuid":"u2",` + at + `,"message":{"role":"user","content":"and the lamp"}}` + "\n"
			a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "one.jsonl", Source: strings.NewReader(rows)})
			if err != nil || a.Events.Taken != 1 {
				t.Errorf("%+v, %v", a, err)
			}
			gone(t, s, "after the next import")
		})
	}
}

// A purge takes from imports only what was said, not where sessions work or what they are
// called, though a text may be the same.
func TestPurgeCursorsKeepFacts(t *testing.T) {
	const dir = "/home/ann/projects/lamp"
	row := func(session string, n int, rest string) string {
		return fmt.Sprintf(`{"uuid":"%s%d","sessionId":%q,"cwd":%q,"gitBranch":"main","timestamp":"2026-05-04T09:0%d:00.000Z",%s}`+"\n", session, n, session, dir, n, rest)
	}
	prompt := func(text string) string {
		return fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text)
	}
	from, _ := memorytest.Open(t)
	record(t, from, claude, user("hello"), assistant("noted"))
	whole := string(exportFile(t, from))
	s, _ := memorytest.Open(t)
	importFile(t, s, transcript.Wake, "all.jsonl", []byte(strings.Join(strings.SplitAfter(whole, "\n")[:3], "")))
	two := row("two", 1, prompt("hello"))
	importFile(t, s, transcript.ClaudeCode, "two.jsonl", []byte(two))

	purged := record(t, s, memory.SessionRef{Client: "other", ClientSessionID: "o-1"}, user("demo"), assistant("main"), user(dir)).SessionID
	for seq := range int64(3) {
		if _, err := s.PurgeEvent(ctx, purged, seq+1); err != nil {
			t.Fatal(err)
		}
	}
	two += row("two", 2, prompt("again"))
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "two.jsonl", Source: strings.NewReader(two)})
	if err != nil || a.Events.Taken != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "all.jsonl", Source: strings.NewReader(whole)}); err != nil {
		t.Fatal(err)
	}
	if all := exported(t, s, memory.ExportRequest{}); !strings.Contains(all, strings.SplitN(whole, "\n", 3)[1]) {
		t.Errorf("the session of an export is another:\n%s\nin\n%s", whole, all)
	}
}

// The cursor of an export that was cut off in the middle of a session holds the session with
// its title; one of an older wake holds the last one of every export.
func TestPurgeCursorOfExport(t *testing.T) {
	from, _ := memorytest.Open(t)
	id := record(t, from, claude, user("the door code is "+purgedWord), assistant("noted")).SessionID
	lines := strings.SplitAfter(string(exportFile(t, from)), "\n")
	s, _ := memorytest.Open(t)
	importFile(t, s, transcript.Wake, "all.jsonl", []byte(strings.Join(lines[:3], "")))
	if _, err := s.PurgeEvent(ctx, id, 1); err != nil {
		t.Fatal(err)
	}
	gone(t, s, "after the purge")
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "all.jsonl", Source: strings.NewReader(strings.Join(lines, ""))}); err != nil {
		t.Fatal(err)
	}
	gone(t, s, "after the rest of the import")
	verified(t, s)
}

// Events of any type that say the same are named, so that they can be purged too.
func TestPurgeEchoes(t *testing.T) {
	const said = "the door code is \"" + purgedWord + "\""
	quoted := `the door code is \"` + purgedWord + `\"`
	s, _ := memorytest.Open(t)
	id := record(t, s, claude, `{"type":"message","role":"user","content":"`+quoted+`"}`, assistant("noted"),
		`{"type":"compaction","trigger":"auto","summary":"The user said: `+quoted+`."}`,
		`{"type":"finding","kind":"note","text":"`+quoted+`"}`,
		`{"type":"op","op_id":"o1","kind":"tool","name":"bash","status":"ok","response":{"out":"`+quoted+`"}}`).SessionID
	where := save(t, s, memory.SaveRequest{Content: "It is known that " + said}).ID
	got, err := s.PurgeEvent(ctx, id, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{where}
	for seq := 3; seq <= 5; seq++ {
		want = append(want, fmt.Sprintf("--seq %d", seq))
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(got.Notes, "\n"), w) {
			t.Errorf("%q is not in %q", w, got.Notes)
		}
	}
	if len(got.Notes) != len(want) {
		t.Errorf("notes %q", got.Notes)
	}
	for seq := range int64(5) {
		if _, err := s.PurgeEvent(ctx, id, seq+1); err != nil && domain.KindOf(err) != domain.KindNotFound {
			t.Fatal(err)
		}
	}
	if _, err := s.Purge(ctx, where); err != nil {
		t.Fatal(err)
	}
	gone(t, s, "after all purges")
}

// What a tool was asked is stored as its client wrote it, with escapes of its own.
func TestPurgeEchoesEscaped(t *testing.T) {
	for text, escaped := range map[string]string{"the code is <77> & so on": `the code is \u003c77\u003e \u0026 so on`, "le code est caché là": `le code est cach\u00e9 l\u00E0`} {
		s, _ := memorytest.Open(t)
		id := record(t, s, claude, user(text), `{"type":"op","op_id":"o1","kind":"tool","name":"bash","status":"ok","request":{"out":"`+escaped+`"}}`,
			`{"type":"message","role":"assistant","tool_calls":[{"id":"x","name":"n","arguments":{"q":"`+escaped+`"}}]}`).SessionID
		if got, err := s.PurgeEvent(ctx, id, 1); err != nil || len(got.Notes) != 2 {
			t.Errorf("%q: notes %q, %v", text, got.Notes, err)
		}
	}
}
