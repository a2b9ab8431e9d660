package domain

import "time"

// Session is one run of an assistant: an append-only log of events, and what is
// known of it as a whole.
type Session struct {
	ID              string            `json:"id"`
	Project         string            `json:"project,omitempty"`
	Client          string            `json:"client,omitempty"` // claude-code, codex, gemini, or any name
	ClientSessionID string            `json:"client_session_id,omitempty"`
	AgentID         string            `json:"agent_id,omitempty"`
	Title           string            `json:"title,omitempty"`
	Model           string            `json:"model,omitempty"`    // now; earlier ones are in the events
	Provider        string            `json:"provider,omitempty"` // now
	Mode            string            `json:"mode,omitempty"`     // now
	LatestStatus    string            `json:"latest_status,omitempty"`
	Attributes      map[string]string `json:"attributes,omitempty"`

	ParentID   string `json:"parent_session_id,omitempty"`
	ParentOpID string `json:"parent_op_id,omitempty"`
	OriginID   string `json:"origin_id"` // the root of the tree of sessions; its own id at the root (001-02)
	ForkedFrom string `json:"forked_from,omitempty"`
	ForkedSeq  int64  `json:"forked_seq,omitempty"`

	Status    SessionStatus `json:"status"`
	StartedAt time.Time     `json:"started_at"`
	UpdatedAt time.Time     `json:"updated_at"` // of the last append, or of the newest event where it was imported
	EndedAt   time.Time     `json:"ended_at,omitzero"`
	Success   *bool         `json:"success,omitempty"`
	Error     string        `json:"error,omitempty"`
	DeletedAt time.Time     `json:"deleted_at,omitzero"` // forgotten; undo is possible for 30 days

	LastSeq      int64   `json:"last_seq"` // 0 when it has no events
	Epoch        int64   `json:"epoch"`    // from 1; a compaction or a restore opens the next
	Turn         int64   `json:"turn"`
	Messages     int64   `json:"messages"`                // message events
	HumanMsgs    int64   `json:"user_messages"`           // of them, written by a person
	Tokens       int64   `json:"tokens"`                  // in the client's window as last told
	ContextLimit int64   `json:"context_limit,omitempty"` // tokens at which the client compacts, as configured or told
	LearnedLimit int64   `json:"learned_limit,omitempty"` // tokens at which it did compact by itself
	SnapshotSeq  int64   `json:"snapshot_seq"`            // of the last state snapshot; 0 when there is none
	Totals       Totals  `json:"totals"`                  // of this session alone, without its children
	Bytes        int64   `json:"bytes"`                   // of all payloads
	Opened       Opening `json:"opened,omitzero"`
}

// RecordedBy is the attribute of a session that says whose it is where several people
// share a database, as ann@laptop. Sessions that a file keeps, and those of an older
// wake, have none.
const RecordedBy = "recorded_by"

// Opening is what was known of a session before its first event.
type Opening struct {
	Mode     string `json:"mode,omitempty"`
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	Title    string `json:"title,omitempty"`
}

// Window is how full the session's window is, against the limit that counts:
// the tokens at which the client was seen to compact, or else the limit that
// was configured or reported. Real clients compact well before the limit they
// report.
func (s *Session) Window() Window {
	limit := s.ContextLimit
	if s.LearnedLimit > 0 && (limit == 0 || s.LearnedLimit < limit) {
		limit = s.LearnedLimit
	}
	return Window{Tokens: s.Tokens, Limit: limit}
}

// SessionStatus says whether more events are to be expected.
type SessionStatus string

// The states of a session.
const (
	SessionActive    SessionStatus = "active"
	SessionEnded     SessionStatus = "ended"
	SessionForgotten SessionStatus = "forgotten"
)

// LeftAfter is how long an active session is silent before it counts as ended: many are
// left without a word, as by a client that was killed, and most transcripts tell of no
// end. One that goes on is active again.
const LeftAfter = 24 * time.Hour

// StatusAt is the status of the session as it counts at a time.
func (s *Session) StatusAt(now time.Time) SessionStatus {
	if s.Status == SessionActive && now.Sub(s.UpdatedAt) > LeftAfter {
		return SessionEnded
	}
	return s.Status
}

// SessionQuery asks for sessions, the most recently updated first.
type SessionQuery struct {
	Project   string // "" is all
	AgentID   string
	Client    string
	ParentID  string
	Status    SessionStatus // "" is active and ended ones
	StatusAt  time.Time     // when Status is to count, as in [Session.StatusAt]; zero is as stored
	Since     time.Time     // updated at or after
	Until     time.Time     // updated before
	Limit     int           // 0 is no limit
	After     *Position     // continue behind this one
	Forgotten bool          // also forgotten ones
	OwnStart  bool          // only those that no other session started

	RecordedBy string // only those with this value of the attribute [RecordedBy]
}

// EventQuery asks for events of a session by sequence.
type EventQuery struct {
	SessionID string
	After     int64       // only later ones
	Until     int64       // up to and with this one; 0 is the end
	Types     []EventType // nil is all
	Human     bool        // only messages that people wrote
	Backward  bool        // newest first
	Limit     int         // 0 is no limit
	Light     bool        // without long texts: what a fold needs
}

// Alert is a fault that wake worked around, for a person to look at. One is
// kept for each subject and kind, until the session is erased.
type Alert struct {
	ID        string    `json:"id"`
	SessionID string    `json:"session_id,omitempty"`
	Kind      string    `json:"kind"` // snapshot_damaged, cache_damaged, event_damaged, totals_differ …
	Subject   string    `json:"subject"`
	Detail    string    `json:"detail"`
	At        time.Time `json:"at"`
}

// IngestCursor says how far a source was read into a session.
type IngestCursor struct {
	Source      string    `json:"source"` // path or name of the source
	SessionID   string    `json:"session_id"`
	Offset      int64     `json:"offset"`
	Fingerprint string    `json:"fingerprint,omitempty"` // of the source's beginning: another one means it was replaced
	State       []byte    `json:"-"`                     // the reader's own
	UpdatedAt   time.Time `json:"updated_at"`
}

// UsageSample is the client's window at one moment.
type UsageSample struct {
	SessionID string    `json:"session_id"`
	Seq       int64     `json:"seq"`
	At        time.Time `json:"at"`
	Epoch     int64     `json:"epoch"`
	Tokens    int64     `json:"tokens"`
	Limit     int64     `json:"limit,omitempty"`
}

// CompletedStep is a step of a workflow that was completed at Seq.
type CompletedStep struct {
	ID  string `json:"id"`
	Seq int64  `json:"seq"`
}
