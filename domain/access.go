package domain

import "time"

// Access is one entry of a context's history. Prediction learns nothing from what was
// [Handed] or [Shown], so that it does not learn from its own suggestions.
type Access struct {
	N         int64     `json:"-"` // order of commit; set by the store
	ContextN  int64     `json:"-"` // the context's number; set by the store, 0 if only the id is known
	ContextID string    `json:"context_id"`
	Project   string    `json:"project"`
	At        time.Time `json:"at"`
	How       How       `json:"how"`
	Via       string    `json:"via,omitempty"`   // the tool or command
	Actor     string    `json:"actor,omitempty"` // the client or agent; may be empty
	SessionID string    `json:"session_id,omitempty"`
}

// How is the kind of an access.
type How string

// The kinds of access, and other entries of the access log.
const (
	Used   How = "used"   // opened by id, asked for in a chain, named in a save
	Handed How = "handed" // in a list, a brief, a resume
	Shown  How = "shown"  // a search hit or a prediction; does not count as an access
	Saved  How = "saved"  // the context was saved; does not count either, but begins its history
	Gone   How = "gone"   // the context was forgotten
	Back   How = "back"   // the forgetting was undone; does not count as a use
)

// Counts reports whether the access changes last_accessed and access_count (002-03).
// What was handed out counts, what was only shown does not.
func (h How) Counts() bool { return h == Used || h == Handed }

// Outcome is one prediction that was shown, and whether it came true.
type Outcome struct {
	N           int64         `json:"-"` // set by the store
	Project     string        `json:"project"`
	ContextID   string        `json:"context_id"`
	PredictedAt time.Time     `json:"predicted_at"`
	Horizon     time.Duration `json:"horizon_ns"`
	Rank        int           `json:"rank"` // 1 is best
	Score       float64       `json:"score"`
	Probability float64       `json:"probability"`
	Accessed    bool          `json:"accessed,omitempty"` // used within the horizon; only valid if SettledAt is set
	SettledAt   time.Time     `json:"settled_at,omitzero"`
}

// LearntModel is what prediction has learnt about a project up to the access with the
// number Watermark. Package prediction defines State.
type LearntModel struct {
	Project   string
	Watermark int64
	State     []byte
}

// LearntItem is what prediction stores about one context.
type LearntItem struct {
	ContextN int64
	State    []byte
}

// Birth is what was known about a context when it was saved.
type Birth struct {
	ContextN     int64
	CauseN       int64 // 0 if there is no cause in the same project: projects learn separately
	Dependencies int   // number of dependencies that were named in the save
	Metadata     Metadata
	Tags         []string // sorted
}
