package session

import (
	"encoding/json"
	"slices"

	"wake/domain"
)

// Pack takes messages, newest first, until budget tokens are used, and returns them
// oldest first. A message is included whole, or as a pointer if it would take more than
// half of the budget; it is never cut. must, if set, is always included, whole or as a
// pointer. It is the user's last message (I21).
func Pack(newestFirst []Placed, must *Placed, budget int64, pointer func(seq int64) string) (packed []Placed) {
	var used int64
	if must != nil {
		m := Fit(*must, budget, pointer)
		must, used = &m, Weight(m)
	}
	for _, m := range newestFirst {
		if must != nil && m.Seq == must.Seq && m.Role == must.Role {
			packed = append(packed, *must)
			must = nil
			continue
		}
		m = Fit(m, budget, pointer)
		if used += Weight(m); used > budget {
			break
		}
		packed = append(packed, m)
	}
	if must != nil {
		packed = append(packed, *must)
	}
	slices.Reverse(packed)
	return packed
}

// Fit returns a message in the form in which it is packed: whole, or as a pointer if
// it would take more than half of the budget.
func Fit(m Placed, budget int64, pointer func(seq int64) string) Placed {
	if domain.Tokens(m.Content) > budget/2 || Weight(m) > budget/2 { // the first test is cheaper
		return pointTo(m, pointer(m.Seq))
	}
	return m
}

// Weight is the size of a message in answers, in tokens.
func Weight(m Placed) int64 {
	text := int64(len(m.Content)+len(m.Reasoning)) / 4
	if text > 1<<20 { // it exceeds any budget, so an estimate will do
		return text
	}
	data, err := json.Marshal(struct {
		Seq     int64  `json:"seq"`
		At      string `json:"at"`
		Pointer string `json:"pointer,omitempty"`
		domain.Message
	}{m.Seq, domain.TimeLayout, m.Pointer, m.Message})
	if err != nil { // the arguments are not JSON, so estimate
		return text + 1<<10
	}
	return domain.Tokens(string(data))
}

// pointTo replaces the texts of m by a pointer. Ids of tool calls and answers are
// kept, so that each call stays answered.
func pointTo(m Placed, uri string) Placed {
	m.Content, m.Reasoning, m.Media, m.Pointer = "", "", nil, uri
	calls := make([]domain.ToolCall, 0, len(m.ToolCalls))
	for _, c := range m.ToolCalls {
		calls = append(calls, domain.ToolCall{ID: c.ID, Name: c.Name})
	}
	m.ToolCalls = nil
	if len(calls) > 0 {
		m.ToolCalls = calls
	}
	return m
}
