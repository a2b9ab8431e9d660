// Package prediction says what will be needed next, how likely, when, and why.
//
// A [Model] is a fold over one project's access log: [Model.Advance] takes in one step after the other, each time
// ranking first as if it had been asked, keeping score in a [Record], and learning from what was used and what was not.
// [Model.Predict] then ranks a bounded set of candidates, whatever the size of the project. What is known of each context
// is an [Item], a small row that a store keeps beside it; the model itself is one more small row. Both are read and
// written exactly by MarshalBinary and UnmarshalBinary.
//
// The ranking is made by four voices: base-level activation of the [History], which needs no learning, and three online
// learners over the same features, one with a hidden layer. Each has a say by how well it did in this project, so that a
// new project begins with activation alone. Chances come from hazards of the next day, days and week, fitted to spans that have
// passed. [WakeIQX] is the formula of seed 002, for comparison.
//
// Everything here is pure: no clock, no log, no I/O, no map order in any result. The same log gives the same state, byte
// for byte.
package prediction
