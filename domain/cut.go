package domain

import "unicode/utf8"

// Head returns the longest beginning of text that has at most n bytes and ends at a
// character boundary.
func Head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Clip shortens text to at most n characters, ending in an ellipsis if something was
// cut. It returns "" if n is below 1.
func Clip(text string, n int) string {
	if n < 1 {
		return ""
	}
	if len(text) <= n {
		return text
	}
	count, end := 0, 0
	for i := range text {
		if count++; count == n {
			end = i
		}
		if count > n {
			return text[:end] + "…"
		}
	}
	return text
}
