package recall

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of spelling correction.
const (
	correctMost  = 3 // unknown words of a question that are corrected
	correctShort = 4 // shorter words have too many neighbours
	correctLong  = 16

	hashShort       = 7 // hexadecimal digits, as git abbreviates
	codeShort       = 3 // digits of the number of a code
	completedShort  = 5 // shorter beginnings are those of too many words
	completionsMost = 16
)

// correct replaces words that occur nowhere in the scope: a hash by the same one written
// longer or shorter, a number by a code with this number (4017 by E4017), other words by
// the most common one with another ending, that begins with the word, or that is a typing
// error away (a letter too many, too few, wrong, or two swapped). typed are the words as
// written. terms and df are their terms and document frequencies, which it updates.
func correct(ctx context.Context, f Finder, typed, terms []string, df []int) error {
	left := correctMost
	for i, w := range typed {
		w = string(foldWord(nil, w))
		if df[i] > 0 || !correctable(w) || functionWord(terms[i]) {
			continue
		}
		ways := [][]string{otherSpellings(terms[i]), withUmlauts(w)} // an English word was not mistyped
		if !isEnglish(terms[i]) {
			if left--; left < 0 {
				continue
			}
			var err error
			if ways, err = alternatives(ctx, f, w); err != nil {
				return err
			}
		}
		word, n, err := commonest(ctx, f, ways)
		if err != nil {
			return err
		}
		if n > 0 {
			terms[i], df[i] = word, n
		}
	}
	return nil
}

// commonest returns the most common word of the first list with a word in the scope,
// and its frequency.
func commonest(ctx context.Context, f Finder, lists [][]string) (word string, n int, err error) {
	for _, list := range lists {
		found, err := f.Frequencies(ctx, list)
		if err != nil {
			return "", 0, err
		}
		for i, times := range found {
			if times > n {
				word, n = list[i], times
			}
		}
		if n > 0 {
			break
		}
	}
	return word, n, nil
}

// correctable reports whether a word is of a kind that is corrected.
func correctable(w string) bool {
	n := utf8.RuneCountInString(w)
	return isHash(w) || isCodeNumber(w) || n >= correctShort && n <= correctLong && alphabet(w) != nil
}

func isCodeNumber(w string) bool { return len(w) >= codeShort && len(w) <= correctLong && digits(w) }

// codes lists the codes of one letter and a number. Behind more letters, as in TS2345,
// the number is a term of its own.
func codes(number string) (out []string) {
	for c := 'a'; c <= 'z'; c++ {
		out = append(out, string(c)+number)
	}
	return out
}

// alternatives lists other spellings of a word, the more likely ones first.
func alternatives(ctx context.Context, f Finder, w string) ([][]string, error) {
	if isCodeNumber(w) {
		return [][]string{codes(w)}, nil
	}
	var longer []string
	if len(w) >= completedShort {
		var err error
		if longer, err = f.Completions(ctx, w, completionsMost); err != nil {
			return nil, err
		}
	}
	if isHash(w) {
		return [][]string{slices.DeleteFunc(longer, func(t string) bool { return !isHash(t) }), shorterHashes(w)}, nil
	}
	return [][]string{withUmlauts(w), otherEndings(w), longer, misspellings(w)}, nil
}

// withUmlauts lists the forms of a word in which ae, oe and ue stand for ä, ö and ü,
// which are indexed as a, o and u.
func withUmlauts(w string) []string {
	plain := strings.NewReplacer("ae", "a", "oe", "o", "ue", "u").Replace(w)
	if plain == w {
		return nil
	}
	return append([]string{stemmed(plain)}, otherEndings(plain)...)
}

func stemmed(w string) string {
	b := []byte(w)
	return string(b[:stem(b)])
}

// otherSpellings lists the similar words of an English word that differ in one letter,
// like color and colour.
func otherSpellings(term string) (out []string) {
	eachSimilar(term, func(word string, _ float32) {
		if oneLetterApart(word, term) {
			out = append(out, word)
		}
	})
	return out
}

// oneLetterApart reports whether two words differ in one letter at most, which may be
// missing in one of them.
func oneLetterApart(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1
}

// isHash reports whether a word looks like a commit or digest hash, in full or
// abbreviated.
func isHash(w string) bool {
	return len(w) >= hashShort && len(w) <= maxTerm && strings.Trim(w, "0123456789abcdef") == "" &&
		strings.ContainsAny(w, "0123456789") && strings.ContainsAny(w, "abcdef")
}

func shorterHashes(w string) (out []string) {
	for n := len(w) - 1; n >= hashShort; n-- {
		out = append(out, w[:n])
	}
	return out
}

// alphabet returns the letters of the script of a word; nil if it mixes scripts, or if
// its script does not form words from letters.
func alphabet(w string) []rune {
	for _, script := range [][2]rune{{'a', 'z'}, {'α', 'ω'}, {'а', 'ї'}, {'א', 'ת'}, {'ء', 'ي'}} {
		outside := func(r rune) bool { return r < script[0] || r > script[1] }
		if strings.ContainsFunc(w, outside) {
			continue
		}
		letters := make([]rune, 0, script[1]-script[0]+1)
		for r := script[0]; r <= script[1]; r++ {
			letters = append(letters, r)
		}
		return letters
	}
	return nil
}

// misspellings lists the stems of all words one typing error away from w.
func misspellings(w string) []string {
	letters, rs := alphabet(w), []rune(w)
	m := misspelling{room: make([]byte, 0, (2*len(letters)*len(rs)+2*len(rs)+len(letters))*(len(w)+utf8.UTFMax))}
	for i := range rs {
		m.add(rs[:i], nil, rs[i+1:])
		if i > 0 {
			m.add(rs[:i-1], []rune{rs[i], rs[i-1]}, rs[i+1:])
		}
		for j, c := range letters {
			if c != rs[i] {
				m.add(rs[:i], letters[j:j+1], rs[i+1:])
			}
		}
	}
	for i := range len(rs) + 1 {
		for j := range letters {
			m.add(rs[:i], letters[j:j+1], rs[i:])
		}
	}
	return m.list()
}

// Endings of Slavic words in Cyrillic, in the form in which they are indexed (й becomes
// и), and of German and Romance words. Words in these languages are not stemmed, so each
// form is a term.
const (
	slavicEndings = " а е и о у ы ь ю я ам ам ах ев ее ей ем ет ею ие ии им их ию ия ов ое ои ом ою ую ые ым ых ют юю ям ят ях ая яя ами его ему ешь ими ить ого ому оть ося ть ться тся л ла ло ли лся лась лись ями"
	latinEndings  = " a as e ee ees em en er ern es et i n o os s st t te ten"
	endingMost    = 3 // letters of a word that an ending may replace
	slavicShort   = 3 // letters that must be kept
	latinShort    = 4
)

// otherEndings lists possible other forms of a word.
func otherEndings(w string) []string {
	rs := []rune(w)
	switch {
	case rs[0] >= 'а' && rs[0] <= 'ї':
		return swapEndings(rs, slavicEndings, slavicShort, func(string) bool { return true })
	case rs[0] >= 'a' && rs[0] <= 'z':
		endings := strings.Split(latinEndings, " ")
		return swapEndings(rs, latinEndings, latinShort, func(end string) bool { return slices.Contains(endings, end) })
	}
	return nil
}

// swapEndings puts each of the endings in the place of the last letters of a word, if
// these are an ending themselves.
func swapEndings(word []rune, endings string, short int, ending func(string) bool) (out []string) {
	for n := max(len(word)-endingMost, short); n <= len(word); n++ {
		if !ending(string(word[n:])) {
			continue
		}
		for _, end := range strings.Split(endings, " ") {
			out = append(out, stemmed(string(word[:n])+end))
		}
	}
	return out
}

// misspelling collects many short words in one buffer.
type misspelling struct {
	room []byte
	ends []int
}

func (m *misspelling) add(parts ...[]rune) {
	from := len(m.room)
	for _, part := range parts {
		for _, r := range part {
			m.room = utf8.AppendRune(m.room, r)
		}
	}
	m.room = m.room[:from+stem(m.room[from:])]
	m.ends = append(m.ends, len(m.room))
}

func (m *misspelling) list() []string {
	all, from := string(m.room), 0
	out := make([]string, len(m.ends))
	for i, end := range m.ends {
		out[i], from = all[from:end], end
	}
	return out
}
