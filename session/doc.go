// Package session holds the rules about a session's events: how they fold into
// a state, what they cost, when a snapshot or a checkpoint is due, which
// checkpoints are kept, what a hand-off holds, and how a working context is
// rebuilt and told in words. Everything here is pure: no clock, no log, no I/O.
//
// A state is small whatever the length of the log: of messages, findings,
// reasoning and finished steps it keeps counts, a running hash and the ranges of
// the log that are in force ([Span]); the texts stay in the events.
package session
