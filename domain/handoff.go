package domain

import "time"

// Handoff is what one mode of work leaves to the next: light, and short-lived
// (000-13, 000-15).
type Handoff struct {
	ID        string    `json:"id"`
	SessionID string    `json:"session_id"`
	Seq       int64     `json:"seq"` // the mode event that made it, or the log's end
	FromMode  string    `json:"from_mode"`
	ToMode    string    `json:"to_mode"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"` // 1 hour on, 7 days when important
	Important bool      `json:"important,omitempty"`

	MessageSeqs []int64                 `json:"message_seqs"`              // the last 5 messages, oldest first
	Messages    []HandoffMessage        `json:"recent_messages,omitempty"` // read from the events when asked for
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
	Pointer string    `json:"pointer,omitempty"` // where a text is that is too long to be handed on
	At      time.Time `json:"timestamp"`
}

// ModeFindings is what was found in one mode.
type ModeFindings struct {
	Errors    []string `json:"errors,omitempty"`
	RootCause string   `json:"root_cause,omitempty"` // the latest
	Fixes     []string `json:"fixes,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// HandoffQuery asks for hand-offs, the newest first.
type HandoffQuery struct {
	SessionID string    // "" is all
	ToMode    string    // "" is any
	AliveAt   time.Time // only those that have not expired then; zero is all
	Limit     int       // 0 is no limit
}
