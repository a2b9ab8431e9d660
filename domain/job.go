package domain

import "time"

// Summary is what a summarizer makes of a text.
type Summary struct {
	Text string   // full sentences
	Tags []string // lower case, most telling first
}

// SummaryJob is one context that waits for the model to write its summary.
type SummaryJob struct {
	ContextID string
	Attempts  int       // answers of the model that were of no use
	NotBefore time.Time // of the next try
	LastError string    // for a person who looks at the queue
}

// LongestLease is the longest time for which a lease may be taken.
const LongestLease = 2 * time.Hour

// Lease is the right to do one piece of periodic work until it expires. Fence
// rises with every new holder, so that an earlier holder that acts too late is
// recognised.
type Lease struct {
	Name    string // of the work
	Holder  string // the process that has it
	Fence   int64
	Expires time.Time
}

// HeldAt reports whether the lease still holds. One that would hold for longer than
// [LongestLease] was written by a wrong clock and does not hold: it could keep the work
// from being done for years.
func (l Lease) HeldAt(now time.Time) bool {
	return l.Expires.After(now) && l.Expires.Before(now.Add(LongestLease))
}
