// Package session has the rules about a session's events: how they fold into a state,
// what they cost, when a snapshot or a checkpoint is due, which checkpoints are kept,
// what a hand-off contains, and how a working context is rebuilt and told in words. It
// is pure: it uses no clock, log or I/O.
//
// Two things follow from the events. A [domain.Session] is the session's row in the store,
// for lists and reports: each append moves it on ([Advance]), and a restore sets back only
// its mode and the size of its window. A [State] is what a model needs to go on: it is
// folded from the log up to any place ([Fold]), and a restore sets back its [Restorable]
// part.
//
// A state is small, whatever the length of the log. Of messages, findings, reasoning
// and completed steps it only has counts, a running hash and the ranges of the log
// that are in force ([Span]). The texts stay in the events.
package session
