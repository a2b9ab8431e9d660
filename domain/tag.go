package domain

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TagForms lists the ways in which the tag of a filter may be written: as it is, in
// lower case, in upper case, with a capital first, and with a capital on each word; each
// also with its accents composed and decomposed.
func TagForms(tag string) []string {
	small := strings.ToLower(tag)
	words := strings.Fields(small)
	for i, w := range words {
		words[i] = Capitalised(w)
	}
	forms := []string{tag, small, strings.ToUpper(tag), Capitalised(small), strings.Join(words, " ")}
	for _, form := range forms {
		forms = append(forms, norm.NFC.String(form), norm.NFD.String(form))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// Capitalised returns a text with a capital first letter.
func Capitalised(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}
