package mcp

import (
	"strings"
	"unicode"
)

// spelling brings a name to the form of ours: snake_case, lower case.
// "causedBy", "Caused-By" and "caused by" are one.
func spelling(name string) string {
	var b strings.Builder
	last := '_'
	for _, r := range strings.TrimSpace(name) {
		switch {
		case r == '-' || r == ' ' || r == '_' || r == '.':
			r = '_'
			if last == '_' {
				continue
			}
		case unicode.IsUpper(r):
			if last != '_' && !unicode.IsUpper(last) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.TrimSuffix(b.String(), "_")
}
