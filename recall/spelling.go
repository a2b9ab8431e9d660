package recall

import (
	"context"
	"strings"
)

// Limits of spelling correction.
const (
	correctMost  = 3 // unknown words of a question that are looked after
	correctShort = 4 // shorter words have too many neighbours
	correctLong  = 16
)

// correct finds for words that are nowhere in the scope the most common word
// one typing error away (a letter too many, too few, another one, or two
// swapped), and puts it in their place. typed are the words as written, terms
// and df what the index knows them by.
func correct(ctx context.Context, f Finder, typed, terms []string, df []int) error {
	left := correctMost
	for i, w := range typed {
		w = strings.ToLower(w)
		if df[i] > 0 || len(w) < correctShort || len(w) > correctLong || !plain([]byte(w)) || left == 0 {
			continue
		}
		left--
		tries := misspellings(w)
		found, err := f.Frequencies(ctx, tries)
		if err != nil {
			return err
		}
		for j, n := range found {
			if n > df[i] {
				terms[i], df[i] = tries[j], n
			}
		}
	}
	return nil
}

// misspellings lists the stems of all words one typing error away from w.
func misspellings(w string) []string {
	m := misspelling{room: make([]byte, 0, (54*len(w)+25)*(len(w)+1))}
	for i := range len(w) {
		m.add(w[:i], "", w[i+1:])
		if i > 0 {
			m.add(w[:i-1], w[i:i+1]+w[i-1:i], w[i+1:])
		}
		for c := range len(letters) {
			if letters[c] != w[i] {
				m.add(w[:i], letters[c:c+1], w[i+1:])
			}
		}
	}
	for i := range len(w) + 1 {
		for c := range len(letters) {
			m.add(w[:i], letters[c:c+1], w[i:])
		}
	}
	return m.list()
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// misspelling gathers many short words in one piece of memory.
type misspelling struct {
	room []byte
	ends []int
}

func (m *misspelling) add(head, middle, tail string) {
	from := len(m.room)
	m.room = append(append(append(m.room, head...), middle...), tail...)
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
