// Package distil finds what of a conversation is worth keeping: decisions, causes and
// fixes, preferences, facts.
//
// It reads message by message (distil.go) and sentence by sentence (sentences.go). A rule
// (rules.go) takes a sentence by how it is said; what a sentence means also depends on the
// question or offer that it answers (answer.go, offer.go, questions.go, options.go), on
// whether a fault was reported before (trouble.go), and on whether a person means it for
// good (speech.go). What is taken becomes a candidate (candidate.go), which may be withdrawn
// later in the conversation. Those that are left become contexts (kept.go).
package distil

import (
	"slices"
	"strings"

	"wake/domain"
)

// Cap is how many contexts [Session] makes of a stretch of a session by default.
const Cap = 12

// stretch is how many turns the limit is for. People go on in one session for days; if
// the limit were for all of it, what is decided later would be lost.
const stretch = 100

// Kept is what is worth keeping of a session.
type Kept struct {
	Contexts []domain.ContextSnapshot
	Links    []domain.Link // a reversal supersedes the decision that it withdraws
}

// Session finds, by rules alone, what was decided and learnt in a session: explicit
// decisions and their reversals, root causes, fixes, a person's lasting preferences,
// facts with numbers. It prefers leaving something out to keeping what nobody will look
// for. It returns at most limit contexts of every hundred turns, in the order of the log,
// each with its event; near-duplicates are merged. A fix names its root cause as its
// cause, and a reversal the earlier decision.
//
// The same events give the same contexts with the same ids, so that a session can be
// distilled again.
func Session(s domain.Session, events []domain.Event, limit int) Kept {
	d := &distiller{session: s}
	for _, e := range events {
		d.event(e)
	}
	return d.best(limit)
}

// distiller collects candidates.
type distiller struct {
	session   domain.Session
	all       []candidate
	drafting  bool       // the person asked for a draft, whose contents are nobody's statements
	playing   bool       // both play roles
	taught    bool       // the person asked a general question
	troubled  bool       // the person reported a fault that has not been explained yet
	complains bool       // the last message reports a fault
	plainly   bool       // and is short, so it discusses nothing
	uneasy    bool       // the last message reports a possible fault
	mending   bool       // the last message does little but confirm a cause or order its fix
	asked     answerable // what the person said before the assistant's last message
	last      answerable // the assistant's last message
	manner               // of the assistant's message that is read
}

func (d *distiller) event(e domain.Event) {
	if e.Erased {
		return
	}
	switch e.Type {
	case domain.EventMessage:
		if m, err := e.Message(); err == nil {
			d.message(e, m)
		}
	case domain.EventFinding:
		if f, err := domain.PayloadAs[domain.Finding](e); err == nil {
			d.finding(e, f)
		}
	}
}

func (d *distiller) message(e domain.Event, m domain.Message) {
	switch {
	case m.Kind == domain.CommandMessage:
		d.noted(e, m)
	case m.Kind != domain.PlainMessage:
		// nobody said it
	case m.Human() && d.session.Client == harnessed:
		// its harness speaks for the person
	case d.playing && !(m.Human() && playOver().in(m.Content)):
		// nobody means it
	case m.Role == domain.RoleTool:
		d.clientTold(e, m)
	case len(m.Content) > maxDistilled:
		d.last = answerable{} // a pasted log or document is nobody's statement
	case m.Human():
		d.person(e, m.Content)
	case m.Role == domain.RoleAssistant && !d.drafting:
		d.assistant(e, m.Content)
	}
}

// person handles a person's message, both as an answer and by itself.
func (d *distiller) person(e domain.Event, text string) {
	whole, said := worded(text), splitSentences(text)
	d.noteMood(text, said, &whole)
	d.judgeEarlier(e, text, said, &whole)
	if plan := handedPlan(text); plan != "" {
		d.planned(e, plan)
		d.last = answerable{}
		return
	}
	if own := ownWords(text); own != text {
		text, said, d.last = own, splitSentences(own), answerable{}
	}
	said = d.unanswered(e, text, said)
	if !whole.says(injected()) {
		d.personSentences(e, d.lastingSentences(said, &whole))
	}
	if len(said) == 0 {
		if text != "" { // it was an answer, and the next message asks about something else
			d.asked = answerable{}
		}
		return
	}
	d.asked, d.last = answerable{e, text}, answerable{}
}

// assistant handles an assistant's message, sentence by sentence and as a whole.
func (d *distiller) assistant(e domain.Event, text string) {
	d.dropMeasured(e.Turn)
	if whole := worded(text); !whole.says(injected()) && !forAnother(whole.text) {
		d.assistantSentences(e, splitSentences(text))
	}
	if strings.TrimSpace(text) != "" {
		d.last = answerable{e, text}
	}
}

// noteMood records what a person's message is about, which decides how it and the answer
// to it are read.
func (d *distiller) noteMood(text string, said []sentence, whole *wording) {
	d.playing, d.taught, d.drafting = whole.says(play()), whole.says(lesson()), whole.says(drafts())
	d.complains = troubleIn(text, said) || refuted(whole)
	d.troubled = d.complains || d.troubled && len(text) < maxAnswer
	d.plainly = length(said) < maxComplaint
	d.uneasy = !d.taught && uneasyIn(said)
}

// judgeEarlier withdraws or confirms what was found so far, if a person's message does.
func (d *distiller) judgeEarlier(e domain.Event, text string, said []sentence, whole *wording) {
	if whole.says(objects()) && !whole.says(pleased()) {
		d.withdraw(e.Turn)
	}
	if refuted(whole) || d.complains && d.recurs(e.Turn, text) {
		d.retractCauses(e.Turn, e.Seq)
	}
	d.mending = len(text) < maxRecognition && d.hasCause() && (whole.says(recognized()) || whole.says(mendIt()) || slices.ContainsFunc(said, instructs))
	if d.mending {
		d.confirmCauses(e.Turn, nil)
	}
}

// unanswered adds what a person's message decides as an answer, and returns the sentences
// that are not part of one.
func (d *distiller) unanswered(e domain.Event, text string, said []sentence) []sentence {
	if n := counted().FindString(text); n != "" && !strings.Contains(text, "\n") && !recounts(text) && len(said) > 0 && d.last.offersChoice() {
		said = slices.Insert(said, 0, sentence{text: "option " + n[:1]}) // a number, and the rest of the message
	}
	if besides, is := d.answeredAll(e, text); is {
		return splitSentences(besides)
	}
	if len(text) <= maxAnswer && !ownPoints().MatchString(text) && d.answered(e, said) {
		return said[1:]
	}
	return said
}

// ownPoints matches a message in which a person numbers points, which are not all an answer
// to the last question.
var ownPoints = lazily(`(?s)^1[.)] .*\n\s*2[.)] `)

// withdraw removes what the assistant decided in the previous turn, because the person
// contradicts, and what it took for a cause, unless the person only answers a question.
func (d *distiller) withdraw(turn int64) {
	answers := strings.HasSuffix(d.last.text, "?")
	d.all = slices.DeleteFunc(d.all, func(c candidate) bool {
		return c.by == domain.FromAssistant && turn-c.event.Turn == 1 && (c.is(ruleDecision) || c.is(ruleRootCause, ruleFix) && !answers)
	})
}

// dropMeasured removes what the assistant measured earlier in the turn, because its
// last message says what remains of it.
func (d *distiller) dropMeasured(turn int64) {
	d.all = slices.DeleteFunc(d.all, func(c candidate) bool { return c.is(ruleFact) && c.by == domain.FromAssistant && c.event.Turn == turn })
}

// finding adds a finding that the client reported.
func (d *distiller) finding(e domain.Event, f domain.Finding) {
	name, known := map[domain.FindingKind]string{domain.FindingRootCause: ruleRootCause, domain.FindingFix: ruleFix}[f.Kind]
	if known {
		d.add(e, ruleNamed(name), sentence{text: f.Text}, domain.FromAssistant)
	}
}

// harnessed is the client whose harness speaks for the person.
const harnessed = "swe-agent"

// maxDistilled is the longest message that is analysed, in bytes.
const maxDistilled = 40 << 10

// answerable is a message that may be answered: the assistant's last one, or the
// person's question.
type answerable struct {
	event domain.Event
	text  string
}
