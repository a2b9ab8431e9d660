// Package prediction says what will be needed next, how likely, when, and why.
//
// Its parts build on each other: a [History] keeps the few accesses that matter, [History.Activation] turns
// them into ACT-R base-level activation, and [WakeIQX] is the formula of seed 002 for comparison.
//
// Everything here is pure: no clock, no log, no I/O, no map order in any result. The same accesses in the
// same order give the same state, byte for byte.
package prediction
