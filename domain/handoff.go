package domain

import "time"

// Handoff is what one mode of work leaves to the next. It is small and short-lived
// (000-13, 000-15).
type Handoff struct {
	ID        string    `json:"id"`
	SessionID string    `json:"session_id"`
	Seq       int64     `json:"seq"` // the mode event that made it, or the last event
	FromMode  string    `json:"from_mode"`
	ToMode    string    `json:"to_mode"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"` // after 1 hour, or 7 days if important
	Important bool      `json:"important,omitempty"`

	MessageSeqs []int64                 `json:"message_seqs"`              // the last 5 messages, oldest first
	Messages    []HandoffMessage        `json:"recent_messages,omitempty"` // read from the events on demand
	Skills      []string                `json:"active_skills,omitempty"`
	Tools       []string                `json:"active_tools,omitempty"`
	Task        string                  `json:"current_task,omitempty"`
	Findings    map[string]ModeFindings `json:"findings,omitempty"` // by mode
	Reasoning   []Reasoning             `json:"reasoning_traces,omitempty"`
}

// HandoffMessage is a message with its own time.
type HandoffMessage struct {
	Seq     int64     `json:"seq"`
	Role    Role      `json:"role"`
	Content string    `json:"content"`
	Pointer string    `json:"pointer,omitempty"` // where the text is, if it was too long
	At      time.Time `json:"timestamp"`
}

// ModeFindings are the findings of one mode.
type ModeFindings struct {
	Errors    []string `json:"errors,omitempty"`
	RootCause string   `json:"root_cause,omitempty"` // the latest
	Fixes     []string `json:"fixes,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// HandoffQuery asks for hand-offs, newest first.
type HandoffQuery struct {
	SessionID string    // "" means all
	ToMode    string    // "" means any
	AliveAt   time.Time // only those that have not expired then; zero means all
	Limit     int       // 0 means no limit
}
