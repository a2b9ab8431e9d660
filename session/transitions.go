package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// Transition is one change of mode.
type Transition struct {
	From, To string
	Stayed   time.Duration // in From; zero if not known or the clock went backwards
}

// TransitionCount is the number of changes from one mode to another.
type TransitionCount struct {
	From, To string
	Count    int64
	Average  time.Duration // time in From
}

// Transitions lists the changes of mode among the events, in order, of a session
// opened in the mode opened. An event that names the current mode is no change.
// Neither is a restore, although it sets the mode back.
func Transitions(opened string, events []domain.Event) []Transition {
	var out []Transition
	mode, since := opened, time.Time{}
	for _, e := range events {
		if to, ok := restoredMode(e); ok {
			mode, since = to, e.At
			continue
		}
		m, err := domain.PayloadAs[domain.Mode](e)
		if err != nil || m.To == mode {
			continue
		}
		t := Transition{From: mode, To: m.To}
		if !since.IsZero() {
			t.Stayed = max(0, e.At.Sub(since))
		}
		out = append(out, t)
		mode, since = m.To, e.At
	}
	return out
}

// restoredMode returns the mode that a restore sets back to.
func restoredMode(e domain.Event) (string, bool) {
	r, err := domain.PayloadAs[domain.Restored](e)
	if err != nil {
		return "", false
	}
	old, err := stateIn(r)
	return old.Mode, err == nil
}

// CountTransitions counts transitions by pair of modes, most frequent first (000-27).
func CountTransitions(list []Transition) []TransitionCount {
	byPair := map[[2]string]*TransitionCount{}
	for _, t := range list {
		pair := [2]string{t.From, t.To}
		c := byPair[pair]
		if c == nil {
			c = &TransitionCount{From: t.From, To: t.To}
			byPair[pair] = c
		}
		c.Count++
		c.Average += t.Stayed
	}
	out := make([]TransitionCount, 0, len(byPair))
	for _, c := range byPair {
		c.Average /= time.Duration(c.Count)
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b TransitionCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	return out
}
