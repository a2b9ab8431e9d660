package domain

import "time"

// Link is one edge between two contexts. It points from the later to the
// earlier: from an effect to its cause, from a context to what it depends on,
// from a new decision to the one it supersedes. Links are never rewritten:
// taking one back sets RemovedAt, so that the past can be asked about.
type Link struct {
	From       string     `json:"from"`
	To         string     `json:"to"`
	Kind       LinkKind   `json:"kind"`
	Origin     LinkOrigin `json:"origin"`
	Confidence float64    `json:"confidence"` // 0 to 1; explicit links have 1
	Reason     string     `json:"reason,omitempty"`
	AddedAt    time.Time  `json:"added_at"`
	RemovedAt  time.Time  `json:"removed_at,omitzero"`
}

// NewLink is an explicit link.
func NewLink(from, to string, kind LinkKind, at time.Time) Link {
	return Link{From: from, To: to, Kind: kind, Origin: Explicit, Confidence: 1, AddedAt: at}
}

// NamedLinks are the links that the context names in itself: to its cause, and to what
// it depends on.
func (c *ContextSnapshot) NamedLinks(at time.Time) []Link {
	if c.Causality == nil {
		return nil
	}
	var links []Link
	if c.Causality.CausedBy != "" {
		links = append(links, NewLink(c.ID, c.Causality.CausedBy, Cause, at))
	}
	for _, id := range c.Causality.Dependencies {
		links = append(links, NewLink(c.ID, id, Dependency, at))
	}
	return links
}

// LinkKind says what an edge means.
type LinkKind string

// The kinds of link.
const (
	Cause      LinkKind = "cause"
	Dependency LinkKind = "dependency"
	Supersedes LinkKind = "supersedes"
)

// LinkOrigin says who drew an edge.
type LinkOrigin string

// Explicit links were given by a caller; auto ones were found by wake and are
// dependencies only.
const (
	Explicit LinkOrigin = "explicit"
	Auto     LinkOrigin = "auto"
)

// Direction is the way a chain is walked.
type Direction string

// The directions.
const (
	Causes  Direction = "causes"  // towards the past: why
	Effects Direction = "effects" // towards the future: what followed
	Both    Direction = "both"
)

// ChainQuery asks for everything linked to one context over explicit causes and
// dependencies, nearest first.
type ChainQuery struct {
	ID        string
	Direction Direction
	Limit     int       // contexts reached in each direction, at least 1
	AsOf      time.Time // the links as they were known then; zero is now
}

// Walk is what a chain query reached: the contexts without their content, in
// the order of nearness in which the walk met them, and every live link that
// touches one of them (also automatic and superseding ones, which are told but
// not walked). An id that a link names and the store does not hold is in Links
// and not in Contexts.
type Walk struct {
	Contexts  []ContextSnapshot
	Links     []Link
	Truncated bool // Limit cut it off
}
