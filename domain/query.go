package domain

import "time"

// Filters narrow any question about contexts. Zero values do not filter.
type Filters struct {
	ActionTypes []ActionType
	Tags        []string // all of them, each in any of its [TagForms]
	Since       time.Time
	Until       time.Time // exclusive
	AsOf        time.Time // the store as it was known then
	Touched     []Span    // last access (or timestamp) in one of these spans; tiers are turned into this
}

// Empty reports whether the filters let everything pass.
func (f Filters) Empty() bool {
	return len(f.ActionTypes) == 0 && len(f.Tags) == 0 && len(f.Touched) == 0 && f.Since.IsZero() && f.Until.IsZero() && f.AsOf.IsZero()
}

// Order is how a list is sorted. Of equal contexts the one inserted later comes
// first; with [Oldest] and [LeastRecent] the one inserted earlier.
type Order string

// The orders.
const (
	Newest      Order = "newest"       // timestamp, latest first
	Oldest      Order = "oldest"       // timestamp, earliest first
	LeastRecent Order = "least_recent" // longest untouched first
	Likely      Order = "likely"       // stored prediction score, highest first
)

// ContextQuery asks for a list of contexts. Forgotten ones are left out, unless
// Forgotten is set or AsOf is before they were forgotten.
type ContextQuery struct {
	Filters
	IDs         []string // only these, at most 512; nil is all
	Project     string   // "" is all projects
	SessionID   string
	Kind        Kind
	Pinned      bool      // only pinned ones
	Forgotten   bool      // only forgotten ones that can still be brought back
	IdleSince   time.Time // only those not accessed then or later; zero is all
	Order       Order
	Limit       int       // 0 is no limit
	After       *Position // continue behind this one
	WithContent bool
}

// Position is a place in an ordered list: the sort key and the insertion number
// of the last item seen.
type Position struct {
	Key string `json:"k"`
	N   int64  `json:"n"`
}

// DocumentQuery asks which documents of the search index may be found.
type DocumentQuery struct {
	Filters // of messages only the times count
	Space   SearchSpace
	Project string  // "" is all projects
	Among   []int64 // only these; nil is all
	Limit   int     // 0 is no limit
}
