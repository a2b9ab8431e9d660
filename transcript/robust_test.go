package transcript_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// sources are the files of our own that are read as one stream.
func sources() []struct {
	format transcript.Format
	path   string
	lines  bool // they grow by lines
} {
	return []struct {
		format transcript.Format
		path   string
		lines  bool
	}{
		{transcript.ClaudeCode, "claude-code/session.jsonl", true},
		{transcript.ClaudeCode, "claude-code/traps.jsonl", true},
		{transcript.Codex, "codex/" + codexFile, true},
		{transcript.Codex, "codex/old-rollout.jsonl", true},
		{transcript.AIAgent, "ai-agent/accounting.jsonl", true},
		{transcript.AutoByteus, "autobyteus/agents/agent_7/raw_traces.jsonl", true},
		{transcript.AutoByteus, "autobyteus/agents/agent_7/semantic.jsonl", true},
		{transcript.AutoByteus, "autobyteus/agents/agent_7/working_context_snapshot.json", false},
		{transcript.Gemini, "gemini/session-2026-01-15T20-51-7a6b5c4d.json", false},
		{transcript.Gemini, "gemini/session-2026-04-01T10-00-9c8b7a6d.jsonl", false},
		{transcript.Gemini, "gemini/checkpoint-plan.json", false},
		{transcript.ServerMemory, "server-memory/graph.json", false},
		{transcript.OLLM, "ollm/snapshot-new.json", false},
		{transcript.OLLM, "ollm/session.json", false},
		{transcript.OLLM, "ollm/transition-1769508000000.json", false},
		{transcript.AIAgent, "ai-agent/payload.json", false},
		{transcript.SWEAgent, "swe-agent/fix-colon.traj", false},
		{transcript.Engram, "engram/export.json", false},
		{transcript.ServerMemory, "server-memory/memory.jsonl", false},
		{transcript.MemoryMD, "memory-md/prices.md", false},
		{transcript.WakeIQX, "wakeiqx/dump.sql", false},
	}
}

// I5, I6: a source of lines, cut anywhere and read in two pieces, gives what the
// whole gives, and says nothing of the unfinished line's content.
func TestEveryCut(t *testing.T) {
	for _, s := range sources() {
		if !s.lines {
			continue
		}
		data := own(t, s.path)
		once := read(t, s.format, s.path, data, domain.IngestCursor{})
		if again := read(t, s.format, s.path, data, once.cursor); len(again.events) > 0 || !reflect.DeepEqual(once.cursor, again.cursor) {
			t.Errorf("%s: where nothing was added, %d events, and the cursor %+v became %+v", s.path, len(again.events), once.cursor, again.cursor)
		}
		whole := once.set(t)
		for cut := range data {
			nearLine := bytes.Contains(data[max(0, cut-2):min(len(data), cut+2)], []byte("\n"))
			if len(data) > 2000 && !nearLine && cut%29 != 0 {
				continue // inside of a line one cut is like another
			}
			first := read(t, s.format, s.path, data[:cut], domain.IngestCursor{})
			second := read(t, s.format, s.path, data, first.cursor)
			first.events = append(first.events, second.events...)
			if got := first.set(t); !maps.Equal(whole, got) {
				t.Fatalf("%s cut at %d (-whole +pieces):\n%s", s.path, cut, cmp.Diff(whole, got))
			}
		}
	}
}

// I6: a file that shrank is read from its beginning, and what it still has is what it had.
func TestEveryShrinking(t *testing.T) {
	for _, s := range sources() {
		if !s.lines {
			continue
		}
		data := own(t, s.path)
		whole := read(t, s.format, s.path, data, domain.IngestCursor{})
		want := whole.set(t)
		for cut := bytes.LastIndexByte(data[:len(data)-1], '\n'); cut > 0; cut = bytes.LastIndexByte(data[:cut], '\n') {
			again := read(t, s.format, s.path, data[:cut+1], whole.cursor)
			both := result{events: slices.Concat(whole.events, again.events)}
			if got := both.set(t); !maps.Equal(want, got) {
				t.Fatalf("%s cut at %d (-before +and again):\n%s", s.path, cut, cmp.Diff(want, got))
			}
		}
	}
}

// I6: a source that ends anywhere never makes a panic, and every line that is
// whole is read.
func TestEveryTruncation(t *testing.T) {
	for _, s := range sources() {
		data := own(t, s.path)
		for cut := 0; cut < len(data); cut += 1 + len(data)/150 {
			res := read(t, s.format, s.path, data[:cut], domain.IngestCursor{})
			if !s.lines {
				continue
			}
			upTo := bytes.LastIndexByte(data[:cut], '\n') + 1
			want := read(t, s.format, s.path, data[:upTo], domain.IngestCursor{})
			if len(res.events) < len(want.events) {
				t.Fatalf("%s cut at %d: %d events, its whole lines have %d", s.path, cut, len(res.events), len(want.events))
			}
		}
	}
}

// A source in which nothing is of its format is strange, also when it is read again;
// one with a single good line is not, nor is an empty one.
func TestStrangeSources(t *testing.T) {
	good := userRow(t, "u1", "first")
	for name, c := range map[string]struct {
		format transcript.Format
		file   string
		pieces []string // as it grows
		want   bool
	}{
		"no JSON":            {transcript.ClaudeCode, "a.jsonl", []string{"hello\nworld\n"}, true},
		"no newline":         {transcript.ClaudeCode, "a.jsonl", []string{"hello"}, true},
		"no rows":            {transcript.ClaudeCode, "a.jsonl", []string{"{}\n[]\n"}, true},
		"half a first row":   {transcript.ClaudeCode, "a.jsonl", []string{`{"type":"us`}, false},
		"empty":              {transcript.ClaudeCode, "a.jsonl", []string{""}, false},
		"blank":              {transcript.ClaudeCode, "a.jsonl", []string{"\n \r\n"}, false},
		"one good line":      {transcript.ClaudeCode, "a.jsonl", []string{"hello\n" + good + "world\n"}, false},
		"abridged rows":      {transcript.ClaudeCode, "a.jsonl", []string{`{"v":1,"agent":"codex","type":"user","ts":"2026-05-08T17:47:43Z","content":[{"text":"fix it"}]}` + "\n"}, true},
		"rows of Qwen Code":  {transcript.ClaudeCode, "a.jsonl", []string{`{"type":"user","sessionId":"s","message":{"parts":[{"text":"fix it"}]}}` + "\n" + `{"type":"system","sessionId":"s","systemPayload":{}}` + "\n"}, true},
		"a glued row":        {transcript.ClaudeCode, "a.jsonl", []string{"hello" + good}, false},
		"rows of the kind":   {transcript.ClaudeCode, "a.jsonl", []string{`{"type":"file-history-snapshot"}` + "\nhello\n"}, false},
		"bad line later":     {transcript.ClaudeCode, "a.jsonl", []string{good, good + "hello\n"}, false},
		"good line later":    {transcript.ClaudeCode, "a.jsonl", []string{"hello\n", "hello\n" + good}, false},
		"a document's start": {transcript.Gemini, "a.json", []string{`{"sess`}, true},
		"a document's half":  {transcript.Gemini, "a.json", []string{`{"sessionId":"g","messages":[{"id":"1","type":"us`}, false},
		"an empty document":  {transcript.SWEAgent, "a.traj", []string{"", "\n \r\n"}, false},
		"another document":   {transcript.SWEAgent, "a.traj", []string{`{"a":1}`}, true},
		"rows of no kind":    {transcript.ServerMemory, "m.jsonl", []string{"{}\n{}\n"}, true},
	} {
		var cursor domain.IngestCursor
		for _, data := range append(c.pieces, c.pieces[len(c.pieces)-1]) {
			r, err := transcript.NewReader(c.format, c.file, strings.NewReader(data), cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range r.Items() {
				if err != nil {
					t.Fatal(err)
				}
			}
			if cursor, err = r.Cursor(); err != nil {
				t.Fatal(err)
			}
			if data == c.pieces[len(c.pieces)-1] && r.Strange() != c.want {
				t.Errorf("%s: strange %v, want %v", name, r.Strange(), c.want)
			}
		}
	}
}

// A reader that gives a byte at a time, and one that fails in the middle: the
// error comes out, and the cursor covers what was whole.
func TestSlowAndFailingSources(t *testing.T) {
	data := own(t, "claude-code", "session.jsonl")
	whole := read(t, transcript.ClaudeCode, "s", data, domain.IngestCursor{})
	slow := drain(t, iotest.OneByteReader(bytes.NewReader(data)), domain.IngestCursor{})
	if !maps.Equal(whole.set(t), slow.set(t)) {
		t.Error("byte by byte it is something else")
	}
	r, err := transcript.NewReader(transcript.ClaudeCode, "s", io.MultiReader(bytes.NewReader(data[:4000]), iotest.ErrReader(io.ErrClosedPipe)), domain.IngestCursor{})
	if err != nil {
		t.Fatal(err)
	}
	var res result
	failed := false
	for item, err := range r.Items() {
		if err != nil {
			failed = true
			continue
		}
		res.add(item)
	}
	cursor, err := r.Cursor()
	if !failed || err != nil || cursor.Offset == 0 || cursor.Offset > 4000 {
		t.Fatalf("failed %v, %v, cursor %+v", failed, err, cursor)
	}
	// A stream that cannot go back goes on behind the cursor all the same.
	rest := drain(t, struct{ io.Reader }{bytes.NewReader(data)}, cursor)
	res.events = append(res.events, rest.events...)
	if !maps.Equal(whole.set(t), res.set(t)) {
		t.Errorf("after the failure (-whole +pieces):\n%s", cmp.Diff(whole.set(t), res.set(t)))
	}
}

// A source of which not even the first byte can be read is no empty one: the error comes
// out.
func TestUnreadableSource(t *testing.T) {
	for _, begun := range []string{"", "\n", "["} {
		r, err := transcript.NewReader(transcript.ClaudeCode, "s", io.MultiReader(strings.NewReader(begun), iotest.ErrReader(io.ErrClosedPipe)), domain.IngestCursor{})
		if err != nil {
			t.Fatal(err)
		}
		for _, failed := range r.Items() {
			err = failed
		}
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after %q: %v, want the error of reading", begun, err)
		}
	}
}

func drain(t *testing.T, src io.Reader, from domain.IngestCursor) result {
	t.Helper()
	r, err := transcript.NewReader(transcript.ClaudeCode, "s", src, from)
	if err != nil {
		t.Fatal(err)
	}
	return collect(t, r.Items())
}

// The cursor may be taken at any item that ends its line: batch by batch, in any
// size, the same events come out.
func TestCursorAtWholeItems(t *testing.T) {
	data := own(t, "claude-code", "session.jsonl")
	whole := read(t, transcript.ClaudeCode, "s", data, domain.IngestCursor{}).set(t)
	var all result
	for range 1000 {
		r, err := transcript.NewReader(transcript.ClaudeCode, "s", bytes.NewReader(data), all.cursor)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for item, err := range r.Items() {
			if err != nil {
				t.Fatal(err)
			}
			all.add(item)
			if n++; n >= 3 && item.Whole {
				break
			}
		}
		if all.cursor, err = r.Cursor(); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	if got := all.set(t); !maps.Equal(whole, got) {
		t.Errorf("in batches (-whole +batches):\n%s", cmp.Diff(whole, got))
	}
}

// A cursor that is damaged, or another format's, means from the beginning.
func TestForeignCursor(t *testing.T) {
	data := own(t, "claude-code", "session.jsonl")
	whole := read(t, transcript.ClaudeCode, "s", data, domain.IngestCursor{})
	other := read(t, transcript.Codex, codexFile, own(t, "codex", codexFile), domain.IngestCursor{}).cursor
	for name, cursor := range map[string]domain.IngestCursor{
		"damaged": {Offset: 100, State: []byte("{"), Fingerprint: "x"}, "other format": other,
		"below zero": {Offset: -5, State: whole.cursor.State},
	} {
		if got := read(t, transcript.ClaudeCode, "s", data, cursor); !maps.Equal(whole.set(t), got.set(t)) {
			t.Errorf("%s: %d events", name, len(got.events))
		}
	}
	beyond := whole.cursor
	beyond.Offset = 1 << 40
	for id, event := range read(t, transcript.ClaudeCode, "s", data, beyond).set(t) {
		if whole.set(t)[id] != event {
			t.Errorf("beyond the end: a new event %s", id)
		}
	}
}

// I6: a line beyond every limit is passed over without being kept.
func TestEndlessLine(t *testing.T) {
	good := `{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"after it"}}` + "\n"
	src := io.MultiReader(strings.NewReader(`{"type":"user","x":"`), io.LimitReader(zeros{}, 70<<20), strings.NewReader("\n"+good))
	res := drain(t, src, domain.IngestCursor{})
	if h := res.humans(t); len(h) != 1 || h[0] != "after it" || len(res.skipped) != 1 || !strings.Contains(res.skipped[0].Reason, "64 MiB") {
		t.Errorf("%q %v", h, res.skipped)
	}
}

// I6: one that has no end yet is left for the next read, like any last line.
func TestEndlessLastLine(t *testing.T) {
	good := `{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"before it"}}` + "\n"
	src := io.MultiReader(strings.NewReader(good+`{"type":"user","x":"`), io.LimitReader(zeros{}, 70<<20))
	res := drain(t, src, domain.IngestCursor{})
	if h := res.humans(t); len(h) != 1 || h[0] != "before it" || len(res.skipped) != 1 || !res.skipped[0].Unfinished {
		t.Errorf("%q %v", h, res.skipped)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// Python writes numbers that JSON does not have. They are taken for absent, in words they stay.
func TestNotANumber(t *testing.T) {
	const doc = `{"info":{"mini_version":"1.0","config":{"agent":{"cost_limit":Infinity,"wait":-Infinity}},"model_stats":{"instance_cost":NaN,"api_calls":2}},
		"messages":[{"role":"user","content":"why \"NaN\", -Infinity\\"},{"role":"assistant","content":"x","extra":{"cost":NaN}}],"trajectory_format":"mini-swe-agent-1"}`
	for at, faults := range map[int]int{len(doc): 0, len(doc) - 20: 1} {
		res := read(t, transcript.SWEAgent, "run-1.traj.json", []byte(doc[:at]), domain.IngestCursor{})
		if said := res.humans(t); len(res.skipped) != faults || len(said) != 1 || said[0] != `why "NaN", -Infinity\` || len(ofType[domain.Message](t, res)) != 2 {
			t.Errorf("of %d bytes: %q, skipped %v", at, said, res.skipped)
		}
		if f, ok := transcript.Detect("run.json", []byte(doc[:at])); !ok || f != transcript.SWEAgent {
			t.Errorf("it is taken for %q", f)
		}
	}
	row := `{"id":"e1","ts":NaN,"turn_ids":["t1"],"summary":"it is NaN","salience":NaN}` + "\n"
	if res := read(t, transcript.AutoByteus, "episodic.jsonl", []byte(row), domain.IngestCursor{}); len(res.contexts) != 1 || res.contexts[0].Content != "it is NaN" {
		t.Errorf("%+v, skipped %v", res.contexts, res.skipped)
	}
}

// I11: of a document in which a byte went wrong, what stands before it is taken, and it is
// said; so it is with one that was cut off.
func TestDamagedDocuments(t *testing.T) {
	for format, file := range map[transcript.Format]string{
		transcript.AIAgent: "ai-agent/payload.json", transcript.Gemini: "gemini/session-2026-01-15T20-51-7a6b5c4d.json", transcript.OLLM: "ollm/snapshot-new.json",
		transcript.AutoByteus: "autobyteus/agents/agent_7/working_context_snapshot.json", transcript.Engram: "engram/export.json",
	} {
		data := own(t, path.Dir(file), path.Base(file))
		good := read(t, format, file, data, domain.IngestCursor{})
		whole := good.set(t)
		for at := len(data) / 2; at < len(data)-2; at++ {
			for _, damaged := range [][]byte{data[:at], slices.Concat(data[:at], []byte{1}, data[at+1:])} {
				res := read(t, format, file, damaged, domain.IngestCursor{})
				if len(res.skipped) == 0 || len(res.events)+len(res.contexts) == 0 {
					t.Fatalf("%s, damaged at %d: %d events of %d, skipped %v", file, at, len(res.events), len(whole), res.skipped)
				}
				for key := range res.set(t) {
					if _, ok := whole[key]; !ok && format != transcript.AIAgent { // there an operation may still be open
						t.Fatalf("%s, damaged at %d: %s is no event of the whole", file, at, key)
					}
				}
				for _, c := range res.contexts {
					if !slices.ContainsFunc(good.contexts, func(w domain.ContextSnapshot) bool { return w.ID == c.ID }) {
						t.Fatalf("%s, damaged at %d: %q is no memory of the whole", file, at, c.Content)
					}
				}
			}
		}
	}
}

// A message that is whole is taken, even if the document was cut off right behind it.
func TestCutBehindMessage(t *testing.T) {
	for format, doc := range map[transcript.Format]string{
		transcript.Gemini: `{"sessionId":"g","messages":[{"id":"1","type":"user","content":"one"},{"id":"2","type":"user","content":"two"}`,
		transcript.OLLM:   `{"id":"1","sessionId":"s","messages":[{"id":"1","role":"user","content":"one"},{"id":"2","role":"user","content":"two"}`,
		transcript.Codex: `{"session":{"id":"s"},"items":[{"type":"message","role":"user","content":[{"text":"one"}]},{"type":"message","role":"assistant","content":[{"text":"yes"}]},` +
			`{"type":"message","role":"user","content":[{"text":"two"}]}`,
		transcript.ClaudeCode: "{\n" + ` "loglines": [{"type":"user","message":{"content":"one"}},{"type":"user","message":{"content":"two"}}`,
	} {
		res := read(t, format, "snapshot-1.json", []byte(doc), domain.IngestCursor{})
		if said := res.humans(t); len(said) != 2 || len(res.skipped) != 1 {
			t.Errorf("%s: %q, skipped %v", format, said, res.skipped)
		}
	}
}

// I11: what comes of a packed document before the packing is damaged is used, and the
// damage is told. The next read takes the whole.
func TestDocumentThatBreaksOff(t *testing.T) {
	doc := `{"sessionId":"g1","projectHash":"h","messages":[{"id":"m1","type":"user","content":"hello"},{"id":"m2","type":"gemini","content":"hi"}]}`
	r, err := transcript.NewReader(transcript.Gemini, "session-1.json", io.MultiReader(strings.NewReader(doc[:100]), iotest.ErrReader(io.ErrUnexpectedEOF)), domain.IngestCursor{})
	if err != nil {
		t.Fatal(err)
	}
	var res result
	var broke error
	for item, err := range r.Items() {
		if broke = err; err == nil {
			res.add(item)
		}
	}
	if diff := cmp.Diff([]string{"hello"}, res.said(t)); diff != "" || !errors.Is(broke, io.ErrUnexpectedEOF) {
		t.Errorf("%v; said (-want +got):\n%s", broke, diff)
	}
	cursor, err := r.Cursor()
	if err != nil {
		t.Fatal(err)
	}
	if whole := read(t, transcript.Gemini, "session-1.json", []byte(doc), cursor); len(whole.events) != 2 {
		t.Errorf("%d events of the whole", len(whole.events))
	}
}

// Some gateways put kilobytes into the ids of a model's calls. The calls and their answers are
// taken all the same, once each from a hook and a transcript.
func TestLongIDs(t *testing.T) {
	for _, n := range []int{240, 300, 3000} { // the first is short enough by itself, but not behind the id of a session
		id := "call_1__thought__" + strings.Repeat("Ci", n)
		hook, err := transcript.ReadHook("claude-code", []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Read","tool_use_id":"`+id+`","tool_response":"it"}`))
		if err != nil {
			t.Fatal(err)
		}
		aside := read(t, transcript.ClaudeCode, "log.jsonl", []byte(`{"type":"user","uuid":"u","session_id":"s","parent_tool_use_id":"`+id+`","message":{"content":"look"}}`+"\n"), domain.IngestCursor{})
		if len(aside.sessions) != 1 || aside.sessions[0].ClientSessionID != transcript.AgentSession("s", hook.Tool.ID) {
			t.Errorf("a streamed sub-agent has the sessions %+v", aside.sessions)
		} else if err := domain.CheckID("id", aside.sessions[0].ClientSessionID); err != nil {
			t.Error(err)
		}
		for file, doc := range map[string]string{
			"s.jsonl": `{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"` + id + `","name":"Read","input":{}}]}}` + "\n" +
				`{"type":"user","uuid":"b","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"it"}]},"toolUseResult":{"agentId":"a1"}}` + "\n",
			"run-1.traj": `{"history":[{"role":"assistant","content":"","tool_calls":[{"id":"` + id + `","function":{"name":"Read","arguments":"{}"}}]},{"role":"tool","content":"it","tool_call_ids":["` + id + `"]}]}`,
		} {
			format, _ := transcript.Detect(file, []byte(doc))
			res := read(t, format, file, []byte(doc), domain.IngestCursor{})
			said := ofType[domain.Message](t, res)
			if len(said) != 2 || len(res.skipped) > 0 || len(said[0].ToolCalls) != 1 || said[0].ToolCalls[0].ID != hook.Tool.ID || said[1].ToolCallID != hook.Tool.ID {
				t.Fatalf("%s: %+v, skipped %v; the hook has %q", file, said, res.skipped, hook.Tool.ID)
			}
			if err := domain.CheckID("id", hook.Tool.ID); err != nil {
				t.Error(err)
			}
			keys := res.set(t)
			_, called := keys["s "+string(domain.ToolCallKey(hook.Tool.ID))]
			if _, answered := keys["s "+string(domain.ToolResultKey(hook.Tool.ID))]; format == transcript.ClaudeCode && !(called && answered) {
				t.Errorf("%s: the hook's keys are not among %v", file, keys)
			}
			for _, op := range ofType[domain.OpReport](t, res) {
				if op.OpID != hook.Tool.ID {
					t.Errorf("%s: the child was started by %q", file, op.OpID)
				}
			}
		}
	}
}
