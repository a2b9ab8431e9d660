package distil

import (
	"cmp"
	"slices"
	"strings"
)

// sentences returns the sentences of an offer, or none for an essay.
func (t answerable) sentences() []sentence {
	if len(t.text) > maxOffer {
		return nil
	}
	return splitSentences(t.text)
}

// listed matches a list item: its number or letter, or a dash.
var listed = lazily(`^(?:\*\*)?(?:(?:option |variant |approach )?\(?(?:\d{1,2}|[a-eA-E])[.):]|[-*•–])(?:\*\*)?\s+(\S.*)`)

// either matches a choice between two things in a sentence.
var either = lazily(`(?i)\beither ([^.?]+?),? or ([^.?]+)|\bone (?:option |way )?is ([^.?]+)\. the other (?:option |way )?is ([^.?]+)`)

// options returns what a message lists, in order: what it calls options, else the last
// numbered list, else all list items.
func (t answerable) options() []string {
	if labelled := t.labelled(); len(labelled) > 1 {
		return labelled
	}
	items, counted := t.items()
	if m := either().FindStringSubmatch(t.text); len(items) < 2 && m != nil {
		return []string{cmp.Or(m[1], m[3]), cmp.Or(m[2], m[4])}
	}
	if len(counted) > 1 {
		return counted
	}
	if titles := t.headed(); len(titles) > 1 {
		return titles
	}
	if rows, marked := t.rows(); len(rows) > 1 && (marked || len(items) < 2) {
		return rows
	}
	return items
}

// items returns the list items of a message, and those of its last numbered list.
func (t answerable) items() (all, counted []string) {
	for _, line := range proseLines(t.text) {
		m := listed().FindStringSubmatch(line.text)
		if m == nil {
			continue
		}
		item := plainProse(m[1])
		all = append(all, item)
		switch mark := strings.Trim(line.text[:len(line.text)-len(m[1])], "*.(): \t"); {
		case mark == "1" || strings.EqualFold(mark, "a"):
			counted = []string{item}
		case strings.Trim(mark, "-•–") != "" && len(counted) > 0:
			counted = append(counted, item)
		}
	}
	return all, counted
}

// called matches a line or heading that names an option.
var called = lazily(`^[#*\s-]*(?:(?i:option|approach|variant) (\d|[A-Ea-e])\b[*\s:.)–—-]*|([A-E])\** [–—-] +)(\S.*)`)

// labelled returns the options that a message calls so, each with the text after its
// name.
func (t answerable) labelled() (all []string) {
	for line := range strings.SplitSeq(t.text, "\n") {
		m := called().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if mark := (m[1] + m[2])[0]; int(mark|0x20) == len(all)+first(mark) {
			all = append(all, plainProse(strings.TrimRight(m[3], "*: ")))
		}
	}
	return all
}

// first returns the index that a mark must have if options are named by marks.
func first(mark byte) int {
	if mark <= '9' {
		return '1'
	}
	return 'a'
}

// option returns the option at a place, -1 for the last; "" if there is no choice.
func (t answerable) option(i int) string {
	all := t.options()
	if i < 0 {
		i = len(all) - 1
	}
	if len(all) < 2 || i < 0 || i >= len(all) {
		return ""
	}
	return optionMark().ReplaceAllString(all[i], "")
}

// optionMark matches the counting mark at the beginning of an option.
var optionMark = lazily(`^\(?(?:\d|[A-Ea-e])[.)] +`)

// begunBy returns the option that begins like an answer, or "".
func (t answerable) begunBy(answer string) string {
	begin := strings.TrimRight(answer, ".!")
	if at := strings.IndexAny(begin, ",;–—"); at >= 0 {
		begin = strings.TrimSpace(begin[:at])
	}
	words := len(strings.Fields(begin))
	if words == 0 || words > 4 || slices.Contains([]string{"yes", "no", "ok"}, begin) || !strings.Contains(strings.ToLower(t.text), strings.Fields(begin)[0]) {
		return ""
	}
	all := t.options()
	for _, option := range all {
		rest, is := strings.CutPrefix(strings.ToLower(option), begin)
		name := strings.TrimLeft(rest, " ")
		if is && len(all) > 1 && (name == "" || strings.IndexAny(name, ":,.;(–—-") == 0 || words > 1 && name != rest) {
			return option
		}
	}
	return ""
}

// alternatives matches how a choice is offered.
var alternatives = phrasing(`\b(should|shall|want|prefer|would you|like|which|better|use|go with|either)\b.*\bor\b.*`,
	`\b(two|three|four|some|several|few|these|following|the|your|my|reasonable|main) (\S+ )?(options|approaches|ways|choices|alternatives|places|`+
		`candidates|possibilities)\b`,
	`^(options|approaches|choices|alternatives):`, `\bwhich (one |option |of )?.*\?`, `\b(sollen|oder|nehmen)\b.*\boder\b`, `\b(ou|o)\b .*\?$`)

// openChoice matches how a person asks which of two to take.
var openChoice = lazily(`(?i)\S+ (or|oder|ou|o) \S+[^?]*\?|\S+ or \S+`)

// diagnostic matches questions about what is, not what shall be.
var diagnostic = phrasing(`^(and |so |but )?(is|are|was|were|does|did|do|has|have|why|where|when|who)\b`)

// asksWhy reports whether a question is about what is, which no decision answers.
func asksWhy(question string) bool {
	return strings.HasSuffix(question, "?") && diagnostic().in(question) && !enough().in(question) && !strings.Contains(question, " or ")
}

// enough matches how a question about what is asks what shall be.
var enough = phrasing(`\b(enough|better|best|worth|need(ed)?|overkill|preferable)\b`)

// choice returns the sentence by which a message leaves a choice, or "".
func (t answerable) choice() string {
	if len(t.text) > maxQuestion {
		return ""
	}
	for _, s := range splitSentences(t.text) {
		if !strings.HasSuffix(s.text, "?") && (len(s.text) > 80 || instructed(s.text)) {
			continue
		}
		if openChoice().MatchString(s.text) && (!diagnostic().in(s.text) || enough().in(s.text)) {
			return s.text
		}
	}
	return ""
}

// proposes matches how an assistant says what it would do.
var proposes = phrasing(`\b(i('d| would)?|we) (strongly |rather |personally |also )?(suggest|recommend|propose|advise)\b`,
	`\bi('d| would) (rather |personally |just |also |simply )?[a-z]+`,
	`^\w+ing .*\b(would|should) (bring|cut|reduce|fix|help|avoid|solve|save|halve|prevent)\b`,
	`\bmy (recommendation|suggestion|proposal|advice)( is|:| would be)`, `^(recommendation|suggestion|proposal|advice): \S`, `\b(what|how) about (?:a|an|the|using|\w+ing)\b`,
	`\b(best|simplest|cleanest|safest|cheapest) (option|approach|way|fix|choice) (is|would be|here is)\b`,
	`\b(ich (empfehle|würde)|mein vorschlag|je (recommande|propose|suggère)|recomiendo|propongo|sugiero)\b`)

// howAbout matches how an assistant proposes with a question.
var howAbout = phrasing(`\b(what|how) about\b|\bwhy not\b`)

// muses matches how an assistant thinks aloud without proposing.
var muses = phrasing(
	`\bi('d| would) (also |just |really )?(be|say|guess|like|love|need|expect|imagine|assume|think|have|want|check|look|ask|know|hate|call that|` +
		`appreciate|suspect|bet|begin|do the same|wait|hesitate|worry)\b`)

// asksLeave matches how an assistant asks for permission to change something that was
// not decided yet. Permission merely to begin is a task.
var asksLeave = phrasing(`\b(should|shall|may) (i|we) (also |just )?`+changing+`\b`, `\b(do you )?want me to (also |just )?`+changing+`\b`,
	`\bwould you like me to (also |just )?`+changing+`\b`,
	`\b(want me to|should i|shall i) (implement|apply|go with|take|build|do) (the )?(\S+ ){1,3}(approach|option|design|solution|route|way|strategy)\b`)

// changing matches actions that decide how a thing is made.
const changing = `(use|switch|move|migrate|replace|change|convert|split|batch|drop|disable|enable|keep|limit|cache|store|raise|lower|pin|upgrade|` +
	`bump|merge|restrict|require|introduce|adopt|put|skip|turn|wrap|default|cap|restructure|make|set)`

// proposal returns the one thing that a message proposes: what it recommends, else what
// it asks permission for; "" if it proposes nothing, or only argues against something.
//
// What it merely says could be done counts if the person tells it to do it (told).
func (t answerable) proposal(told bool) (best string) {
	for _, s := range t.sentences() {
		said := asserted(s.text)
		switch {
		case muses().in(said) || strings.HasSuffix(said, "?") && !asksLeave().in(said) && !howAbout().in(said):
		case s.item || len(s.text) > maxSentence || strings.HasSuffix(said, ":") || against().in(said):
		case bareTitle().in(said) && !strings.Contains(said, " is "):
		case proposes().in(said):
			best = s.text
			if option, points := t.pointedAt(s.text, false); points && option != "" {
				best = option
			}
			if vagueThing().in(said) && s.before != "" {
				best = s.before + " " + best
			}
		case told && best == "" && couldDo().in(said) && !vagueThing().in(said):
			best = s.text
		case best == "" && asksLeave().in(said) && !vagueThing().in(said):
			best = s.text
		}
	}
	return best
}

var against = phrasing(`\b(against|avoid|not recommend|wouldn't|would not|don't recommend)\b`)

// vagueThing matches a proposal of something that the previous sentence names.
var vagueThing = phrasing(`\b(recommend|suggest|propose|do|try|use|switch to|go with|start with|apply|make|follow) `+vague,
	`\b(want me to|shall i|should i) (do|try|make|apply) (this|that|it|so|(both|all|the|these|those)( \S+)? (edits|changes|updates|fixes))\b`, `\b(shall|should) (we|i) (move|go|carry) on\b`)

// bareTitle matches a heading without a mark, unless something "is" in it.
var bareTitle = phrasing(`^(where|how|what|why|when|which) [^?.!:]*$`)
