package summarizer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"wake/domain"
)

// The marks around a note in a prompt.
const noteStart, noteEnd = "<wake-note>", "</wake-note>"

// gap shows that something was left out.
const gap = "\n[…]\n"

// readable is the whole of a text as it may leave for a model.
func readable(text string) string {
	text = strings.Map(readableRune, strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n"))
	return domain.MaskSecrets(text)
}

// controls breaks up what a model's template uses to tell who speaks, and our own marks.
var controls = strings.NewReplacer("<|", "< |", "|>", "| >", "wake-note>", "wake-note >", "<start_of_turn>", "< start_of_turn>",
	"<end_of_turn>", "< end_of_turn>", "[INST]", "[ INST]", "[/INST]", "[/ INST]", "<think>", "< think>", "</think>", "< /think>")

// quote puts a note between its marks, so that nothing in it is taken for the end of the quotation or for
// a turn of the talk.
func quote(note string) string {
	return noteStart + "\n" + controls.Replace(note) + "\n" + noteEnd
}

// shorten fits a note into room bytes: its beginning, and of the rest the sentences that say most.
func shorten(note string, room int) string {
	if len(note) <= room {
		return note
	}
	start := head(note, room*2/3)
	rest := head(note[len(start):], 4*examined)
	left := room - len(start) - len(gap)
	return start + gap + strings.Join(bestSentences(rest, left), " ")
}

// bestSentences picks the sentences of text with the best scores that fit into room bytes, in their order.
func bestSentences(text string, room int) []string {
	sentences := readSentences(text)
	var picked []int
	for _, i := range bestFirst(score(sentences)) {
		if n := len(sentences[i].text) + 1; n <= room {
			picked = append(picked, i)
			room -= n
		}
	}
	slices.Sort(picked)
	out := make([]string, len(picked))
	for n, i := range picked {
		out[n] = sentences[i].text
	}
	return out
}

// shareOf is the share of the words of a that b has too, by their beginnings, for words change their ends.
// Words that say nothing do not count; without any that does the share is 0.
func shareOf(a, b []sentence) float64 {
	known := map[string]bool{}
	for _, s := range b {
		eachStem(s, stopper{}, func(stem string) { known[stem] = true })
	}
	all, shared := 0, 0
	for _, s := range a {
		eachStem(s, stopWordsOf(b), func(stem string) {
			all++
			if known[stem] {
				shared++
			}
		})
	}
	return float64(shared) / float64(max(all, 1))
}

// eachStem calls f with the beginnings of a sentence's words, and with each pair of characters of scripts
// that are written without blanks.
func eachStem(s sentence, stop stopper, f func(string)) {
	for _, w := range s.words {
		if stop.isStop(w.lower) {
			continue
		}
		runes := []rune(w.lower)
		if script(runes[0]) == spacedScript {
			f(string(runes[:min(len(runes), 5)]))
			continue
		}
		if len(runes) == 1 {
			f(w.lower)
		}
		for i := range len(runes) - 1 {
			f(string(runes[i : i+2]))
		}
	}
}

// mainScript is the script that most letters of s are written in, ASCII letters aside when there are
// others in any number: identifiers stand in texts of every language.
func mainScript(s string) string {
	counts := map[string]int{}
	for _, r := range s {
		if name := scriptName(r); name != "" {
			counts[name]++
		}
	}
	if counts["Japanese"] > 0 && counts["Japanese"]*20 > counts["Han"] {
		counts["Japanese"] += counts["Han"]
	}
	best, most := "", 0
	for name, n := range counts {
		if name == "Latin" {
			n /= 4
		}
		if n > most || n == most && name < best {
			best, most = name, n
		}
	}
	return best
}

func scriptName(r rune) string {
	switch {
	case r < utf8.RuneSelf && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
		return ""
	case r < 0x250:
		return "Latin"
	}
	for _, known := range knownScripts {
		if r >= known.first && r <= known.last {
			return known.name
		}
	}
	return ""
}

// knownScripts are the ranges in which most letters of the large scripts lie.
var knownScripts = []struct {
	first, last rune
	name        string
}{
	{0x370, 0x3ff, "Greek"}, {0x400, 0x52f, "Cyrillic"}, {0x590, 0x5ff, "Hebrew"}, {0x600, 0x77f, "Arabic"}, {0x900, 0x97f, "Devanagari"},
	{0xe00, 0xe7f, "Thai"}, {0x3041, 0x30ff, "Japanese"}, {0x3400, 0x9fff, "Han"}, {0xac00, 0xd7a3, "Korean"},
}
