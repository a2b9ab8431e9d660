package recall

import (
	"context"
	"slices"
)

// Weighted is a term to look for and how much finding it counts.
type Weighted struct {
	Term   string
	Weight float64
	// Even terms add their full weight to every document that has them, however
	// long the document is and however often they occur.
	Even bool
}

// Found is a candidate: a document's number and its first score.
type Found struct {
	N     int64
	Score float64
}

// Stats describe the documents of a scope: how many there are, how long, and
// how many have each asked term.
type Stats struct {
	Docs        int
	MeanTerms   float64 // terms per document
	MeanPassage float64 // terms per passage
	DF          []int
}

// Finder looks documents up in one scope (a project, or all). It is all that
// ranking needs from an index.
type Finder interface {
	// Stats counts the scope and the terms in it.
	Stats(ctx context.Context, terms []string) (Stats, error)
	// Frequencies returns, for many terms that mostly occur nowhere, how many of
	// the scope's documents have each.
	Frequencies(ctx context.Context, terms []string) ([]int, error)
	// Completions lists longer terms that begin with a given one, up to a limit for
	// each part of the index. Some may be of other scopes.
	Completions(ctx context.Context, beginning string, most int) ([]string, error)
	// Top returns the k documents with the highest score, best first. The score is
	// BM25, except for even terms.
	Top(ctx context.Context, terms []Weighted, k int) ([]Found, error)
	// TopAmong is Top among these documents alone.
	TopAmong(ctx context.Context, terms []Weighted, ns []int64, k int) ([]Found, error)
	// Documents returns the documents in the order of ns, nil for what is gone.
	Documents(ctx context.Context, ns []int64) ([]*Document, error)
	// Next returns for each document the one after it in its stream, 0 for none.
	Next(ctx context.Context, ns []int64) ([]int64, error)
	// Admits reports which of the documents may be found; the others are only
	// looked at as neighbours.
	Admits(ctx context.Context, ns []int64) ([]bool, error)
}

// speakerTerm is the index term of a source that has the word in its name.
func speakerTerm(word string) string { return "@" + word }

// SpeakerTerms are the index terms by which a document's speaker is found, each
// once; roles and programs have none.
func (d *Document) SpeakerTerms() []string {
	if d.Role != Other {
		return nil
	}
	out := make([]string, 0, len(d.Speaker))
	for _, s := range d.Speaker {
		if t := speakerTerm(s); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
