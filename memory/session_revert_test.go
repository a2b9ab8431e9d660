package memory_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
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

// codexThread writes the rollouts of a thread as Codex 0.169 does.
type codexThread struct {
	files []*codexFile
	view  []codexTurn // the turns that hold
	rows  int
	steps []string
	done  []codexStep
}

type codexFile struct {
	id, name, text string
	next           int // ordinal
}

type codexTurn struct {
	prompt string
	file   *codexFile
	from   int // ordinal of its first row
}

// codexStep is what the user did, and how long the latest file was then.
type codexStep struct {
	what, prompt string
	file         *codexFile
	before, upTo int
	began, ended time.Time
}

const (
	codexThreadID = "01a214a6-6d83-74d3-8765-7eb469eff56f"
	codexOriginID = "01a214a6-0d83-74d3-8765-7eb469eff56f" // of the thread that was forked
)

// codexSteps makes the rollouts of a thread. A step is "say PROMPT", "back PROMPT" for what
// Esc Esc and Enter at that prompt do, "compact", or "quit" where nothing more is said. The
// thread is a fork if the first step is "fork"; "back origin" goes to before the fork.
func codexSteps(steps ...string) *codexThread {
	c := &codexThread{steps: steps}
	if steps[0] == "fork" {
		c.beginInOrigin(codexThreadID, "", 20)
	} else {
		c.begin(codexThreadID, "", "")
	}
	for _, step := range steps {
		what, prompt, _ := strings.Cut(step, " ")
		f := c.files[len(c.files)-1]
		before, began := len(f.text), c.now()
		switch what {
		case "say":
			c.view = append(c.view, codexTurn{prompt, f, f.next})
			turn := fmt.Sprintf("turn-%d", c.rows)
			c.row(f, "event_msg", `{"type":"task_started","turn_id":"`+turn+`"}`)
			c.row(f, "turn_context", `{"turn_id":"`+turn+`","cwd":"/work/api","model":"talker"}`)
			c.row(f, "response_item", `{"type":"message","role":"user","id":"msg_`+turn+`","content":[{"type":"input_text","text":"`+prompt+`"}]}`)
			c.row(f, "event_msg", `{"type":"item_completed","thread_id":"`+codexThreadID+`","item":{"type":"UserMessage","content":[{"type":"text","text":"`+prompt+`"}]}}`)
			c.row(f, "response_item", `{"type":"message","role":"assistant","id":"msg_a`+turn+`","content":[{"type":"output_text","text":"ok"}]}`)
			c.row(f, "event_msg", `{"type":"task_complete","turn_id":"`+turn+`"}`)
		case "compact":
			c.row(f, "compacted", `{"message":"A summary."}`)
		case "back":
			switch prompt {
			case "origin":
				id := c.revision()
				c.view = nil
				c.beginInOrigin(id, "_"+id, 8)
			case "start":
				id := c.revision()
				c.view = nil
				c.begin(id, "_"+id, "")
			default:
				c.back(prompt)
			}
			f = c.files[len(c.files)-1]
			before = 0
		}
		c.done = append(c.done, codexStep{what, prompt, f, before, len(f.text), began, c.now()})
	}
	return c
}

func (c *codexThread) back(prompt string) {
	to := len(c.view) - 1
	for c.view[to].prompt != prompt {
		to--
	}
	turn, base := c.view[to], ""
	if to > 0 {
		base = fmt.Sprintf(`,"history_base":{"thread_id":%q,"end_ordinal_exclusive":%d}`, turn.file.id, turn.from)
	}
	c.view = c.view[:to]
	id := c.revision()
	c.begin(id, "_"+id, base)
	if to > 0 {
		c.beginAt(turn.from)
	}
}

func (c *codexThread) revision() string {
	return fmt.Sprintf("01a214a6-ce3a-7ed0-850a-9001caae%04d", len(c.files))
}

// beginInOrigin begins a rollout behind a row of the thread that was forked.
func (c *codexThread) beginInOrigin(id, revision string, end int) {
	c.begin(id, revision, fmt.Sprintf(`,"forked_from_id":%[1]q,"history_base":{"thread_id":%[1]q,"end_ordinal_exclusive":%[2]d}`, codexOriginID, end))
	c.beginAt(end)
}

// beginAt gives the head of the latest rollout its place in the thread.
func (c *codexThread) beginAt(ordinal int) {
	f := c.files[len(c.files)-1]
	f.text = strings.Replace(f.text, `"ordinal":0`, fmt.Sprintf(`"ordinal":%d`, ordinal), 1)
	f.next = ordinal + 1
}

func (c *codexThread) begin(id, revision, base string) {
	f := &codexFile{id: id, name: fmt.Sprintf("rollout-2026-05-04T08-00-%02d-%s%s.jsonl", len(c.files), codexThreadID, revision)}
	c.files = append(c.files, f)
	c.row(f, "session_meta", `{"id":"`+codexThreadID+`","cwd":"/work/api","history_mode":"paginated"`+base+`}`)
}

func (c *codexThread) now() time.Time { return time.Date(2026, 5, 4, 8, 0, c.rows, 0, time.UTC) }

func (c *codexThread) row(f *codexFile, kind, payload string) {
	f.text += fmt.Sprintf(`{"timestamp":%q,"ordinal":%d,"type":%q,"payload":%s}`+"\n", c.now().Format(time.RFC3339), f.next, kind, payload)
	f.next++
	c.rows++
}

// codexReverts are threads that were reverted, and what a model should be told of the
// user's messages.
var codexReverts = map[string]struct {
	steps []string
	want  []string
}{
	"the same words again":       {[]string{"say one", "say two", "back two", "say two"}, []string{"one", "two"}},
	"the same words, back again": {[]string{"say one", "say two", "back one", "say one", "say two", "back two", "say three"}, []string{"one", "three"}},
	"back one turn":              {[]string{"say one", "say two", "back two", "say two b", "say three"}, []string{"one", "two b", "three"}},
	"back several":               {[]string{"say one", "say two", "say three", "say four", "back two", "say two b"}, []string{"one", "two b"}},
	"back to the start":          {[]string{"say one", "say two", "back one", "say one b", "say two b"}, []string{"one b", "two b"}},
	"back without more":          {[]string{"say one", "say two", "back two"}, []string{"one"}},
	"back twice without more":    {[]string{"say one", "say two", "say three", "back three", "back two", "say four"}, []string{"one", "four"}},
	"within a revision":          {[]string{"say one", "say two", "back two", "say two b", "say three", "say four", "back three", "say five"}, []string{"one", "two b", "five"}},
	"past a revision":            {[]string{"say one", "say two", "say three", "back three", "say three b", "back two", "say two b", "back one", "say one b"}, []string{"one b"}},
	"a fork":                     {[]string{"fork", "say one", "say two", "back two", "say three"}, []string{"one", "three"}},
	"past a fork's beginning":    {[]string{"fork", "say one", "say two", "back origin", "say three", "say four", "back four", "say five"}, []string{"three", "five"}},
	"to its origin's beginning":  {[]string{"fork", "back start", "say one", "back start", "say two"}, []string{"two"}},
	"past it at once":            {[]string{"fork", "back origin", "say one", "back origin", "say two"}, []string{"two"}},
	"past a compaction":          {[]string{"say one", "say two", "compact", "say three", "back two", "say four"}, []string{"one", "four"}},
}

// What the user took back in Codex is not told to a model; it stays stored. It does not
// matter whether the files are read at once, again, row by row, or by the hooks of a running
// client.
func TestCodexRevertLeavesOut(t *testing.T) {
	for name, c := range codexReverts {
		thread := codexSteps(c.steps...)
		var keys []domain.Key
		for _, how := range []string{"at once", "row by row", "with hooks"} {
			t.Run(name+", "+how, func(t *testing.T) {
				s, _ := memorytest.Open(t)
				takeRollouts[how](t, s, thread)
				if diff := cmp.Diff(toldOfCodex(t, s), c.want); diff != "" {
					t.Errorf("told: %s", diff)
				}
				var said []string
				for _, step := range thread.done {
					if step.what == "say" {
						said = append(said, step.prompt)
					}
				}
				before := keysOf(t, s)
				takeRollouts["at once"](t, s, thread)
				if diff := cmp.Diff(said, humanTexts(t, s, "codex", codexThreadID)); diff != "" {
					t.Errorf("stored: %s", diff)
				}
				if diff := cmp.Diff(toldOfCodex(t, s), c.want); diff != "" {
					t.Errorf("told after another import: %s", diff)
				}
				if diff := cmp.Diff(before, keysOf(t, s)); diff != "" {
					t.Errorf("another import: %s", diff)
				}
				if keys == nil {
					keys = before
				}
				if diff := cmp.Diff(keys, before); diff != "" {
					t.Errorf("the events differ from those of one import: %s", diff)
				}
				verified(t, s)
			})
		}
	}
}

// Whatever is said and taken back, what holds in Codex is what is told, however it is read,
// and the session is named after the first of it.
func TestCodexRevertAlways(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		steps := []string{"say one"}
		forked := seed%2 == 1
		if forked {
			steps = []string{"fork", "say one"}
		}
		for range 3 + random.IntN(8) {
			switch view := codexSteps(steps...).view; random.IntN(10) {
			case 0:
				steps = append(steps, "compact")
			case 1, 2, 3:
				if forked && random.IntN(3) == 0 {
					steps = append(steps, "back origin")
				} else if len(view) > 0 {
					steps = append(steps, "back "+view[random.IntN(len(view))].prompt)
				}
			default:
				steps = append(steps, "say "+[]string{"one", "two", "three"}[random.IntN(3)])
			}
		}
		thread := codexSteps(steps...)
		var want []string
		for _, turn := range thread.view {
			want = append(want, turn.prompt)
		}
		var keys []domain.Key
		for how, take := range takeRollouts {
			s, _ := memorytest.Open(t)
			take(t, s, thread)
			before := keysOf(t, s)
			takeRollouts["at once"](t, s, thread)
			if diff := cmp.Diff(want, toldOfCodex(t, s)); diff != "" {
				t.Errorf("%q, %s: told %s", steps, how, diff)
			}
			if keys == nil {
				keys = before
			}
			if after := keysOf(t, s); !slices.Equal(before, keys) || !slices.Equal(after, keys) {
				t.Errorf("%q, %s: %d and after another import %d events, other ways %d", steps, how, len(before), len(after), len(keys))
			}
			verified(t, s)
		}
	}
}

// toldOfCodex lists the user's messages that a model is told after a restore.
func toldOfCodex(t testing.TB, s *memory.Service) []string {
	t.Helper()
	owner, err := s.Store.SessionByClient(ctx, "codex", codexThreadID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.UserMessages(ctx, owner.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.RestoreText(ctx, owner.ID, 0, 8000)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range all {
		if m.TakenBack {
			if once := !slices.ContainsFunc(all, func(o memory.UserMessage) bool { return !o.TakenBack && o.Content == m.Content }); once && isTold(text, m.Content) {
				t.Errorf("%q is told:\n%s", m.Content, text)
			}
			continue
		}
		if told = append(told, m.Content); !isTold(text, m.Content) {
			t.Errorf("%q is not told:\n%s", m.Content, text)
		}
	}
	if len(told) > 0 && !strings.HasPrefix(text, "# Restored by wake: "+told[0]+"\n") {
		t.Errorf("not named after %q: %s", told[0], text)
	}
	return told
}

func isTold(text, said string) bool {
	return strings.Contains(text, ") "+said+"\n") || strings.Contains(text, ")\n"+said+"\n")
}

// keysOf lists what a session holds besides what hooks alone tell.
func keysOf(t testing.TB, s *memory.Service) []domain.Key {
	t.Helper()
	owner, err := s.Store.SessionByClient(ctx, "codex", codexThreadID)
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID})
	if err != nil {
		t.Fatal(err)
	}
	var keys []domain.Key
	for _, e := range events {
		if e.Key != "" && !strings.HasPrefix(string(e.Key), "r:restored to the model") {
			keys = append(keys, e.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

var takeRollouts = map[string]func(testing.TB, *memory.Service, *codexThread){
	"at once": func(t testing.TB, s *memory.Service, c *codexThread) {
		for _, f := range c.files {
			takeRollout(t, s, f, len(f.text), true)
		}
	},
	"row by row": func(t testing.TB, s *memory.Service, c *codexThread) {
		for _, f := range c.files {
			for i := range f.text {
				if f.text[i] == '\n' {
					takeRollout(t, s, f, i+1, false)
				}
			}
		}
	},
	"with hooks": func(t testing.TB, s *memory.Service, c *codexThread) {
		hook := func(f *codexFile, n int, at time.Time, h transcript.Hook) {
			s.Now = func() time.Time { return at }
			h.Client, h.Name, h.SessionID, h.TranscriptPath = "codex", string(h.Moment), codexThreadID, f.name
			if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(f.text[:n])}); err != nil {
				t.Fatal(err)
			}
		}
		begun := map[*codexFile]bool{}
		for i, step := range c.done {
			switch step.what {
			case "say":
				if !begun[step.file] {
					source := "startup"
					if step.file != c.files[0] {
						source = "resume"
					}
					hook(step.file, step.before, step.began, transcript.Hook{Moment: transcript.HookStart, Source: source})
					begun[step.file] = true
				}
				hook(step.file, step.before, step.began, transcript.Hook{Moment: transcript.HookPrompt, Prompt: step.prompt})
				hook(step.file, step.upTo, step.ended, transcript.Hook{Moment: transcript.HookStop, Reply: "ok"})
			case "compact":
				hook(step.file, step.upTo, step.ended, transcript.Hook{Moment: transcript.HookPostCompact, Trigger: "manual"})
			case "back": // ends the rollout before
				was := c.done[i-1].file
				hook(was, len(was.text), step.began, transcript.Hook{Moment: transcript.HookEnd})
			}
		}
		last := c.done[len(c.done)-1]
		hook(last.file, last.upTo, last.ended, transcript.Hook{Moment: transcript.HookEnd})
	},
}

func takeRollout(t testing.TB, s *memory.Service, f *codexFile, n int, whole bool) {
	t.Helper()
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Codex, Name: f.name, Source: strings.NewReader(f.text[:n]), Whole: whole, Project: "demo"}); err != nil {
		t.Fatal(err)
	}
}

// rolledBack are rollouts of versions of Codex that count the turns which the user dropped.
// A step is a prompt, or "-N".
var rolledBack = map[string]struct{ steps, want []string }{
	"one turn":              {[]string{"one", "two", "-1", "two b", "three"}, []string{"one", "two b", "three"}},
	"several, and again":    {[]string{"one", "two", "three", "-2", "two b", "three b", "-1", "three c"}, []string{"one", "two b", "three c"}},
	"what was dropped once": {[]string{"one", "two", "-1", "three", "-2", "four"}, []string{"four"}},
	"the same words again":  {[]string{"one", "two", "-1", "two"}, []string{"one", "two"}},
	"without more":          {[]string{"one", "two", "-1"}, []string{"one"}},
	"to the start":          {[]string{"one", "two", "-2", "one b"}, []string{"one b"}},
	"more than there are":   {[]string{"one", "two", "-3", "three"}, []string{"one", "two", "three"}},
	"none":                  {[]string{"one", "-0", "two"}, []string{"one", "two"}},
}

// rollout writes the steps, and returns where each ends.
func rollout(steps []string) (text string, ends []int) {
	row := func(kind, payload string) {
		at := time.Date(2026, 5, 4, 8, 0, strings.Count(text, "\n"), 0, time.UTC).Format(time.RFC3339)
		text += fmt.Sprintf(`{"timestamp":%q,"type":%q,"payload":%s}`+"\n", at, kind, payload)
	}
	row("session_meta", `{"id":"`+codexThreadID+`","cwd":"/work/api"}`)
	for _, step := range steps {
		if turns, back := strings.CutPrefix(step, "-"); back {
			row("event_msg", `{"type":"thread_rolled_back","num_turns":`+turns+`}`)
		} else {
			row("event_msg", `{"type":"task_started"}`)
			row("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+step+`"}]}`)
			row("event_msg", `{"type":"user_message","message":"`+step+`"}`)
			row("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}`)
			row("event_msg", `{"type":"task_complete"}`)
		}
		ends = append(ends, len(text))
	}
	return text, ends
}

// What older versions of Codex count as rolled back is not told either, whether a rollout is
// read at once, in pieces, or again from a copy in which all is one line further down.
func TestCodexRolledBack(t *testing.T) {
	for name, c := range rolledBack {
		text, ends := rollout(c.steps)
		whole := &codexFile{name: "rollout-2026-05-04T08-00-00-" + codexThreadID + ".jsonl", text: text}
		copied := &codexFile{name: "copy/" + whole.name, text: strings.Replace(text, "\n", "\n"+`{"type":"unknown"}`+"\n", 1)}
		for how, pieces := range map[string][]int{"at once": {len(text)}, "in pieces": ends} {
			t.Run(name+", "+how, func(t *testing.T) {
				s, _ := memorytest.Open(t)
				for _, n := range pieces {
					takeRollout(t, s, whole, n, false)
				}
				for range 2 {
					if diff := cmp.Diff(c.want, toldOfCodex(t, s)); diff != "" {
						t.Error(diff)
					}
					before := apartFromReplies(keysOf(t, s))
					takeRollout(t, s, copied, len(copied.text), true)
					if diff := cmp.Diff(before, apartFromReplies(keysOf(t, s))); diff != "" {
						t.Errorf("the copy: %s", diff)
					}
				}
				verified(t, s)
			})
		}
	}
}

// apartFromReplies leaves out the keys of replies, which these rollouts number by their lines.
func apartFromReplies(keys []domain.Key) []domain.Key {
	return slices.DeleteFunc(keys, func(k domain.Key) bool { return strings.HasPrefix(string(k), "r:codex:") })
}

// A row that is read after what was said since takes nothing back.
func TestCodexRolledBackReadLate(t *testing.T) {
	text, _ := rollout([]string{"one", "two", "-1", "two b"})
	rows := strings.SplitAfter(text, "\n")
	back := slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, "rolled_back") })
	name := "rollout-2026-05-04T08-00-00-" + codexThreadID + ".jsonl"
	s, _ := memorytest.Open(t)
	without := strings.Join(slices.Delete(slices.Clone(rows), back, back+1), "")
	takeRollout(t, s, &codexFile{name: name, text: without}, len(without), true)
	takeRollout(t, s, &codexFile{name: "copy/" + name, text: text}, len(text), true)
	if diff := cmp.Diff([]string{"one", "two", "two b"}, toldOfCodex(t, s)); diff != "" {
		t.Error(diff)
	}
}

// Codex starts a reverted thread anew with its next prompt. What its model is told then has
// nothing of what was taken back, and is short: the model knows what goes before.
func TestCodexRevertIsToldShort(t *testing.T) {
	s, _ := memorytest.Open(t)
	thread := codexSteps("say "+strings.Repeat("one ", 900), "say two", "back two", "say three")
	takeRollouts["with hooks"](t, s, codexSteps(thread.steps[:2]...))
	f := thread.files[1]
	h := transcript.Hook{Client: "codex", Moment: transcript.HookStart, Name: "SessionStart", Source: "resume", SessionID: codexThreadID, TranscriptPath: f.name}
	text := ""
	for range 2 {
		a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(f.text[:thread.done[3].before])})
		if err != nil {
			t.Fatal(err)
		}
		if text = a.Text; !strings.Contains(text, "one one") || isTold(text, "two") || len(text) > 2000 {
			t.Errorf("told %d bytes: %s", len(text), text)
		}
	}
}

// Where it is not certain what was taken back, everything is told.
func TestCodexRevertUnsure(t *testing.T) {
	thread := func() *codexThread { return codexSteps("say one", "say two", "back two", "say three") }
	take := func(t *testing.T, files ...*codexFile) *memory.Service {
		t.Helper()
		s, _ := memorytest.Open(t)
		for range 2 {
			for _, f := range files {
				takeRollout(t, s, f, len(f.text), true)
			}
		}
		return s
	}
	for name, change := range map[string]func(f *codexFile){
		"a base in no rollout of the thread": func(f *codexFile) { f.text = strings.Replace(f.text, `"thread_id":"01a2`, `"thread_id":"01b2`, 1) },
		"a base that is not where it begins": func(f *codexFile) {
			f.text = strings.Replace(f.text, `"end_ordinal_exclusive":7`, `"end_ordinal_exclusive":1`, 1)
		},
		"a base under another name": func(f *codexFile) { f.text = strings.Replace(f.text, "history_base", "base_of_history", 1) },
		"rows without places":       func(f *codexFile) { f.text = regexp.MustCompile(`"ordinal":\d+,`).ReplaceAllString(f.text, "") },
		"a fork": func(f *codexFile) {
			f.text = strings.Replace(f.text, `"id":"`, `"forked_from_id":"01c2","id":"`, 1)
			f.name = "rollout-2026-05-04T09-00-00-" + codexThreadID + ".jsonl"
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := thread()
			change(c.files[1])
			if diff := cmp.Diff([]string{"one", "two", "three"}, toldOfCodex(t, take(t, c.files...))); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("a revision read before what goes before it", func(t *testing.T) {
		c := codexSteps("say one", "say two", "say three", "back three", "say four", "say five", "back five", "say six")
		told := toldOfCodex(t, take(t, c.files[1], c.files[0], c.files[2]))
		for _, holds := range []string{"one", "two", "four", "six"} {
			if !slices.Contains(told, holds) {
				t.Errorf("%q is not told: %q", holds, told)
			}
		}
	})
}

// Each rollout of a thread counts equal prompts and compactions from its own beginning.
func TestCodexRevertCounts(t *testing.T) {
	thread := codexSteps("say one", "compact", "say two", "back two", "say two", "compact", "say two")
	for how, take := range takeRollouts {
		t.Run(how, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			take(t, s, thread)
			takeRollouts["at once"](t, s, thread)
			if diff := cmp.Diff([]string{"one", "two", "two", "two"}, humanTexts(t, s, "codex", codexThreadID)); diff != "" {
				t.Error(diff)
			}
			owner, err := s.Store.SessionByClient(ctx, "codex", codexThreadID)
			if err != nil {
				t.Fatal(err)
			}
			all, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventCompaction}})
			if err != nil || len(all) != 2 {
				t.Errorf("%d compactions, %v", len(all), err)
			}
		})
	}
}
