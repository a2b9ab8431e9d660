package distil_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wake/distil"
	"wake/domain"
)

// labelled is a conversation of testdata/distil with what is worth keeping of it.
type labelled struct {
	name   string
	lines  []string // as said takes them; of tools "T: "
	want   []label
	causes []string // "f<-c"
	never  []*regexp.Regexp
}

type label struct {
	must  bool
	rules string
	text  *regexp.Regexp
}

func readLabelled(t testing.TB, file string) (all []labelled) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "distil", file))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n=== ")
	marked := regexp.MustCompile(`^([+?]) ([pdrcfn,]+) : (.*)`)
	for part := range strings.SplitSeq(text, "\n=== ") {
		head, body, _ := strings.Cut(part, "\n")
		c := labelled{name: head}
		for line := range strings.SplitSeq(strings.TrimSuffix(body, "\n"), "\n") {
			m := marked.FindStringSubmatch(line)
			switch {
			case m != nil:
				c.want = append(c.want, label{m[1] == "+", m[2], regexp.MustCompile("(?i)" + m[3])})
			case strings.HasPrefix(line, "L "):
				c.causes = append(c.causes, line[2:])
			case strings.HasPrefix(line, "X : "):
				c.never = append(c.never, regexp.MustCompile("(?i)"+line[4:]))
			case len(c.lines) == 0 || len(line) > 2 && strings.Contains("UAT", line[:1]) && line[1:3] == ": ":
				c.lines = append(c.lines, line)
			default:
				c.lines[len(c.lines)-1] += "\n" + line
			}
		}
		all = append(all, c)
	}
	return all
}

// events of a labelled conversation.
func (c labelled) events(t testing.TB) []domain.Event {
	t.Helper()
	lines := slices.Clone(c.lines)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "A: ")
	}
	events := said(t, lines...)
	for i, line := range c.lines {
		if text, tool := strings.CutPrefix(line, "T: "); tool {
			e, err := domain.NewEvent(events[i].At, "", toolSaid(text))
			if err != nil {
				t.Fatal(err)
			}
			e.Seq, e.Turn, e.SessionID = events[i].Seq, events[i].Turn, "s"
			events[i] = e
		}
	}
	return events
}

// toolSaid is a tool's answer, of the kind that its words tell.
func toolSaid(text string) domain.Message {
	m := domain.Message{Role: domain.RoleTool, ToolCallID: "x", Content: text}
	switch {
	case strings.HasPrefix(text, "User has answered"):
		m.ToolName = "AskUserQuestion"
	case strings.HasPrefix(text, "The user doesn't want"):
		m.ToolName, m.Error = "Write", "refused"
	}
	return m
}

// ruleLetter is how labels name the rule that took a context.
func ruleLetter(c domain.ContextSnapshot) string {
	return map[string]string{"preference": "p", "decision": "d", "reversal": "r", "root-cause": "c", "fix": "f", "fact": "n"}[c.Tags[1]]
}

// What is kept of a conversation is nearly always worth keeping, and most of what is
// worth keeping is kept of conversations that the rules were mended by. fresh.txt says
// how it is with others: it was written when the rules were done, and measured once.
func TestLabelled(t *testing.T) {
	for _, set := range []struct {
		file   string
		recall float64
	}{
		{"conversations.txt", 0.9},
		{"worked.txt", 0.85},
		{"unseen.txt", 0.85},
		{"fresh.txt", 0.55},
		{"sessions.txt", 0.9},
		{"pasted.txt", 0.9},
		{"brief.txt", 0.9},
		{"stretches.txt", 0.9},
		{"turns.txt", 0.9},
		{"plain.txt", 0.85},
		{"alone.txt", 0.9},
		{"announced.txt", 0.9},
		{"durable.txt", 0.9},
	} {
		t.Run(set.file, func(t *testing.T) {
			var sum tally
			for _, c := range readLabelled(t, set.file) {
				sum = sum.plus(c.judge(t))
			}
			t.Logf("%d right, %d wrong, %d wanted", sum.right, sum.wrong, sum.wanted)
			if 20*sum.wrong > sum.right {
				t.Errorf("%d wrong beside %d right: want at most one in twenty", sum.wrong, sum.right)
			}
			if found := float64(sum.right) / float64(sum.wanted); found < set.recall {
				t.Errorf("%.2f of what is worth keeping was found, want %.2f", found, set.recall)
			}
		})
	}
}

// Small talk, questions and answers, code that is explained and a search that ends
// without a cause leave nothing behind.
func TestOrdinary(t *testing.T) {
	all := readLabelled(t, "ordinary.txt")
	if len(all) < 20 {
		t.Fatalf("%d conversations", len(all))
	}
	for _, c := range all {
		for _, one := range distil.Session(domain.Session{ID: "s", Client: "claude-code"}, c.events(t), distil.Cap).Contexts {
			t.Errorf("%s: took %q", c.name, one.Content)
		}
	}
}

// tally counts what was kept, and what should have been.
type tally struct{ right, wrong, wanted int }

func (a tally) plus(b tally) tally {
	return tally{a.right + b.right, a.wrong + b.wrong, a.wanted + b.wanted}
}

// judge holds what is distilled of a conversation against its labels.
func (c labelled) judge(t *testing.T) (sum tally) {
	got := distil.Session(domain.Session{ID: "s", Client: "claude-code"}, c.events(t), distil.Cap).Contexts
	found := make([]bool, len(c.want))
	for _, one := range got {
		i := -1
		for j, l := range c.want {
			if strings.Contains(l.rules, ruleLetter(one)) && l.text.MatchString(one.Content) && (i < 0 || found[i]) {
				i = j
			}
		}
		never := slices.ContainsFunc(c.never, func(re *regexp.Regexp) bool { return re.MatchString(one.Content) })
		switch {
		case never || i < 0 || found[i]:
			sum.wrong++
			t.Logf("%s: wrong %s: %s", c.name, one.Tags[1], one.Content)
		case c.want[i].must:
			found[i] = true
			sum.right++
		default:
			found[i] = true
		}
	}
	for i, l := range c.want {
		if l.must {
			sum.wanted++
		}
		if l.must && !found[i] {
			t.Logf("%s: missed %s: %s", c.name, l.rules, l.text)
		}
	}
	for _, cause := range c.causes {
		if !caused(got, cause) {
			t.Errorf("%s: no cause %s", c.name, cause)
		}
	}
	return sum
}

// caused reports whether a context has another as its cause, as "f<-c" says.
func caused(got []domain.ContextSnapshot, cause string) bool {
	effect, by, _ := strings.Cut(cause, "<-")
	return slices.ContainsFunc(got, func(one domain.ContextSnapshot) bool {
		return ruleLetter(one) == effect && slices.ContainsFunc(got, func(b domain.ContextSnapshot) bool {
			return b.ID == one.Causality.CausedBy && ruleLetter(b) == by
		})
	})
}

// BenchmarkTalk distils a session of 1,000 messages, more of which say something
// than of most.
func BenchmarkTalk(b *testing.B) {
	var events []domain.Event
	for len(events) < 1000 {
		for _, c := range readLabelled(b, "conversations.txt") {
			for _, e := range c.events(b) {
				e.Seq, e.Turn = int64(len(events)+1), int64(len(events)/3)
				events = append(events, e)
			}
		}
	}
	for b.Loop() {
		distil.Session(domain.Session{ID: "s", Client: "claude-code"}, events[:1000], distil.Cap)
	}
}
