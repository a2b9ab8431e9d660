package transcript_test

import (
	"iter"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// 004-03, 004-14: AutoByteus' working context and its memory folder.
func TestAutoByteus(t *testing.T) {
	dir := "memory/agents/agent_7/"
	res := read(t, transcript.AutoByteus, dir+"working_context_snapshot.json", own(t, "autobyteus", "agents", "agent_7", "working_context_snapshot.json"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"Refactor the parser.", "See this"}, res.humans(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("%s%v", diff, res.skipped)
	}
	msgs := ofType[domain.Message](t, res)
	if msgs[2].Reasoning != "List first." || msgs[2].ToolCalls[0].ID != "c1" || msgs[3].Content != `["app.ts"]` || msgs[4].Media[0].URL != "https://example.com/a.png" {
		t.Errorf("messages: %+v", msgs)
	}
	raw := read(t, transcript.AutoByteus, dir+"raw_traces.jsonl", own(t, "autobyteus", "agents", "agent_7", "raw_traces.jsonl"), domain.IngestCursor{})
	if len(raw.events) != 4 || len(raw.skipped) != 1 || raw.sessions[0].AgentID != "agent_7" || raw.events[1].Key != domain.ToolCallKey("c1") {
		t.Errorf("%d events, skipped %v", len(raw.events), raw.skipped)
	}
	known := raw.set(t)
	repeats := 0
	for id := range res.set(t) {
		if _, ok := known[id]; ok {
			repeats++
		}
	}
	if repeats != 3 { // the prompt, the call and its answer stand in both files
		t.Errorf("%d messages of the working context are known from the traces", repeats)
	}
	for file, kind := range map[string]domain.Kind{"episodic.jsonl": domain.Episodic, "semantic.jsonl": domain.Semantic} {
		mem := read(t, transcript.AutoByteus, dir+file, own(t, "autobyteus", "agents", "agent_7", file), domain.IngestCursor{})
		if len(mem.contexts) != 1 || mem.contexts[0].Kind != kind || mem.contexts[0].Timestamp.Year() != 2025 {
			t.Errorf("%s: %+v", file, mem.contexts)
		}
	}
	// 004-17: a schema that is not known is not guessed at.
	res = read(t, transcript.AutoByteus, dir+"working_context_snapshot.json", []byte(`{"schema_version":2,"messages":[]}`), domain.IngestCursor{})
	if len(res.events) != 0 || len(res.skipped) != 1 {
		t.Errorf("version 2: %+v", res)
	}
}

// Newer versions keep what is old in files of their own.
func TestAutoByteusSegments(t *testing.T) {
	folder := fstest.MapFS{}
	for _, name := range []string{"working_context_snapshot.json", "raw_traces_active.jsonl", "raw_traces_000002.jsonl", "raw_traces_000001.jsonl",
		"raw_traces_archive/000001_old.jsonl", "raw_traces_manifest.json", "compaction_lineage.jsonl"} {
		folder[name] = &fstest.MapFile{}
	}
	want := []string{"raw_traces_archive/000001_old.jsonl", "raw_traces_000001.jsonl", "raw_traces_000002.jsonl", "raw_traces_active.jsonl", "working_context_snapshot.json"}
	if diff := cmp.Diff(want, transcript.AutoByteusFiles(folder)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	rows := `{"id":"rt_1","ts":1770612051.661,"turn_id":"turn_0001","seq":1,"trace_type":"user","content":"look","source_event":"x"}
{"id":"rt_2","ts":1770612052.5,"turn_id":"turn_0001","seq":2,"trace_type":"reasoning","content":"hm","source_event":"x"}
`
	for _, name := range []string{"memory/agents/a7/raw_traces_000001.jsonl", "a7/raw_traces_archive/000001_old.jsonl", "a7/raw_traces_active.jsonl"} {
		res := read(t, transcript.AutoByteus, name, []byte(rows), domain.IngestCursor{})
		if len(res.said(t)) != 1 || len(ofType[domain.Reasoning](t, res)) != 1 || res.sessions[0].AgentID != "a7" {
			t.Errorf("%s: %+v", name, res.sessions)
		}
	}
}

func TestEngramExport(t *testing.T) {
	res := read(t, transcript.Engram, "export.json", own(t, "engram", "export.json"), domain.IngestCursor{})
	checkEngram(t, res)
}

// The SQLite file holds the same rows; the driver belongs to who opens it.
func TestEngramTables(t *testing.T) {
	tables := map[string][]transcript.Row{
		"sessions": {{"id": "es-1", "project": "shop", "directory": "/home/ana/shop", "started_at": "2026-02-11 09:00:00", "ended_at": "2026-02-11 10:00:00", "summary": "Worked on the cart."}},
		"observations": {
			{"id": int64(1), "sync_id": "obs-a", "session_id": "es-1", "type": "decision", "title": "Prices are whole cents", "content": "We keep prices as int64 cents, floats lost a cent.",
				"project": "shop", "topic_key": "architecture/prices", "revision_count": int64(2), "created_at": "2026-02-11 09:30:00", "deleted_at": nil},
			{"id": int64(2), "session_id": "es-1", "type": "manual", "content": "deleted one", "created_at": "2026-02-11 09:31:00", "deleted_at": "2026-02-12 00:00:00"},
		},
		"user_prompts": {{"id": int64(1), "sync_id": "pr-a", "session_id": "es-1", "content": []byte("make prices exact"), "created_at": "2026-02-11 09:10:00"}},
	}
	checkEngram(t, readTables(t, transcript.Engram, tables))
}

func checkEngram(t *testing.T, res result) {
	t.Helper()
	if len(res.contexts) != 2 || len(res.skipped) != 0 {
		t.Fatalf("contexts %+v, skipped %v", res.contexts, res.skipped)
	}
	c := res.contexts[1]
	if c.Project != "shop" || c.Summary != "Prices are whole cents" || c.Causality.ActionType != domain.Decision || c.Kind != domain.Semantic ||
		!c.Timestamp.Equal(time.Date(2026, 2, 11, 9, 30, 0, 0, time.UTC)) || c.Metadata["topic_key"] != "architecture/prices" || c.SessionID != "es-1" {
		t.Errorf("observation: %+v", c)
	}
	if diff := cmp.Diff([]string{"make prices exact"}, res.humans(t)); diff != "" || res.sessions[0].Project != "shop" {
		t.Errorf("prompts:%s %+v", diff, res.sessions)
	}
}

// What engram deleted for good is only in its journal; what was set again since is not deleted.
func TestEngramErased(t *testing.T) {
	change := func(key, op, payload string) transcript.Row {
		return transcript.Row{"entity": "observation", "entity_key": key, "op": op, "payload": payload, "occurred_at": "2026-03-02 10:00:00"}
	}
	res := readTables(t, transcript.Engram, map[string][]transcript.Row{
		"observations": {{"id": int64(1), "sync_id": "obs-1", "session_id": "s", "type": "decision", "title": "Queue", "content": "ten jobs", "created_at": "2026-03-01 10:00:00"}},
		"sync_mutations": {
			change("obs-1", "delete", `{"sync_id":"obs-1","deleted":true}`), change("obs-1", "upsert", `{"sync_id":"obs-1"}`),
			change("obs-2", "upsert", `{"sync_id":"obs-2"}`), change("obs-2", "delete", `{"sync_id":"obs-2","deleted":true,"deleted_at":"2026-03-02 09:00:00","hard_delete":true}`),
			change("obs-2", "delete", `{"sync_id":"obs-2","deleted":true,"hard_delete":true}`), change("obs-3", "delete", "not JSON"),
			{"entity": "prompt", "entity_key": "prompt-1", "op": "delete", "payload": "{}"},
		},
	})
	if len(res.contexts) != 1 || len(res.distant) != 1 {
		t.Fatalf("%+v, told %+v", res.contexts, res.distant)
	}
	if d := res.distant[0]; d.From != "obs-2" || !d.Deleted || !d.At.Equal(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("deleted: %+v", d)
	}
}

// What a user pinned in engram stays pinned.
func TestEngramPinned(t *testing.T) {
	for pinned, want := range map[any]bool{nil: false, int64(0): false, int64(1): true, false: false, true: true} {
		res := readTables(t, transcript.Engram, map[string][]transcript.Row{"observations": {{"id": int64(1), "content": "Prices are cents.", "pinned": pinned}}})
		if len(res.contexts) != 1 || res.contexts[0].Pinned != want {
			t.Errorf("%v: %+v", pinned, res.contexts)
		}
	}
}

// Rivals keep every prompt that a client's hook tells of, also those that the client gave by
// itself: these are nobody's words.
func TestRivalPrompts(t *testing.T) {
	prompts := []string{"fix it", "<task-notification>\n<task-id>b1</task-id>\n</task-notification>", "/clear", "fix it", "why /tmp/x?"}
	for format, columns := range map[transcript.Format][2]string{transcript.Engram: {"session_id", "content"}, transcript.ClaudeMem: {"content_session_id", "prompt_text"}} {
		var rows []transcript.Row
		for i, text := range prompts {
			rows = append(rows, transcript.Row{"id": int64(i + 1), columns[0]: "s", columns[1]: text})
		}
		res := readTables(t, format, map[string][]transcript.Row{"user_prompts": rows})
		if diff := cmp.Diff([]string{"fix it", "fix it", "why /tmp/x?"}, res.said(t)); diff != "" || len(res.set(t)) != len(prompts) {
			t.Errorf("%s: %d of %d, said (-want +got):\n%s", format, len(res.set(t)), len(prompts), diff)
		}
	}
}

// What engram judged of two observations is a link with its time: one that replaces
// another supersedes it, other kinds are dependencies; guesses are none.
func TestEngramRelations(t *testing.T) {
	observation := func(id string) transcript.Row {
		return transcript.Row{"sync_id": id, "session_id": "s", "type": "decision", "content": "use " + id, "project": "p", "created_at": "2026-02-11 09:30:00"}
	}
	relation := func(from, to, kind, status string) transcript.Row {
		return transcript.Row{"source_id": from, "target_id": to, "relation": kind, "judgment_status": status, "reason": "it is newer", "created_at": "2026-02-12 09:00:00"}
	}
	res := readTables(t, transcript.Engram, map[string][]transcript.Row{
		"observations": {observation("a"), observation("b"), observation("c")},
		"memory_relations": {relation("b", "a", "supersedes", "judged"), relation("c", "b", "related", "judged"), relation("c", "a", "pending", "pending"),
			relation("a", "c", "not_conflict", "judged"), relation("gone", "c", "related", "judged")},
	})
	id := func(i int) string { return res.contexts[i].ID }
	at := time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC)
	want := []domain.Link{
		{From: id(1), To: id(0), Kind: domain.Supersedes, Origin: domain.Explicit, Confidence: 1, Reason: "supersedes: it is newer", AddedAt: at},
		{From: id(2), To: id(1), Kind: domain.Dependency, Origin: domain.Explicit, Confidence: 1, Reason: "related: it is newer", AddedAt: at},
	}
	if diff := cmp.Diff(want, res.links); diff != "" {
		t.Error(diff)
	}
}

// An SQL dump of a rival's database is read as the database is; what its triggers
// hold are no rows.
func TestRivalDumps(t *testing.T) {
	engram := `PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT, started_at TEXT, ended_at TEXT, summary TEXT);
INSERT INTO sessions VALUES('es-1','shop','/home/ana/shop','2026-02-11 09:00:00','2026-02-11 10:00:00','Worked on the cart.');
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT, type TEXT, title TEXT, content TEXT, project TEXT, topic_key TEXT, created_at TEXT, deleted_at TEXT);
INSERT INTO observations VALUES(1,'obs-a','es-1','decision','Prices are whole cents','We keep prices as int64 cents, floats lost a cent.','shop','architecture/prices','2026-02-11 09:30:00',NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, session_id TEXT, content TEXT, created_at TEXT);
INSERT INTO user_prompts VALUES(1,'es-1','make prices exact','2026-02-11 09:10:00');
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','observations_fts','observations_fts',0,'CREATE VIRTUAL TABLE observations_fts USING fts5(content)');
CREATE TRIGGER obs_fts_update AFTER UPDATE ON observations BEGIN
  INSERT INTO observations_fts(observations_fts, rowid) VALUES ('delete', CASE WHEN old.id THEN old.id END);
  INSERT INTO observations_fts(rowid, content) VALUES (new.id, new.content);
END;
COMMIT;
`
	checkEngram(t, read(t, transcript.Engram, "engram.sql", []byte(engram), domain.IngestCursor{}))
	export := `{"exportedAt":"2026-02-12T00:00:00Z","query":"","totalObservations":1,
"observations":[{"id":1,"memory_session_id":"mem-1","project":"shop","type":"bugfix","title":"Cents","facts":["floats lose cents"],"narrative":"Twice.","created_at_epoch":1770000001000}],
"sessions":[{"memory_session_id":"mem-1","content_session_id":"claude-1","project":"shop"}],
"summaries":[{"id":1,"memory_session_id":"mem-1","project":"shop","request":"fix rounding","created_at_epoch":1770000002000}],
"prompts":[{"id":1,"content_session_id":"claude-1","prompt_number":1,"prompt_text":"fix rounding","created_at_epoch":1770000000500}]}`
	res := read(t, transcript.ClaudeMem, "memories.json", []byte(export), domain.IngestCursor{})
	if len(res.contexts) != 2 || len(res.humans(t)) != 1 || len(res.skipped) != 0 {
		t.Fatalf("%+v", res)
	}
	if c := res.contexts[0]; c.Content != "Cents\n\nTwice.\n\n- floats lose cents" || c.SessionID != "claude-1" || !c.Timestamp.Equal(time.UnixMilli(1770000001000)) {
		t.Errorf("observation: %+v", c)
	}
	local := readTables(t, transcript.WakeIQX, map[string][]transcript.Row{"context_snapshots": {{"id": "0B5E6A10-0000-4000-8000-00000000E001", "project": "p", "summary": "s",
		"timestamp": "2025-10-17 10:00:00", "access_count": int64(2), "prediction_score": int64(1)}}})
	if len(local.contexts) != 1 || local.contexts[0].Memory.AccessCount != 2 || local.contexts[0].ID != "0b5e6a10-0000-4000-8000-00000000e001" {
		t.Errorf("a local D1: %+v", local.contexts)
	}
	for name, want := range map[string]transcript.Format{engram: transcript.Engram, export: transcript.ClaudeMem,
		"CREATE TABLE sdk_sessions (id INTEGER);": transcript.ClaudeMem, "CREATE TABLE context_snapshots (id TEXT);": transcript.WakeIQX} {
		file := "dump.sql"
		if name == export {
			file = "dump.json"
		}
		if got, ok := transcript.Detect(file, []byte(name)); got != want || !ok {
			t.Errorf("%.40s is taken for %q, want %s", name, got, want)
		}
	}
}

func TestClaudeMemTables(t *testing.T) {
	tables := map[string][]transcript.Row{
		"sdk_sessions": {{"id": int64(1), "content_session_id": "claude-1", "memory_session_id": "mem-1", "project": "shop"}},
		"observations": {{"id": int64(1), "memory_session_id": "mem-1", "project": "shop", "type": "bugfix", "title": "Cents", "subtitle": "rounding",
			"facts": `["floats lose cents","int64 does not"]`, "narrative": "The cart rounded twice.", "concepts": `["how-it-works"]`, "files_modified": `["cart.go"]`, "created_at_epoch": int64(1770000001000)}},
		"session_summaries": {{"id": int64(1), "memory_session_id": "mem-1", "project": "shop", "request": "fix rounding", "learned": "floats lose cents", "created_at_epoch": int64(1770000002000)}},
		"user_prompts":      {{"id": int64(1), "content_session_id": "claude-1", "prompt_number": int64(1), "prompt_text": "fix rounding", "created_at_epoch": int64(1770000000500)}},
	}
	res := readTables(t, transcript.ClaudeMem, tables)
	if len(res.contexts) != 2 || len(res.humans(t)) != 1 {
		t.Fatalf("%+v", res)
	}
	c := res.contexts[0]
	if want := "Cents\n\nrounding\n\nThe cart rounded twice.\n\n- floats lose cents\n- int64 does not"; c.Content != want || c.SessionID != "claude-1" || !c.Timestamp.Equal(time.UnixMilli(1770000001000)) {
		t.Errorf("observation: %+v", c)
	}
	if s := res.contexts[1]; !strings.Contains(s.Content, "learned: floats lose cents") {
		t.Errorf("summary: %+v", s)
	}
}

// What newer versions keep too: standing rules of the user, and into which project a
// worktree's memories were taken over.
func TestClaudeMemNewerTables(t *testing.T) {
	res := readTables(t, transcript.ClaudeMem, map[string][]transcript.Row{
		"observations":      {{"id": int64(1), "memory_session_id": "mem-1", "project": "shop/cents", "merged_into_project": "shop", "type": "bugfix", "title": "Cents", "created_at_epoch": int64(1770000001000)}},
		"session_summaries": {{"id": int64(1), "memory_session_id": "mem-1", "project": "shop/cents", "merged_into_project": "shop", "request": "fix rounding", "created_at_epoch": int64(1770000002000)}},
		"directives": {
			{"id": int64(1), "scope": "project", "project": "shop", "content": "Never use floats for money.", "status": "active", "source": "manual", "created_at_epoch": int64(1770000003000)},
			{"id": int64(2), "scope": "global", "content": "Use tabs.", "status": "archived", "created_at_epoch": int64(1770000003000)},
		},
	})
	if len(res.contexts) != 3 {
		t.Fatalf("%+v", res.contexts)
	}
	for _, c := range res.contexts {
		if c.Project != "shop" {
			t.Errorf("%q is of project %q", c.Content, c.Project)
		}
	}
	if c := res.contexts[2]; c.Content != "Never use floats for money." || !c.Pinned || c.Kind != domain.Semantic || !c.Timestamp.Equal(time.UnixMilli(1770000003000)) {
		t.Errorf("directive: %+v", c)
	}
}

// Early versions kept only the first prompt of a session, with the session itself, and a text
// beside the parts of an observation. Later ones let people name a session.
func TestClaudeMemOlderTables(t *testing.T) {
	session := func(id, prompt string) transcript.Row {
		return transcript.Row{"claude_session_id": id, "sdk_session_id": "mem-" + id, "project": "shop", "custom_title": "The cart", "user_prompt": prompt, "started_at_epoch": int64(1770000000000)}
	}
	res := readTables(t, transcript.ClaudeMem, map[string][]transcript.Row{
		"sdk_sessions": {session("c1", "fix rounding"), session("c2", "fix the cart"), session("c3", "<private>the key is 12</private>"), session("c4", "")},
		"observations": {
			{"id": int64(1), "sdk_session_id": "mem-c1", "project": "shop", "type": "bugfix", "title": "Cents", "text": "The cart rounded twice.", "created_at_epoch": int64(1770000001000)},
			{"id": int64(2), "sdk_session_id": "mem-c1", "project": "shop", "type": "bugfix", "title": "Cents", "narrative": "It rounded twice.", "text": "rounded twice", "created_at_epoch": int64(1770000001000)},
		},
		"user_prompts": {{"id": int64(1), "claude_session_id": "c2", "prompt_text": "fix the cart", "created_at_epoch": int64(1770000000500)}},
	})
	if diff := cmp.Diff([]string{"fix the cart", "fix rounding"}, res.humans(t)); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	var texts []string
	for _, c := range res.contexts {
		texts = append(texts, c.Content)
	}
	if diff := cmp.Diff([]string{"Cents\n\nThe cart rounded twice.", "Cents\n\nIt rounded twice."}, texts); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	for _, h := range res.sessions {
		if h.Title != "The cart" || !h.StartedAt.Before(time.UnixMilli(1770000000501)) {
			t.Errorf("session: %+v", h)
		}
	}
}

// What claude-mem's own server keeps in the same file; what it copied from the older
// tables is there already.
func TestClaudeMemItems(t *testing.T) {
	item := func(id, kind, text string) transcript.Row {
		return transcript.Row{"id": id, "project_id": "p1", "server_session_id": "s1", "kind": kind, "type": kind, "narrative": text, "facts": "[]", "concepts": "[]",
			"created_at_epoch": int64(1770000001000)}
	}
	observed := item("i2", "observation", "The cart rounded twice.")
	observed["legacy_observation_id"] = int64(1)
	res := readTables(t, transcript.ClaudeMem, map[string][]transcript.Row{
		"observations":    {{"id": int64(1), "memory_session_id": "mem-1", "project": "shop", "narrative": "The cart rounded twice.", "created_at_epoch": int64(1770000001000)}},
		"projects":        {{"id": "p1", "name": "shop"}},
		"server_sessions": {{"id": "s1", "project_id": "p1", "content_session_id": "claude-1"}},
		"memory_sources":  {{"id": "m1", "memory_item_id": "i3", "source_type": "session_summary", "legacy_table": "session_summaries", "legacy_id": int64(1)}},
		"memory_items":    {item("i1", "manual", "Prices are whole cents."), observed, item("i3", "summary", "request: fix rounding"), item("i4", "prompt", "fix rounding")},
	})
	if len(res.contexts) != 2 || len(res.humans(t)) != 1 || res.humans(t)[0] != "fix rounding" {
		t.Fatalf("%+v, said %+v", res.contexts, res.humans(t))
	}
	if c := res.contexts[1]; c.Content != "Prices are whole cents." || c.Project != "shop" || c.SessionID != "claude-1" || !c.Timestamp.Equal(time.UnixMilli(1770000001000)) {
		t.Errorf("saved by hand: %+v", c)
	}
}

// A damaged table does not cost what the others hold.
func TestRivalDamagedTable(t *testing.T) {
	damage := domain.Unavailable("table observations cannot be read to its end")
	items, err := transcript.ReadTables(transcript.ClaudeMem, "rival.db", func(table string) iter.Seq2[transcript.Row, error] {
		return func(yield func(transcript.Row, error) bool) {
			switch table {
			case "observations":
				if yield(transcript.Row{"id": int64(1), "project": "shop", "title": "Cents"}, nil) {
					yield(nil, damage)
				}
			case "user_prompts":
				yield(transcript.Row{"id": int64(1), "content_session_id": "c1", "prompt_text": "fix rounding"}, nil)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var res result
	var errs []error
	for item, err := range items {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		res.add(item)
	}
	if len(res.contexts) != 1 || len(res.humans(t)) != 1 || len(errs) != 1 || errs[0] != error(damage) {
		t.Errorf("%+v, said %q, and %v", res.contexts, res.humans(t), errs)
	}
}

// readTables hands rows to the reader as a caller with a driver does.
func readTables(t *testing.T, format transcript.Format, tables map[string][]transcript.Row) result {
	t.Helper()
	items, err := transcript.ReadTables(format, "rival.db", func(table string) iter.Seq2[transcript.Row, error] {
		return func(yield func(transcript.Row, error) bool) {
			for _, row := range tables[table] {
				if !yield(row, nil) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	res := collect(t, items)
	return res
}

// What is no row in a rival's export is told, and costs only itself.
func TestRivalExportFaults(t *testing.T) {
	doc := `{"exported_at":"x","sessions":{},"observations":[7,{"id":1,"session_id":"s","type":"decision","content":"use X","created_at":"2026-01-01 10:00:00"},null],"prompts":[{"id":1,"session_id":"s","content":"hello"}]}`
	res := read(t, transcript.Engram, "export.json", []byte(doc), domain.IngestCursor{})
	if len(res.contexts) != 1 || len(res.said(t)) != 1 || len(res.skipped) != 3 {
		t.Errorf("%d contexts, said %q, skipped %v", len(res.contexts), res.said(t), res.skipped)
	}
}

// A D1 dump: columns that were added later, line breaks as calls, several rows a
// statement, a broken statement; ids, causes, accesses and scores are kept.
func TestWakeIQX(t *testing.T) {
	res := read(t, transcript.WakeIQX, "dump.sql", own(t, "wakeiqx", "dump.sql"), domain.IngestCursor{})
	if len(res.contexts) != 4 || len(res.skipped) != 1 {
		t.Fatalf("%d contexts, skipped %v", len(res.contexts), res.skipped)
	}
	first, second, third := res.contexts[0], res.contexts[1], res.contexts[2]
	if first.ID != "0b5e6a10-0000-4000-8000-00000000e001" || first.Content != "It's OAuth2;\nwith PKCE" || first.SessionID != "s-1" ||
		first.Source != "mcp" || first.Memory.Tier != domain.TierRecent || !first.IsRootCause() {
		t.Errorf("first: %+v", first)
	}
	if second.Causality.CausedBy != first.ID || second.Causality.Dependencies[0] != first.ID || second.Memory.AccessCount != 5 ||
		second.Propagation.PredictionScore != 0.851 || len(second.Propagation.PropagationReason) != 2 || !second.Timestamp.Equal(time.Date(2025, 10, 17, 11, 0, 0, 0, time.UTC)) {
		t.Errorf("second: %+v", second)
	}
	if third.HasCausality() || third.Memory.Tier != domain.TierExpired || third.Propagation.PredictionScore != 0 {
		t.Errorf("third: %+v", third)
	}
	again := read(t, transcript.WakeIQX, "dump.sql", own(t, "wakeiqx", "dump.sql"), domain.IngestCursor{})
	if again.contexts[2].ID != third.ID {
		t.Error("a foreign id must give the same id each time")
	}
}

// The rows may be JSON: D1's answers, a list or lines. What is none costs only itself.
func TestWakeIQXRows(t *testing.T) {
	const row = `{"id":"a","project":"p","summary":"s","timestamp":"2025-10-17T10:00:00Z","dependencies":"[]","access_count":2,"prediction_score":0.5}`
	for doc, faults := range map[string]int{
		`[{"results":[` + row + `],"success":true,"meta":{}}]`: 0, `{"results":[` + row + `],"success":true}`: 0,
		`{"result":[{"results":[` + row + `]}],"errors":[],"messages":[],"success":true}`: 0,
		`[` + row + `]`: 0, row + "\n" + row + "\n": 0,
		`[{"results":[7,` + row + `,null]}]`: 2, `[` + row + `,` + row[:40]: 1,
	} {
		res := read(t, transcript.WakeIQX, "dump.json", []byte(doc), domain.IngestCursor{})
		if len(res.contexts) == 0 || len(res.skipped) != faults {
			t.Fatalf("%s: %d contexts, skipped %v", doc, len(res.contexts), res.skipped)
		}
		for _, c := range res.contexts {
			if c.Memory.AccessCount != 2 || c.HasCausality() || c.Propagation.PredictionScore != 0.5 {
				t.Errorf("%s: %+v", doc, c)
			}
		}
	}
}

// What engram shares in a team's repository: rows, and changes that hold relations, and
// may hold any other row. It is recognised by its beginning, however long its lists are.
func TestEngramChunk(t *testing.T) {
	long := strings.Repeat("why? ", 20_000)
	chunk := `{"sessions":[{"id":"es-1","project":"shop","directory":"/home/ana/shop","started_at":"2026-02-11 09:00:00"}],
"observations":[{"id":1,"sync_id":"obs-a","session_id":"es-1","type":"decision","title":"Whole cents","content":"whole cents ` + long + `","project":"shop","created_at":"2026-02-11 09:30:00"},
{"id":2,"sync_id":"obs-d","session_id":"es-1","type":"decision","title":"Deleted","content":"deleted","project":"shop","created_at":"2026-02-11 09:31:00"}],
"prompts":null,
"mutations":[
{"seq":1,"entity":"observation","entity_key":"obs-a","op":"upsert","payload":"{\"sync_id\":\"obs-a\",\"session_id\":\"es-1\",\"type\":\"decision\",\"title\":\"Whole cents\",\"content\":\"older\"}","project":"shop","occurred_at":"2026-02-11 09:30:00"},
{"seq":2,"entity":"observation","entity_key":"obs-b","op":"upsert","payload":"{\"sync_id\":\"obs-b\",\"session_id\":\"es-1\",\"type\":\"decision\",\"title\":\"Decimals\",\"content\":\"first decimals\"}","project":"shop","occurred_at":"2026-02-12 09:00:00"},
{"seq":3,"entity":"observation","entity_key":"obs-b","op":"upsert","payload":{"sync_id":"obs-b","session_id":"es-1","type":"decision","title":"Decimals","content":"decimals"},"project":"shop","occurred_at":"2026-02-12 09:01:00"},
{"seq":4,"entity":"observation","entity_key":"obs-d","op":"delete","payload":"{\"sync_id\":\"obs-d\",\"deleted\":true}","project":"shop","occurred_at":"2026-02-12 09:02:00"},
{"seq":5,"entity":"prompt","entity_key":"pr-a","op":"upsert","payload":"{\"sync_id\":\"pr-a\",\"session_id\":\"es-1\",\"content\":\"use decimals\"}","project":"shop","occurred_at":"2026-02-12 08:59:00"},
{"seq":6,"entity":"relation","entity_key":"rel-1","op":"upsert","payload":"{\"sync_id\":\"rel-1\",\"source_id\":\"obs-b\",\"target_id\":\"obs-a\",\"relation\":\"supersedes\",\"reason\":\"exact\",\"judgment_status\":\"judged\",\"created_at\":\"2026-02-12 09:03:00\"}","project":"shop","occurred_at":"2026-02-12 09:03:00"},
{"seq":7,"entity":"observation","entity_key":"obs-x","op":"delete","payload":"{}","project":"shop","occurred_at":"2026-02-12 09:04:00"},
{"seq":8,"entity":"mood","entity_key":"m","op":"upsert","payload":"{}","project":"shop","occurred_at":"2026-02-12 09:05:00"},
{"seq":9,"entity":"prompt","entity_key":"pr-b","op":"upsert","payload":"no row","project":"shop","occurred_at":"2026-02-12 09:06:00"}]}`
	res := read(t, transcript.Engram, "aabbccdd.jsonl", []byte(chunk), domain.IngestCursor{})
	if len(res.contexts) != 2 || !strings.HasPrefix(res.contexts[0].Content, "whole cents why?") || res.contexts[1].Content != "decimals" ||
		res.contexts[1].Project != "shop" || !res.contexts[1].Timestamp.Equal(time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("contexts: %.2000v", res.contexts)
	}
	if diff := cmp.Diff([]string{"use decimals"}, res.humans(t)); diff != "" {
		t.Error(diff)
	}
	if len(res.links) != 1 || res.links[0].Kind != domain.Supersedes || res.links[0].From != res.contexts[1].ID || res.links[0].To != res.contexts[0].ID {
		t.Errorf("links: %+v", res.links)
	}
	if len(res.skipped) != 2 {
		t.Errorf("skipped: %v", res.skipped)
	}
	for _, doc := range []string{chunk, `{"sessions":null,"observations":null,"prompts":null,"mutations":[{"seq":1,"entity":"relation","entity_key":"r","op":"upsert","payload":"{}"}]}`,
		`{"sessions":[` + strings.Repeat(`{"id":"s","project":"p","directory":"/d","started_at":"2026-02-11 09:00:00","ended_at":null},`, 2000)} {
		if got, ok := transcript.Detect("aabbccdd.jsonl", []byte(doc[:min(len(doc), transcript.DetectSize)])); got != transcript.Engram || !ok {
			t.Errorf("%.80s is taken for %q", doc, got)
		}
	}
}

// An export of claude-mem has the sessions of what it found of observations and summaries
// alone; a prompt of another session tells its project itself.
func TestClaudeMemPromptWithoutSession(t *testing.T) {
	export := `{"query":"cents","observations":[],"summaries":[],
		"sessions":[{"content_session_id":"cs-2","memory_session_id":"ms-2","project":"shop","user_prompt":"not what was searched for","started_at_epoch":1770801000000}],
		"prompts":[{"id":7,"content_session_id":"cs-1","memory_session_id":"ms-1","prompt_number":1,
		"prompt_text":"make prices exact","project":"shop","platform_source":"claude","created_at":"2026-02-11T09:10:00.000Z","created_at_epoch":1770801000000}]}`
	res := read(t, transcript.ClaudeMem, "export.json", []byte(export), domain.IngestCursor{})
	if len(res.sessions) != 1 || res.sessions[0].Project != "shop" || res.sessions[0].ClientSessionID != "cs-1" {
		t.Errorf("sessions: %+v", res.sessions)
	}
}
