package domain

import (
	"encoding/binary"
	"math"
	"slices"
)

// Document is one text in the search index, as prepared by recall.
type Document struct {
	DocumentSource
	Space  SearchSpace
	Scope  string // the project
	Stream int64  // the sequence of texts that it belongs to
	Prev   int64  // number of the document before it in its stream; 0 for none
	Data   []byte // encoded by recall
}

// DocumentSource identifies the text of a document: a context, or an event of a
// session. With Seq 0 it means all events of the session.
type DocumentSource struct {
	N         int64 // the document's own number
	ContextN  int64
	SessionID string
	Seq       int64
}

// SearchSpace is a part of the search index that is searched separately.
type SearchSpace int

// The spaces: contexts, and messages of sessions.
const (
	ContextSpace SearchSpace = 0
	MessageSpace SearchSpace = 1
)

// AllDocuments in the list of removals means all documents up to that entry: the index
// was emptied.
const AllDocuments int64 = 0

// Embedding is a model's vector for a context.
type Embedding struct {
	ContextID string
	Document  int64 // number of the context's document in the search index; set by the store
	Model     string
	Vector    []float32
}

// Bytes is the vector as it is stored and exported: little-endian float32.
func (e Embedding) Bytes() []byte {
	out := make([]byte, 0, 4*len(e.Vector))
	for _, x := range e.Vector {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// VectorOf is the vector that [Embedding.Bytes] made the bytes of.
func VectorOf(data []byte) []float32 { return AppendVector([]float32{}, data) }

// AppendVector is [VectorOf] into room.
func AppendVector(room []float32, data []byte) []float32 {
	room = slices.Grow(room, len(data)/4)
	for ; len(data) >= 4; data = data[4:] {
		room = append(room, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return room
}
