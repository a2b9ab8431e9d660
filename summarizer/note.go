package summarizer

import (
	"strings"
	"unicode/utf8"
)

// The marks around a note in a prompt.
const noteStart, noteEnd = "<wake-note>", "</wake-note>"

// gap marks an omission.
const gap = "\n[…]\n"

// controls breaks up our own marks and the tokens by which models' templates separate
// speakers.
var controls = strings.NewReplacer("<|", "< |", "|>", "| >", "wake-note>", "wake-note >", "<start_of_turn>", "< start_of_turn>",
	"<end_of_turn>", "< end_of_turn>", "[INST]", "[ INST]", "[/INST]", "[/ INST]", "<think>", "< think>", "</think>", "< /think>")

// quote puts a note between its marks, so that nothing in it is taken for the end of
// the quotation or for another turn.
func quote(note string) string {
	return noteStart + "\n" + controls.Replace(note) + "\n" + noteEnd
}

// shorten fits a note into room bytes: its beginning, and the best sentences of the
// rest.
func shorten(note string, room int) string {
	if len(note) <= room {
		return note
	}
	start := head(note, room*2/3)
	rest := head(note[len(start):], 4*examined)
	left := room - len(start) - len(gap)
	return start + gap + bestSentences(rest, left)
}

// bestSentences joins the sentences of text with the highest scores that fit into room
// bytes, in their order.
func bestSentences(text string, room int) string {
	sentences := readSentences(text)
	var picked []int
	for _, i := range bestFirst(score(sentences)) {
		if n := len(sentences[i].text) + 1; n <= room {
			picked = append(picked, i)
			room -= n
		}
	}
	var best []string
	for _, s := range inOrder(sentences, picked) {
		best = append(best, s.text)
	}
	return strings.Join(best, " ")
}

// shareOf returns the share of the words of a that b contains too. Words are compared
// by their beginnings, because their endings vary. Stop words do not count; without
// other words the share is 0.
func shareOf(a, b []sentence) float64 {
	known := map[string]bool{}
	for _, s := range b {
		eachStem(s, 0, func(stem string) { known[stem] = true })
	}
	all, shared, stop := 0, 0, languagesOf(b)
	for _, s := range a {
		eachStem(s, stop, func(stem string) {
			all++
			if known[stem] {
				shared++
			}
		})
	}
	return float64(shared) / float64(max(all, 1))
}

// eachStem calls f with the beginnings of a sentence's words that are no stop words, and
// with each pair of characters in scripts without spaces.
func eachStem(s sentence, stop languages, f func(string)) {
	for _, w := range s.words {
		if stop.stops(w.lower) {
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

// mainScript returns the script of most letters of s. ASCII letters are ignored if
// there are enough others, because identifiers occur in texts of every language.
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

// knownScripts are the ranges with most letters of the major scripts.
var knownScripts = []struct {
	first, last rune
	name        string
}{
	{0x370, 0x3ff, "Greek"}, {0x400, 0x52f, "Cyrillic"}, {0x590, 0x5ff, "Hebrew"}, {0x600, 0x77f, "Arabic"}, {0x900, 0x97f, "Devanagari"},
	{0xe00, 0xe7f, "Thai"}, {0x3041, 0x30ff, "Japanese"}, {0x3400, 0x9fff, "Han"}, {0xac00, 0xd7a3, "Korean"},
}
