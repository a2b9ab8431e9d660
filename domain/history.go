package domain

import "time"

// ContextHistory is what a store has about a context besides the context itself.
type ContextHistory struct {
	Links      []Link      // from the context, including removed ones, in order of addition
	Tags       []TagSpan   // including removed ones; nil means the context's tags since it was saved
	Embeddings []Embedding // one per model
}

// TagSpan is a period in which a context had a tag.
type TagSpan struct {
	Tag       string    `json:"tag"`
	AddedAt   time.Time `json:"added_at"`
	RemovedAt time.Time `json:"removed_at,omitzero"`
}

// Tombstone is what remains of a context that was erased for good, so that an import
// does not bring it back.
type Tombstone struct {
	N           int64     `json:"-"` // set by the store
	ID          string    `json:"id"`
	Project     string    `json:"project"`
	ContentHash string    `json:"content_hash"`
	ErasedAt    time.Time `json:"erased_at"`
}
