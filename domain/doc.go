// Package domain defines what wake is about: contexts and their three layers,
// links between them, accesses, sessions and their events, the queries about
// them, and the errors that every layer uses. It imports nothing of wake and
// knows no storage, no transport and no clock.
package domain
