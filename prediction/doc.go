// Package prediction says what will be needed next, how likely, when, and why.
//
// A [Model] is a fold over one project's access log: [Model.Advance] processes one step after the other. For
// each step it first ranks as if it had been asked, notes in a [Record] how well it did, and then learns from
// what was used and what was not. [Model.Predict] ranks a bounded set of candidates, whatever the size of the
// project. What is known about a context is an [Item], a small row that a store keeps beside it; the model
// itself is another small row. MarshalBinary and UnmarshalBinary write and read both exactly.
//
// The ranking combines four rankers: base-level activation of the [History], which needs no learning, and
// three online learners over the same features, two of them with a hidden layer. Each counts by how well it
// did in this project, so that a new project begins with activation alone. Probabilities come from hazards of
// three spans (the first day, up to the third, up to the seventh), fitted to spans that have passed.
// [WakeIQX] is the formula of seed 002, for comparison.
//
// Everything here is pure: no clock, no log, no I/O, no map order in any result. The same log gives the same
// state, byte for byte.
package prediction
