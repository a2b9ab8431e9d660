package domain

// Document is what the search index holds of one text: what recall made of it.
type Document struct {
	DocumentSource
	Space  SearchSpace
	Scope  string // the project
	Stream int64  // which texts follow one another
	Prev   int64  // the number of the one before it in its stream; 0 for none
	Data   []byte // encoded by recall
}

// DocumentSource is the text that a document of the index was made of: a
// context, or an event of a session; without Seq all events of it.
type DocumentSource struct {
	N         int64 // the document's own number
	ContextN  int64
	SessionID string
	Seq       int64
}

// SearchSpace is a part of the search index that is asked by itself.
type SearchSpace int

// The spaces: what was saved, and what was said.
const (
	ContextSpace SearchSpace = 0
	MessageSpace SearchSpace = 1
)

// AllDocuments, in the list of removals, stands for all documents up to that
// entry: the index was emptied.
const AllDocuments int64 = 0

// Embedding is a vector that a model made of a context.
type Embedding struct {
	ContextID string
	Document  int64 // the number of the context's document in the search index; given by the store
	Model     string
	Vector    []float32
}
