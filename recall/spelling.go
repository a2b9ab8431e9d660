package recall

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of spelling correction.
const (
	correctMost  = 3 // unknown words of a question that are looked after
	correctShort = 4 // shorter words have too many neighbours
	correctLong  = 16

	hashShort       = 7 // hexadecimal digits, as git abbreviates
	completionsMost = 16
)

// correct finds for words that are nowhere in the scope the most common word
// with another ending or one typing error away (a letter too many, too few,
// another one, or two swapped), for a hash the same one written longer or shorter,
// and puts it in their place. typed are the words as written, terms and df what the
// index knows them by.
func correct(ctx context.Context, f Finder, typed, terms []string, df []int) error {
	left := correctMost
	for i, w := range typed {
		w = string(foldWord(nil, w))
		if df[i] > 0 || !correctable(w) {
			continue
		}
		ways := [][]string{otherSpellings(terms[i])} // what is an English word was not mistyped
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

// commonest returns the most common word of the first of the lists that has one in
// the scope, and how common it is.
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

// correctable reports whether a word is of a kind that has other forms.
func correctable(w string) bool {
	n := utf8.RuneCountInString(w)
	return isHash(w) || n >= correctShort && n <= correctLong && alphabet(w) != nil
}

// alternatives are the ways in which a word may be written otherwise, the likelier first.
func alternatives(ctx context.Context, f Finder, w string) ([][]string, error) {
	if !isHash(w) {
		return [][]string{otherEndings(w), misspellings(w)}, nil
	}
	longer, err := f.Completions(ctx, w, completionsMost)
	return [][]string{slices.DeleteFunc(longer, func(t string) bool { return !isHash(t) }), shorterHashes(w)}, err
}

// otherSpellings lists the kindred of an English word that differ in one letter, as
// color does from colour.
func otherSpellings(term string) (out []string) {
	eachSimilar(term, func(word string, _ float32) {
		if oneLetterApart(word, term) {
			out = append(out, word)
		}
	})
	return out
}

// oneLetterApart reports whether two words are the same but for one letter, which may
// be missing in one of them.
func oneLetterApart(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1
}

// isHash reports whether a word looks like the number of a commit or a digest, whole or
// cut short.
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

// alphabet is the letters of the script that a word is written in; nil where it is
// written in several, or in one whose words are not cut out by letters.
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

// Endings of Slavic words in Cyrillic, as the index has them (й is и there). Words
// of that script are kept as they are written, one for each of their many forms.
const (
	slavicEndings = " а е и о у ы ь ю я ам ам ах ев ее ей ем ет ею ие ии им их ию ия ов ое ои ом ою ую ые ым ых ют юю ям ят ях ая яя ами его ему ешь ими ить ого ому оть ося ть ться тся л ла ло ли лся лась лись ями"
	endingMost    = 3 // letters that an ending takes from a word
	endingShort   = 3 // letters that must stay
)

// otherEndings lists the forms that a word in Cyrillic may have beside its own.
func otherEndings(w string) []string {
	rs := []rune(w)
	if rs[0] < 'а' || rs[0] > 'ї' {
		return nil
	}
	var out []string
	for n := max(len(rs)-endingMost, endingShort); n <= len(rs); n++ {
		for _, end := range strings.Split(slavicEndings, " ") {
			out = append(out, string(rs[:n])+end)
		}
	}
	return out
}

// misspelling gathers many short words in one piece of memory.
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
