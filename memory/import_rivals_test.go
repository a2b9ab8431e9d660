package memory_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// items is a source that is ready.
func items(list ...transcript.Item) iter.Seq2[transcript.Item, error] {
	return func(yield func(transcript.Item, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}

func rival(content string) transcript.Item {
	return transcript.Item{Context: &domain.ContextSnapshot{ID: domain.DerivedID(string(transcript.Engram), "obs-1", content), Content: content,
		Metadata: map[string]any{"source_id": "obs-1"}}, Whole: true}
}

// A rival's memory that was changed since the last import supersedes what was
// imported of it; one without a time has the file's; one that was purged stays
// away.
func TestImportRivalAgain(t *testing.T) {
	s, now := memorytest.Open(t)
	at := now.Now().Add(-72 * time.Hour)
	read := func(content string) memory.ImportAnswer {
		t.Helper()
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: "engram.db", Items: items(rival(content)), At: at})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	read("the queue holds ten jobs")
	now.Pass(time.Hour)
	read("the queue holds twenty jobs")
	if a := read("the queue holds twenty jobs"); a.Contexts != (memory.Tally{Known: 1}) {
		t.Errorf("the third import: %+v", a)
	}
	old, fresh := rival("the queue holds ten jobs").Context.ID, rival("the queue holds twenty jobs").Context.ID
	if c := load(t, s, old); c.SupersededBy != fresh || !c.Timestamp.Equal(at) {
		t.Errorf("the old one is superseded by %q, want %s; its time is %v, want %v", c.SupersededBy, fresh, c.Timestamp, at)
	}
	if _, err := s.Purge(ctx, fresh); err != nil {
		t.Fatal(err)
	}
	if a := read("the queue holds twenty jobs"); a.Contexts.Taken != 0 {
		t.Error("what was purged came back by an import")
	}
}

// A team's chunks have the names of their hashes and, in a clone, all the same time: what is
// read last need not be what was written last.
func TestImportRivalOldestLast(t *testing.T) {
	s, _ := memorytest.Open(t)
	versions := []string{"the queue holds twenty jobs", "the queue holds ten jobs", "the queue holds fifteen jobs", "the queue holds thirty jobs"}
	changed := []string{"2026-01-03 10:00:00", "2026-01-01 10:00:00", "2026-01-02 10:00:00", "2026-01-04 10:00:00"}
	ids := map[string]string{}
	for i, content := range versions {
		chunk := `{"observations":[{"id":1,"sync_id":"obs-1","session_id":"s","type":"decision","title":"Queue","content":"` + content + `","created_at":"2026-01-01 10:00:00","updated_at":"` + changed[i] + `"}]}`
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: fmt.Sprintf("chunks/%d.jsonl", i), Source: strings.NewReader(chunk)}); err != nil {
			t.Fatal(err)
		}
		ids[content] = domain.DerivedID(string(transcript.Engram), "obs-1", content)
		if i == 2 && load(t, s, ids[versions[0]]).SupersededBy != "" {
			t.Error("an older version supersedes the newest")
		}
	}
	twenty, thirty := ids[versions[0]], ids[versions[3]]
	got := map[string]string{}
	for content, id := range ids {
		got[content] = load(t, s, id).SupersededBy
	}
	want := map[string]string{versions[0]: thirty, versions[1]: twenty, versions[2]: twenty, versions[3]: ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What stands beside another thing in a source does not replace it: observations of
// one entity, relations, and memories of the same name in another file.
func TestImportReplacesOnlyWhatChanged(t *testing.T) {
	s, _ := memorytest.Open(t)
	anna := func(kind string) string {
		return `{"type":"entity","name":"Anna","entityType":"` + kind + `","observations":["likes tea","works at X"]}
{"type":"relation","from":"Anna","to":"X","relationType":"works_at"}
{"type":"relation","from":"Anna","to":"Y","relationType":"left"}
`
	}
	read := func(format transcript.Format, name, text string) {
		t.Helper()
		a, err := s.Import(ctx, memory.ImportRequest{Format: format, Name: name, Source: strings.NewReader(text)})
		if err != nil || a.Skipped > 0 {
			t.Fatal(a, err)
		}
	}
	superseded := func() (gone []string) {
		t.Helper()
		list, err := s.Store.Contexts(ctx, domain.ContextQuery{Order: domain.Oldest})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.SupersededBy != "" {
				gone = append(gone, c.Summary)
			}
		}
		return gone
	}
	read(transcript.ServerMemory, "memory.jsonl", anna("person"))
	read(transcript.ServerMemory, "two.jsonl", `{"type":"entity","name":"D3","entityType":"library","observations":[]}`+"\n"+`{"type":"entity","name":"D3","entityType":"technology","observations":[]}`+"\n")
	read(transcript.MemoryMD, "a/MEMORY.md", "# Build\n\nuse make")
	read(transcript.MemoryMD, "b/MEMORY.md", "# Build\n\nuse ninja")
	read(transcript.MemoryMD, "c/MEMORY.md", "# Build\n## Commands\nmake all\n# Test\n## Commands\nmake test\n# Notes\none\n# Notes\ntwo")
	folder := fstest.MapFS{"a/notes.md": {Data: []byte("---\nname: a\n---\nnote of a")}, "b/notes.md": {Data: []byte("---\nname: b\n---\nnote of b")}}
	if a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.MemoryMD, Name: "folder", Items: transcript.ReadMemoryFolder(folder)}); err != nil || a.Contexts.Taken != 2 {
		t.Fatal(a, err)
	}
	for name, content := range map[string]string{"ana.json": "prices are cents", "ben.json": "the queue holds ten"} { // early engram has numbers alone
		read(transcript.Engram, name, `{"exported_at":"2026-01-01 10:00:00","sessions":[],"observations":[{"id":1,"session_id":"s","type":"decision","title":"","content":"`+content+`","created_at":"2026-01-01 10:00:00"}]}`)
	}
	if got := superseded(); len(got) > 0 {
		t.Errorf("replaced: %q", got)
	}
	read(transcript.ServerMemory, "memory.jsonl", anna("colleague"))
	read(transcript.MemoryMD, "a/MEMORY.md", "# Build\n\nuse just")
	read(transcript.MemoryMD, "c/MEMORY.md", "# Build\n## Commands\nmake all\n# Test\n## Commands\nmake check\n# Notes\none\n# Notes\nthree")
	if diff := cmp.Diff([]string{"Anna (person)", "Build. use make", "Commands. make test"}, superseded()); diff != "" {
		t.Error(diff)
	}
}

// A memory that its source has set back to earlier words is that earlier version again; an
// export from before does not change that.
func TestImportRivalSetBack(t *testing.T) {
	s, now := memorytest.Open(t)
	export := func(content, day string) {
		t.Helper()
		now.Pass(time.Minute)
		doc := `{"exported_at":"2026-03-01","sessions":[],"observations":[{"id":1,"sync_id":"obs-1","session_id":"s","type":"decision","title":"Queue","content":"` +
			content + `","created_at":"2026-01-01 10:00:00","updated_at":"` + day + ` 10:00:00"}]}`
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Engram, Name: "engram.json", Source: strings.NewReader(doc), Whole: true}); err != nil {
			t.Fatal(err)
		}
	}
	note := func(content, _ string) {
		t.Helper()
		now.Pass(time.Minute)
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.MemoryMD, Name: "MEMORY.md", Source: strings.NewReader("# Queue\n\n" + content), Whole: true}); err != nil {
			t.Fatal(err)
		}
	}
	current := func(source transcript.Format) (all []string) {
		t.Helper()
		list, err := s.Store.Contexts(ctx, domain.ContextQuery{Order: domain.Oldest})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.Source == string(source) && c.SupersededBy == "" {
				all = append(all, load(t, s, c.ID).Content)
			}
		}
		return all
	}
	check := func(source transcript.Format, when, want string) {
		t.Helper()
		if got := current(source); len(got) != 1 || !strings.HasSuffix(got[0], want) {
			t.Errorf("%s, %s: the current ones are %q, want %q", source, when, got, want)
		}
	}
	for source, set := range map[transcript.Format]func(content, day string){transcript.Engram: export, transcript.MemoryMD: note} {
		set("ten jobs", "2026-01-01")
		set("twenty jobs", "2026-01-02")
		set("thirty jobs", "2026-01-03")
		set("ten jobs", "2026-01-04")
		check(source, "set back", "ten jobs")
		set("ten jobs", "2026-01-04")
		check(source, "read again", "ten jobs")
		if source == transcript.Engram {
			set("twenty jobs", "2026-01-02")
			check(source, "an old export", "ten jobs")
		}
		set("twenty jobs", "2026-01-05")
		check(source, "set back again", "twenty jobs")
		set("forty jobs", "2026-01-06")
		check(source, "changed", "forty jobs")
	}
}

// The links that new contexts name themselves are new, too.
func TestImportCountsNamedLinks(t *testing.T) {
	s, _ := memorytest.Open(t)
	const dump = `INSERT INTO context_snapshots (id, project, content, summary, timestamp, action_type, caused_by, dependencies) VALUES
		('8e1f8f3e-1111-4222-8333-000000000001', 'shop', 'prices are cents', 'prices', '2026-01-01T10:00:00Z', 'decision', NULL, NULL),
		('8e1f8f3e-1111-4222-8333-000000000002', 'shop', 'the cart rounds', 'cart', '2026-01-02T10:00:00Z', 'decision', '8e1f8f3e-1111-4222-8333-000000000001', '["8e1f8f3e-1111-4222-8333-000000000001"]');`
	read := func() memory.ImportAnswer {
		t.Helper()
		a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.WakeIQX, Name: "d1.sql", Source: strings.NewReader(dump), Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := read(); a.Contexts != (memory.Tally{Taken: 2}) || a.Links != (memory.Tally{Taken: 2}) {
		t.Errorf("first: %+v", a)
	}
	if a := read(); a.Contexts != (memory.Tally{Known: 2}) || a.Links.Taken != 0 {
		t.Errorf("again: %+v", a)
	}
}
