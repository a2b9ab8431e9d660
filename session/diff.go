package session

import "wake/domain"

// Difference is what changed from one state to a later one, as far as states show it.
// Texts and counts by role are in the events in between.
type Difference struct {
	Tokens       int64
	GoalsAdded   []GoalRef
	GoalsChanged []GoalRef
	ModeFrom     string
	ModeTo       string
	ModelFrom    string
	ModelTo      string
	Spent        domain.Totals
	Ranges       []Span // of the log after from, as far as they are in force in to
	Diverged     bool   // from was rolled back and is not in force in to
}

// Diff compares two states of one session.
func Diff(from, to *State) Difference {
	d := Difference{
		Tokens:   to.Messages.Tokens - from.Messages.Tokens,
		ModeFrom: from.Mode, ModeTo: to.Mode, ModelFrom: from.Model, ModelTo: to.Model,
		Spent:    to.Totals.Minus(from.Totals),
		Ranges:   clip(to.Timeline, from.LastSeq+1, to.LastSeq),
		Diverged: leftBy(from, to),
	}
	old := map[string]GoalRef{}
	for _, g := range from.Goals {
		old[g.ID] = g
	}
	for _, g := range to.Goals {
		before, known := old[g.ID]
		switch {
		case !known:
			d.GoalsAdded = append(d.GoalsAdded, g)
		case before.Status != g.Status || before.Hash != g.Hash:
			d.GoalsChanged = append(d.GoalsChanged, g)
		}
	}
	return d
}

// leftBy reports whether to does not continue from: the last event in force at from is
// not in force in to.
func leftBy(from, to *State) bool {
	spans := from.Spans()
	return len(spans) > 0 && !to.Covers(spans[0].To)
}
