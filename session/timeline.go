package session

import (
	"cmp"
	"slices"
)

// Span is a range of a log, including both ends; To 0 means open. A timeline is a list of
// those in force, oldest first; the last one is open.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to,omitempty"`
}

// Covers reports whether the event at seq is in force.
func (s *State) Covers(seq int64) bool {
	for _, span := range s.Timeline {
		if seq >= span.From && (span.To == 0 || seq <= span.To) {
			return true
		}
	}
	return false
}

// EpochSpans returns the ranges of the log with the epoch's messages, newest first.
// None of them is open.
func (s *State) EpochSpans() []Span { return clip(s.Timeline, s.EpochFrom, s.LastSeq) }

// Spans returns the ranges of the log that are in force, newest first. None of them is
// open.
func (s *State) Spans() []Span { return clip(s.Timeline, 1, s.LastSeq) }

// clip restricts a timeline to from … to, newest range first.
func clip(timeline []Span, from, to int64) []Span {
	var out []Span
	for i := len(timeline) - 1; i >= 0; i-- {
		span := timeline[i]
		if span.To == 0 || span.To > to {
			span.To = to
		}
		span.From = max(span.From, from)
		if span.From <= span.To {
			out = append(out, span)
		}
	}
	return out
}

// TakenBack returns the ranges of the log that are no longer in force, oldest first,
// without those of one event: that is the one that records it.
func (s *State) TakenBack() []Span {
	var out []Span
	next := int64(1)
	for _, span := range s.Timeline {
		if span.From > next+1 {
			out = append(out, Span{From: next, To: span.From - 1})
		}
		next = span.To + 1
	}
	return out
}

// Without returns the timeline without a range of the log.
func (s *State) Without(dropped Span) []Span {
	out := closeAt(s.Timeline, dropped.From-1)
	for _, span := range s.Timeline {
		span.From = max(span.From, dropped.To+1)
		if span.To == 0 || span.From <= span.To {
			out = append(out, span)
		}
	}
	return out
}

// With returns the timeline with ranges of the log that are not in it.
func (s *State) With(dropped []Span) []Span {
	all := slices.Concat(s.Timeline, dropped)
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	out := all[:1]
	for _, span := range all[1:] {
		last := &out[len(out)-1]
		switch {
		case last.To == 0:
			return out
		case span.From > last.To+1:
			out = append(out, span)
		case span.To == 0 || span.To > last.To:
			last.To = span.To
		}
	}
	return out
}

// closeAt ends a timeline at seq.
func closeAt(timeline []Span, seq int64) []Span {
	out := clip(timeline, 1, seq)
	slices.Reverse(out)
	return out
}
