package summarizer

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

const (
	maxPicked = 4  // sentences of a summary at most
	fragment  = 15 // columns below which a text says little
)

// cues are the beginnings, in lower case, of words that mark decisions, reasons and
// results.
var cues = []string{
	"decid", "decision", "because", "we will use", "we'll use", "chose", "choose", "instead of", "switched", "migrat",
	"root cause", "fixed", "the fix", "therefore", "conclu", "in short", "summary", "agreed", "must ", "so that", "replaced",
	"entschied", "entscheidung", "beschlossen", "weil ", "deshalb", "stattdessen", "anstatt", "statt ", "ursache", "behoben",
	"décid", "parce qu", "choisi", "au lieu", "donc ", "corrigé",
	"porque", "decisión", "elegi", "en lugar de", "por eso", "corregi",
	"deciso", "perché", "scelto", "invece", "quindi", "corretto",
	"decisão", "escolh", "em vez de", "portanto", "corrigi",
	"besloten", "omdat", "gekozen", "in plaats van", "daarom", "opgelost",
	"реши", "потому", "выбра", "вместо", "поэтому", "исправ", "причин",
	"决定", "因为", "采用", "选择", "因此", "修复", "原因", "決定", "ため", "ので", "採用", "修正", "결정", "때문", "선택", "위해", "수정",
}

// fillers begin sentences without content.
var fillers = []string{"ok", "okay", "thanks", "thank you", "sure", "great", "hello", "hi ", "hi,", "hey", "let me", "i'll", "i'd be", "here's", "here is", "here are", "danke", "hallo", "merci", "bonjour", "gracias", "hola"}

// bestFirst returns the indexes of the scores, highest first.
func bestFirst(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// pick returns the sentences of the summary in the order of the text. It adds the best
// sentence that still fits and repeats nothing, one after the other.
func pick(sentences []sentence) []sentence {
	scores := score(sentences)
	var picked []int
	room := MaxSummary
	for n, i := range bestFirst(scores) {
		w := width(sentences[i].text) + 1
		if n > 0 && (len(picked) == maxPicked || w > room || !worthAdding(sentences, scores, picked, i)) {
			continue
		}
		picked = append(picked, i)
		room -= w
	}
	return inOrder(sentences, picked)
}

// inOrder returns the sentences with these indexes in the order of the text.
func inOrder(sentences []sentence, picked []int) []sentence {
	slices.Sort(picked)
	out := make([]sentence, len(picked))
	for n, i := range picked {
		out[n] = sentences[i]
	}
	return out
}

// worthAdding reports whether another sentence is good enough compared with the best
// and says something new.
func worthAdding(sentences []sentence, scores []float64, picked []int, i int) bool {
	best := picked[0]
	enough := 0.5
	if sentences[i].kind == logLine {
		enough = 0.8 // the failure itself, not what came before it
	}
	if scores[i] < enough*scores[best] || sentences[i].kind == code || sentences[i].kind == logLine && sentences[best].kind != logLine {
		return false
	}
	for _, p := range picked {
		if overlap(sentences[p], sentences[i]) > 0.6 {
			return false
		}
	}
	return true
}

// overlap is the share of the shorter sentence's content words that the other one has
// too.
func overlap(a, b sentence) float64 {
	in := map[string]bool{}
	for _, w := range a.words {
		in[w.lower] = true
	}
	both, mine := 0, map[string]bool{}
	for _, w := range b.words {
		if in[w.lower] && !mine[w.lower] {
			both++
		}
		mine[w.lower] = true
	}
	if shorter := min(len(in), len(mine)); shorter > 0 {
		return float64(both) / float64(shorter)
	}
	return 1
}

// score rates each sentence by its kind, its position, how much it shares with the
// whole text, and whether it states a decision or a reason.
func score(sentences []sentence) []float64 {
	counts, capitals := contentCounts(sentences), writesCapitals(sentences)
	central := make([]float64, len(sentences))
	most := 0.0
	for i, s := range sentences {
		central[i] = centrality(s, counts)
		most = max(most, central[i])
	}
	scores := make([]float64, len(sentences))
	place := 0
	for i, s := range sentences {
		scores[i] = kindScore(s.kind) + cueScore(s) + lengthScore(s)
		if torn(s, capitals) {
			scores[i] -= 0.5
		}
		if s.kind <= heading {
			scores[i] += 0.5 / (1 + float64(place)/2)
		}
		if most > 0 {
			scores[i] += 0.5 * central[i] / most
		}
		if s.kind <= item {
			place++
		}
	}
	return scores
}

// writesCapitals reports whether most sentences begin with a capital letter.
func writesCapitals(sentences []sentence) bool {
	capitals, all := 0, 0
	for _, s := range sentences {
		if s.kind == prose {
			all++
			if unicode.IsUpper(firstRune(s.text)) {
				capitals++
			}
		}
	}
	return 2*capitals > all
}

// torn reports whether a sentence goes on after a listing, and says little by itself. It
// only shows where sentences begin with capitals.
func torn(s sentence, capitals bool) bool {
	if s.kind != prose || !capitals || len(s.words) == 0 {
		return false
	}
	first := s.words[0]
	return len(first.text) > 1 && first.text == first.lower && stopwords().words[first.lower] != 0
}

// contentCounts counts content words, which weigh more in prose than in listings.
func contentCounts(sentences []sentence) map[string]float64 {
	counts, stop := map[string]float64{}, languagesOf(sentences)
	for _, s := range sentences {
		for _, w := range s.words {
			if stop.stops(w.lower) {
				continue
			}
			if s.kind == code || s.kind == logLine {
				counts[w.lower] += 0.3
			} else {
				counts[w.lower]++
			}
		}
	}
	return counts
}

// centrality is how much of the text's repeated vocabulary a sentence contains,
// relative to its length.
func centrality(s sentence, counts map[string]float64) float64 {
	sum, seen := 0.0, map[string]bool{}
	for _, w := range s.words {
		if n := counts[w.lower]; n > 0 && !seen[w.lower] {
			seen[w.lower] = true
			sum += math.Log1p(n)
		}
	}
	return sum / math.Sqrt(float64(8+len(s.words)))
}

func kindScore(k kind) float64 {
	return [...]float64{prose: 1, item: 0.8, heading: 0.35, comment: 0.45, logLine: 0.3, code: 0.05}[k]
}

// cueScore favours decisions, reasons and, in logs, failures over fillers and
// questions.
func cueScore(s sentence) float64 {
	lower := strings.ToLower(s.text)
	in := func(part string) bool { return strings.Contains(lower, part) }
	begins := func(part string) bool { return strings.HasPrefix(lower, part) }
	ends := func(part string) bool { return strings.HasSuffix(lower, part) }
	switch {
	case slices.ContainsFunc(fillers, begins):
		return -0.5
	case s.kind == logLine && slices.ContainsFunc(failures, in):
		return 0.5
	case s.kind == logLine:
		return 0
	case slices.ContainsFunc(cues, func(cue string) bool { return hasCue(lower, cue) }):
		return 0.5
	case slices.ContainsFunc(colons, ends):
		return -0.6 // it announces something that the summary omits
	case slices.ContainsFunc(questionMarks, ends):
		return -0.3
	}
	return 0
}

var (
	failures      = []string{"error", "fatal", "panic", "fail", "exception"}
	colons        = []string{":", "："}
	questionMarks = []string{"?", "？", "؟"}
)

// hasCue reports whether a cue begins a word of the text. In scripts without spaces it
// may be anywhere.
func hasCue(lower, cue string) bool {
	i := strings.Index(lower, cue)
	if i <= 0 {
		return i == 0
	}
	return !unicode.IsLetter(lastRune(lower[:i])) || firstRune(cue) >= 0x3040
}

// lengthScore lowers fragments and sentences that would not fit.
func lengthScore(s sentence) float64 {
	switch w := width(s.text); {
	case w < fragment:
		return -0.6
	case w < 28:
		return -0.25
	case w > MaxSentence:
		return -0.5
	case w > MaxSummary:
		return -0.2
	}
	return 0
}

// joinSentences joins the picked sentences into running text.
func joinSentences(picked []sentence) string {
	var b strings.Builder
	for i, s := range picked {
		text := s.text
		if i < len(picked)-1 {
			text = finish(text)
		}
		if b.Len() > 0 && !isCJK(firstRune(text)) {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	if len(picked) == 1 && width(b.String()) <= MaxSentence {
		return b.String()
	}
	return cut(b.String(), MaxSummary)
}

// finish adds a full stop to a heading or item without punctuation at its end.
func finish(s string) string {
	last := lastRune(strings.TrimRight(s, "\"'”’»)]」』）】"))
	switch {
	case strings.ContainsRune(".!?…。！？؟۔।", last):
		return s
	case isCJK(last):
		return s + "。"
	}
	return strings.TrimRight(s, ":;,，；、") + "."
}
