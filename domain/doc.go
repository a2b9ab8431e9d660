// Package domain defines the terms of wake: contexts and their three layers, links
// between them, accesses, sessions and their events, queries, and the errors that all
// layers use. It imports no other package of wake and knows no storage, transport or
// clock.
package domain
