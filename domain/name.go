package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName refuses a name of a project or tag that is blank, too long, not UTF-8 or
// has control characters. what names the argument in the error.
func CheckName(what, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return Invalid("%s is blank; give it a name", what)
	case !utf8.ValidString(name):
		return Invalid("%s is not valid UTF-8; give it as UTF-8", what)
	case utf8.RuneCountInString(name) > MaxName:
		return Invalid("%s is %d characters long; the limit is %d", what, utf8.RuneCountInString(name), MaxName)
	case strings.ContainsFunc(name, unicode.IsControl):
		return Invalid("%s holds control characters; leave them out", what)
	}
	return nil
}

// CheckText refuses text that cannot be stored: empty, longer than limit bytes, not
// UTF-8, or with NUL bytes. what names the argument in the error.
func CheckText(what, text string, limit int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Invalid("%s is empty; say what is to be kept", what)
	case len(text) > limit:
		return Invalid("%s is %d bytes; the limit is %d bytes: save the essence, or split it", what, len(text), limit)
	}
	return checkBytes(what, text)
}

// checkBytes refuses text that not all stores can hold.
func checkBytes(what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return Invalid("%s is not valid UTF-8; give it as UTF-8", what)
	case strings.ContainsRune(text, 0):
		return Invalid("%s holds NUL bytes; leave them out", what)
	}
	return nil
}

// CheckID refuses an invalid id. what names the argument in the error.
func CheckID(what, id string) error {
	if len(id) > MaxID {
		return Invalid("%s is %d bytes long; the limit is %d", what, len(id), MaxID)
	}
	return checkBytes(what, id)
}

// Named is a value with its name, for errors.
type Named struct{ What, Value string }

// CheckIDs checks each of the ids with CheckID.
func CheckIDs(ids ...Named) error {
	for _, n := range ids {
		if err := CheckID(n.What, n.Value); err != nil {
			return err
		}
	}
	return nil
}

// ValidID reports whether s can be an id or name given by a client: at most [MaxID]
// bytes of UTF-8 without NUL.
func ValidID(s string) bool { return CheckID("", s) == nil }
