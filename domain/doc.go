// Package domain says what the things of wake are: contexts and their three
// layers, links between them, accesses, sessions and their events, the questions
// one can ask, and the errors every layer speaks. It imports nothing of wake and
// knows no storage, no transport and no clock.
package domain
