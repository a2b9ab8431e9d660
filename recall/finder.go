package recall

import (
	"context"
	"slices"
)

// Weighted is a search term and its weight.
type Weighted struct {
	Term   string
	Weight float64
	// An Even term adds its full weight to every document that contains it, regardless
	// of the document's length and of how often it occurs.
	Even bool
}

// Found is a candidate: a document's number and first score.
type Found struct {
	N     int64
	Score float64
}

// Stats describe the documents of a scope: their number and mean lengths, and the
// document frequency (DF) of each term asked for.
type Stats struct {
	Docs        int
	MeanTerms   float64 // terms per document
	MeanPassage float64 // terms per passage
	DF          []int
}

// Finder looks up documents in one scope (a project, or all). It is all that ranking
// needs from an index.
type Finder interface {
	// Stats describes the scope and counts the documents with each of the terms.
	Stats(ctx context.Context, terms []string) (Stats, error)
	// Frequencies counts the scope's documents with each of many terms, most of which
	// occur nowhere.
	Frequencies(ctx context.Context, terms []string) ([]int, error)
	// Completions lists longer terms that begin with the given one, up to a limit for
	// each part of the index. Some may belong to other scopes.
	Completions(ctx context.Context, beginning string, most int) ([]string, error)
	// Top returns the k documents with the highest scores, best first. The score is
	// BM25, except for even terms.
	Top(ctx context.Context, terms []Weighted, k int) ([]Found, error)
	// TopAmong is Top restricted to the given documents.
	TopAmong(ctx context.Context, terms []Weighted, ns []int64, k int) ([]Found, error)
	// Documents returns the documents in the order of ns, nil for those that are gone.
	Documents(ctx context.Context, ns []int64) ([]*Document, error)
	// Next returns for each document the next one in its stream, or 0.
	Next(ctx context.Context, ns []int64) ([]int64, error)
	// Admits reports which of the documents may be found. The others serve only as
	// neighbours.
	Admits(ctx context.Context, ns []int64) ([]bool, error)
}

// speakerTerm is the index term for a word in the name of a source.
func speakerTerm(word string) string { return "@" + word }

// SpeakerTerms returns the index terms for the document's speaker, without repeats.
// Roles and programs have none.
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
