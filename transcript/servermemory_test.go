package transcript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// The official memory server: observations and relations are contexts of their
// own, linked to their entities, and stay the same when the entity grows.
func TestServerMemory(t *testing.T) {
	data := own(t, "server-memory", "memory.jsonl")
	res := read(t, transcript.ServerMemory, "memory.jsonl", data, domain.IngestCursor{})
	var texts []string
	ids := map[string]string{}
	for _, c := range res.contexts {
		texts = append(texts, c.Content)
		ids[c.Content] = c.ID
	}
	want := []string{"Alice (person)", "Alice: speaks Spanish", "Alice: prefers dark mode", "Acme (company)", "Alice works_at Acme", "Alice knows Nobody"}
	if diff := cmp.Diff(want, texts); diff != "" || len(res.skipped) != 1 || res.skipped[0].Line != 5 {
		t.Errorf("contexts (-want +got):\n%s%v", diff, res.skipped)
	}
	if len(res.links) != 5 || res.links[0].From != ids["Alice: speaks Spanish"] || res.links[0].To != ids["Alice (person)"] {
		t.Errorf("links: %+v", res.links)
	}
	grown := strings.Replace(string(data), `"speaks Spanish"`, `"speaks Spanish","is new here"`, 1)
	fresh := 0
	for _, c := range read(t, transcript.ServerMemory, "memory.jsonl", []byte(grown), res.cursor).contexts {
		if ids[c.Content] != c.ID {
			fresh++
		}
	}
	if fresh != 1 {
		t.Errorf("%d new contexts, want the new observation alone", fresh)
	}
}

// An entity is known again by its name, so that what is said of it later replaces what was said;
// those of several types that share a name replace nothing.
func TestServerMemorySharedNames(t *testing.T) {
	var rows string
	for _, kind := range []string{"planet", "metal", "metal"} {
		rows += `{"type":"entity","name":"Mercury","entityType":"` + kind + `","observations":[]}` + "\n"
	}
	rows += `{"type":"entity","name":"Venus","entityType":"planet","observations":[]}` + "\n"
	got := map[string]any{}
	for _, c := range read(t, transcript.ServerMemory, "memory.jsonl", []byte(rows), domain.IngestCursor{}).contexts {
		got[c.Content] = c.Metadata["source_id"]
	}
	if diff := cmp.Diff(map[string]any{"Mercury (planet)": nil, "Mercury (metal)": nil, "Venus (planet)": "entity:Venus"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// A graph that was written as one document, as the server answers it, is the same
// memories as the server's own file; an entry of a strange type costs only itself.
func TestServerMemoryGraph(t *testing.T) {
	const entity, relation = `{"name": "Alice", "entityType": "person", "observations": ["speaks Spanish"]}`, `{"from": "Alice", "to": "Acme", "relationType": "works_at"}`
	rows := `{"type":"entity",` + entity[1:] + "\n" + `{"type":"relation",` + relation[1:] + "\n"
	want := read(t, transcript.ServerMemory, "memory.jsonl", []byte(rows), domain.IngestCursor{})
	for doc, bad := range map[string]int{
		`{"entities": [` + entity + `], "relations": [` + relation + `]}`:                                                            0,
		`{"relations": [` + relation + `], "entities": [` + entity + `]}`:                                                            0,
		"\xef\xbb\xbf{\r\n  \"entities\": [\r\n    7,\r\n    " + entity + "],\r\n  \"relations\": [null, " + relation + "]\r\n}\r\n": 2,
		"[" + strings.Join(strings.Split(strings.TrimSpace(rows), "\n"), ",\n  ") + "]":                                              0,
		"[" + strings.ReplaceAll(rows, "}\n{", "},\n7,\n{") + "]":                                                                    1,
		strings.ReplaceAll(rows, `{"type"`, "{\n  \"type\""):                                                                         0,
		`{"entities": [` + entity + `], "relations": [` + relation + `, {"from": "Alice", "to": "Acme", `:                            1,
	} {
		got := read(t, transcript.ServerMemory, "memory.json", []byte(doc), domain.IngestCursor{})
		if diff := cmp.Diff(want.contexts, got.contexts); diff != "" || len(got.links) != len(want.links) || len(got.skipped) != bad {
			t.Errorf("%s (-rows +document):\n%s%v", doc, diff, got.skipped)
		}
		if f, ok := transcript.Detect("memory.json", []byte(doc)); !ok || f != transcript.ServerMemory {
			t.Errorf("%s is taken for %q", doc, f)
		}
	}
}

// An early server wrote no newline behind the last row, so that the next one stands on the
// same line; some servers keep more of an observation than its words.
func TestServerMemoryRows(t *testing.T) {
	rows := `{"type":"_aim","source":"a-memory"}
{"type":"entity","name":"A","entityType":"x","observations":["is }{ red"]}{"type":"entity","name":"B","entityType":"x","observations":[{"content":"is blue","timestamp":"2026-01-01T00:00:00Z"},{"text":"is round"},{"observation":"is new"},7]} {"type":"relation","from":"A","to":"B","relationType":"knows"}
{"type":"entity","name":"C","entityType":"x","observations":[]}{"type":"ent
{"type":"relation","relationType":"knows"}
{"type":"entity","observations":["is lost"]}
`
	res := read(t, transcript.ServerMemory, "memory.jsonl", []byte(rows), domain.IngestCursor{})
	var texts []string
	for _, c := range res.contexts {
		texts = append(texts, c.Content)
	}
	want := []string{"A (x)", "A: is }{ red", "B (x)", "B: is blue", "B: is round", "B: is new", "A knows B", "C (x)"}
	if diff := cmp.Diff(want, texts); diff != "" || len(res.skipped) != 4 || res.skipped[0].Line != 1 || res.skipped[1].Line != 3 {
		t.Errorf("contexts (-want +got):\n%s%v", diff, res.skipped)
	}
}

// Other servers keep such a file too: they name the kind of a row differently or not at
// all, write an entity's relations into it, and say when something was observed.
func TestServerMemoryRelatives(t *testing.T) {
	const rows = `{"type":"entity","name":"Alice","entityType":"person","observations":["speaks Spanish"]}
{"type":"relation","from":"Alice","to":"Acme","relationType":"works_at"}
`
	want := read(t, transcript.ServerMemory, "memory.jsonl", []byte(rows), domain.IngestCursor{})
	for name, rows := range map[string]string{
		"another name": strings.NewReplacer(`"type":"entity",`, "", `"type":"relation",`, "", `]}`, `],"_type":"entity"}`, `at"}`, `at","_type":"relation"}`).Replace(rows),
		"no name":      strings.NewReplacer(`"type":"entity",`, "", `"type":"relation",`, "").Replace(rows),
		"other ends":   strings.NewReplacer(`"from"`, `"from_entity"`, `"to"`, `"to_entity"`).Replace(rows),
		"nested":       `{"name":"Alice","entityType":"person","observations":["speaks Spanish"],"relations":[{"relationType":"works_at","to":"Acme"},{},7]}` + "\n",
	} {
		got := read(t, transcript.ServerMemory, "memory.jsonl", []byte(rows), domain.IngestCursor{})
		if diff := cmp.Diff(want.contexts, got.contexts); diff != "" || len(got.links) != len(want.links) || len(got.skipped) != 0 {
			t.Errorf("%s (-want +got):\n%s%v", name, diff, got.skipped)
		}
		for line := range strings.Lines(rows) {
			if f, ok := transcript.Detect("memory.jsonl", []byte(line)); !ok || f != transcript.ServerMemory {
				t.Errorf("%s: %s is taken for %q", name, line, f)
			}
		}
	}
	timed := `{"type":"entity","name":"A","entityType":"x","observations":[{"text":"is round","timestamp":"2026-01-02T03:04:05Z"},"is red"]}` + "\n"
	got := read(t, transcript.ServerMemory, "memory.jsonl", []byte(timed), domain.IngestCursor{})
	if len(got.contexts) != 3 || !got.contexts[1].Timestamp.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) || !got.contexts[2].Timestamp.IsZero() {
		t.Errorf("observed at %+v", got.contexts)
	}
	dated := `{"type":"entity","name":"A","entityType":"x","observations":["is round"],"createdAt":"2026-01-02T03:04:05Z","updatedAt":1767400000}
{"type":"relation","from":"A","to":"B","relationType":"knows","createdAt":"2026-01-04T00:00:00Z"}
`
	var days []int
	for _, c := range read(t, transcript.ServerMemory, "memory.jsonl", []byte(dated), domain.IngestCursor{}).contexts {
		days = append(days, c.Timestamp.Day())
	}
	if diff := cmp.Diff([]int{2, 3, 4}, days); diff != "" {
		t.Errorf("days of the entity, its observation and the relation (-want +got):\n%s", diff)
	}
	if f, ok := transcript.Detect("x.jsonl", []byte(`{"from":"a","to":"b"}`+"\n"+`{"name":"x","observations":[]}`+"\n")); ok {
		t.Errorf("rows of another kind are taken for %q", f)
	}
}

// What an entity says nothing by is no memory.
func TestServerMemoryEmpty(t *testing.T) {
	res := read(t, transcript.ServerMemory, "memory.jsonl", []byte(`{"type":"entity","name":"A","entityType":null,"observations":[null,""," ","ok"]}`+"\n"), domain.IngestCursor{})
	if len(res.contexts) != 2 || res.contexts[1].Content != "A: ok" || len(res.skipped) != 0 {
		t.Errorf("%+v %v", res.contexts, res.skipped)
	}
}
