// Package recall decides which memories answer a question.
//
// It analyses text in the same way for what is saved and what is asked ([Analyze],
// [Understand]), finds candidates in an inverted index, ranks them by a small linear
// model over lexical, neighbour and time features, and cuts snippets. The package is
// pure: it has no clock, no log and no I/O of its own; bytes come and go through small
// interfaces of plain types.
package recall
