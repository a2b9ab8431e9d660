package memory

import (
	"fmt"
	"slices"
	"strings"

	"wake/domain"
)

// distinct drops repeats and zero values, keeping the order.
func distinct[T comparable](list []T) []T {
	var zero T
	out := make([]T, 0, len(list))
	seen := make(map[T]bool, len(list))
	for _, v := range list {
		if v != zero && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// each returns what of gives for each item of a list.
func each[T, V any](list []T, of func(T) V) []V {
	out := make([]V, len(list))
	for i, item := range list {
		out[i] = of(item)
	}
	return out
}

func idsOf(contexts []domain.ContextSnapshot) []string {
	return each(contexts, func(c domain.ContextSnapshot) string { return c.ID })
}

// missing lists the ids that are not among found.
func missing(ids []string, found []domain.ContextSnapshot) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(found, func(c domain.ContextSnapshot) bool { return c.ID == id })
	})
}

// quoteList writes a list for a message, up to ten items of it.
func quoteList(list []string) string {
	const most = 10
	quoted := make([]string, 0, most)
	for _, v := range list[:min(len(list), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", domain.Clip(v, 80)))
	}
	text := strings.Join(quoted, ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func notes(note string) []string {
	if note == "" {
		return nil
	}
	return []string{note}
}
