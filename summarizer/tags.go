package summarizer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"wake/secret"
)

// candidate is a word or a pair of words that may become a tag.
type candidate struct {
	tag    string
	count  float64
	first  int     // position of its first occurrence among all words
	weight float64 // the highest of its occurrences: names, identifiers and headings weigh more
}

// findTags ranks the words of a text by frequency and form.
func findTags(sentences []sentence) []string {
	t := tagger{stop: languagesOf(sentences), seen: map[string]*candidate{}, japanese: isJapanese(sentences)}
	for i, s := range sentences {
		t.take(s, i == 0)
	}
	t.addHanPhrases()
	return t.best()
}

// genericHeadings occur in many documents.
var genericHeadings = stringSet(`context decision consequences background overview summary introduction conclusion status notes todo
details description changes motivation goals alternatives references kontext entscheidung zusammenfassung contexte résumé contexto resumen`)

// tagger collects the candidates of one text.
type tagger struct {
	stop     languages
	seen     map[string]*candidate
	han      []string // runs of Chinese between stop words
	japanese bool
	read     int // number of words so far
}

// take adds the words of a sentence and their pairs.
func (t *tagger) take(s sentence, first bool) {
	weight := 1.0
	switch {
	case s.kind == code:
		weight = 0.35
	case s.kind == logLine || s.kind == comment:
		weight = 0.6
	case s.kind == heading && genericHeadings[strings.ToLower(s.text)]:
		return
	case s.kind == heading || first:
		weight = 1.5
	}
	for i, w := range s.words {
		t.read++
		tag := t.single(w)
		if tag == "" {
			continue
		}
		t.add(tag, weight*looks(w))
		if i > 0 && w.spaced && s.kind != code {
			t.pair(s.words[i-1], w, weight)
		}
	}
}

// single returns the tag that a word would make by itself, or "".
func (t *tagger) single(w word) string {
	switch script(firstRune(w.lower)) {
	case hanScript:
		if !t.japanese {
			t.han = append(t.han, hanPieces(w.lower)...)
			return ""
		}
		return cjkTag(w.lower, 8)
	case katakanaScript:
		return cjkTag(w.lower, 20)
	case hangulScript:
		return cjkTag(koreanStem(w.lower), 10)
	case thaiScript:
		return cjkTag(w.lower, 14)
	case hiraganaScript:
		return ""
	}
	lower := strings.TrimSuffix(strings.TrimSuffix(w.lower, "'s"), "’s")
	if t.stop.stops(lower) || abbreviations[lower] || !isKeyword(lower, w.text) {
		return ""
	}
	return lower
}

// cjkTag returns a word of 2 to longest characters that is no stop word, else "".
func cjkTag(s string, longest int) string {
	if n := utf8.RuneCountInString(s); n < 2 || n > longest || stopwords().words[s] != 0 {
		return ""
	}
	return s
}

// pair adds two adjacent words. Names of two words count at once, other pairs when they
// occur again.
func (t *tagger) pair(a, b word, weight float64) {
	if t.single(a) == "" || script(firstRune(b.text)) != spacedScript || isIdentifier(a.text) || isIdentifier(b.text) {
		return
	}
	tag := a.lower + " " + b.lower
	if len(tag) > MaxTag {
		return
	}
	if isCapital(a) && isCapital(b) && b.place > 0 {
		weight *= 1.6
	}
	t.add(tag, weight)
}

func (t *tagger) add(tag string, weight float64) {
	c := t.seen[tag]
	if c == nil {
		c = &candidate{tag: tag, first: t.read}
		t.seen[tag] = c
	}
	c.count += max(min(weight, 1), 0.5)
	c.weight = max(c.weight, weight)
}

// score rates a candidate by frequency, position, weight and length.
func (c *candidate) score() float64 {
	return (1 + math.Log(c.count)*0.8) * c.weight * lengthFactor(c.tag) * (1 + 0.3/(1+float64(c.first)/20))
}

// best returns the tags, without a tag that is part of another, or its plural.
func (t *tagger) best() []string {
	all := slices.SortedFunc(maps.Values(t.seen), func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(a.first, b.first), strings.Compare(a.tag, b.tag))
	})
	all = slices.DeleteFunc(all, func(c *candidate) bool { return t.loosePair(c) })
	var tags []string
	for _, c := range all {
		if len(tags) == MaxTags || len(tags) >= 3 && c.score() < 0.3*all[0].score() {
			break
		}
		if strings.ContainsFunc(c.tag, unicode.IsLetter) && !repeats(tags, c.tag) && len(secret.Find(c.tag)) == 0 {
			tags = append(tags, c.tag)
		}
	}
	return tags
}

// loosePair reports whether a pair occurred once and is not a name, or its words are
// better tags by themselves.
func (t *tagger) loosePair(c *candidate) bool {
	a, b, two := strings.Cut(c.tag, " ")
	if !two {
		return false
	}
	if c.weight < 1.55 && c.count < 2 {
		return true
	}
	return t.seen[a] != nil && t.seen[b] != nil && max(t.seen[a].count, t.seen[b].count) > 2*c.count+1
}

// repeats reports whether tag repeats one of tags: it is part of it, or its plural.
func repeats(tags []string, tag string) bool {
	for _, have := range tags {
		if singular(have) == singular(tag) || slices.Contains(strings.Fields(have), tag) || strings.HasPrefix(tag, have+" ") || strings.HasSuffix(tag, " "+have) {
			return true
		}
		if isCJK(firstRune(tag)) && (strings.Contains(have, tag) || strings.Contains(tag, have)) {
			return true
		}
	}
	return false
}

func singular(s string) string {
	if len(s) > 3 && !strings.HasSuffix(s, "ss") {
		return strings.TrimSuffix(s, "s")
	}
	return s
}

// looks rates by its form how likely a text is about a word: names, identifiers,
// abbreviations.
func looks(w word) float64 {
	switch {
	case isIdentifier(w.text):
		return 1.6
	case w.place > 0 && isCapital(w), strings.ToUpper(w.text) == w.text && w.lower != w.text:
		return 1.35
	}
	return 1
}

// isIdentifier reports whether s is a name in programs: auth_token, userId, main.go,
// rate-limit.
func isIdentifier(s string) bool {
	if strings.ContainsAny(s, "_.") {
		return true
	}
	lower := false
	for i, r := range s {
		if i > 0 && lower && unicode.IsUpper(r) {
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}

func isCapital(w word) bool { return unicode.IsUpper(firstRune(w.text)) }

// isKeyword reports whether a word can be a tag by itself, unlike numbers, hashes,
// versions and fragments.
func isKeyword(lower, text string) bool {
	letters, digits, n := 0, 0, 0
	for _, r := range lower {
		n++
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	if letters == 0 || n > MaxTag || digits > letters || n < 2 && text != "C" && text != "R" {
		return false
	}
	if n == 2 && text == lower && digits == 0 { // two letters count only with capitals, as in "DB"
		return text == "db" || text == "ui" || text == "ci" || text == "ai" || text == "go"
	}
	return digits < 2 || !looksHash(lower)
}

// looksHash reports whether s looks like part of a hash or UUID.
func looksHash(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef-") == ""
}

// lengthFactor favours words long enough to have a meaning by themselves.
func lengthFactor(tag string) float64 {
	switch n := utf8.RuneCountInString(tag); {
	case script(firstRune(tag)) != spacedScript:
		return 0.8 + 0.1*float64(min(n, 4))
	case n <= 3:
		return 0.8
	case n <= 5:
		return 0.95
	case n > 24:
		return 0.8
	}
	return 1.1
}

// cleanTags puts tags from elsewhere into our form: lower case, at most three words,
// without repeats, tags without letters, and secrets.
func cleanTags(tags []string) []string {
	var out []string
	for _, tag := range tags {
		tag = strings.ToLower(oneLine(strings.Map(readableRune, secret.Mask(tag))))
		tag = strings.TrimFunc(tag, func(r rune) bool { return !isWordRune(r) && r != '+' && r != '#' })
		tag = strings.TrimLeft(tag, "#+")
		if !goodTag(tag) || repeats(out, tag) {
			continue
		}
		if out = append(out, tag); len(out) == MaxTags {
			break
		}
	}
	return out
}

func goodTag(tag string) bool {
	return strings.ContainsFunc(tag, unicode.IsLetter) && utf8.RuneCountInString(tag) <= MaxTag && len(strings.Fields(tag)) <= 3 &&
		!strings.ContainsAny(tag, ",;:\"<>[]{}()") && !looksHash(tag)
}
