package domain

import "fmt"

// Many writes a number with its noun in the singular or plural: 1 message, 2 messages.
func Many[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
