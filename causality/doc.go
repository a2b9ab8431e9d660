// Package causality says what to think of the links between contexts: which
// ones lie on a chain and how far away, where a chain runs in a circle or into
// something lost, how strongly two contexts relate, and how to tell all that to
// a person or a model.
package causality
