package main

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

// notesText are notes of a team of developers, what people ask for them, and prompts to
// an assistant; its first lines tell how it is written.
//
//go:embed notes/notes.txt
var notesText string

// decidedText are notes on 36 subjects, in each of which something was decided, and
// questions about the decision, its reason, or something else.
//
//go:embed notes/decided.txt
var decidedText string

// booksText are notes of makers of bookkeeping software, several on each subject, and
// what they ask months later, often in other words.
//
//go:embed notes/books.txt
var booksText string

// note is something saved, and what should find it.
type note struct {
	day       time.Time
	action    string
	tags      []string
	text      string
	reason    string
	questions []noteQuestion
	prompts   []string
}

type noteQuestion struct{ kind, text string }

// notesAsked is when the questions are asked, a Tuesday.
var notesAsked = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

// notesAmong is how many notes the store has, those that nobody asks for included.
const notesAmong = 600

// notes asks for what a team of developers wrote down over a year as people type it, of
// the whole service, and prompts it for what should come by itself.
func notes() error {
	for _, text := range []string{notesText, decidedText, booksText} {
		if err := notesOf(text); err != nil {
			return err
		}
	}
	return nil
}

func notesOf(text string) error {
	asked, strange, err := readNotes(text)
	if err != nil {
		return err
	}
	ctx := context.Background()
	m, closeMemory, err := newPrompted(ctx)
	if err != nil {
		return err
	}
	defer closeMemory()
	m.s.Now = func() time.Time { return notesAsked }
	all := slices.Concat(asked, fillers(notesAmong-len(asked)))
	slices.SortStableFunc(all, func(a, b note) int { return a.day.Compare(b.day) })
	for _, n := range all {
		if err := m.saveNote(ctx, n); err != nil {
			return err
		}
	}
	if err := m.askNotes(ctx, asked); err != nil {
		return err
	}
	if err := m.promptNotes(ctx, asked, strange); err != nil {
		return err
	}
	return m.s.Close(ctx)
}

// readNotes reads the notes, and the prompts that none of them belongs to.
func readNotes(text string) (out []note, strange []string, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "", "#":
		case "=":
			words := strings.Fields(rest + " -")
			n := note{action: words[1]}
			if n.day, err = time.Parse(time.DateOnly, words[0]); err != nil {
				return nil, nil, err
			}
			if words[2] != "-" {
				n.tags = strings.Split(words[2], ",")
			}
			out = append(out, n)
		case "because":
			out[len(out)-1].reason = rest
		case "?":
			kind, question, _ := strings.Cut(rest, ": ")
			n := &out[len(out)-1]
			n.questions = append(n.questions, noteQuestion{kind, strings.Replace(question, "STACK", stack(), 1)})
		case "!":
			n := &out[len(out)-1]
			n.prompts = append(n.prompts, rest)
		case "!-":
			strange = append(strange, rest)
		default:
			out[len(out)-1].text = line
		}
	}
	return out, strange, nil
}

// stack is a stack trace of some 6 KB in which one line is of a note.
func stack() string {
	var b strings.Builder
	b.WriteString("panic: close of closed channel\n\ngoroutine 1 [running]:\nmain.main.func1()\n\t/src/cmd/shopd/main.go:212 +0x1d4\n")
	for i := range 70 {
		fmt.Fprintf(&b, "net/http.(*conn).serve(0xc000%04x, {0x7a2e40, 0xc00011e%03x})\n\t/usr/local/go/src/net/http/server.go:%d +0x8f4\n", i*37, i, 2000+i)
	}
	b.WriteString("listener closed twice on SIGTERM\n")
	return b.String()
}

func (m prompted) saveNote(ctx context.Context, n note) error {
	saved, err := m.s.Save(ctx, memory.SaveRequest{Content: n.text, Tags: n.tags, Source: "mcp", Timestamp: n.day.Add(10 * time.Hour),
		ActionType: domain.ActionType(n.action), Rationale: n.reason})
	m.ids[saved.ID] = n.text
	return err
}

// noteHits counts at which place the right note was.
type noteHits struct{ asked, first, five, ten int }

func (h *noteHits) add(place int) {
	h.asked++
	h.first += int(oneIf(place == 1))
	h.five += int(oneIf(place > 0 && place <= 5))
	h.ten += int(oneIf(place > 0))
}

// askNotes prints by kind of question how often the note is found, and what was missed.
func (m prompted) askNotes(ctx context.Context, asked []note) error {
	kinds, all := map[string]*noteHits{}, &noteHits{}
	for _, n := range asked {
		for _, q := range n.questions {
			place, err := m.place(ctx, q.text, n.text)
			if err != nil {
				return err
			}
			if kinds[q.kind] == nil {
				kinds[q.kind] = &noteHits{}
			}
			kinds[q.kind].add(place)
			all.add(place)
			if place == 0 || place > 5 {
				fmt.Printf("at %2d: %-12s %.60q for %.50q\n", place, q.kind, q.text, n.text)
			}
		}
	}
	fmt.Printf("\n%-12s %6s %6s %6s %7s\n", "questions", "asked", "hit@1", "hit@5", "hit@10")
	kinds["~ all"] = all
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		h := kinds[kind]
		fmt.Printf("%-12s %6d %6.3f %6.3f %7.3f\n", kind, h.asked, share(h.first, h.asked), share(h.five, h.asked), share(h.ten, h.asked))
	}
	return nil
}

// place is where a text is among the first ten hits, 0 where it is not.
func (m prompted) place(ctx context.Context, question, text string) (int, error) {
	found, err := m.s.Search(ctx, memory.SearchRequest{Query: question, Project: "bench", Limit: 10})
	for i, h := range found.Hits {
		if m.ids[h.ID] == text {
			return i + 1, err
		}
	}
	return 0, err
}

// promptNotes prints what comes by itself with prompts that a note belongs to, and with
// others.
func (m prompted) promptNotes(ctx context.Context, asked []note, strange []string) error {
	for _, hurried := range []bool{false, true} {
		m.s.Hurried = hurried
		var own, foreign told
		for _, n := range asked {
			for _, p := range n.prompts {
				if err := m.prompt(ctx, step{question: p, gold: map[string]bool{n.text: true}}, &own); err != nil {
					return err
				}
			}
		}
		for _, p := range strange {
			if err := m.prompt(ctx, step{question: p}, &foreign); err != nil {
				return err
			}
		}
		fmt.Printf("\nprompts, hurried %t: %d with a note, %d answered, %d with it, %d of %d contexts right; %d without, %d answered\n",
			hurried, own.prompts, own.answered, own.hit, own.right, own.contexts, foreign.prompts, foreign.answered)
	}
	return nil
}

// What notes that nobody asks for are made of: words that the questions have too, in
// other company.
var (
	fillerParts = strings.Fields(`checkout basket catalog payments orders search-api gateway warehouse mail invoices importer admin
		reports mobile-app staging production scheduler webhook cache terminal`)
	fillerThings = strings.Split(`the retry policy, the config file, the database index, the update job, the login page, the error log, the request handler, the rate
		limit, the port, the token, the deployment, the migration, the backup, the feature flag, the test suite, the memory limit, the release notes, the Docker image,
		the query, the select list, the client library, the certificate, the time zone, the cookie banner, the price import, the queue consumer`, ",")
	fillerDeeds = strings.Split(`was slow until we cached, is owned now by, must be reviewed before the release by, broke after the last update and was fixed by, moved to another
		repository with help of, was renamed together with, is tested every night by, needs a new version after, was discussed in the meeting with, will be removed
		next quarter by`, ",")
	fillerPeople  = strings.Fields(`Anna Karim Lena Tomasz Olga Mateusz Yuki Jürgen Amélie Diego Priya Sven Ines Bob`)
	fillerActions = strings.Fields(`decision conversation file_edit tool_use research`)
	fillerMore    = []string{"Ticket OPS-%d.", "It took %d minutes.", "See docs/adr/%04d.md.", "Das Team hat %d Fälle geprüft.", "Port %d is free again.",
		"Version 3.%d.0 has it.", "El equipo revisó %d casos.", "影响了%d个用户。", "%d件を確認した。", "Проверили %d заказов.", "SELECT count(*) gave %d.", ""}
)

// fillers are notes of the same team that no question is for, the same ones each time.
func fillers(count int) (out []note) {
	rnd := rand.New(rand.NewPCG(1, 600))
	pick := func(from []string) string { return strings.Join(strings.Fields(from[rnd.IntN(len(from))]), " ") }
	for i := range count {
		text := fmt.Sprintf("%s: %s %s %s.", pick(fillerParts), pick(fillerThings), pick(fillerDeeds), pick(fillerPeople))
		if more := pick(fillerMore); more != "" {
			text += " " + fmt.Sprintf(more, 11+rnd.IntN(4000))
		}
		day := notesAsked.AddDate(0, 0, -1-(count-i)*364/count).Truncate(24 * time.Hour)
		out = append(out, note{day: day, action: pick(fillerActions), tags: []string{pick(fillerParts)}, text: text})
	}
	return out
}
