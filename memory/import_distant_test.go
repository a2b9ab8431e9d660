package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// teamChunks are what a team shares of engram: two versions of a memory, a memory that
// the second chunk deletes, and a memory that the third one relates to the first.
func teamChunks() map[string]string {
	observation := func(id, content, at string) string {
		return fmt.Sprintf(`{"id":1,"sync_id":%q,"session_id":"s","type":"decision","title":%q,"content":%q,"created_at":"2026-01-01 10:00:00","updated_at":%q}`, id, content, content, at)
	}
	return map[string]string{
		"first": `{"sessions":[],"observations":[` + observation("obs-1", "whole cents", "2026-01-01 10:00:00") + `,` + observation("obs-2", "a queue of ten", "2026-01-01 10:00:00") + `]}`,
		"second": `{"observations":[` + observation("obs-2", "a queue of twenty", "2026-01-02 10:00:00") + `],"mutations":[
{"seq":1,"entity":"observation","entity_key":"obs-2","op":"upsert","payload":"{\"sync_id\":\"obs-2\"}","occurred_at":"2026-01-02 10:00:00"}]}`,
		"third": `{"observations":[` + observation("obs-3", "decimals", "2026-01-03 10:00:00") + `],"mutations":[
{"seq":2,"entity":"observation","entity_key":"obs-2","op":"delete","payload":"{\"sync_id\":\"obs-2\",\"deleted\":true}","occurred_at":"2026-01-03 10:00:00"},
{"seq":3,"entity":"relation","entity_key":"rel-1","op":"upsert","payload":"{\"sync_id\":\"rel-1\",\"source_id\":\"obs-3\",\"target_id\":\"obs-1\",\"relation\":\"supersedes\",\"judgment_status\":\"judged\"}","occurred_at":"2026-01-03 10:01:00"}]}`,
	}
}

// In whatever order a team's chunks are read, what one of them deletes is not there, and
// what one of them relates is linked, also if the others have it.
func TestImportAcrossChunks(t *testing.T) {
	chunks := teamChunks()
	for _, order := range [][]string{{"first", "second", "third"}, {"third", "second", "first"}, {"second", "third", "first"}, {"third", "first", "second"}} {
		s, _ := memorytest.Open(t)
		read := func(name string) memory.ImportAnswer {
			t.Helper()
			a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: name, Source: strings.NewReader(chunks[name])})
			if err != nil || a.Skipped > 0 {
				t.Fatal(order, a, err)
			}
			return a
		}
		for _, name := range order {
			read(name)
		}
		state := func() (all []string) {
			t.Helper()
			list, err := s.Store.Contexts(ctx, domain.ContextQuery{Order: domain.Oldest})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				all = append(all, fmt.Sprint(c.Summary, " superseded: ", c.SupersededBy != ""))
			}
			slices.Sort(all)
			return all
		}
		want := []string{"decimals superseded: false", "whole cents superseded: true"}
		if diff := cmp.Diff(want, state()); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
		for _, name := range order {
			if a := read(name); a.Contexts.Taken+a.Links.Taken+a.Others.Taken > 0 {
				t.Errorf("%v: %s again: %+v", order, name, a)
			}
		}
		if diff := cmp.Diff(want, state()); diff != "" {
			t.Errorf("%v, read twice (-want +got):\n%s", order, diff)
		}
	}
}

// A memory that is related to itself gets no link, whichever chunk has the memory.
func TestImportRelatedToItself(t *testing.T) {
	s, _ := memorytest.Open(t)
	chunks := teamChunks()
	chunks["here"] = strings.ReplaceAll(chunks["third"], `\"obs-1\"`, `\"obs-3\"`)
	chunks["elsewhere"] = strings.ReplaceAll(chunks["third"], `\"obs-3\"`, `\"obs-1\"`)
	for _, name := range []string{"first", "here", "elsewhere"} {
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: name, Source: strings.NewReader(chunks[name])})
		if err != nil || a.Skipped > 0 {
			t.Errorf("%s: %+v %v", name, a, err)
		}
	}
	list, err := s.Store.Contexts(ctx, domain.ContextQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		links, err := s.Store.LinkHistory(ctx, []string{c.ID})
		if err != nil || len(links) > 0 || c.SupersededBy != "" {
			t.Errorf("%s is superseded by %q and has the links %v: %v", c.Summary, c.SupersededBy, links, err)
		}
	}
}

// What a person brings back here stays, although the source deleted it.
func TestImportDeletedElsewhereOnce(t *testing.T) {
	s, _ := memorytest.Open(t)
	chunks := teamChunks()
	read := func(name string) {
		t.Helper()
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: name, Source: strings.NewReader(chunks[name])}); err != nil {
			t.Fatal(err)
		}
	}
	read("first")
	read("third")
	id := domain.DerivedID(string(transcript.Engram), "obs-2", "a queue of ten")
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}, Undo: true}); err != nil {
		t.Fatal(err)
	}
	read("third")
	if c := load(t, s, id); !c.DeletedAt.IsZero() {
		t.Error("it was forgotten again")
	}
}

// What a chunk says of a memory and one that was not read goes with a purge of the former.
func TestImportAwaitedIsPurged(t *testing.T) {
	s, path := hasty(t)
	chunk := strings.Replace(teamChunks()["third"], `\"relation\":`, `\"reason\":\"the unspeakable xylophone\",\"relation\":`, 1)
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: "third", Source: strings.NewReader(chunk)}); err != nil || !strings.Contains(chunk, "xylophone") {
		t.Fatal(err)
	}
	if _, err := s.Purge(ctx, domain.DerivedID(string(transcript.Engram), "obs-3", "decimals")); err != nil || inFiles(t, path, "xylophone") {
		t.Errorf("it can still be read: %v", err)
	}
}

// A chunk may delete a memory and set it again, whether or not it has it otherwise.
func TestImportSetAgain(t *testing.T) {
	again := `{"seq":2,"entity":"observation","entity_key":"obs-2","op":"delete","payload":"{}","occurred_at":"2026-01-03 10:00:00"},
{"seq":3,"entity":"observation","entity_key":"obs-2","op":"upsert","payload":"{\"sync_id\":\"obs-2\",\"session_id\":\"s\",\"type\":\"decision\",\"title\":\"a queue of thirty\",\"content\":\"a queue of thirty\"}","occurred_at":"2026-01-04 10:00:00"}`
	for want, chunk := range map[string]string{
		"a queue of thirty": `{"mutations":[` + again + `]}`,
		"a queue of twenty": strings.Replace(teamChunks()["second"], `]}`, `,`+again+`]}`, 1),
	} {
		s, _ := memorytest.Open(t)
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Source: strings.NewReader(chunk)}); err != nil {
			t.Fatal(err)
		}
		list, err := s.Store.Contexts(ctx, domain.ContextQuery{})
		if err != nil || len(list) != 1 || list[0].Summary != want {
			t.Errorf("want %q, have %+v, %v", want, list, err)
		}
	}
}

// A memory that one chunk deletes and a later one sets again with the same words is there,
// in whatever order they are read, and once: what a person forgets here stays forgotten.
func TestImportSetAgainElsewhere(t *testing.T) {
	set := func(at string) string {
		return fmt.Sprintf(`{"observations":[{"id":1,"sync_id":"obs-1","session_id":"s","type":"decision","title":"whole cents","content":"whole cents","created_at":"2026-01-01 10:00:00","updated_at":%q}]}`, at)
	}
	chunks := []string{set("2026-01-01 10:00:00"), `{"mutations":[{"seq":1,"entity":"observation","entity_key":"obs-1","op":"delete","payload":"{}","occurred_at":"2026-01-02 10:00:00"}]}`, set("2026-01-03 10:00:00")}
	id := domain.DerivedID(string(transcript.Engram), "obs-1", "whole cents")
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		s, clock := memorytest.Open(t)
		read := func() {
			t.Helper()
			for _, i := range order {
				if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: fmt.Sprint(i), Source: strings.NewReader(chunks[i]), Whole: true}); err != nil {
					t.Fatal(err)
				}
			}
		}
		there := func() bool {
			t.Helper()
			list, err := s.Store.ContextsByID(ctx, []string{id}, false)
			if err != nil {
				t.Fatal(err)
			}
			return len(list) == 1
		}
		if read(); !there() {
			t.Errorf("%v: it is not there", order)
			continue
		}
		if read(); !there() {
			t.Errorf("%v, read twice: it is not there", order)
		}
		clock.Pass(time.Minute)
		if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}}); err != nil {
			t.Fatal(err)
		}
		if read(); there() {
			t.Errorf("%v: what was forgotten here came back", order)
		}
	}
}

// Of several deletions and settings of one memory the last one counts, in whatever order
// they are read. What a person brings back here stays, though two chunks delete it.
func TestImportDeletedTwice(t *testing.T) {
	var chunks []string
	for day := 1; day <= 5; day++ {
		at := fmt.Sprintf("2026-01-0%d 10:00:00", day)
		if chunk := fmt.Sprintf(`{"observations":[{"id":1,"sync_id":"obs-1","session_id":"s","type":"decision","title":"whole cents","content":"whole cents","created_at":"2026-01-01 10:00:00","updated_at":%q}]}`, at); day%2 == 1 {
			chunks = append(chunks, chunk)
		} else {
			chunks = append(chunks, fmt.Sprintf(`{"mutations":[{"seq":1,"entity":"observation","entity_key":"obs-1","op":"delete","payload":"{}","occurred_at":%q}]}`, at))
		}
	}
	id := domain.DerivedID(string(transcript.Engram), "obs-1", "whole cents")
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 1, 0, 2}, {3, 0, 1, 2}, {0, 1, 2, 3, 4}, {0, 1, 3, 2, 4}, {0, 3, 2, 1, 4}, {2, 3, 1, 4, 0}, {4, 3, 2, 1, 0}} {
		s, clock := memorytest.Open(t)
		read := func() {
			t.Helper()
			for _, i := range order {
				clock.Pass(time.Minute)
				if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: fmt.Sprint(i), Source: strings.NewReader(chunks[i]), Whole: true}); err != nil {
					t.Fatal(err)
				}
			}
		}
		there := func(want bool) {
			t.Helper()
			if list, err := s.Store.ContextsByID(ctx, []string{id}, false); err != nil || (len(list) == 1) != want {
				t.Errorf("%v: %d are there, %v", order, len(list), err)
			}
		}
		read()
		there(len(order) == 5)
		if order[0] == 0 && len(order) == 4 {
			if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}, Undo: true}); err != nil {
				t.Fatal(err)
			}
			read()
			there(true)
		}
	}
}

// A relation to a memory that another chunk deleted is left out with it.
func TestImportRelationToDeleted(t *testing.T) {
	s, _ := memorytest.Open(t)
	chunks := teamChunks()
	relation := strings.Replace(chunks["first"], `]}`, `],"mutations":[{"seq":1,"entity":"relation","entity_key":"rel-2","op":"upsert","payload":"{\"sync_id\":\"rel-2\",\"source_id\":\"obs-1\",\"target_id\":\"obs-2\",\"relation\":\"related\",\"judgment_status\":\"judged\"}","occurred_at":"2026-01-01 10:01:00"}]}`, 1)
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: "third", Source: strings.NewReader(chunks["third"])}); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: "first", Source: strings.NewReader(relation)}); err != nil || a.Contexts.Taken != 1 {
		t.Fatal(a, err)
	}
	links, err := s.Store.LinkHistory(ctx, []string{domain.DerivedID(string(transcript.Engram), "obs-1", "whole cents")})
	for _, l := range links {
		if err != nil || l.To == domain.DerivedID(string(transcript.Engram), "obs-2", "a queue of ten") {
			t.Errorf("it is linked to what was deleted: %+v, %v", l, err)
		}
	}
}
