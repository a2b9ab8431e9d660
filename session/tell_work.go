package session

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"wake/domain"
)

// Call is a call of a tool.
type Call struct {
	Tool, Subject string
	Failure       string // why it failed; "" if it did not
}

// What is told of the assistant's work, at most, in characters.
const (
	todosLength  = 1_000
	filesLength  = 600
	callsLength  = 1_000
	answerLength = 300
	aboutLength  = 120 // of what a call is about
	failedLength = 160 // of why it failed
)

// within lets tell write in at most one part in share of the room, and in at most `most`
// characters. What the reply was given beyond its share takes nothing from that of others.
func (t *teller) within(most, share int, tell func()) {
	kept := t.left - min(most, (t.left+t.given)/share, t.left)
	t.left -= kept
	tell()
	t.left += kept
}

// since writes what the user told the client after the last message: why an action was
// refused, or answers to questions.
func (t *teller) since() {
	for _, said := range t.Since {
		t.line(t.verbatim("The user's answer to the client", &said, t.left/2))
	}
}

// open writes what was begun and has not ended.
func (t *teller) open() {
	var items []string
	for _, op := range t.OpenOps {
		what := OneLine(cmp.Or(op.Name, op.ID), 80) + suffix(": ", OneLine(op.Label, aboutLength))
		items = append(items, fmt.Sprintf("- %s %s (event %d), never answered", op.Kind, what, op.FirstSeq))
	}
	for _, step := range t.UnderWay {
		items = append(items, fmt.Sprintf("- step %s %s, not completed", OneLine(step.ID, 80), step.Status))
	}
	for _, sig := range t.Waiting {
		items = append(items, fmt.Sprintf("- waiting for signal %s since event %d", OneLine(sig.Name, 80), sig.Seq))
	}
	t.list("\n## Left open", items, "session_report")
	t.done()
}

// done lists the steps that a workflow must not run again, newest first.
func (t *teller) done() {
	if len(t.Done) == 0 {
		return
	}
	var ids []string
	for _, step := range slices.Backward(t.Done) {
		ids = append(ids, step.ID)
	}
	t.line(fmt.Sprintf("\nSteps completed, not to be run again (%d): %s", len(ids), OneLine(strings.Join(ids, ", "), 400)))
}

// todos writes the assistant's own list, what is open first. One that is done says nothing.
func (t *teller) todos() {
	var open, done []string
	for _, todo := range t.Todos {
		switch text := OneLine(todo.Text, 200); todo.Status {
		case domain.TodoDone:
			done = append(done, text)
		case domain.TodoUnderWay:
			open = append(open, "- (under way) "+text)
		default:
			open = append(open, "- "+text)
		}
	}
	if len(open) == 0 {
		return
	}
	if len(done) > 0 {
		open = append(open, "- done: "+OneLine(strings.Join(done, "; "), 300))
	}
	heading := fmt.Sprintf("\n## The assistant's list of things to do (event %d", t.TodosSeq)
	if t.LastUser != nil && t.TodosSeq < t.LastUser.Seq {
		heading += ", before the user's last message"
	}
	t.list(heading+")", open, shortURI(t.TodosSeq))
}

// files writes which files were changed, the latest first, with their common folder once.
func (t *teller) files() {
	if len(t.Files) == 0 {
		return
	}
	files, dir := t.Files, commonFolder(t.Files)
	if t.small {
		files, dir = names(files), ""
	}
	text := "\nFiles changed, latest first"
	if dir != "" {
		text += ", below " + dir
	}
	text += ": "
	for i, file := range files {
		next := strings.TrimPrefix(file, dir)
		if i > 0 {
			next = ", " + next
		}
		if !t.fits(text + next + ", …") {
			if i == 0 {
				return
			}
			text += ", …"
			break
		}
		text += next
	}
	t.line(text)
}

// names returns the names of files without their folders.
func names(files []string) []string {
	out := make([]string, len(files))
	for i, file := range files {
		out[i] = file[strings.LastIndexAny(file, `/\`)+1:]
	}
	return out
}

// commonFolder returns the folder that all of several files are in, with its slash, if naming
// it once saves room.
func commonFolder(files []string) string {
	dir := path.Dir(files[0]) + "/"
	for _, file := range files {
		for !strings.HasPrefix(file, dir) {
			dir = path.Dir(strings.TrimSuffix(dir, "/")) + "/"
			if dir == "//" || dir == "./" {
				return ""
			}
		}
	}
	if len(files) == 1 || len(dir) < 10 {
		return ""
	}
	return dir
}

// calls writes what the assistant did last, of which its words may tell nothing yet. Who goes
// on would do it again, and again what has failed.
func (t *teller) calls() {
	var items []string
	for i, n := 0, 0; i < len(t.Calls); i = n {
		for n = i + 1; n < len(t.Calls) && t.Calls[n] == t.Calls[i]; n++ {
		}
		items = append(items, callItem(t.Calls[i], n-i))
	}
	const heading = "\n## What the assistant did last, in this order"
	for len(items) > 0 && !t.lines(heading, items) {
		items = items[1:] // the latest matter most
	}
}

// lines writes a heading and all of the items, if they fit, and reports whether they do.
func (t *teller) lines(heading string, items []string) bool {
	return t.line(heading + "\n" + strings.Join(items, "\n"))
}

// callItem tells of a call that was made so many times in a row.
func callItem(c Call, times int) string {
	item := "- " + OneLine(c.Tool, 80)
	if c.Subject != "" {
		item += ": " + OneLine(c.Subject, aboutLength)
	}
	if times > 1 {
		item += fmt.Sprintf(" (%d times)", times)
	}
	if c.Failure != "" {
		item += " — failed: " + BothEnds(c.Failure, failedLength)
	}
	return item
}

// saidBefore writes, where there is room, what the assistant had said earlier.
func (t *teller) saidBefore(heading string, said []Said) {
	var items []string
	for _, a := range said {
		items = append(items, fmt.Sprintf("- (event %d) %s", a.Seq, BothEnds(a.Text, answerLength)))
	}
	for len(items) > 0 && !t.lines(heading, items) {
		items = items[:len(items)-1]
	}
}

// summary writes, where there is room, the end of the client's summary, where it says what is
// to be done, or at least where it is.
func (t *teller) summary() {
	const length, least = 1_200, 300
	if t.Summary == nil {
		return
	}
	heading := fmt.Sprintf("\n## The client's summary of what came before event %d", t.Summary.Seq)
	if room := min(length, t.left-runes(heading)-40); room >= least {
		t.line(heading + "\n" + lastOf(t.Summary.Text, room) + " (whole at " + shortURI(t.Summary.Seq) + ")")
		return
	}
	t.line(heading + ": " + shortURI(t.Summary.Seq))
}

// origin tells what a fork goes on from in the room that is left.
func (t *teller) origin() {
	const least = 400
	if t.Origin != nil && t.left >= least {
		t.line(strings.TrimSuffix(Tell(*t.Origin, t.left), "\n"))
	}
}
