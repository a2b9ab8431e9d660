package domain

// Nearest returns the candidate that word probably misspells. That is at most one edit
// away if word has three to five letters, two if it has more, and nearer than all
// others.
func Nearest(word string, candidates []string) (string, bool) {
	allowed := min(len([]rune(word))/3, 2)
	best, distance, tied := "", allowed+1, false
	for _, c := range candidates {
		switch d := edits(word, c, allowed); {
		case d < distance:
			best, distance, tied = c, d, false
		case d == distance:
			tied = true
		}
	}
	return best, distance <= allowed && !tied
}

// edits counts the insertions, deletions, substitutions and swaps of neighbours
// between two words, up to most+1.
func edits(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > most || len(y)-len(x) > most {
		return most + 1
	}
	before, row := make([]int, len(y)+1), make([]int, len(y)+1)
	var older []int
	for j := range row {
		row[j] = j
	}
	for i := range x {
		older, before, row = before, row, make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			row[j+1] = min(before[j+1]+1, row[j]+1, before[j]+differ(x[i], y[j]))
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
	}
	return min(row[len(y)], most+1)
}

func differ(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}
