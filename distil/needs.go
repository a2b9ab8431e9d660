package distil

import (
	"regexp/syntax"
	"slices"
)

// grams holds, as bits by their hash, which runs of one, two and three bytes a text
// contains, and whether it contains a digit. Searching a sentence for hundreds of
// strings one by one would take longer than matching the expressions.
type grams [1 << gramBits / 64]uint64

const (
	gramBits = 13
	gramMost = 3      // bytes
	anyDigit = "\x00" // stands for any digit
)

func gramsOf(text string) (held grams) {
	for i := range len(text) {
		held.add(gram(text[i : i+1]))
		if '0' <= text[i] && text[i] <= '9' {
			held.add(gram(anyDigit))
		}
		if i > 0 {
			held.add(gram(text[i-1 : i+1]))
		}
		if i > 1 {
			held.add(gram(text[i-2 : i+1]))
		}
	}
	return held
}

func (g *grams) add(bit uint16)      { g[bit>>6] |= 1 << (bit & 63) }
func (g *grams) has(bit uint16) bool { return g[bit>>6]&(1<<(bit&63)) != 0 }

// gram returns the bit index of a run of bytes.
func gram(run string) uint16 {
	h := uint32(len(run))
	for i := range len(run) {
		h = h<<8 | uint32(run[i])
	}
	return uint16(h * 2654435761 >> (32 - gramBits))
}

// need is what a text must contain for an expression to match: some runs of bytes, all
// of several needs, or one of several. The zero need requires nothing.
type need struct {
	grams []uint16
	all   []need
	any   []need
}

func textNeeded(text string) need {
	var n need
	size := min(gramMost, len(text))
	for i := range len(text) - size + 1 {
		n.grams = append(n.grams, gram(text[i:i+size]))
	}
	return n
}

func (n *need) metBy(held *grams) bool {
	for _, bit := range n.grams {
		if !held.has(bit) {
			return false
		}
	}
	for i := range n.all {
		if !n.all[i].metBy(held) {
			return false
		}
	}
	for i := range n.any {
		if n.any[i].metBy(held) {
			return true
		}
	}
	return len(n.any) == 0
}

func (n *need) nothing() bool { return len(n.grams) == 0 && len(n.all) == 0 && len(n.any) == 0 }

// texts returns the most strings that are looked for.
func (n *need) texts() int {
	count := min(1, len(n.grams))
	for _, part := range slices.Concat(n.all, n.any) {
		count += part.texts()
	}
	return count
}

// fewRunes is up to how many characters of a class are looked for individually.
const fewRunes = 4

// needed returns what every match of an expression contains.
func needed(e *syntax.Regexp) need {
	switch e.Op {
	case syntax.OpLiteral:
		if e.Flags&syntax.FoldCase == 0 {
			return textNeeded(string(e.Rune))
		}
	case syntax.OpCharClass:
		return neededOf(e.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needed(e.Sub[0])
	case syntax.OpRepeat:
		if e.Min > 0 {
			return needed(e.Sub[0])
		}
	case syntax.OpConcat:
		return allNeeded(e.Sub)
	case syntax.OpAlternate:
		return oneNeeded(e.Sub)
	}
	return need{}
}

// neededOf requires one of the characters of a class, given as ranges, if they are few.
func neededOf(ranges []rune) need {
	if slices.Equal(ranges, []rune{'0', '9'}) {
		return textNeeded(anyDigit)
	}
	var out need
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(out.any) == fewRunes {
				return need{}
			}
			out.any = append(out.any, textNeeded(string(r)))
		}
	}
	return out
}

// allNeeded combines the needs of all parts of a sequence, the cheapest first.
func allNeeded(parts []*syntax.Regexp) need {
	var out need
	for _, part := range parts {
		if n := needed(part); !n.nothing() {
			out.all = append(out.all, n)
		}
	}
	slices.SortStableFunc(out.all, func(a, b need) int { return a.texts() - b.texts() })
	return out
}

// oneNeeded combines the needs of alternatives.
func oneNeeded(ways []*syntax.Regexp) need {
	var out need
	for _, way := range ways {
		n := needed(way)
		if n.nothing() {
			return need{}
		}
		out.any = append(out.any, n)
	}
	return out
}
