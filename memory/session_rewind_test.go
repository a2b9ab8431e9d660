package memory_test

import (
	"bytes"
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

// conversation makes rows of a transcript, each "type id parent text". The parent is - for none.
func conversation(t fataler, rows ...string) string {
	t.Helper()
	var out strings.Builder
	for _, r := range rows {
		part := strings.SplitN(r, " ", 4)
		fields := map[string]any{"type": part[0], "uuid": part[1], "parentUuid": part[2], "sessionId": "s1", "timestamp": "2026-05-04T08:00:00Z"}
		text := []any{map[string]any{"type": "text", "text": part[3]}}
		switch part[0] {
		case "user":
			fields["message"] = map[string]any{"role": "user", "content": part[3]}
		case "first": // as its client counts
			fields["type"], fields["turnPosition"] = "user", map[string]any{"promptIndex": 1}
			fields["message"] = map[string]any{"role": "user", "content": part[3]}
		case "assistant":
			fields["message"] = map[string]any{"role": "assistant", "id": "m" + part[1], "model": "m", "content": text}
		case "call":
			fields["type"] = "assistant"
			fields["message"] = map[string]any{"role": "assistant", "id": "m" + part[3], "model": "m", "content": []any{map[string]any{"type": "tool_use", "id": part[1], "name": "Read", "input": map[string]any{}}}}
		case "result":
			fields["type"] = "user"
			fields["message"] = map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": part[3], "content": "ok"}}}
		case "boundary":
			fields["type"], fields["subtype"], fields["logicalParentUuid"] = "system", "compact_boundary", part[2]
			delete(fields, "parentUuid")
		case "summary":
			fields["type"], fields["isCompactSummary"] = "user", true
			fields["message"] = map[string]any{"role": "user", "content": part[3]}
		case "again": // "again id parent first text"
			first, said, _ := strings.Cut(part[3], " ")
			fields["type"], fields["sentAsUuid"] = "user", first
			fields["message"] = map[string]any{"role": "user", "content": said}
		case "command":
			fields["type"], fields["subtype"], fields["content"] = "system", "local_command", "<command-name>"+part[3]+"</command-name>"
		case "queued":
			fields["type"], fields["attachment"] = "attachment", map[string]any{"type": "queued_command", "commandMode": "prompt", "prompt": part[3]}
		case "caveat", "local": // a local command or its output
			fields["type"], fields["isMeta"] = "user", part[0] == "caveat"
			fields["message"] = map[string]any{"role": "user", "content": part[3]}
		case "sidechain":
			fields["type"], fields["isSidechain"] = "user", true
			fields["message"] = map[string]any{"role": "user", "content": part[3]}
		case "cut", "stamp", "anchor":
			fields = checkpointRow(part)
		}
		if part[2] == "-" {
			delete(fields, "parentUuid")
		}
		out.WriteString(row(t, fields))
	}
	return out.String()
}

// checkpointRow is what a client notes of where the conversation ends: "cut first kept" when a
// person went back, "stamp - last" otherwise, and "anchor" behind the first message after that.
func checkpointRow(part []string) map[string]any {
	fields := map[string]any{"type": "last-prompt", "explicit": true, "leafUuid": part[2], "sessionId": "s1"}
	switch {
	case part[0] == "cut":
		fields["rewound"], fields["cutUuid"] = true, part[1]
	case part[0] == "anchor":
		fields["leafUuid"] = "00000000-0000-0000-0000-000000000000"
	}
	if part[2] == "-" && part[0] == "cut" {
		fields["leafUuid"] = nil
	}
	return fields
}

// conversations are branching files of Claude Code, and what a model should be told of
// the user's messages.
var conversations = map[string]struct {
	rows []string
	want []string
}{
	"rewound": {
		[]string{"attachment h - -", "user a h use MySQL", "assistant b a fine", "system c b -", "user d c add a table", "assistant e d added", "user f e index it", "assistant g f indexed",
			"user d2 c use Postgres", "assistant e2 d2 good", "user f2 e2 go on", "assistant g2 f2 done"},
		[]string{"use MySQL", "use Postgres", "go on"},
	},
	"rewound again, further back, and to the first message": {
		[]string{"attachment h - -", "user a h one", "assistant b a ok", "user c b two", "assistant d c ok", "user e d three", "assistant f e ok",
			"user e2 d three b", "assistant f2 e2 ok", "user e3 d three c", "assistant f3 e3 ok", "user c2 b two b", "assistant d2 c2 ok", "user a2 h one b", "assistant b2 a2 ok"},
		[]string{"one b"},
	},
	"rewound, and another command first": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "command x b /model", "user c2 x two b", "assistant d2 c2 ok"},
		[]string{"one", "two b"},
	},
	"sent and taken back before the answer": {
		[]string{"user a - one", "assistant b a ok", "user c b tow", "user c2 b two", "assistant d c2 ok"},
		[]string{"one", "two"},
	},
	"sent again in the same words": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "user c2 b two", "assistant d c2 ok", "user e d three", "assistant f e ok", "user e2 d three", "assistant f2 e2 ok"},
		[]string{"one", "two", "three"},
	},
	"rewound before a compaction": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "user c2 b two b", "assistant d2 c2 ok",
			"boundary x d2 -", "summary y x This session is being continued", "user e y three"},
		[]string{"one", "two b", "three"},
	},
	"rewound over a compaction": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "boundary x d -", "summary y x This session is being continued", "user e y three", "assistant f e ok",
			"user c2 b two b", "anchor - - -", "assistant d2 c2 ok", "user e2 d2 three b"},
		[]string{"one", "two b", "three b"},
	},
	"rewound over two compactions to the first message": {
		[]string{"user a - one", "assistant b a ok", "boundary x b -", "summary y x This session is being continued", "user c y two", "assistant d c ok",
			"boundary x2 d -", "summary y2 x2 This session is being continued", "user e y2 three", "assistant f e ok", "user a2 - one b", "anchor - - -", "assistant b2 a2 ok"},
		[]string{"one b"},
	},
	"rewound over a compaction to the first message, which answers what was dropped": {
		[]string{"attachment h - -", "first a h one", "assistant b a ok", "user c b two", "assistant d c ok", "boundary x d -", "summary y x This session is being continued", "user e y three", "assistant f e ok",
			"first a2 f one b", "attachment h2 a2 -", "anchor - - -", "assistant b2 h2 ok", "user c2 b2 two b", "assistant d2 c2 ok", "boundary x2 d2 -", "summary y2 x2 This session is being continued",
			"first a3 y2 one c", "anchor - - -", "assistant b3 a3 ok"},
		[]string{"one c"},
	},
	"rewound to the first message, which answers what was dropped, and on from there": {
		[]string{"user a - one", "assistant b a ok", "boundary x b -", "summary y x This session is being continued", "user c y two", "assistant d c ok",
			"first a2 d one b", "anchor - - -", "assistant b2 a2 ok", "user e b2 three", "assistant f e ok", "first a3 d one c", "anchor - - -", "assistant b3 a3 ok"},
		[]string{"one c"},
	},
	"a first message once more, but not gone back": {
		[]string{"first a - one", "assistant b a ok", "user c b two", "assistant d c ok", "first e d three", "assistant f e ok"},
		[]string{"one", "two", "three"},
	},
	"two windows, one compacted": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "assistant d c ok", "boundary x d -", "summary y x This session is being continued", "user e y left more", "assistant f e ok",
			"user c2 b right", "assistant d2 c2 ok", "user g f left again", "assistant h g ok"},
		[]string{"one", "left", "left more", "right", "left again"},
	},
	"two windows": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "assistant d c ok", "user c2 b right", "assistant d2 c2 ok", "user e d left again", "assistant f e ok", "user e2 d2 right again", "user e3 d2 right anew"},
		[]string{"one", "left", "right", "left again", "right again", "right anew"},
	},
	"two windows, one at work": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "call t1 c m", "user c2 b right", "result r t1 t1", "assistant d r done", "assistant d2 c2 ok"},
		[]string{"one", "left", "right"},
	},
	"two windows, one answered late": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "user c2 b right", "assistant d c ok", "assistant d2 c2 ok"},
		[]string{"one", "left", "right"},
	},
	"two windows, and a timer of one that ended late": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "assistant d c ok", "user c2 b right", "system h d -", "assistant d2 c2 ok", "user e h left again"},
		[]string{"one", "left", "right", "left again"},
	},
	"rewound before a timer ended": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "user c2 b two b", "system h d -", "assistant d2 c2 ok", "user e d2 three"},
		[]string{"one", "two b", "three"},
	},
	"resumed in another window, with what a hook told there": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "assistant d c ok", "attachment h b -", "user c2 h right", "assistant d2 c2 ok"},
		[]string{"one", "left", "right"},
	},
	"summarized from a message on": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "boundary x b -", "summary y x This session is being continued", "user e y three"},
		[]string{"one", "two", "three"},
	},
	"several calls at once": {
		[]string{"user a - one", "call t1 a m", "call t2 t1 m", "result r2 t2 t2", "result r1 t1 t1", "assistant b r1 done", "user c b two"},
		[]string{"one", "two"},
	},
	"handed over during work": {
		[]string{"user a - one", "call t1 a m", "result r1 t1 t1", "queued q1 r1 two", "queued q2 r1 three", "assistant b r1 done", "user c b four"},
		[]string{"one", "two", "three", "four"},
	},
	"commands behind one caveat": {
		[]string{"user a - one", "assistant b a ok", "caveat v b Caveat: The messages below were generated by the user while running local commands.",
			"local c v <command-name>/cost</command-name>", "local o c <local-command-stdout>$1</local-command-stdout>", "user d o two", "assistant e d ok",
			"local f v <command-name>/compact</command-name>", "user g f three", "assistant h g ok"},
		[]string{"one", "two", "three"},
	},
	"other rows with the same parent": {
		[]string{"user a - one", "assistant b a ok", "progress p b -", "sidechain s b search", "system y b -", "attachment z b -", "user c b two", "sidechain s2 b search"},
		[]string{"one", "two"},
	},
	"a file in which all rows name one parent": {
		[]string{"user a x one", "assistant b x ok", "user c x two", "assistant d x ok", "user e x three"},
		[]string{"one", "two", "three"},
	},
	"cut": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "user e d three", "assistant f e ok", "cut c b -"},
		[]string{"one"},
	},
	"cut, and another message": {
		[]string{"user a - one", "assistant b a ok", "system h b -", "user c h two", "assistant d c ok", "cut c b -", "user c2 h two b", "assistant d2 c2 ok", "user e d2 three"},
		[]string{"one", "two b", "three"},
	},
	"cut, and another message that answers another row": {
		[]string{"user a - one", "assistant b a ok", "system h b -", "user c h two", "assistant d c ok", "cut c b -", "user c2 b two b", "assistant d2 c2 ok"},
		[]string{"one", "two b"},
	},
	"cut at the first message": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut a - -", "user e - three", "assistant f e ok"},
		[]string{"three"},
	},
	"cut twice, with the same words": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut c b -", "user c2 b two", "assistant d2 c2 ok", "cut c2 b -", "user c3 b three", "assistant d3 c3 ok"},
		[]string{"one", "three"},
	},
	"cut, and undone at once": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut c b -", "stamp - d -", "user e d three", "assistant f e ok"},
		[]string{"one", "two", "three"},
	},
	"cut, and undone when the next message had no answer": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut c b -", "user c2 b two b", "stamp - d -", "user e d three", "assistant f e ok"},
		[]string{"one", "two", "two b", "three"},
	},
	"cut, and noted again": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut c b -", "stamp - b -", "user c2 b two b", "stamp - c2 -", "assistant d2 c2 ok", "stamp - d2 -", "user e d2 three"},
		[]string{"one", "two b", "three"},
	},
	"cut in one window of two": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "assistant d c ok", "user c2 b right", "assistant d2 c2 ok", "user e d left again", "assistant f e ok", "cut c2 b -"},
		[]string{"one", "left", "right", "left again"},
	},
	"cut, and the other window goes on": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut c b -", "user e d three", "assistant f e ok"},
		[]string{"one", "two", "three"},
	},
	"noted where the conversation ends": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "stamp - d -", "stamp - b -", "user e d three"},
		[]string{"one", "two", "three"},
	},
	"several roots, and gone back to the first": {
		[]string{"user a - one", "assistant b a ok", "user c - two", "anchor - - -", "assistant d c ok", "user e d three"},
		[]string{"two", "three"},
	},
	"gone back elsewhere, in a file with several roots": {
		[]string{"user a - one", "assistant b a ok", "user c - two", "assistant d c ok", "user e d three", "anchor - - -", "assistant f e ok"},
		[]string{"one", "two", "three"},
	},
	"gone back to the first twice": {
		[]string{"user a - one", "assistant b a ok", "user c - two", "anchor - - -", "assistant d c ok", "user e - three", "anchor - - -", "assistant f e ok"},
		[]string{"three"},
	},
	"cut of what another window had left": {
		[]string{"user a - one", "assistant b a ok", "user c b left", "assistant d c ok", "user c2 b right", "assistant d2 c2 ok", "cut c b -"},
		[]string{"one", "right"},
	},
	"cut of what is not in the file": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut zz b -", "user e d three", "assistant f e ok"},
		[]string{"one", "two", "three"},
	},
	"cut of a sub-agent's row": {
		[]string{"user a - one", "assistant b a ok", "sidechain s - sub", "user c b two", "assistant d c ok", "cut s b -"},
		[]string{"one", "two"},
	},
	"cut twice, and the later one undone": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "cut c b -", "user c2 b two b", "assistant d2 c2 ok", "user e d2 three", "assistant f e ok", "cut e d2 -", "stamp - f -", "user g f four"},
		[]string{"one", "two b", "three", "four"},
	},
	"cut before a compaction": {
		[]string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "user e d three", "assistant f e ok", "boundary k f -", "summary k2 k sum", "user g k2 four", "assistant h g ok", "cut c b -", "user i b five", "assistant j i ok"},
		[]string{"one", "five"},
	},
	"several roots": {
		[]string{"user a - one", "assistant b a ok", "user c - two", "assistant d c ok", "user e - three"},
		[]string{"one", "two", "three"},
	},
}

// What the user took back by going back in Claude Code is not told to a model; it stays
// stored. Whatever else branches in a transcript is told. It does not matter whether the
// file is read at once, again, row by row, or by the hooks of a running client.
func TestRewindLeavesOut(t *testing.T) {
	for name, c := range conversations {
		for how, take := range map[string]func(testing.TB, *memory.Service, []string){"at once": takeWhole, "row by row": takeRows, "with hooks": takeHooks} {
			t.Run(name+", "+how, func(t *testing.T) {
				s, _ := memorytest.Open(t)
				take(t, s, c.rows)
				takeWhole(t, s, c.rows)
				owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
				if err != nil {
					t.Fatal(err)
				}
				var stored, kept []string
				for _, r := range c.rows {
					if part := strings.SplitN(r, " ", 4); part[0] == "user" || part[0] == "first" || part[0] == "queued" {
						stored = append(stored, part[3])
					}
				}
				if diff := cmp.Diff(stored, humanTexts(t, s, "claude-code", "s1")); diff != "" {
					t.Errorf("stored: %s", diff)
				}
				whole, err := s.WorkingContext(ctx, owner.ID)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range whole {
					if m.Human() {
						kept = append(kept, m.Content)
					}
				}
				if i := slices.IndexFunc(whole, func(m memory.ContextMessage) bool { return m.Kind == domain.SummaryMessage }); i >= 0 {
					kept = append(c.want[:len(c.want)-len(kept):len(c.want)-len(kept)], kept...) // the others were compacted
				}
				if diff := cmp.Diff(c.want, kept); diff != "" {
					t.Errorf("messages: %s", diff)
				}
				text, err := s.RestoreText(ctx, owner.ID, 0, 8000)
				if err != nil {
					t.Fatal(err)
				}
				for _, said := range stored {
					if told := strings.Contains(text, ") "+said+"\n") || strings.Contains(text, ")\n"+said+"\n"); told != slices.Contains(c.want, said) {
						t.Errorf("%q told: %v\n%s", said, told, text)
					}
				}
				if want := "# Restored by wake: " + c.want[0] + "\n"; !strings.HasPrefix(text, want) {
					t.Errorf("no %q: %s", want, text)
				}
				verified(t, s)
			})
		}
	}
}

// A prompt that Claude Code stores again behind a compaction was said once. It is in the
// window, and the user can go back to before it.
func TestPromptStoredAgain(t *testing.T) {
	rows := []string{"user a - one", "assistant b a ok", "user c b two", "boundary x c -", "summary y x This session is being continued",
		"again c2 y c two", "assistant d c2 done", "user e y two b", "assistant f e fine"}
	for how, take := range map[string]func(testing.TB, *memory.Service, []string){"at once": takeWhole, "row by row": takeRows, "with hooks": takeHooks} {
		for want, rows := range map[string][]string{"two, done": rows[:7], "two b, fine": rows} {
			s, _ := memorytest.Open(t)
			take(t, s, rows)
			takeWhole(t, s, rows)
			said := []string{"one", "two", "two b"}[:len(rows)/3]
			if diff := cmp.Diff(said, humanTexts(t, s, "claude-code", "s1")); diff != "" {
				t.Errorf("%s, stored (-want +got):\n%s", how, diff)
			}
			owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
			if err != nil {
				t.Fatal(err)
			}
			window, err := s.WorkingContext(ctx, owner.ID)
			if err != nil {
				t.Fatal(err)
			}
			var has []string
			for _, m := range window {
				if m.Kind != domain.SummaryMessage {
					has = append(has, m.Content)
				}
			}
			if got := strings.Join(has, ", "); got != want {
				t.Errorf("%s, the window has %q, want %q", how, got, want)
			}
			verified(t, s)
		}
	}
}

// Where one of two windows began anew, what was said in the other counts when it goes on.
func TestBegunAnewBesideAnotherWindow(t *testing.T) {
	rows := []string{"user a - one", "assistant b a ok", "user c - two", "anchor - - -", "assistant d c ok", "user e b three", "assistant f e ok"}
	for how, take := range map[string]func(testing.TB, *memory.Service, []string){"at once": takeWhole, "row by row": takeRows, "with hooks": takeHooks} {
		s, _ := memorytest.Open(t)
		take(t, s, rows)
		if diff := cmp.Diff([]string{"one false", "two false", "three false"}, saidAndTakenBack(t, s, conversation(t, rows...))); diff != "" {
			t.Errorf("%s, said and taken back (-want +got):\n%s", how, diff)
		}
		verified(t, s)
	}
}

// A hook may tell of the next message before the row that says what was cut is written. That
// message counts, whether its own row comes with that row or later.
func TestCutIsReadLate(t *testing.T) {
	for _, between := range []bool{false, true} {
		s, _ := memorytest.Open(t)
		said := []string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok"}
		hook := func(moment transcript.HookMoment, prompt string, rows ...string) {
			t.Helper()
			h := transcript.Hook{Client: "claude-code", Moment: moment, Name: string(moment), SessionID: "s1", TranscriptPath: "t.jsonl", Prompt: prompt}
			if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(conversation(t, rows...))}); err != nil {
				t.Fatal(err)
			}
		}
		hook(transcript.HookPrompt, "one")
		hook(transcript.HookPrompt, "two", said[:2]...)
		hook(transcript.HookPrompt, "three", said...)
		said = append(said, "cut c b -")
		if between {
			hook(transcript.HookStop, "", said...)
		}
		said = append(said, "user e b three", "assistant f e ok")
		hook(transcript.HookStop, "", said...)
		if diff := cmp.Diff([]string{"one false", "two true", "three false"}, saidAndTakenBack(t, s, conversation(t, said...))); diff != "" {
			t.Errorf("read in between: %v, said and taken back (-want +got):\n%s", between, diff)
		}
		verified(t, s)
	}
}

// A message that the user took back is left out also where its picture is an event of its
// own, because a hook told its words first.
func TestRewindLeavesOutPictures(t *testing.T) {
	s, clock := memorytest.Open(t)
	picture := map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}
	rows := ""
	hook := func(moment transcript.HookMoment, prompt string) {
		t.Helper()
		clock.Pass(time.Second)
		h := transcript.Hook{Client: "claude-code", Moment: moment, Name: string(moment), SessionID: "s1", TranscriptPath: "t.jsonl", Prompt: prompt}
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(rows)}); err != nil {
			t.Fatal(err)
		}
	}
	said := func(id, text string) {
		hook(transcript.HookPrompt, text)
		content := []any{map[string]any{"type": "text", "text": text}, picture}
		rows += row(t, map[string]any{"type": "user", "uuid": id, "parentUuid": "b", "sessionId": "s1", "timestamp": clock.Now(), "message": map[string]any{"role": "user", "content": content}})
		rows += conversation(t, "assistant answer-"+id+" "+id+" ok")
		hook(transcript.HookStop, "")
	}
	rows += conversation(t, "user a - one", "assistant b a ok")
	said("c", "like this")
	said("d", "no, like that")
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: onlySession(t, s), Types: []domain.EventType{domain.EventMessage}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(pictures(t, s, "claude-code")); n != 2 || len(events) != 8 {
		t.Errorf("%d pictures in %d messages, want 2 in events of their own", n, len(events))
	}
	all, err := s.UserMessages(ctx, onlySession(t, s), 0)
	if err != nil {
		t.Fatal(err)
	}
	var inForce []string
	for _, m := range all {
		if !m.TakenBack {
			inForce = append(inForce, m.Content)
		}
	}
	if want := []string{"one", "no, like that"}; !slices.Equal(inForce, want) {
		t.Errorf("in force %q, want %q", inForce, want)
	}
	verified(t, s)
}

// What the user took back in Gemini CLI is not told either, which it records in a row of its
// own, before anybody speaks again. After a compression it names messages by new ids.
func TestGeminiRewindLeavesOut(t *testing.T) {
	const one, two = `{"id":"1","type":"user","content":[{"text":"one"}]}` + "\n" + `{"id":"2","type":"gemini","content":"ok"}` + "\n",
		`{"id":"3","type":"user","content":[{"text":"two"}]}` + "\n" + `{"id":"4","type":"gemini","content":"ok"}` + "\n"
	const compressed = `{"$set":{"messages":[{"id":"s","type":"user","content":[{"text":"<state_snapshot>all</state_snapshot>"}]},` +
		`{"id":"3'","type":"user","content":[{"text":"two"}]},{"id":"4'","type":"gemini","content":[{"text":"ok"}]}]}}` + "\n"
	const three, again = `{"id":"5","type":"user","content":[{"text":"three"}]}` + "\n", `{"id":"6","type":"user","content":[{"text":"two"}]}` + "\n"
	const withFile = `{"id":"3","type":"user","content":[{"text":"two @f"},{"text":"\n--- Content from referenced files ---"},{"text":"\nContent from @f:\n"},` +
		`{"text":"all"},{"text":"\n--- End of content ---"}],"displayContent":[{"text":"two @f"}]}` + "\n"
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"and went on":                {one + two + `{"$rewindTo":"3"}` + "\n" + three, []string{"one", "three"}},
		"and went on as before":      {one + two + `{"$rewindTo":"3"}` + "\n" + again, []string{"one", "two"}},
		"and said nothing more":      {one + two + three + `{"$rewindTo":"3"}` + "\n", []string{"one"}},
		"twice":                      {one + two + three + `{"$rewindTo":"5"}` + "\n" + `{"$rewindTo":"3"}` + "\n" + again, []string{"one", "two"}},
		"after a compression":        {one + two + compressed + `{"$rewindTo":"3'"}` + "\n" + three, []string{"one", "three"}},
		"the later of two alike":     {one + two + strings.ReplaceAll(strings.ReplaceAll(two, `"3"`, `"7"`), `"4"`, `"8"`) + compressed + `{"$rewindTo":"3'"}` + "\n" + three, []string{"one", "two", "three"}},
		"to a compression":           {one + two + compressed + `{"$rewindTo":"s"}` + "\n" + three, []string{"one", "three"}},
		"with a message of no id":    {one + two + strings.Replace(compressed, `"id":"4'",`, "", 1) + `{"$rewindTo":"3'"}` + "\n" + three, []string{"one", "three"}},
		"what a dropped one repeats": {one + two + strings.ReplaceAll(strings.ReplaceAll(two, `"3"`, `"7"`), `"4"`, `"8"`) + `{"$rewindTo":"7"}` + "\n" + compressed + `{"$rewindTo":"3'"}` + "\n", []string{"one"}},
		"to a prompt with a file":    {one + withFile + `{"id":"4","type":"gemini","content":"ok"}` + "\n" + `{"$rewindTo":"3"}` + "\n", []string{"one"}},
		"after one, then no words":   {one + two + compressed + three + `{"$rewindTo":"3'"}` + "\n", []string{"one"}},
	} {
		for _, byRow := range []bool{false, true} {
			s, _ := memorytest.Open(t)
			file := `{"sessionId":"g1","projectHash":"h","startTime":"2026-05-01T10:00:00Z"}` + "\n"
			for row := range strings.Lines(c.rows) {
				if file += row; byRow {
					takeGemini(t, s, file)
				}
			}
			takeGemini(t, s, file)
			takeGemini(t, s, file)
			owner, err := s.Store.SessionByClient(ctx, "gemini", "g1")
			if err != nil {
				t.Fatal(err)
			}
			said, err := s.UserMessages(ctx, owner.ID, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range said {
				if !m.TakenBack {
					got = append(got, m.Content)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, row by row %v: in force (-want +got):\n%s", name, byRow, diff)
			}
			verified(t, s)
		}
	}
}

func takeGemini(t testing.TB, s *memory.Service, file string) {
	t.Helper()
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Gemini, Name: "session-1.jsonl", Source: strings.NewReader(file), Whole: true}); err != nil {
		t.Fatal(err)
	}
}

func takeWhole(t testing.TB, s *memory.Service, rows []string) {
	t.Helper()
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "t.jsonl", Source: strings.NewReader(conversation(t, rows...)), Whole: true}); err != nil {
		t.Fatal(err)
	}
}

func takeRows(t testing.TB, s *memory.Service, rows []string) {
	t.Helper()
	for i := range rows {
		if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "t.jsonl", Source: strings.NewReader(conversation(t, rows[:i+1]...))}); err != nil {
			t.Fatal(err)
		}
	}
}

func takeHooks(t testing.TB, s *memory.Service, rows []string) {
	t.Helper()
	hook := func(h transcript.Hook, n int) {
		t.Helper()
		h.Client, h.Name, h.SessionID, h.TranscriptPath = "claude-code", string(h.Moment), "s1", "t.jsonl"
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(conversation(t, rows[:n]...))}); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range rows {
		if prompt, ok := strings.CutPrefix(r, "user "); ok {
			hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: strings.SplitN(prompt, " ", 3)[2]}, i)
		}
	}
	hook(transcript.Hook{Moment: transcript.HookStop}, len(rows))
}

// A session whose user went back has the state of one in which they never went there (I2).
func TestRewindState(t *testing.T) {
	hash := func(rows ...string) string {
		t.Helper()
		s, _ := memorytest.Open(t)
		takeWhole(t, s, rows)
		owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
		if err != nil {
			t.Fatal(err)
		}
		return checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(owner.ID)}).Checkpoint.StateHash
	}
	base, gone := []string{"user a - one", "assistant b a ok"}, []string{"user c b two", "call t1 c m", "result r t1 t1", "assistant d r ok"}
	next, left := []string{"user e b three", "assistant f e ok"}, []string{"user g f four", "assistant h g ok"}
	last := []string{"user i f five", "assistant j i ok"}
	whole := hash(slices.Concat(base, gone, next, left, last)...)
	if want := hash(slices.Concat(base, next, last)...); whole != want {
		t.Errorf("the state has the hash %s, want %s", whole, want)
	}
}

// A restore text says which events it leaves out, the answer to resume as well, and the
// list of all that the user said.
func TestRewindIsSaid(t *testing.T) {
	s, _ := memorytest.Open(t)
	takeWhole(t, s, []string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "user e d three", "user c2 b two b", "assistant d2 c2 ok"})
	owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
	if err != nil {
		t.Fatal(err)
	}
	a := resume(t, s, memory.ResumeRequest{Ref: byID(owner.ID)})
	if want := "\nLeft out, because it was taken back: events 4 to 6.\n"; !strings.Contains(a.Text, want) {
		t.Errorf("no %q in:\n%s", want, a.Text)
	}
	var said []string
	for _, m := range a.Messages {
		said = append(said, m.Content)
	}
	if diff := cmp.Diff([]string{"one", "ok", "two b", "ok"}, said); diff != "" || a.Earlier != nil {
		t.Errorf("messages: %s, earlier %v", diff, a.Earlier)
	}
	all, err := s.UserMessages(ctx, owner.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var back []string
	for _, m := range all {
		if m.TakenBack {
			back = append(back, m.Content)
		}
	}
	if diff := cmp.Diff([]string{"two", "three"}, back); diff != "" || len(all) != 4 {
		t.Errorf("taken back of %d: %s", len(all), diff)
	}
}

// Going back begins no window anew: what the model was told after a compaction is not told
// again with the next prompt.
func TestRewindTellsNothingAgain(t *testing.T) {
	s, _ := memorytest.Open(t)
	rows := []string{"user a - one", "assistant b a ok", "boundary x b -", "summary y x This session is being continued", "user c y two", "assistant d c ok", "user c2 y two b", "assistant d2 c2 ok"}
	hook := func(h transcript.Hook, n int) string {
		t.Helper()
		h.Client, h.Name, h.SessionID, h.TranscriptPath = "claude-code", string(h.Moment), "s1", "t.jsonl"
		a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(conversation(t, rows[:n]...))})
		if err != nil {
			t.Fatal(err)
		}
		return a.Text
	}
	hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "one"}, 0)
	if text := hook(transcript.Hook{Moment: transcript.HookStart, Source: "compact"}, 4); !strings.Contains(text, "Restored by wake") {
		t.Fatalf("after the compaction: %q", text)
	}
	hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "two"}, 4)
	hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "two b"}, 6)
	if text := hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "three"}, 8); text != "" {
		t.Errorf("told again: %s", text)
	}
	owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.RestoreText(ctx, owner.ID, 0, 8000); err != nil || strings.Contains(text, ") two\n") || !strings.Contains(text, ") two b\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

// A decision that was taken back becomes no context.
func TestRewindDistilsNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	mysql, postgres := "We decided to keep orders in MySQL because the hosting offers it for free.", "We decided to keep orders in PostgreSQL because invoices need serializable transactions."
	rows := []string{"user a - Where do orders go?", "assistant b a Let us see.", "user c b " + mysql, "assistant d c Fine.", "user c2 b " + postgres, "assistant d2 c2 Fine."}
	importDistilled(t, s, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "t.jsonl", Source: strings.NewReader(conversation(t, rows...)), Project: "demo"})
	list, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: "demo", Limit: 10})
	if err != nil || len(list) != 1 || list[0].Summary != postgres {
		t.Errorf("%v: %+v", err, list)
	}
}

// Where another wake's session is merged into the one that is here, what was taken back
// there takes nothing out of force: it names places in another log.
func TestRewindIsNotMerged(t *testing.T) {
	rows := []string{"user a - one", "assistant b a ok", "user c b two", "assistant d c ok", "user c2 b two b", "assistant d2 c2 ok"}
	there, _ := memorytest.Open(t)
	takeWhole(t, there, rows)
	var file bytes.Buffer
	if _, err := there.Export(ctx, memory.ExportRequest{W: &file}); err != nil {
		t.Fatal(err)
	}
	s, _ := memorytest.Open(t)
	takeWhole(t, s, []string{"user y - minus one", "user z y zero", "user a z one"})
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "there.jsonl", Source: &file}); err != nil {
		t.Fatal(err)
	}
	owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.RestoreText(ctx, owner.ID, 0, 8000)
	for _, said := range []string{"minus one", "zero", "one", "two b"} {
		if err != nil || !strings.Contains(text, ") "+said+"\n") && !strings.Contains(text, ")\n"+said+"\n") {
			t.Errorf("no %q, %v:\n%s", said, err, text)
		}
	}
	verified(t, s)
}

// A prompt that another hook blocked was never sent. Its own hook told of it, but no row
// of the transcript has it, only one that says so, which may leave out the words. The same
// words count if they are sent later.
func TestBlockedPromptIsDropped(t *testing.T) {
	const blocked = "UserPromptSubmit operation blocked by hook:\nnot here"
	for told, next := range map[string]string{blocked + "\n\nOriginal prompt: two": "three", blocked: "two"} {
		s, clock := memorytest.Open(t)
		rows := ""
		hook := func(moment transcript.HookMoment, prompt string) string {
			t.Helper()
			clock.Pass(time.Minute)
			h := transcript.Hook{Client: "claude-code", Moment: moment, Name: string(moment), Source: "resume", SessionID: "s1", TranscriptPath: "t.jsonl", Prompt: prompt}
			a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(rows)})
			if err != nil {
				t.Fatal(err)
			}
			return a.Text
		}
		hook(transcript.HookPrompt, "one")
		rows += conversation(t, "user a - one", "assistant b a ok")
		hook(transcript.HookPrompt, "two")
		rows += row(t, map[string]any{"type": "system", "subtype": "informational", "uuid": "c", "parentUuid": "b", "sessionId": "s1", "content": told})
		if text := hook(transcript.HookStart, ""); !strings.Contains(text, "message (event 1)\none\n") || strings.Contains(text, "two") {
			t.Errorf("it is told %s", text)
		}
		rows += conversation(t, "user d c "+next, "assistant e d ok")
		said := saidAndTakenBack(t, s, rows)
		if diff := cmp.Diff([]string{"one false", "two true", next + " false"}, said); diff != "" {
			t.Errorf("said and taken back (-want +got):\n%s", diff)
		}
		verified(t, s)
	}
}

// The hook of such a prompt may have waited while the session went on.
func TestPromptOfTheClientWaited(t *testing.T) {
	q := newQueueing(t)
	q.hook(transcript.HookPrompt, "one")
	q.clock.Pass(time.Hour)
	waited := memory.HookRequest{At: q.clock.Now(), Again: true, Project: "demo", Hook: transcript.Hook{Client: "claude-code", Moment: transcript.HookPrompt,
		Name: "UserPromptSubmit", SessionID: "s1", TranscriptPath: "t.jsonl", Prompt: "look again"}}
	q.rows += conversation(t, "user a - one", "assistant b a ok") +
		fmt.Sprintf(`{"type":"user","uuid":"s","parentUuid":"b","message":{"content":"look again"},"isMeta":true,"promptSource":"system","sessionId":"s1","timestamp":%q}`+"\n",
			q.clock.Now().Format(time.RFC3339Nano)) + conversation(t, "assistant d s looked")
	q.clock.Pass(time.Hour)
	q.rows += conversation(t, "user e d two", "assistant f e ok")
	waited.Transcript = strings.NewReader(q.rows)
	if _, err := q.s.Hook(ctx, waited); err != nil {
		t.Fatal(err)
	}
	if said, want := saidAndTakenBack(t, q.s, q.rows), []string{"one false", "two false"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// Hooks run side by side: one that blocks a prompt may be done, and the row that says so
// written, before wake's hook reads the transcript.
func TestPromptBlockedByAFasterHook(t *testing.T) {
	q := newQueueing(t)
	q.hook(transcript.HookPrompt, "one")
	q.rows += conversation(t, "user a - one", "assistant b a ok") +
		row(t, map[string]any{"type": "system", "subtype": "informational", "uuid": "c", "parentUuid": "b", "sessionId": "s1", "timestamp": q.clock.Now(),
			"content": "UserPromptSubmit operation blocked by hook:\nnot here\n\nOriginal prompt: two"})
	q.hook(transcript.HookPrompt, "two")
	said := saidAndTakenBack(t, q.s, q.rows)
	q.clock.Pass(time.Minute)
	q.hook(transcript.HookPrompt, "two") // this time it is not blocked
	q.rows += conversation(t, "user d c two", "assistant e d ok")
	q.hook(transcript.HookStop, "")
	if want := []string{"one false", "two true"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	if said, want := saidAndTakenBack(t, q.s, q.rows), []string{"one false", "two true", "two false"}; !slices.Equal(said, want) {
		t.Errorf("later said %q, want %q", said, want)
	}
	verified(t, q.s)
}

// saidAndTakenBack imports a copy of a transcript and returns each message of the user with
// whether it was taken back.
func saidAndTakenBack(t *testing.T, s *memory.Service, rows string) (said []string) {
	t.Helper()
	taken, err := s.Import(ctx, memory.ImportRequest{Format: transcript.ClaudeCode, Name: "copy.jsonl", Source: strings.NewReader(rows)})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.UserMessages(ctx, taken.Sessions[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		said = append(said, fmt.Sprint(m.Content, " ", m.TakenBack))
	}
	return said
}

// queueing is a session of Claude Code in which a person types while the model works.
type queueing struct {
	t     *testing.T
	s     *memory.Service
	clock *memorytest.Clock
	rows  string // of its transcript so far
}

func newQueueing(t *testing.T) *queueing {
	s, clock := memorytest.Open(t)
	return &queueing{t: t, s: s, clock: clock}
}

func (q *queueing) hook(moment transcript.HookMoment, prompt string) {
	q.t.Helper()
	q.clock.Pass(time.Second)
	h := transcript.Hook{Client: "claude-code", Moment: moment, Name: string(moment), SessionID: "s1", TranscriptPath: "t.jsonl", Prompt: prompt}
	if _, err := q.s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(q.rows)}); err != nil {
		q.t.Fatal(err)
	}
}

func (q *queueing) queued(operation, text string) {
	q.rows += row(q.t, map[string]any{"type": "queue-operation", "operation": operation, "timestamp": q.clock.Now(), "sessionId": "s1", "content": text})
}

// A prompt that was queued and taken back to edit it was never sent, though its hook told of
// it. Sent unchanged, or again later, the same words count.
func TestWithdrawnPromptIsDropped(t *testing.T) {
	for _, next := range []string{"two and more", "two"} {
		q := newQueueing(t)
		q.hook(transcript.HookPrompt, "one")
		q.rows += conversation(t, "user a - one")
		q.hook(transcript.HookPrompt, "two")
		q.queued("enqueue", "two")
		q.queued("popAll", "two")
		q.hook(transcript.HookPrompt, next)
		q.queued("enqueue", next)
		q.rows += conversation(t, "assistant b a ok")
		q.queued("dequeue", "")
		q.rows += conversation(t, "user d b "+next, "assistant e d ok")
		q.hook(transcript.HookStop, "")
		q.clock.Pass(time.Minute)
		q.hook(transcript.HookPrompt, "two")
		said := saidAndTakenBack(t, q.s, q.rows)
		if want := []string{"one false", "two true", next + " false", "two false"}; !slices.Equal(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
		verified(t, q.s)
	}
}

// What the client says by itself, such as a prompt on a schedule, is nobody's, though its hook
// tells of it like of a person's. A person who says the same later said it.
func TestPromptOfTheClientIsNobodys(t *testing.T) {
	for name, c := range map[string]struct {
		before, row, want string
	}{
		"on a schedule": {`{"type":"system","subtype":"scheduled_task_fire","uuid":"f","content":"Running scheduled task"`,
			`"uuid":"s","message":{"role":"user","content":"look again"},"isMeta":true,"promptSource":"system","turnOrigin":"scheduled"`, ""},
		"on a schedule, not told before": {"",
			`"uuid":"s","message":{"role":"user","content":"look again"},"isMeta":true,"promptSource":"system","turnOrigin":"scheduled"`, "look again true"},
		"of another program": {"",
			`"uuid":"s","message":{"role":"user","content":"[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nlook again"},"isMeta":true,"promptSource":"system","origin":{"kind":"unclassified"}`, "look again true"},
	} {
		q := newQueueing(t)
		q.hook(transcript.HookPrompt, "one")
		q.rows += conversation(t, "user a - one", "assistant b a ok")
		at := fmt.Sprintf(`,"sessionId":"s1","timestamp":%q}`+"\n", q.clock.Now().Add(time.Second).Format(time.RFC3339Nano))
		if c.before != "" {
			q.rows += c.before + at
		}
		q.hook(transcript.HookPrompt, "look again")
		q.rows += `{"type":"user",` + c.row + at + conversation(t, "assistant d s looked")
		q.hook(transcript.HookStop, "")
		q.clock.Pass(time.Minute)
		q.hook(transcript.HookPrompt, "look again")
		q.rows += conversation(t, "user e d look again", "assistant f e looked")
		q.hook(transcript.HookStop, "")
		want := slices.DeleteFunc([]string{"one false", c.want, "look again false"}, func(line string) bool { return line == "" })
		if said := saidAndTakenBack(t, q.s, q.rows); !slices.Equal(said, want) {
			t.Errorf("%s: said %q, want %q", name, said, want)
		}
		verified(t, q.s)
	}
}

// Who stops what a schedule had begun, and says something else, is a person.
func TestPersonSpeaksBehindASchedule(t *testing.T) {
	q := newQueueing(t)
	at := func() string {
		return fmt.Sprintf(`,"sessionId":"s1","timestamp":%q}`+"\n", q.clock.Now().Format(time.RFC3339Nano))
	}
	q.hook(transcript.HookPrompt, "one")
	q.rows += conversation(t, "user a - one", "assistant b a ok") + `{"type":"system","subtype":"scheduled_task_fire","uuid":"f","content":"Running scheduled task"` + at()
	q.hook(transcript.HookPrompt, "look again")
	q.rows += `{"type":"user","uuid":"s","message":{"content":"look again"},"isMeta":true,"promptSource":"system","turnOrigin":"scheduled"` + at() +
		conversation(t, "user i s [Request interrupted by user]")
	q.clock.Pass(time.Minute)
	q.hook(transcript.HookPrompt, "two")
	if said, want := saidAndTakenBack(t, q.s, q.rows), []string{"one false", "two false"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// What was typed behind a queued /clear goes to the session that begins then, though its hook
// told of it in the old one.
func TestPromptsBehindClearMoveOn(t *testing.T) {
	for _, clear := range []string{"/clear", "/clear fees", "/new", "/reset"} {
		q := newQueueing(t)
		q.hook(transcript.HookPrompt, "one")
		q.rows += conversation(t, "user a - one")
		q.hook(transcript.HookPrompt, "two")
		q.queued("enqueue", "two")
		q.queued("enqueue", clear)
		q.hook(transcript.HookPrompt, "three")
		q.queued("enqueue", "three")
		q.clock.Pass(20 * time.Second)
		q.hook(transcript.HookPrompt, "three") // again
		q.queued("enqueue", "three")
		q.rows += conversation(t, "assistant b a ok")
		q.queued("dequeue", "")
		q.rows += conversation(t, "user c b two", "assistant d c ok")
		q.queued("dequeue", "")
		q.hook(transcript.HookEnd, "")
		said := saidAndTakenBack(t, q.s, q.rows)
		if want := []string{"one false", "two false", "three true", "three true"}; !slices.Equal(said, want) {
			t.Errorf("%s: said %q, want %q", clear, said, want)
		}
		verified(t, q.s)
	}
}

// A session whose first prompt was blocked is named after the first one that was sent.
func TestBlockedPromptNamesNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	rows := ""
	hook := func(prompt string) {
		t.Helper()
		h := transcript.Hook{Client: "claude-code", Moment: transcript.HookPrompt, Name: "UserPromptSubmit", SessionID: "s1", TranscriptPath: "t.jsonl", Prompt: prompt}
		if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", Transcript: strings.NewReader(rows)}); err != nil {
			t.Fatal(err)
		}
	}
	hook("one")
	rows += row(t, map[string]any{"type": "system", "subtype": "informational", "uuid": "a", "sessionId": "s1", "content": "UserPromptSubmit operation blocked by hook:\nnot here"})
	hook("two")
	rows += conversation(t, "user b a two", "assistant c b ok")
	hook("three")
	owner, err := s.Store.SessionByClient(ctx, "claude-code", "s1")
	if err != nil || owner.Title != "two" {
		t.Errorf("it is named %q, %v", owner.Title, err)
	}
	verified(t, s)
}
