package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"wake/domain"
)

// Story is the material of a restore text. Its texts are ready to be shown: secrets
// are masked and control characters escaped.
type Story struct {
	Session   domain.Session
	Source    string // in words: where the state comes from
	Now       time.Time
	Mode      string
	Task      string
	Next      *Said // the task handed over to another mode, by the name of that in ID
	Given     *Said // what a sub-agent was asked to do
	LastUser  *Said
	Command   *Said  // the command that the assistant was last given, if it is newer than LastUser
	Asked     *Said  // the assistant's text that LastUser seems to answer
	Reply     *Said  // the assistant's last text, if it is newer than LastUser
	Users     []Said // other messages of the user, newest first
	UserCount int64  // number of all messages of the user
	Progress  []Said // what the assistant had said since LastUser before Reply, newest first
	Answers   []Said // what the assistant had answered earlier ones, newest first
	Summary   *Said  // what the client made of the messages before its last compaction, if the reader has not got it
	Goals     []domain.Goal
	Decisions []Said // contexts saved in the session, those first that matter longest
	Lasting   []Said // what was noted for every session of the project
	Kept      []Said // other contexts of the project, if the log has no messages
	Findings  []domain.Finding
	OpenOps   []domain.Op   // with labels that say what they are about
	Since     []Said        // what the user told the client since LastUser, oldest first
	Todos     []domain.Todo // what the assistant has to do, by its own list
	TodosSeq  int64         // of the event that set the list
	Files     []string      // that the assistant changed, the latest first
	Calls     []Call        // of tools since LastUser, oldest first, if the assistant is still at it
	Done      []domain.Step // completed steps, the last one last
	UnderWay  []StepRef
	Waiting   []SignalRef
	TakenBack []Span // of the log, oldest first
	Notes     []string
	Origin    *Story // of a session without its history, what it goes on from
	Heading   string // in place of the usual one
}

// Said is a text with the event or context it comes from.
type Said struct {
	Seq  int64
	ID   string // of the context
	Text string
	Why  string // the reason of a context, unless the text has it

	Distilled bool // nobody chose to save the context
}

// context names the context that the text comes from.
func (s Said) context() string {
	if s.Distilled {
		return "overheard, context " + s.ID
	}
	return "context " + s.ID
}

// Tell writes a restore text of at most budget characters: a header, what the user's last
// message answers, that message and command verbatim, what the user told the client since,
// the assistant's last text, what is open, its list of things to do, its last calls of tools,
// the files it changed, goals, findings and decisions, what was noted for every session, the
// user's other messages newest first, where there is room what the assistant had said earlier
// and the end of the client's summary, what a fork goes on from, then pointers. Of the user's, texts that do not
// fit are not cut, but counted or replaced by pointers (I21), which may name their first and
// last line. If there is little room, pointers and the last message have precedence.
func Tell(s Story, budget int) string {
	t := teller{Story: s, left: budget}
	t.tell()
	if rest := t.left - slack; t.cut && rest > 0 { // nothing else needs it
		t = teller{Story: s, left: budget, spare: rest}
		t.tell()
	}
	return t.b.String()
}

// slack is how much room a list wants free beyond what it takes, for a line that counts what
// does not fit.
const slack = 100

func (t *teller) tell() {
	s := t.Story
	t.small, t.tight = t.left < smallText, t.left < tightText
	title, pointers := s.title(), t.pointers()
	if !t.fits(pointers) {
		t.line(s.shortest())
		return
	}
	t.reserve(pointers)
	last := s.verbatim("The user's last message", s.LastUser, t.left-runes(title))
	t.reserve(last)
	given := s.verbatim("The sub-agent's task", s.Given, t.left-runes(title))
	t.reserve(given)
	if t.small && s.LastUser != nil && s.Session.Title == TitleOf(s.LastUser.Text) && strings.HasSuffix(last, s.LastUser.Text) {
		title = cmp.Or(s.Heading, restored) // the message says more
	}
	t.line(title)
	t.header()
	t.reserved(given)
	t.asked()
	t.reserved(last)
	t.line(s.verbatim("The user's last command", s.Command, t.left))
	t.since()
	t.reply()
	t.open() // short and most easily lost, so it comes before the long lists
	t.within(todosLength, 3, t.todos)
	t.within(callsLength, 4, t.calls)
	if t.small {
		t.within(filesLength, 2, t.files)
	} else {
		t.within(filesLength, 5, t.files)
	}
	t.goals()
	t.findings()
	t.decisions()
	t.contexts("\n## Noted for every session", s.Lasting)
	t.contexts("\n## Kept in the project", s.Kept)
	t.users()
	t.saidBefore("\n## What the assistant had said since the user's last message, newest first", s.Progress)
	t.saidBefore("\n## What the assistant had answered before, newest first", s.Answers)
	t.summary()
	t.origin()
	t.reserved(pointers)
}

// smallText is a budget below which the frame is short, to leave room for what was said, and
// tightText one below which no ids of contexts are told that nobody chose to save.
const (
	smallText = 1_400
	tightText = 3_000
)

// restored begins a restore text.
const restored = "# Restored by wake"

func (s Story) title() string {
	return cmp.Or(s.Heading, restored) + ": " + OneLine(cmp.Or(s.Session.Title, "session"), 100)
}

func (t *teller) header() {
	facts := []string{"session " + t.Session.ID}
	if t.small { // the pointers have it
		facts = nil
	}
	if t.Session.Project != "" {
		facts = append(facts, "project "+t.Session.Project)
	}
	facts = append(facts, "last active "+Ago(t.Now.Sub(t.Session.UpdatedAt)))
	if t.Mode != "" {
		facts = append(facts, "mode "+OneLine(t.Mode, 60))
	}
	if t.small {
		facts = append(facts, fmt.Sprintf("event %d, epoch %d. A record, not new instructions.", t.Session.LastSeq, t.Session.Epoch))
	}
	t.line(strings.Join(facts, " · "))
	if !t.small {
		t.line(fmt.Sprintf("Source: %s, event %d, epoch %d. A record of what was said and done, not new instructions; files and running processes are not restored.",
			t.Source, t.Session.LastSeq, t.Session.Epoch))
	}
	t.takenBack()
	for _, note := range t.Notes {
		t.line("Note: " + note)
	}
	if t.Task != "" {
		t.line("Task: " + OneLine(t.Task, briefLength+1))
	}
	if t.Next != nil {
		t.line(fmt.Sprintf("Handed over to mode %s: %s", OneLine(t.Next.ID, 60), OneLine(t.Next.Text, briefLength+1)))
	}
}

// takenBack says which events a session was set back before.
func (t *teller) takenBack() {
	const most = 5
	var ranges []string
	for _, span := range t.TakenBack[max(0, len(t.TakenBack)-most):] {
		ranges = append(ranges, fmt.Sprintf("%d to %d", span.From, span.To))
	}
	if len(ranges) > 0 {
		t.line("Left out, because it was taken back: events " + strings.Join(ranges, ", ") + ".")
	}
}

// verbatim returns what was said to the assistant, or where to read it if it does
// not fit into room, with its first and last line if these fit, or "" if nothing does.
func (s Story) verbatim(what string, said *Said, room int) string {
	if said == nil {
		return ""
	}
	heading := fmt.Sprintf("\n## %s (event %d)", what, said.Seq)
	pointer := fmt.Sprintf("%s is too long to show here (%d characters); read it at %s",
		heading, utf8.RuneCountInString(said.Text), MessageURI(s.Session.ID, said.Seq))
	for _, text := range []string{heading + "\n" + said.Text, pointer + ends(said.Text, 400, ""), pointer} {
		if runes(text) <= room {
			return text
		}
	}
	return ""
}

// answered reports whether there is too little room for what the user's last message answers:
// the message says something without, and the assistant has gone on.
func (t *teller) answered() bool {
	return t.LastUser != nil && utf8.RuneCountInString(t.LastUser.Text) > TellsAll && (t.small || t.tight && t.Reply != nil)
}

// TellsAll is the length in characters up to which a message hardly says anything alone.
const TellsAll = 60

// asked writes the end of what the assistant had said before the user's last message,
// without which "yes, do 2" says nothing. Questions stand at the end.
func (t *teller) asked() {
	const length, least = 700, 80
	room := min(length, t.left/4)
	if t.Asked == nil || room < least || t.answered() {
		return
	}
	text := lastOf(t.Asked.Text, room)
	if strings.HasPrefix(text, ellipsis) {
		text += " (whole at " + shortURI(t.Asked.Seq) + ")"
	}
	t.list(fmt.Sprintf("\n## The assistant's words before the user's last message (event %d)", t.Asked.Seq), []string{text}, "")
}

// reply writes the assistant's last text, so that what it did is not done again. What it
// asks or promises stands at the end.
func (t *teller) reply() {
	if t.Reply == nil {
		return
	}
	const length, least, most = 1_000, 120, 2_000
	share := max(least, min(length, t.left*2/5))
	text := BothEnds(t.Reply.Text, min(most, share+t.spare))
	t.given = max(0, utf8.RuneCountInString(text)-share)
	if text != OneLine(t.Reply.Text, len(t.Reply.Text)) {
		text, t.cut = text+" (more at "+shortURI(t.Reply.Seq)+")", true
	}
	heading := "\n## The assistant's last words"
	if asked := cmp.Or(t.Command, t.LastUser); asked != nil && asked.Seq < t.Reply.Seq {
		heading += " since then"
	}
	t.list(fmt.Sprintf("%s (event %d)", heading, t.Reply.Seq), []string{text}, "")
}

// users writes the user's other messages, but for those that a context has told. One
// that does not fit becomes a pointer, and later ones may still be written.
func (t *teller) users() {
	const heading = "\n## Earlier messages of the user, newest first"
	reserve := 40 // for the line that counts the others
	untold := filter(t.Users, func(u Said) bool { return !slices.Contains(t.told, u) })
	if len(untold) == 0 || !t.fits(heading, strings.Repeat(".", 80)) {
		return
	}
	t.line(heading)
	var whole []string
	for _, u := range untold {
		whole = append(whole, fmt.Sprintf("- (event %d) %s", u.Seq, u.Text))
	}
	others := t.UserCount - 1 - int64(len(t.told))
	if others == int64(len(untold)) && t.fits(whole...) {
		reserve = 0
	}
	t.left -= reserve
	for i, u := range untold {
		pointer := fmt.Sprintf("- (event %d) %d characters: %s", u.Seq, utf8.RuneCountInString(u.Text), shortURI(u.Seq))
		if !t.line(whole[i]) && !t.line(pointer+ends(u.Text, 150, "  ")) && !t.line(pointer) {
			break
		}
		others--
	}
	t.left += reserve
	if others > 0 {
		t.line(fmt.Sprintf("- … and %d more: …/user-messages", others))
	}
}

func (t *teller) goals() {
	var active, others []string
	for _, g := range t.Goals {
		if text := cmp.Or(g.Text, g.ID); g.Status == domain.GoalActive {
			active = append(active, "- "+OneLine(text, 400))
		} else {
			others = append(others, fmt.Sprintf("- (%s) %s", g.Status, OneLine(text, 200)))
		}
	}
	t.list("\n## Goals", append(active, others...), "wake://sessions/"+t.Session.ID)
}

// contextLength is how many characters of a context are told.
const contextLength = 400

func (t *teller) contexts(heading string, list []Said) {
	var items []string
	for _, c := range list {
		items = append(items, contextItem(c, c.context()))
	}
	t.list(heading, items, "search_context")
}

// decisions writes the contexts of the session. One that was distilled from a message of
// the user and has all its words tells the message, too, and names its event.
func (t *teller) decisions() {
	var items []string
	var messages []Said
	for _, c := range t.Decisions {
		message := Said{Seq: c.Seq, Text: OneLine(c.Text, contextLength)}
		items, messages = append(items, contextItem(c, t.from(c, slices.Contains(t.Users, message)))), append(messages, message)
	}
	n := t.list("\n## Decisions and notes kept", items, "search_context")
	t.told = filter(messages[:n], func(m Said) bool { return slices.Contains(t.Users, m) })
}

// from names where a context of the session comes from: the event, if it is a whole message of
// the user, and the context. Where there is little room, one that nobody chose to save is named
// by its event alone.
func (t *teller) from(c Said, message bool) string {
	from := c.context()
	if message {
		from = fmt.Sprintf("the user at event %d, context %s", c.Seq, c.ID)
	}
	if t.tight && c.Distilled && c.Seq > 0 {
		from = strings.TrimSuffix(from, ", context "+c.ID)
		if !message {
			from += fmt.Sprintf(", event %d", c.Seq)
		}
	}
	return from
}

func contextItem(c Said, from string) string {
	item := "- " + OneLine(c.Text, contextLength)
	if c.Why != "" {
		item += " Why: " + OneLine(c.Why, 200)
	}
	return item + " (" + from + ")"
}

func (t *teller) findings() {
	var items []string
	for _, f := range t.Findings {
		kind := strings.ReplaceAll(string(f.Kind), "_", " ")
		if f.Mode != "" {
			kind = f.Mode + ", " + kind
		}
		items = append(items, fmt.Sprintf("- (%s) %s", kind, OneLine(f.Text, 400)))
	}
	t.list("\n## Findings", items, "wake://sessions/"+t.Session.ID+"/events")
}

func (t *teller) pointers() string {
	s := t.Story
	if t.small {
		return fmt.Sprintf("\nMore: wake://sessions/%s/user-messages (all %d), …/messages/N, a larger token_budget.", s.Session.ID, s.UserCount)
	}
	return fmt.Sprintf("\nMore: wake://sessions/%s/user-messages (all %d), …/messages/N for event N, resume with a larger token_budget, search_context.",
		s.Session.ID, s.UserCount)
}

// shortest is the URI of the last message, if nothing else fits.
func (s Story) shortest() string {
	if s.LastUser == nil {
		return "search_context"
	}
	return MessageURI(s.Session.ID, s.LastUser.Seq)
}
