package domain

import "time"

// Filters narrow a query about contexts. Zero values do not filter.
type Filters struct {
	ActionTypes []ActionType
	Tags        []string // must have all of them, each in one of its [TagForms]
	Since       time.Time
	Until       time.Time // exclusive
	AsOf        time.Time // the store as it was then
	Touched     []Span    // last access (or timestamp) in one of these spans; used for tiers
}

// Empty reports whether the filters let everything pass.
func (f Filters) Empty() bool {
	return len(f.ActionTypes) == 0 && len(f.Tags) == 0 && len(f.Touched) == 0 && f.Since.IsZero() && f.Until.IsZero() && f.AsOf.IsZero()
}

// Order is the order of a list. Of contexts that are equal, the one inserted later
// comes first; with [Oldest] and [LeastRecent] the one inserted earlier.
type Order string

// The orders.
const (
	Newest      Order = "newest"       // timestamp, latest first
	Oldest      Order = "oldest"       // timestamp, earliest first
	LeastRecent Order = "least_recent" // last access (or timestamp), earliest first
	Likely      Order = "likely"       // stored prediction score, highest first
)

// ContextQuery asks for a list of contexts. Forgotten ones are left out unless
// Forgotten is set, or AsOf is before they were forgotten.
type ContextQuery struct {
	Filters
	IDs         []string // only these, at most 512; nil means all
	Project     string   // "" means all projects
	SessionID   string
	Kind        Kind
	Pinned      bool      // only pinned ones
	Forgotten   bool      // only forgotten ones that can still be brought back
	IdleSince   time.Time // only those not accessed since; zero means all
	Order       Order
	Limit       int       // 0 means no limit
	After       *Position // continue after this one
	WithContent bool
}

// Position is a place in an ordered list: sort key and insertion number of the last
// item seen.
type Position struct {
	Key string `json:"k"`
	N   int64  `json:"n"`
}

// DocumentQuery asks which documents of the search index pass filters.
type DocumentQuery struct {
	Filters // only the times apply to messages
	Space   SearchSpace
	Project string  // "" means all projects
	Among   []int64 // only these; nil means all
	Limit   int     // 0 means no limit
}
