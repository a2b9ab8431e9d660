package domain

import (
	"fmt"
	"strings"
)

// Many writes a number with its noun in the singular or plural: 1 message, 2 messages, 3
// summaries.
func Many[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
