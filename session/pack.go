package session

import (
	"encoding/json"
	"slices"

	"wake/domain"
)

// Pack takes messages, the newest first, until budget tokens are used, and
// returns them oldest first with how many were left out. A message goes in
// whole, or, when it alone would take over half of the budget, as a pointer; it
// is never cut. must, when set, is always in, whole or as a pointer: the last
// thing the user said (I21).
func Pack(newestFirst []Placed, must *Placed, budget int64, pointer func(seq int64) string) (packed []Placed, left int) {
	var used int64
	if must != nil {
		m := Fit(*must, budget, pointer)
		must, used = &m, Weight(m)
	}
	for i, m := range newestFirst {
		if must != nil && m.Seq == must.Seq && m.Role == must.Role {
			packed = append(packed, *must)
			must = nil
			continue
		}
		m = Fit(m, budget, pointer)
		if used += Weight(m); used > budget {
			left = len(newestFirst) - i
			break
		}
		packed = append(packed, m)
	}
	if must != nil {
		packed = append(packed, *must)
		left = max(0, left-1)
	}
	slices.Reverse(packed)
	return packed, left
}

// Fit is a message in the form in which a budget carries it: whole, or as a pointer
// where it alone would take over half of it.
func Fit(m Placed, budget int64, pointer func(seq int64) string) Placed {
	if domain.Tokens(m.Content) > budget/2 || Weight(m) > budget/2 { // the first is less work where it says enough
		return pointTo(m, pointer(m.Seq))
	}
	return m
}

// Weight is what a message takes of a budget, in tokens, in the form in which
// answers carry it.
func Weight(m Placed) int64 {
	text := int64(len(m.Content)+len(m.Reasoning)) / 4
	if text > 1<<20 { // no budget has room for it: spare the work
		return text
	}
	data, err := json.Marshal(struct {
		Seq     int64  `json:"seq"`
		At      string `json:"at"`
		Pointer string `json:"pointer,omitempty"`
		domain.Message
	}{m.Seq, domain.TimeLayout, m.Pointer, m.Message})
	if err != nil { // arguments that are no JSON: count their bytes
		return text + 1<<10
	}
	return domain.Tokens(string(data))
}

// pointTo is m with a pointer in place of its texts. Tool calls and answers keep
// their ids, so that each call stays answered.
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
