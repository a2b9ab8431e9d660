package distil

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/domain"
)

// Clients let a person answer a question with a button and refuse an action with a
// word. Both are recorded as the answer of a tool.

// clientTold adds what a person told the client rather than the assistant.
func (d *distiller) clientTold(e domain.Event, m domain.Message) {
	if words, refused := refusal(m); refused {
		d.refused(e, words)
		return
	}
	for _, a := range clientAnswers(m) {
		d.chosen(e, a)
	}
	if plan := approvedPlan(m); plan != "" {
		d.planned(e, plan)
	}
}

// planned adds an approved plan as the person's decision: its title and its first
// meaningful sentence. Its steps remain in the message.
func (d *distiller) planned(e domain.Event, plan string) {
	first, _, _ := strings.Cut(strings.TrimSpace(plan), "\n")
	title := ""
	if strings.HasPrefix(first, "#") {
		title = planTitle().ReplaceAllString(plainProse(strings.Trim(first, "# ")), "")
	}
	all := splitSentences(plan)
	i := slices.IndexFunc(all, func(s sentence) bool { return !s.small() && !s.item && !strings.HasSuffix(s.text, ":") })
	c := spoken(e, ruleDecision, title)
	c.lead = "Approved plan"
	switch {
	case i >= 0 && title != "":
		c.lead, c.text = shortened("Approved plan: "+title), all[i].text
	case i >= 0:
		c.text = all[i].text
	}
	if c.words = wordSet(title + " " + c.text); len(c.words) > 2 {
		d.join(c)
	}
}

// planTitle matches the beginning of a plan's title that says nothing.
var planTitle = lazily(`(?i)^((the|implementation|feature|refactoring|migration) )*plan( for|:| [-–—])?\s*`)

// approvedPlan returns the plan whose approval a tool's answer reports, or "". It reads
// both the form given to hooks and the one given to the model.
func approvedPlan(m domain.Message) string {
	if m.Error != "" || m.ToolName != "ExitPlanMode" {
		return ""
	}
	if strings.HasPrefix(m.Content, "{") {
		var o struct{ Plan string }
		_ = json.Unmarshal([]byte(m.Content), &o) // invalid JSON holds no plan
		return o.Plan
	}
	opening, plan, _ := strings.Cut(m.Content, "\n## Approved Plan")
	if !strings.HasPrefix(opening, "User has approved your plan") {
		return ""
	}
	_, plan, _ = strings.Cut(plan, ":\n")
	return plan
}

// clientAnswer is a question of a client and what the person chose.
type clientAnswer struct{ question, answer string }

// chosen adds an answer as a decision. A short answer to a question about the order of
// work decides nothing that lasts.
func (d *distiller) chosen(e domain.Event, a clientAnswer) {
	a.answer = marked().ReplaceAllString(a.answer, "")
	if a.decides() {
		d.keep(e, a)
	}
}

// keep adds an answer as a decision.
func (d *distiller) keep(e domain.Event, a clientAnswer) {
	about := a.question
	if at := strings.LastIndexByte(about, '?'); at > 0 {
		about = about[:at+1] // the rest comments on the question
	}
	about = numberedQuestion{text: about}.brief()
	c := spoken(e, ruleDecision, a.answer)
	c.lead, c.words = shortened(about), wordSet(about+" "+a.answer)
	d.join(c)
}

// decides reports whether an answer, read later by itself, says how something is to be.
func (a clientAnswer) decides() bool {
	switch {
	case !a.tells(), carriesOn().in(a.answer) && !asksOfThing().in(a.question), len(wordSet(a.answer)) <= 2 && ongoing().in(a.question+" "+a.answer):
		return false
	default:
		return (!asksHowToGoOn().in(a.question) || lasts().in(a.answer)) && (len(a.answer) >= fewWords || !handles().in(a.answer))
	}
}

// tells reports whether an answer contains information of its own.
func (a clientAnswer) tells() bool {
	question, answer := strings.ToLower(a.question), strings.ToLower(a.answer)
	switch {
	case len(wordSet(a.answer)) == 0 && !slices.Contains([]string{"no", "si", "ja"}, answer), utf8.RuneCountInString(answer) > maxAnswer:
		return false
	case strings.Contains(answer, "?"), len(answer) < maxLead && unsure().in(answer), evades().in(answer), letsGoOn().in(answer):
		return false
	default:
		return !confidential().in(question) && !informs().in(question) && !(asksIfThere().in(question) && saysIfThere().in(answer)) && !strings.Contains(question, "next step")
	}
}

// marked matches what an assistant appends to the option it recommends.
var marked = lazily(`(?i) \(recommended\)$`)

// confidential matches a question for something that must not be kept.
var confidential = phrasing(`\b(what|which|enter|provide|give|paste|tell)\b( \S+){0,3} (password|passphrase|secret|token|(api|access|private) key|pin|credentials?)( (should|shall|is|do|does|to|for|of|has)\b|\W*$)`)

// informs matches a question whose answer tells the assistant what there is, and asksIfThere
// one whose answer does if it is yes or no: "do you have a preference?" may be answered with it.
var (
	informs     = phrasing(`\b(do|did|have) you (\w+ )?(know|see|seen|tried|try|run|find|found)\b`)
	asksIfThere = phrasing(`\b(do|did|have) you (\w+ )?(have|get|got)\b`)
	saysIfThere = phrasing(`^(yes|yeah|yep|no|nope|not|none|i (do|did|have|got|don't|haven't))\b`)
)

// letsGoOn matches an answer that approves of what was shown and says nothing more.
var letsGoOn = phrasing(`^(looks? (good|fine|great|right)|no changes?|approved?|all good)( to me)?\W*((please )?(write|start|go|proceed|continue|implement|build|ship|commit|make)\b[^,;.]*)?[.!]?$`)

// evades matches how a person avoids an answer.
var evades = phrasing(`\b(know more|explain|clarify|depends|leaning|(don't|do not) know|you (decide|choose|tell me)|i('m| am) (flexible|open)|no preference|either (one|way|is)|up to you|let me)\b|\b(describe|write|type|provide|specify|paste) my own\b|^((something|anything) else|other|custom)[.!]?$|\bone of (those|these|them)[.!]?$|^(hold on|wait|(show|tell|give|ask|remind) me|point (me|us) (at|to))\b|^(so |but |and )?(do|did|does|can|could|would|what|why|how|where|which|is|are) (you|i|we|it|this|that|there|the)\b`)

// ongoing matches what concerns only the work at hand.
var ongoing = phrasing(`\b(proceed|continue|go ahead|start (now|implement\w+|with)|begin|next( step)?|ready|commit|push|pull request|pr|approve|look (right|good|ok\w*)|` +
	`authenticate|log ?in|sound good|clarify|now(\?|$)|execution (approach|mode|option)|(debug|work|execution|implementation|fix|task|test) order)\b`)

// carriesOn matches an answer that only lets the work go on, unless the question asks what
// a thing does in some case.
var (
	carriesOn   = phrasing(`^(yes,? |please |just )*((continue|proceed|resume)( (with|the|on|from|where|here|now|this|that|\w+ing|as (is|planned))\b|[.!,;]|$)|go (on|ahead)\b|carry on\b|keep going\b)`)
	asksOfThing = phrasing(`\b(should|shall|must|does|do|will|would) (an?|the|it|this|each|every|all) [^?]*\b(if|when|whenever|after|once|in case)\b`,
		`\b(if|when|whenever|after|once|in case) [^?]*\b(should|shall|must|does|do|will|would) (an?|the|it|this|each|every|all) `)
)

// fewWords is the length, in bytes, below which an answer holds one thing at most.
const fewWords = 40

// asksHowToGoOn matches a question about how the work is to go on, lasts an answer that says
// more than that, and handles one that is carried out at once and leaves nothing behind.
var (
	asksHowToGoOn = phrasing(`\bhow (would|do|should|shall|can) (you|i|we) (like to |want to |want me to )?(get started|start|begin|proceed|continue|go on|go ahead)\b`, `\bwhat (did|do) you mean by\b`, `\bwhat (should|shall|do you want|would you like) (me|us|i|we) (to )?do( first| next| now| here| about it)?\?`)
	lasts         = phrasing(`\b(because|since|so that|instead|rather than|always|never|until|must|(has|have) to)\b|^keep .*, `)
	handles       = phrasing(`^(please |yes,? |just )*(kill|restart|retry|re-?run|abort|reboot|wait|set it up|install it|do it|run it|try (it|again)|fix (it|both|all|them))\b`)
)

// noted adds what a person had the client write into its notes.
func (d *distiller) noted(e domain.Event, m domain.Message) {
	const mark = "user-memory-input>"
	note, is := strings.CutPrefix(strings.TrimSpace(m.Content), "<"+mark)
	note, _, closed := strings.Cut(note, "</"+mark)
	if s := (sentence{text: plainProse(note)}); is && closed && !s.small() {
		d.join(spoken(e, rulePreference, s.text))
	}
}

// clientAnswers returns the answers to what a client asked by its own tool. The same
// text in the answer of another tool is not the person's.
func clientAnswers(m domain.Message) []clientAnswer {
	if m.Error != "" || !Asks(m.ToolName) {
		return nil
	}
	if strings.HasPrefix(m.Content, "{") {
		return answersIn(m.Content)
	}
	for _, opening := range []string{"User has answered your questions: ", "Your questions have been answered: ", "The user answered: "} {
		if _, pairs, ok := strings.Cut(m.Content, opening+`"`); ok {
			return answersOf(pairs)
		}
	}
	return nil
}

// Asks reports whether a tool of a client asks the user questions.
func Asks(tool string) bool { return tool == "AskUserQuestion" || tool == "question" }

// answersOf parses what the model is given: "question"="answer" pairs, some followed by
// a remark of the client, and advice at the end.
func answersOf(pairs string) (all []clientAnswer) {
	parts := strings.Split(strings.ReplaceAll(pairs, `"=(no option selected)`, `"=""`), `"="`)
	for i, answer := range parts[1:] {
		question := parts[i]
		if i > 0 { // the end of the previous answer
			_, question = cutLast(question, `, "`)
		}
		ending := `", "` // next question
		if i == len(parts)-2 {
			ending = `". ` // advice
		}
		if at := clientRemark().FindStringIndex(answer); at != nil {
			answer = answer[:at[0]]
		} else {
			answer, _ = cutLast(answer, ending)
		}
		all = append(all, clientAnswer{question, answer})
	}
	return all
}

// clientRemark matches the end of an answer and the beginning of the client's remark on it.
var clientRemark = lazily(`" (selected [a-z]+|(user )?notes):`)

// cutLast is [strings.Cut] at the last separator.
func cutLast(text, separator string) (before, after string) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):]
	}
	return text, ""
}

// answersIn parses the answers in the form given to hooks: one, or a list of choices.
func answersIn(content string) (all []clientAnswer) {
	var o struct {
		Questions []struct{ Question string }
		Answers   map[string]json.RawMessage
	}
	if json.Unmarshal([]byte(content), &o) != nil {
		return nil
	}
	for _, q := range o.Questions {
		var one string
		var several []string
		if raw := o.Answers[q.Question]; json.Unmarshal(raw, &one) != nil && json.Unmarshal(raw, &several) != nil {
			continue
		}
		all = append(all, clientAnswer{q.Question, cmp.Or(one, strings.Join(several, ", "))})
	}
	return all
}

// ToldClient returns what a person told the client rather than the assistant, in the answer
// of a tool: the words of a refusal, or the client's questions with the answers; "" if m is
// no such answer.
func ToldClient(m domain.Message) string {
	if words, refused := refusal(m); refused {
		return strings.TrimSpace(words)
	}
	var told []string
	for _, a := range clientAnswers(m) {
		told = append(told, a.question+" → "+a.answer)
	}
	return strings.Join(told, "\n")
}

// Refused reports whether a tool's answer says that a person refused the action. Answers of
// other servers' tools are not trusted to say so.
func Refused(m domain.Message) bool {
	return m.Error != "" && !strings.HasPrefix(m.ToolName, "mcp__") && strings.HasPrefix(m.Content, "The user doesn't want to proceed with this tool use.")
}

// refusal returns what a person said when refusing an action of the assistant.
func refusal(m domain.Message) (words string, refused bool) {
	if !Refused(m) {
		return "", false
	}
	_, words, refused = strings.Cut(m.Content, "To tell you how to proceed, the user said:\n")
	words, _, _ = strings.Cut(words, "\n\nNote: The user's next message")
	return words, refused && !strings.HasPrefix(words, "The user wants to clarify these questions.")
}

// refused treats the words of a refusal like any other message, and what they say about
// how a thing should be as a decision about what was refused.
func (d *distiller) refused(e domain.Event, words string) {
	about := answerable{text: d.last.text}.topic()
	d.person(e, words)
	for _, s := range splitSentences(words) {
		if len(words) > maxAnswer || s.small() || d.isTaken(e, s.text) || unsure().in(s.text) || !rights().in(s.text) {
			continue
		}
		c := spoken(e, ruleDecision, s.text)
		if leans(s.text, c.words) {
			c.lead = shortened(about)
		}
		d.join(c)
	}
}

// rights matches how a person says how a thing should be.
var rights = phrasing(`\b(should|must|has to|have to|needs? to|instead|rather than|not \w+ but|same as|convention|guidelines?)\b`, `\bi (don't|dont|do not) want\b`)
