// Package causality holds the rules about links between contexts: which
// contexts are on a chain and how far away, where a chain runs in a cycle or
// into something lost, how strongly two contexts relate, and how to tell that
// to a person or a model.
package causality
