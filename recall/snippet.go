package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"wake/domain"
)

// snippetScan is how many bytes of a text are searched for an excerpt.
const snippetScan = 128 << 10

// Snippets cuts excerpts from texts for one question.
type Snippets struct {
	weights map[string]float64 // of the terms looked for
	phrase  Phrase             // looked for instead of the terms, unless it is zero
	filter  *prefixFilter
	reading analyzer // of the current text; its buffers are reused
}

// NewSnippets prepares for a question. terms are what was looked for, if that is known.
func NewSnippets(q Question, terms []Weighted) *Snippets {
	s := &Snippets{weights: q.weights()}
	if len(terms) > 0 {
		clear(s.weights)
	}
	for _, t := range terms {
		s.weights[t.Term] = max(t.Weight, 0.01)
	}
	s.filter = newPrefixFilter(s.weights)
	return s
}

// Snippets prepares excerpts that show a phrase.
func (p Phrase) Snippets() *Snippets { return &Snippets{phrase: p} }

// Of returns the best excerpt of a text, on one line and at most `most` bytes long, not
// counting the ellipses that mark omitted text. It begins at a sentence if one is near.
// If none of the words occurs, it returns the beginning of the text.
func (s *Snippets) Of(text string, most int) string {
	text = strings.ToValidUTF8(text, "")
	if s.phrase.words != "" {
		text = oneLine(text) // it has the phrase on one line
	}
	scan := domain.Head(text, snippetScan)
	from, to := 0, len(text)
	if len(text) > most {
		from, to = s.bestWindow(scan, most)
	}
	out := oneLine(text[from:to])
	if from > 0 {
		out = "… " + out
	}
	if to < len(text) && strings.TrimSpace(text[to:]) != "" {
		out += " …"
	}
	return out
}

// bestWindow finds the shortest range of at most `most` bytes with the highest sum of
// term weights, and moves its ends to word and sentence boundaries.
func (s *Snippets) bestWindow(text string, most int) (from, to int) {
	found := s.find(text, most)
	if len(found) == 0 {
		return 0, wordEnd(text, 0, most)
	}
	counts, score, best, first, last := map[string]int{}, 0.0, -1.0, 0, 0
	left := 0
	for right, t := range found {
		if counts[t.Term]++; counts[t.Term] == 1 {
			score += s.weights[t.Term]
		}
		for t.End-found[left].Start > most || counts[found[left].Term] > 1 {
			out := found[left].Term
			if counts[out]--; counts[out] == 0 {
				score -= s.weights[out]
			}
			left++
		}
		shorter := t.End-found[left].Start < last-first
		if score > best+1e-9 || score > best-1e-9 && shorter {
			best, first, last = score, found[left].Start, found[right].End
		}
	}
	from = sentenceStart(text, first, most-(last-first))
	return from, wordEnd(text, from, most)
}

// find lists the question's terms in a text, except terms longer than `most` bytes.
func (s *Snippets) find(text string, most int) []Token {
	if s.phrase.words != "" {
		if at := s.phrase.index(text); at >= 0 && len(s.phrase.words) <= most {
			return []Token{{Start: at, End: at + len(s.phrase.words)}}
		}
		return nil
	}
	a := &s.reading
	*a = analyzer{text: text, filter: s.filter, buf: a.buf[:0], spans: a.spans[:0], marks: a.marks, fold: a.fold, seps: a.seps, chars: a.chars}
	a.run()
	var found []Token
	from := int32(0)
	for _, at := range a.spans {
		if term := a.buf[from:at.end]; s.weights[string(term)] != 0 && int(at.til-at.start) <= most {
			found = append(found, Token{Term: string(term), Start: int(at.start), End: int(at.til), Whole: at.whole})
		}
		from = at.end
	}
	return found
}

// weights gives compounds and long words more weight than short ones, and less weight
// to words that only ask.
func (q *Question) weights() map[string]float64 {
	out := make(map[string]float64, len(q.Terms)+len(q.Wholes))
	for _, t := range q.Wholes {
		out[t] = 5
	}
	for _, t := range q.Terms {
		out[t] = askWeight(t) * (2 + float64(min(len(t), 10))/5)
	}
	return out
}

// sentenceStart goes back from at, by at most room bytes, to the start of the line if
// that is within half of them, else to that of a sentence, else to that of a word. Where
// words are not separated, it goes back a third of the room.
func sentenceStart(text string, at, room int) int {
	low := max(0, at-max(room, 0))
	if low == 0 {
		return 0
	}
	if line := strings.LastIndexByte(text[:at], '\n') + 1; line >= at-room/2 {
		return line
	}
	for i := at; i > low; i-- {
		if c := text[i-1]; c == '\n' || c == ' ' && i >= 2 && strings.IndexByte(".!?", text[i-2]) >= 0 || endsSentence(text[:i]) {
			return i
		}
	}
	near := at - min(room, at)/3
	for i := near; i < at; i++ {
		if text[i] == ' ' {
			return i + 1
		}
	}
	if r, _ := utf8.DecodeRuneInString(text[at:]); ideographic(r) {
		return domain.Break(text, near)
	}
	return at
}

// endsSentence reports whether text ends in a mark that no space follows.
func endsSentence(text string) bool {
	return strings.HasSuffix(text, "。") || strings.HasSuffix(text, "！") || strings.HasSuffix(text, "？")
}

// wordEnd returns the end of a word at most `most` bytes after from.
func wordEnd(text string, from, most int) int {
	end := from + most
	if end >= len(text) {
		return len(text)
	}
	end = len(domain.Head(text, end))
	for i := end; i > from+most/2; i-- {
		if text[i] == ' ' || text[i] == '\n' {
			return i
		}
	}
	return end
}

// oneLine returns text on one line, with single spaces between words.
func oneLine(text string) string {
	if isOneLine(text) {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ")
}

// isOneLine reports whether oneLine has nothing to change in an ASCII text, as in most.
func isOneLine(text string) bool {
	blank := true
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return !blank
}
