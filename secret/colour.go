package secret

import (
	"sort"
	"strings"
)

// Programs put codes for terminals around names and values, and into what they highlight,
// which would hide where a word begins: ESC [ 3 1 m. In quoted text the first character is
// itself an escape. A code that moves the cursor stands for the space between two words.

// cut is a place at which codes were left out of a text.
type cut struct {
	at   int // offset in what is left
	size int // bytes left out up to here
}

// uncoloured leaves the codes out of a text. cuts is nil if there are none.
func uncoloured(text string) (plain string, cuts []cut) {
	if strings.IndexByte(text, '\x1b') < 0 && !strings.Contains(text, "1b[") {
		return text, nil
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '\x1b' && c != '\\' {
			continue
		}
		if n := codeSize(text[i:]); n > 0 {
			b.WriteString(text[done:i])
			done = i + n
			if strings.IndexByte("mKhl", text[done-1]) < 0 { // these leave the cursor where it is
				b.WriteByte(' ')
			}
			cuts = append(cuts, cut{b.Len(), done - b.Len()})
			i = done - 1
		}
	}
	if cuts == nil {
		return text, nil
	}
	b.WriteString(text[done:])
	return b.String(), cuts
}

// codeSize is the length of the code with which text begins, 0 if it is none.
func codeSize(text string) int {
	const most = 40 // bytes of parameters; real ones have fewer
	for _, start := range []string{"\x1b[", `\u001b[`, `\x1b[`} {
		if !strings.HasPrefix(text, start) {
			continue
		}
		n := len(start) + run(text[len(start):], most, func(c byte) bool { return c >= 0x20 && c <= 0x3f })
		if n < len(text) && text[n] >= '@' && text[n] <= '~' {
			return n + 1
		}
	}
	return 0
}

// inColour moves what was found in a text without codes to where it is with them.
func inColour(found []Found, plain string, cuts []cut) []Found {
	place := func(i int) int {
		k := sort.Search(len(cuts), func(k int) bool { return cuts[k].at > i })
		if k == 0 {
			return i
		}
		return i + cuts[k-1].size
	}
	for i, s := range found {
		end := len(strings.TrimRight(plain[:s.End], " ")) // a space may be a code
		found[i].Start, found[i].End = place(s.Start), place(end-1)+1
	}
	return found
}
