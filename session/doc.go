// Package session has the rules about a session's events: how they fold into a state,
// what they cost, when a snapshot or a checkpoint is due, which checkpoints are kept,
// what a hand-off contains, and how a working context is rebuilt and told in words. It
// is pure: it uses no clock, log or I/O.
//
// A state is small, whatever the length of the log. Of messages, findings, reasoning
// and completed steps it only has counts, a running hash and the ranges of the log
// that are in force ([Span]). The texts stay in the events.
package session
