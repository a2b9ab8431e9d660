package distil

import (
	"strings"
	"unicode"

	"wake/domain"
)

// An assistant that needs to know several things numbers its questions, and a person
// answers by number: "1. yes 2. Postgres 3. no".

// numberedQuestion is one of these questions, with the answers that it offers, if any.
type numberedQuestion struct {
	text    string
	options []string
}

// A line that numbers a question, and one that offers an answer.
var (
	questionLine = lazily(`^(?:[#*-]+ ?)?(?:(?i:q|question) ?)?(\d)[.):][*:]* +(\S.*)`)
	answerLine   = lazily(`^(?:[-*] )?\**\(?([a-eA-E])[.)]\**\s+(\S.*)`)
)

// questions returns what a message numbers from 1, whether it asks something or not.
func (t answerable) questions() (all []numberedQuestion) {
	if len(t.text) > maxAsking {
		return nil
	}
	fenced, goesOn := false, false
	for line := range strings.Lines(t.text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, fence) {
			fenced = !fenced
		}
		switch m := questionLine().FindStringSubmatch(line); {
		case fenced:
		case m != nil && int(m[1][0]-'1') == len(all):
			all = append(all, numberedQuestion{})
			goesOn = all[len(all)-1].add(m[2])
		case len(all) > 0 && all[len(all)-1].offers(line):
			goesOn = false
		case goesOn:
			goesOn = line != "" && (line[0] != '-' || strings.Contains(line, "?")) && all[len(all)-1].add(line)
		}
	}
	return all
}

// add adds a line to the question up to its end, and reports whether it continues.
func (q *numberedQuestion) add(line string) bool {
	if strings.HasSuffix(line, "**") && !strings.HasSuffix(line, ":**") && !strings.HasSuffix(line, "?**") {
		line += ":" // a title
	}
	if at := strings.LastIndexByte(line, '?'); at >= 0 {
		line = line[:at+1]
	}
	q.text = strings.TrimSpace(q.text + " " + plainProse(line))
	return !strings.HasSuffix(q.text, "?")
}

// offers handles a line that offers the next answer, and reports whether it is one.
func (q *numberedQuestion) offers(line string) bool {
	m := answerLine().FindStringSubmatch(line)
	if m == nil || int(m[1][0]|0x20) != 'a'+len(q.options) {
		return false
	}
	q.options = append(q.options, plainProse(m[2]))
	return true
}

// numberedAnswer is the place of a question, counted from 0, and its answer.
type numberedAnswer struct {
	question int
	text     string
}

// answerMark matches what precedes an answer: "2.", "2)", "Q2:", or the number right
// before the letter of an option.
var answerMark = lazily(`(?i)(?:^|[\s,;])(?:(?:q ?(\d)[.):]?|(\d)[.):])\s+|(\d)[-.]?[a-e]\b)|[\n;] ?(\d)(?:[.)]| )`)

// numberedAnswers returns the answers of a message that numbers at least two, in order
// and from the beginning of a line, and the rest of the message. It returns none if a
// number is out of order.
func numberedAnswers(text string) (besides string, all []numberedAnswer) {
	if !counting(text) {
		return "", nil
	}
	marks := answerMark().FindAllStringSubmatchIndex(text, -1)
	for len(marks) > 0 && marks[0][0] != 0 && text[marks[0][0]] != '\n' {
		marks = marks[1:]
	}
	if len(marks) < 2 {
		return "", nil
	}
	besides = text[:marks[0][0]]
	for i, m := range marks {
		begins, ends := m[1], len(text)
		if m[6] >= 0 {
			begins = m[7] // the letter is the answer
		}
		if i+1 < len(marks) {
			ends = marks[i+1][0]
		} else if paragraph := strings.Index(text[begins:], "\n\n"); paragraph >= 0 {
			ends = begins + paragraph
			besides += text[ends:]
		}
		question := int(text[max(m[2], m[4], m[6], m[8])] - '1') // of the group that matched
		if begins > ends || i > 0 && question <= all[i-1].question {
			return "", nil
		}
		if strings.HasSuffix(text[:begins], ".") && begins < ends && unicode.IsDigit(rune(text[begins])) {
			return "", nil // the number is not a mark, but for instance 2.5
		}
		answer := strings.TrimFunc(text[begins:ends], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;-", r) })
		all = append(all, numberedAnswer{question, strings.Join(strings.Fields(answer), " ")})
	}
	return besides, all
}

// counting reports whether a line of a text begins with a digit, or with the Q before
// one.
func counting(text string) bool {
	for line := range strings.Lines(text) {
		if line[0] <= '9' && line[0] >= '0' || line[0]|0x20 == 'q' {
			return true
		}
	}
	return false
}

// maxAnswers is the longest message, in bytes, that is read as several answers.
const maxAnswers = 1500

// answeredAll adds a person's answers to numbered questions. It reports whether the
// message is such a list of answers, and returns the rest of it.
func (d *distiller) answeredAll(e domain.Event, text string) (besides string, is bool) {
	if len(text) > maxAnswers || d.last.text == "" {
		return "", false
	}
	text = strings.TrimSpace(text)
	if len(text) < 40 {
		if m := yesToAll().FindStringSubmatch(strings.ToLower(text)); m != nil {
			return "", d.answeredAlike(e, m[1])
		}
	}
	besides, answers := numberedAnswers(text)
	if len(answers) == 0 {
		return "", false
	}
	questions := d.toSettle()
	for _, a := range answers {
		if a.question < len(questions) {
			is = d.answeredOne(e, questions[a.question], a.text) || is
		}
	}
	return besides, is
}

// yesToAll matches one answer to several questions.
var yesToAll = lazily(`^(?:(?:ok|okay|right|sure|well)[,. ]+)*(yes|no) (?:to|for|on) (?:both|all)(?: of (?:them|these))?[.!]*$`)

func (d *distiller) answeredAlike(e domain.Event, answer string) bool {
	questions := d.toSettle()
	for _, q := range questions {
		d.answeredOne(e, q, answer)
	}
	return len(questions) > 1
}

// toSettle returns the assistant's numbered questions, or none if it is looking for a
// fault.
func (d *distiller) toSettle() []numberedQuestion {
	about := splitSentences(d.asked.text)
	if narrows().in(d.last.text) || length(about) < maxComplaint && troubleIn(d.asked.text, about) {
		return nil
	}
	return d.last.questions()
}

// answeredOne adds an answer if it settles something, and reports whether a question
// was answered at all.
func (d *distiller) answeredOne(e domain.Event, q numberedQuestion, answer string) bool {
	if !strings.HasSuffix(q.text, "?") {
		return false
	}
	if i, ok := pickedOption(strings.ToLower(answer)); ok && i >= 0 && i < len(q.options) {
		answer = q.options[i]
	}
	if a := (clientAnswer{q.brief(), answer}); q.settledBy(answer) && a.tells() {
		d.keep(e, a)
	}
	return true
}

// settledBy reports whether an answer says how something is to be, rather than
// approving of what was shown or leaving it to the assistant.
func (q numberedQuestion) settledBy(answer string) bool {
	lower, words := strings.ToLower(q.text), len(wordSet(answer))
	asked := lastSentence(lower)
	switch {
	case words < 2 && yesOrNo().in(answer) && (strings.Contains(asked, " or ") || asksWhat().in(asked)):
		return false
	case leftOpen().in(answer), asksToGoOn().in(lower), asksApproval().in(lower) && words < 2, ongoing().in(lower) && words < 3:
		return false
	default:
		return len(q.options) > 1 || !asksHowItIs().in(asked) || asksHowToBe().in(lower)
	}
}

// brief returns the question; of a long one, its beginning and what it finally asks.
func (q numberedQuestion) brief() string {
	if len(q.text) <= maxLead {
		return q.text
	}
	asked := lastSentence(q.text)
	if m := titled().FindStringSubmatch(q.text); m != nil && len(m[1])+len(asked) < maxLead {
		return m[1] + ": " + asked
	}
	if len(asked) > maxLead/2 {
		return shortened(asked)
	}
	return shortenedTo(maxLead/2, q.text) + " " + asked
}

// lastSentence returns the last sentence of a text, or the whole text if it has none.
func lastSentence(text string) string {
	all := splitSentences(text)
	if len(all) == 0 {
		return text
	}
	return all[len(all)-1].text
}

// titled matches a text that begins with its subject.
var titled = lazily(`^([^.:?!]{3,60}?)(?::| [—–-]) `)

// Questions about how things are, asked because of a fault or a task, and questions
// about how they shall be.
var (
	asksHowItIs = phrasing(`^(your|the|and your) `, `^(and |so |but )?(is|are|was|were|does|did|has|have|can you|could you|do you|when did|what (happens|happened|do you see|does|did|is|are))\b`)
	asksHowToBe = phrasing(`\b(should|shall|want|wants|prefer|would you like|allowed?|okay?|fine|enough|better|best|acceptable|sufficient|required?|needed|mandatory|happy with|plan to|agree)\b`)
	// yesOrNo matches an answer that says nothing else, and asksWhat a question that it
	// does not answer.
	yesOrNo  = phrasing(`^(yes|no|yep|nope|yeah|ja|nein|si|sí|oui|non)[.!]*$`)
	asksWhat = phrasing(`^(what|which|how|where|who|when|why)\b`)
	// asksToGoOn matches a question about what to do next, and asksApproval one whether
	// what was shown is right.
	asksToGoOn   = phrasing(`^(are you )?ready to\b`)
	asksApproval = phrasing(`\b(make sense|(look|sound|feel)s? (right|good|ok(ay)?)|right (order|one|place)|correct|accurate|any (concerns|adjustments|objections|questions))\b`)
	// leftOpen matches an answer that leaves the decision to the assistant or for later,
	// asks in return, or names only numbers.
	leftOpen = phrasing(`^(why|what|how|which|who|when|where|can|could|does|did|is|are)\b`, `\b(i (don't|dont|do not) (know|understand)|how (that|this|it) works|what is|no idea)\b|^(no (sé|entiendo)|keine ahnung|je ne sais pas)`,
		`^(fine|ok|okay|good|great|correct|looks good)[.!]*$`,
		`\b(what(ever)? (you|would|looks|feels|works)|need your help|defer to you|circle back|your (guidance|call|choice|help)|up to you|come back to)\b`,
		`^(only |just |both )?\d( ?, ?| and | & )\d(( ?, ?| and | & )\d)*[.!]?$`, `, ?\d, `)
	// narrows matches how an assistant asks in order to find a fault.
	narrows = phrasing(`\b(narrow (it|this|that|things) down|diagnos\w+|troubleshoot\w*|reproduce|debug\w*|find (out|the cause)|what('s| is) (going on|wrong|happening))\b`)
)
