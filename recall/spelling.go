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
		for j, t := range tries {
			b := []byte(t)
			tries[j] = string(b[:stem(b)])
		}
		st, err := f.Stats(ctx, tries)
		if err != nil {
			return err
		}
		for j, n := range st.DF {
			if n > df[i] {
				terms[i], df[i] = tries[j], n
			}
		}
	}
	return nil
}

// misspellings lists all words one typing error away from w.
func misspellings(w string) []string {
	out := make([]string, 0, 54*len(w)+25)
	for i := range len(w) {
		out = append(out, w[:i]+w[i+1:])
		if i > 0 {
			out = append(out, w[:i-1]+w[i:i+1]+w[i-1:i]+w[i+1:])
		}
		for c := byte('a'); c <= 'z'; c++ {
			if c != w[i] {
				out = append(out, w[:i]+string(c)+w[i+1:])
			}
		}
	}
	for i := range len(w) + 1 {
		for c := byte('a'); c <= 'z'; c++ {
			out = append(out, w[:i]+string(c)+w[i:])
		}
	}
	return out
}
