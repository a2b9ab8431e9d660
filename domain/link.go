package domain

import "time"

// Link is a link between two contexts, from the later to the earlier: from an effect
// to its cause, from a context to a dependency, from a new decision to the one it
// supersedes. Links are never rewritten. Removing one sets RemovedAt, so that queries
// about the past still see it.
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

// NewLink makes an explicit link.
func NewLink(from, to string, kind LinkKind, at time.Time) Link {
	return Link{From: from, To: to, Kind: kind, Origin: Explicit, Confidence: 1, AddedAt: at}
}

// NamedLinks returns the links that the context itself names: to its cause and its
// dependencies.
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

// LinkKind is the meaning of a link.
type LinkKind string

// The kinds of link.
const (
	Cause      LinkKind = "cause"
	Dependency LinkKind = "dependency"
	Supersedes LinkKind = "supersedes"
)

// LinkOrigin is who made a link.
type LinkOrigin string

// Explicit links come from a caller. Auto links were found by wake and are always
// dependencies.
const (
	Explicit LinkOrigin = "explicit"
	Auto     LinkOrigin = "auto"
)

// Direction is the direction in which a chain is followed.
type Direction string

// The directions.
const (
	Causes  Direction = "causes"  // towards the past: why
	Effects Direction = "effects" // towards the future: what followed
	Both    Direction = "both"
)

// ChainQuery asks for everything linked to a context over explicit causes and
// dependencies, nearest first.
type ChainQuery struct {
	ID        string
	Direction Direction
	Limit     int       // contexts reached in each direction, at least 1
	AsOf      time.Time // with the links as known then; zero means now
}

// Walk is the result of a chain query: the contexts without content, nearest first,
// and all live links from or to one of them. These include automatic and superseding
// links, which are told but not followed. An id in Links that is not in Contexts is
// not in the store.
type Walk struct {
	Contexts  []ContextSnapshot
	Links     []Link
	Truncated bool // Limit was reached
}
