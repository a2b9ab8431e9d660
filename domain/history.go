package domain

import "time"

// ContextHistory is what a store keeps of one context beside the context itself.
type ContextHistory struct {
	Links      []Link      // from it, removed ones too, in the order in which they were added
	Tags       []TagSpan   // removed ones too; none: the context's tags, since it was saved
	Embeddings []Embedding // one for each model
}

// TagSpan is a stretch of time for which a context had a tag.
type TagSpan struct {
	Tag       string    `json:"tag"`
	AddedAt   time.Time `json:"added_at"`
	RemovedAt time.Time `json:"removed_at,omitzero"`
}

// Tombstone is what remains of a context that was erased for good, so that no
// import brings it back.
type Tombstone struct {
	N           int64     `json:"-"` // given by the store
	ID          string    `json:"id"`
	Project     string    `json:"project"`
	ContentHash string    `json:"content_hash"`
	ErasedAt    time.Time `json:"erased_at"`
}
