package recall

import "context"

// Weighted is a term to look for and how much finding it counts.
type Weighted struct {
	Term   string
	Weight float64
	// Even terms add their weight to every document that has them, however long
	// it is and however often they are in it.
	Even bool
}

// Found is a candidate: a document's number and its first score.
type Found struct {
	N     int64
	Score float64
}

// Stats describe the documents of a scope, and of each asked term in how many
// of them it is.
type Stats struct {
	Docs        int
	MeanTerms   float64 // terms per document
	MeanPassage float64 // terms per passage
	DF          []int
}

// Finder looks documents up in one scope (a project, or all). It is what
// ranking needs of an index.
type Finder interface {
	// Stats counts the scope and the terms in it.
	Stats(ctx context.Context, terms []string) (Stats, error)
	// Frequencies tells of each of many terms, most of them nowhere, in how many
	// of the scope's documents it is.
	Frequencies(ctx context.Context, terms []string) ([]int, error)
	// Completions lists terms that begin so and are longer, at most so many of each
	// part of the index. Some may be of other scopes.
	Completions(ctx context.Context, beginning string, most int) ([]string, error)
	// Top returns the k documents with the highest score, best first: BM25, but for
	// even terms.
	Top(ctx context.Context, terms []Weighted, k int) ([]Found, error)
	// TopAmong is Top among these documents alone.
	TopAmong(ctx context.Context, terms []Weighted, ns []int64, k int) ([]Found, error)
	// Documents returns the documents in the order of ns, nil for what is gone.
	Documents(ctx context.Context, ns []int64) ([]*Document, error)
	// Next returns for each document the one after it in its stream, 0 for none.
	Next(ctx context.Context, ns []int64) ([]int64, error)
	// Admits says which of the documents may be found; the others are only
	// looked at as neighbours.
	Admits(ctx context.Context, ns []int64) ([]bool, error)
}

// speakerTerm is the index term of a source that has the word in its name.
func speakerTerm(word string) string { return "@" + word }
