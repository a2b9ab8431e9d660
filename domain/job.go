package domain

import "time"

// Summary is what a summarizer makes of a text.
type Summary struct {
	Text string   // full sentences
	Tags []string // lower case, most telling first
}

// SummaryJob is a context whose summary the model is to write.
type SummaryJob struct {
	ContextID string
	Attempts  int       // useless answers of the model so far
	NotBefore time.Time // time of the next try
	LastError string    // for people
}

// LongestLease is the longest time for which a lease may be taken.
const LongestLease = 2 * time.Hour

// Lease is the right to do one kind of periodic work until it expires. Fence rises
// with every new holder, so that one that acts too late can be recognised. wake's own
// work need not look at it: each of its steps may be done twice.
type Lease struct {
	Name    string // of the work
	Holder  string // the process
	Fence   int64
	Expires time.Time
}

// HeldAt reports whether the lease is valid. One that expires later than
// [LongestLease] from now was taken with a wrong clock. It is not valid; otherwise the
// work might not be done for years.
func (l Lease) HeldAt(now time.Time) bool {
	return l.Expires.After(now) && l.Expires.Before(now.Add(LongestLease))
}
