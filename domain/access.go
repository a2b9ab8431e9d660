package domain

import "time"

// Access is one time a context was returned or shown to somebody. Prediction
// learns from [Used] alone, so that it does not learn from its own suggestions.
type Access struct {
	N         int64     `json:"-"` // order of commit; given by the store
	ContextN  int64     `json:"-"` // the context's number, given by the store; 0 where only the id is known
	ContextID string    `json:"context_id"`
	Project   string    `json:"project"`
	At        time.Time `json:"at"`
	How       How       `json:"how"`
	Via       string    `json:"via,omitempty"`   // the tool or command
	Actor     string    `json:"actor,omitempty"` // who asked: client or agent; may be empty
	SessionID string    `json:"session_id,omitempty"`
}

// How says what an access meant.
type How string

// The ways a context is accessed, and what else the access log holds.
const (
	Used   How = "used"   // opened by id, asked for in a chain, named in a save
	Handed How = "handed" // in a list, a brief, a resume
	Shown  How = "shown"  // a search hit or a prediction; does not count as an access
	Saved  How = "saved"  // it was saved; does not count either, but begins its history
	Gone   How = "gone"   // it was forgotten
	Back   How = "back"   // the forgetting was undone; does not count as use
)

// Counts reports whether the access moves last_accessed and access_count
// (002-03): what is handed back does, what is only shown does not.
func (h How) Counts() bool { return h == Used || h == Handed }

// Outcome is one prediction that was shown and what became of it.
type Outcome struct {
	N           int64         `json:"-"` // given by the store
	Project     string        `json:"project"`
	ContextID   string        `json:"context_id"`
	PredictedAt time.Time     `json:"predicted_at"`
	Horizon     time.Duration `json:"horizon_ns"`
	Rank        int           `json:"rank"` // 1 is best
	Score       float64       `json:"score"`
	Probability float64       `json:"probability"`
	Accessed    bool          `json:"accessed,omitempty"` // used within the horizon; meaningful once SettledAt is set
	SettledAt   time.Time     `json:"settled_at,omitzero"`
}

// LearntModel is what prediction has learnt of a project, as of the access with
// the number Watermark. What State means is package prediction's.
type LearntModel struct {
	Project   string
	Watermark int64
	State     []byte
}

// LearntItem is what prediction keeps of one context.
type LearntItem struct {
	ContextN int64
	State    []byte
}

// Birth is what a context said about itself when it was saved.
type Birth struct {
	ContextN     int64
	CauseN       int64 // 0 without a cause in its own project: each project learns by itself
	Dependencies int   // named by whoever saved it
	Metadata     Metadata
	Tags         []string // sorted
}
