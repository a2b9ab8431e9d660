package distil

import "strings"

// letters reports whether a message marks something with the letter A.
func (t answerable) letters() bool { return letterA().MatchString(t.text) }

var letterA = lazily(`(?mi)^[\s>*#|-]*(?:(?:option|approach|variant|direction) )?\(?a(?:[.):*|]| [|—–·-])`)

// headed returns the options that a message presents under numbered headings.
func (t answerable) headed() (all []string) {
	for line := range strings.SplitSeq(t.text, "\n") {
		line = strings.TrimSpace(line)
		if _, is := heading(line); !is {
			continue
		}
		if m := headedOption().FindStringSubmatch(line); m != nil && int(m[1][0]|0x20) == len(all)+first(m[1][0]) {
			all = append(all, strings.TrimRight(plainProse(m[2]), "*: "))
		}
	}
	return all
}

var headedOption = lazily(`^[#* ]*(\d|[A-Ea-e])[.):]\**\s+(\S.*)`)

// rows returns the rows of the only table of a message, with their cells in order, and
// whether the table marks rows by number or letter. The marks are left out.
func (t answerable) rows() (all []string, marked bool) {
	_, body, _ := strings.Cut(t.text, "|")
	at := tableRule().FindAllStringIndex(body, 2)
	if len(at) != 1 {
		return nil, false
	}
	for line := range strings.Lines(body[at[0][1]:]) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			break
		}
		mark, rest, _ := strings.Cut(line[1:], "|")
		if marked = rowMark().MatchString(strings.TrimSpace(mark)); marked {
			line = rest
		}
		all = append(all, cells(line))
	}
	return all, marked
}

// tableRule matches the line below the head of a table.
var tableRule = lazily(`(?m)^[ \t]*\|[ :|-]*-[ :|-]*\n`)

// rowMark matches the cell in which a table counts a row.
var rowMark = lazily(`^[#*]*(\d|[A-Ea-e])[.)*]*$`)

// cells joins a table row into one line.
func cells(row string) string {
	var all []string
	for cell := range strings.SplitSeq(row, "|") {
		if cell = strings.TrimSpace(emphasis.Replace(cell)); cell != "" {
			all = append(all, cell)
		}
	}
	return strings.Join(all, ", ")
}

// isMomentary reports whether what the assistant lists is only for the moment: the next
// step, a permission, a lesson. Choosing from it decides nothing.
func (d *distiller) isMomentary() bool {
	asked, last := d.asked.text, d.last.text
	return nextAsked().in(last) || learns().in(asked) || tries().in(asked) || rightAnswer().in(last) || routine().in(asked) || lesson().in(asked) && wanted().in(last)
}

var (
	nextAsked = phrasing(`\b(what|which|where)\b[^?.\n]{0,60}\b(next|first)\b[^?.\n]{0,20}\?`, `\bnext (\w+ )?steps?\b`, `\bif you (want|like|wish)\b[^.\n]{0,40}\bi can\b`, `\bwant me to (start|begin)\b`, `\b(do|would) you (want|like) (me )?to (proceed|continue)\?`,
		`\bwhat (would you like|do you want)( me)? to do\b`, `\bwhat else\b[^?\n]*\?`,
		`\b(which|what)\b[^?.\n]{0,40}\b(should|shall|do you want me to|would you like me to|can|want me to) (i )?(open|read|show|look|check|run|start|begin|explain|continue|work on|help|tackle)\b`,
		`\bwhere (should|shall|do you want|would you like)[^?\n]{0,20}\b(start|begin)\b`)
	// learns matches how a person asks to be taught or tested.
	learns = phrasing(`^((please|ok|hey|hi|can you|could you)[, ]+)*(teach|quiz|test) me\b`, `\b(quiz|vocabulary|flash ?cards)\b|\b(prepare|practi[sc]e|study|revise|learn)\b.*\b(exam|test|with me)\b`)
	// tries matches a question about how to try something out.
	tries = phrasing(`^((so|and|ok|now)[, ]+)*how (can|do|could|should) (i|we) (best |quickly |now )?(test|check|try|verify|see|debug|run)\b`)
	// routine matches an order whose choices apply only once.
	routine = phrasing(`^((please|pls|now|ok|okay|and|then|can you|could you|let's)[, ]+)*(commit|push|merge|rebase|pull|check ?out|stash|squash|tag|open a pr|create a pr)\b`)
	// wanted matches how an assistant asks which of several answers to give.
	wanted = phrasing(`\b(do you want|would you like)[:,]?\n`)
	// rightAnswer matches how a teacher speaks.
	rightAnswer = phrasing(`\b(choose|pick|select|find) the (right|correct|missing)\b`, `^(right|correct|exactly|well done)!`, `\bfill in the (blanks?|gaps?)\b`)
	// noOption matches an item that nobody chooses for good: a question, a yes, an
	// order.
	noOption = phrasing(`\?$`, `^((commit|push|squash|rebase|re-?run)( (it|this|that|the|my|your|all|now|and|to)\b.*)?$)`, `^(yes|no)([,.;:!]|$)|^(cancel|abort|continue|proceed)\b`)
)
