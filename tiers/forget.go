package tiers

import (
	"fmt"
	"slices"
	"time"

	"wake/domain"
)

// Quiet is how long a context must have been left alone before a rule, and not its
// name, may let it be forgotten.
const Quiet = 30 * 24 * time.Hour

// Candidate is a context that may be forgotten, with what protects it.
type Candidate struct {
	Context  domain.ContextSnapshot
	CauseOf  []string  // ids of contexts that name it as their cause
	LastSeen time.Time // last access of any sort, also merely shown; zero if never
	Named    bool      // asked for by id, not by a rule
}

// protection says why a candidate must stay whose effects all stay, "" when it may go.
func protection(c Candidate, now time.Time) string {
	switch {
	case c.Context.Pinned:
		return "pinned; unpin it first"
	case len(c.CauseOf) > 0:
		return fmt.Sprintf("cause of %s, which stays", c.CauseOf[0])
	case c.Named:
		return ""
	case now.Sub(c.Context.SavedAt) < Quiet:
		return "recorded in the last 30 days"
	case now.Sub(c.Context.Touched()) < Quiet:
		return "used in the last 30 days"
	case now.Sub(c.LastSeen) < Quiet:
		return "shown in the last 30 days"
	}
	return ""
}

// Protections says in words why each candidate must stay, "" when it may go: what is
// pinned or the cause of something kept stays in any case; what was recorded, used or
// shown within [Quiet] stays unless it was named. A context that stays keeps its causes,
// and these keep theirs. So it repeats until no more candidates stay, each time from the
// newest on, because effects are newer than their causes.
func Protections(candidates []Candidate, now time.Time) []string {
	going := make(map[string]bool, len(candidates))
	for _, c := range candidates {
		going[c.Context.ID] = true
	}
	why := make([]string, len(candidates))
	for more := true; more; {
		more = false
		for i, c := range slices.Backward(candidates) {
			if why[i] != "" {
				continue
			}
			c.CauseOf = slices.DeleteFunc(slices.Clone(c.CauseOf), func(id string) bool { return going[id] })
			if why[i] = protection(c, now); why[i] != "" {
				delete(going, c.Context.ID)
				more = true
			}
		}
	}
	return why
}
