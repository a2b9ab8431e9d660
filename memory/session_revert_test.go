package memory_test

import (
	"fmt"
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

const codexThreadID = "01a214a6-6d83-74d3-8765-7eb469eff56f"

// codexSteps makes the rollouts of a thread. A step is "say PROMPT", "back PROMPT" for what
// Esc Esc and Enter at that prompt do, "compact", or "quit" where nothing more is said.
func codexSteps(steps ...string) *codexThread {
	c := &codexThread{steps: steps}
	c.begin(codexThreadID, "", "")
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
			c.back(prompt)
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
	id := fmt.Sprintf("01a214a6-ce3a-7ed0-850a-9001caae%04d", len(c.files))
	c.begin(id, "_"+id, base)
	if f := c.files[len(c.files)-1]; to > 0 {
		f.text = strings.Replace(f.text, `"ordinal":0`, fmt.Sprintf(`"ordinal":%d`, turn.from), 1)
		f.next = turn.from + 1
	}
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
