package domain

import "unicode/utf8"

// ShowHidden writes control, bidirectional and invisible characters as escapes, except
// line ends and tabs.
func ShowHidden(text string) string {
	if showsItself(text) {
		return text
	}
	shown := make([]byte, 0, len(text)+len(text)/4)
	for _, r := range text {
		if IsHidden(r) {
			shown = AppendEscape(shown, r)
		} else {
			shown = utf8.AppendRune(shown, r)
		}
	}
	return string(shown)
}

// AppendEscape appends a character as the escape that [ShowHidden] writes for it.
func AppendEscape(to []byte, r rune) []byte {
	kind, digits := byte('u'), 4
	if r > 0xFFFF {
		kind, digits = 'U', 8
	}
	to = append(to, '\\', kind)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		to = append(to, "0123456789abcdef"[r>>shift&0xF])
	}
	return to
}

// showsItself reports whether a text has no hidden characters.
func showsItself(text string) bool {
	for i, size := 0, 1; i < len(text); i += size {
		if c := text[i]; c >= ' ' && c < 0x7F {
			size = 1 // the usual case
			continue
		}
		var r rune
		if r, size = utf8.DecodeRuneInString(text[i:]); IsHidden(r) {
			return false
		}
	}
	return true
}

// IsHidden reports whether a character is invisible or affects what follows: controls,
// bidirectional marks, zero-width spaces, fillers, line separators, and the tags and
// selectors in which instructions have been smuggled. Joiners, which scripts and emoji
// need, are not hidden.
func IsHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7F && r < 0xA0:
		return true
	case r < 0x0300:
		return r == 0x00AD
	case r == 0x061C, r == 0x180E, r == 0x200B, r == 0x200E, r == 0x200F, r == 0xFEFF:
		return true
	case r >= 0x2028 && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r >= 0xFFF0 && r <= 0xFFFB:
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r >= 0xFE00 && r <= 0xFE0D:
		return true
	case r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}
