package domain

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// TagForms are the ways in which a tag is likely to be written that a filter names: as it
// stands, in small letters, in capitals, with a capital first, with one on each word.
func TagForms(tag string) []string {
	small := strings.ToLower(tag)
	words := strings.Fields(small)
	for i, w := range words {
		words[i] = capitalised(w)
	}
	forms := []string{tag, small, strings.ToUpper(tag), capitalised(small), strings.Join(words, " ")}
	slices.Sort(forms)
	return slices.Compact(forms)
}

func capitalised(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}
