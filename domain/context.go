package domain

import (
	"strings"
	"time"
	"unicode/utf8"
)

// ContextSnapshot is one immutable fact that an assistant wants to keep: what was
// said, decided or done (002-01), why it exists ([Causality]), how warm it is
// ([Memory]) and how likely it is needed next ([Propagation]). Id, project, content,
// timestamp and source never change once saved (002-06).
type ContextSnapshot struct {
	N         int64     `json:"-"` // order of insertion in this store; used by its indexes
	ID        string    `json:"id"`
	Project   string    `json:"project"`
	Content   string    `json:"content,omitempty"` // exactly as given; empty if the query left it out
	Summary   string    `json:"summary"`
	Tags      []string  `json:"tags"`
	Source    string    `json:"source"`
	Timestamp time.Time `json:"timestamp"` // when it happened
	Metadata  Metadata  `json:"metadata,omitempty"`

	Causality   *Causality   `json:"causality,omitempty"`
	Memory      Memory       `json:"memory"`
	Propagation *Propagation `json:"propagation,omitempty"`

	SessionID string `json:"session_id,omitempty"` // the session it was saved in, or a label
	Seq       int64  `json:"seq,omitempty"`        // its event in that session; 0 if the session is only a label
	Kind      Kind   `json:"kind"`
	Origin    Origin `json:"origin"`
	Pinned    bool   `json:"pinned,omitempty"`

	ContentHash  string    `json:"content_hash,omitempty"` // sha256 of content, hex
	SummaryBy    string    `json:"summary_by,omitempty"`   // [ByCaller], [ByExtract] or the model's name
	SupersededBy string    `json:"superseded_by,omitempty"`
	SupersededAt time.Time `json:"superseded_at,omitzero"`
	SavedAt      time.Time `json:"saved_at"`            // when it was stored; never given by a caller
	DeletedAt    time.Time `json:"deleted_at,omitzero"` // when it was forgotten; can be undone for 30 days
}

// The values of SummaryBy besides names of models.
const (
	ByCaller  = "caller"
	ByExtract = "extractive"
)

// Causality is layer 1, the past: why a context exists (002-02).
type Causality struct {
	ActionType   ActionType `json:"action_type"`
	CausedBy     string     `json:"caused_by,omitempty"` // "" means a root, like null in the seed
	Rationale    string     `json:"rationale,omitempty"`
	Dependencies []string   `json:"dependencies"` // related, not causal; explicit ones only
}

// Memory is layer 2, the present: how warm a context is (002-03).
type Memory struct {
	Tier         Tier      `json:"tier"`
	LastAccessed time.Time `json:"last_accessed,omitzero"`
	AccessCount  int64     `json:"access_count"`
}

// Propagation is layer 3, the future: how likely a context is needed next (002-04).
type Propagation struct {
	PredictionScore     float64   `json:"prediction_score"` // 0 to 1
	LastPredicted       time.Time `json:"last_predicted,omitzero"`
	PredictedNextAccess time.Time `json:"predicted_next_access,omitzero"`
	PropagationReason   []string  `json:"propagation_reason"` // tags such as recently_accessed
}

// ExpiryAge is the age from which [ContextSnapshot.IsExpired] holds (002-05).
const ExpiryAge = 30 * 24 * time.Hour

// CheckNames refuses a context with an id, a tag or an enumerated word that stores
// cannot hold.
func (c *ContextSnapshot) CheckNames() error {
	names := []Named{{"its id", c.ID}, {"session_id", c.SessionID}, {"tier", string(c.Memory.Tier)}}
	if c.Causality != nil {
		names = append(names, Named{"action_type", string(c.Causality.ActionType)}, Named{"caused_by", c.Causality.CausedBy})
		for _, id := range c.Causality.Dependencies {
			names = append(names, Named{"a dependency", id})
		}
	}
	for _, tag := range c.Tags {
		if len(tag) > MaxName*utf8.UTFMax || checkBytes("", tag) != nil || strings.Contains(tag, ",") {
			return Invalid("a tag is longer than %d characters, holds a comma or a NUL, or is not valid UTF-8", MaxName)
		}
	}
	return CheckIDs(names...)
}

// IsExpired reports whether the context is more than 30 days old at now (002-05),
// however often it is used. [Memory.Tier] takes use into account.
func (c *ContextSnapshot) IsExpired(now time.Time) bool {
	return now.Sub(c.Timestamp) > ExpiryAge
}

// IsRootCause reports whether the context begins a chain of causes. A context without
// causality is not a root (002-05).
func (c *ContextSnapshot) IsRootCause() bool {
	return c.Causality != nil && c.Causality.CausedBy == ""
}

// The metadata of a context that wake distilled from what was said: the rule that found it,
// and the other events whose words it has.
const (
	DistilledBy   = "distilled_by"
	DistilledWith = "distilled_with"
)

// IsDistilled reports whether wake made the context from what was said in a session, by
// its own rules, so that it may be mistaken. Nobody chose to save it.
func (c *ContextSnapshot) IsDistilled() bool {
	_, ok := c.Metadata[DistilledBy]
	return ok
}

// DistilledFrom returns the events of its session that a distilled context quotes: its own,
// and others, such as the question that a decision answers. Other contexts quote none.
func (c *ContextSnapshot) DistilledFrom() []int64 {
	if !c.IsDistilled() {
		return nil
	}
	seqs := []int64{c.Seq}
	switch with := c.Metadata[DistilledWith].(type) {
	case []int64: // it is not stored yet
		return append(seqs, with...)
	case []any:
		for _, n := range with {
			if seq, ok := n.(float64); ok {
				seqs = append(seqs, int64(seq))
			}
		}
	}
	return seqs
}

// HasCausality reports whether it is known why the context exists.
func (c *ContextSnapshot) HasCausality() bool { return c.Causality != nil }

// HasPrediction reports whether the context was ever scored.
func (c *ContextSnapshot) HasPrediction() bool { return c.Propagation != nil }

// Touched is the time from which tiers count: that of the last access or, if there was
// none, the timestamp.
func (c *ContextSnapshot) Touched() time.Time {
	if c.Memory.LastAccessed.IsZero() {
		return c.Timestamp
	}
	return c.Memory.LastAccessed
}

// ActionType is the kind of action that a context comes from (002-02).
type ActionType string

// The seed's five action types.
const (
	Conversation ActionType = "conversation"
	Decision     ActionType = "decision"
	FileEdit     ActionType = "file_edit"
	ToolUse      ActionType = "tool_use"
	Research     ActionType = "research"
)

// ActionTypes lists every action type.
var ActionTypes = []ActionType{Conversation, Decision, FileEdit, ToolUse, Research}

// Tier is how warm a context is, by the time since its last access.
type Tier string

// The tiers, warm to cold: by default under 1 hour, 24 hours, 30 days, and the rest.
const (
	TierActive   Tier = "ACTIVE"
	TierRecent   Tier = "RECENT"
	TierArchived Tier = "ARCHIVED"
	TierExpired  Tier = "EXPIRED"
)

// Tiers lists every tier, warm to cold.
var Tiers = []Tier{TierActive, TierRecent, TierArchived, TierExpired}

// Kind distinguishes lasting knowledge from the course of events (004-10).
type Kind string

// Unless whoever saves them says otherwise, decisions, research, pinned and distilled
// contexts are semantic, all others episodic.
const (
	Semantic Kind = "semantic"
	Episodic Kind = "episodic"
)

// KindFor returns the kind of a context if the caller named none.
func KindFor(action ActionType, pinned bool) Kind {
	if pinned || action == Decision || action == Research {
		return Semantic
	}
	return Episodic
}

// Origin is who wrote the content of a context.
type Origin string

// The origins.
const (
	FromUser      Origin = "user"
	FromAssistant Origin = "assistant"
	FromTool      Origin = "tool"
	FromImport    Origin = "import"
)
