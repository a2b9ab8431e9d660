package transcript_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wake/domain"
	"wake/transcript"
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

func readLabelled(t *testing.T) (all []labelled) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "distil", "conversations.txt"))
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
func (c labelled) events(t *testing.T) []domain.Event {
	t.Helper()
	lines := slices.Clone(c.lines)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "A: ")
	}
	events := said(t, lines...)
	for i, line := range c.lines {
		if text, tool := strings.CutPrefix(line, "T: "); tool {
			e, err := domain.NewEvent(events[i].At, "", domain.Message{Role: domain.RoleTool, ToolCallID: "x", Content: text})
			if err != nil {
				t.Fatal(err)
			}
			e.Seq, e.Turn, e.SessionID = events[i].Seq, events[i].Turn, "s"
			events[i] = e
		}
	}
	return events
}

// ruleLetter is how labels name the rule that took a context.
func ruleLetter(c domain.ContextSnapshot) string {
	return map[string]string{"preference": "p", "decision": "d", "reversal": "r", "root-cause": "c", "fix": "f", "fact": "n"}[c.Tags[1]]
}

// What is kept of two hundred conversations is nearly always worth keeping, and most
// of what is worth keeping is kept. The shares are what the rules reach on texts that
// they were mended by; on texts unseen they miss more.
func TestDistilLabelled(t *testing.T) {
	var right, wrong, wanted int
	for _, c := range readLabelled(t) {
		got := transcript.Distil(domain.Session{ID: "s", Client: "claude-code"}, c.events(t), transcript.DistilCap).Contexts
		found := make([]bool, len(c.want))
		for _, one := range got {
			i := slices.IndexFunc(c.want, func(l label) bool {
				return strings.Contains(l.rules, ruleLetter(one)) && l.text.MatchString(one.Content)
			})
			never := slices.ContainsFunc(c.never, func(re *regexp.Regexp) bool { return re.MatchString(one.Content) })
			switch {
			case never || i < 0 || found[i]:
				wrong++
				t.Logf("%s: wrong %s: %s", c.name, one.Tags[1], one.Content)
			case c.want[i].must:
				found[i], right = true, right+1
			default:
				found[i] = true
			}
		}
		for i, l := range c.want {
			if l.must {
				wanted++
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
	}
	t.Logf("%d right, %d wrong, %d wanted", right, wrong, wanted)
	if 20*wrong > right || 5*right < 4*wanted {
		t.Errorf("%d right, %d wrong of %d wanted: want at most one wrong in twenty, and four found of five", right, wrong, wanted)
	}
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
