package domain

import "time"

// Session is one run of an assistant: its description. Its events are an append-only
// log.
type Session struct {
	ID              string            `json:"id"`
	Project         string            `json:"project,omitempty"`
	Client          string            `json:"client,omitempty"` // claude-code, codex, gemini, or any name
	ClientSessionID string            `json:"client_session_id,omitempty"`
	AgentID         string            `json:"agent_id,omitempty"`
	Title           string            `json:"title,omitempty"`
	Model           string            `json:"model,omitempty"`    // current; earlier ones are in the events
	Provider        string            `json:"provider,omitempty"` // current
	Mode            string            `json:"mode,omitempty"`     // current
	LatestStatus    string            `json:"latest_status,omitempty"`
	Attributes      map[string]string `json:"attributes,omitempty"`

	ParentID   string `json:"parent_session_id,omitempty"`
	ParentOpID string `json:"parent_op_id,omitempty"`
	OriginID   string `json:"origin_id"` // root of the tree of sessions; at the root its own id (001-02)
	ForkedFrom string `json:"forked_from,omitempty"`
	ForkedSeq  int64  `json:"forked_seq,omitempty"`

	Status    SessionStatus `json:"status"`
	StartedAt time.Time     `json:"started_at"`
	UpdatedAt time.Time     `json:"updated_at"` // time of the last append, or if imported, of the newest event
	EndedAt   time.Time     `json:"ended_at,omitzero"`
	Success   *bool         `json:"success,omitempty"`
	Error     string        `json:"error,omitempty"`
	DeletedAt time.Time     `json:"deleted_at,omitzero"` // when it was forgotten; can be undone for 30 days

	LastSeq      int64   `json:"last_seq"` // 0 if it has no events
	Epoch        int64   `json:"epoch"`    // from 1; a compaction or a restore begins the next
	Turn         int64   `json:"turn"`
	Messages     int64   `json:"messages"`                // message events
	HumanMsgs    int64   `json:"user_messages"`           // messages that a person wrote
	Tokens       int64   `json:"tokens"`                  // in the client's window, as last reported
	ContextLimit int64   `json:"context_limit,omitempty"` // tokens at which the client compacts, as configured or reported
	LearnedLimit int64   `json:"learned_limit,omitempty"` // tokens at which it has compacted automatically
	SnapshotSeq  int64   `json:"snapshot_seq"`            // of the last state snapshot; 0 if there is none
	Totals       Totals  `json:"totals"`                  // without children
	Bytes        int64   `json:"bytes"`                   // of all payloads
	Opened       Opening `json:"opened,omitzero"`

	// What another store or a transcript still has of these does not come back.
	Purged       []int64  `json:"purged,omitempty"`        // events that were purged
	PurgedTitles []string `json:"purged_titles,omitempty"` // hashes of titles that went with them
}

// RecordedBy is the attribute of a session that names its user, as ann@laptop, on a
// database shared by several people. Sessions in files, and those of an older wake, do
// not have it.
const RecordedBy = "recorded_by"

// Opening is what was known about a session before its first event.
type Opening struct {
	Mode     string `json:"mode,omitempty"`
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	Title    string `json:"title,omitempty"`
}

// Window is how full the session's context window is, relative to the smaller one of
// two limits: the tokens at which the client was seen to compact, and the configured
// or reported limit. Real clients compact well below the limit that they report.
func (s *Session) Window() Window {
	limit := s.ContextLimit
	if s.LearnedLimit > 0 && (limit == 0 || s.LearnedLimit < limit) {
		limit = s.LearnedLimit
	}
	return Window{Tokens: s.Tokens, Limit: limit}
}

// SessionStatus is the status of a session.
type SessionStatus string

// The states of a session.
const (
	SessionActive    SessionStatus = "active"
	SessionEnded     SessionStatus = "ended"
	SessionForgotten SessionStatus = "forgotten"
)

// LeftAfter is the time without activity after which an active session counts as
// ended. Many sessions have no recorded end, because the client was killed or its
// transcript does not say. A session that goes on is active again.
const LeftAfter = 24 * time.Hour

// StatusAt is the status of the session at now, taking [LeftAfter] into account.
func (s *Session) StatusAt(now time.Time) SessionStatus {
	if s.Status == SessionActive && now.Sub(s.UpdatedAt) > LeftAfter {
		return SessionEnded
	}
	return s.Status
}

// SessionQuery asks for sessions, most recently updated first.
type SessionQuery struct {
	Project   string // "" means all
	AgentID   string
	Client    string
	ParentID  string
	Status    SessionStatus // "" means active and ended ones
	StatusAt  time.Time     // Status is that of [Session.StatusAt] at this time; zero means as stored
	Since     time.Time     // updated at or after
	Until     time.Time     // updated before
	Limit     int           // 0 means no limit
	After     *Position     // continue after this one
	Forgotten bool          // include forgotten ones
	OwnStart  bool          // only those without a parent

	RecordedBy string // only those with this value of the attribute [RecordedBy]
}

// EventQuery asks for events of a session by sequence number.
type EventQuery struct {
	SessionID string
	After     int64       // only later ones
	Until     int64       // up to and including this one; 0 means the end
	Types     []EventType // nil means all
	Human     bool        // only messages that people wrote
	Backward  bool        // newest first
	Limit     int         // 0 means no limit
	Light     bool        // without long texts, as for a fold
}

// Alert is a fault that wake has worked around, for a person to look at. There is one
// per subject and kind, until the session is erased.
type Alert struct {
	ID        string    `json:"id"`
	SessionID string    `json:"session_id,omitempty"`
	Kind      string    `json:"kind"` // snapshot_damaged, events_missing, checkpoint_differs …
	Subject   string    `json:"subject"`
	Detail    string    `json:"detail"`
	At        time.Time `json:"at"`
}

// IngestCursor is how far a source was read into a session.
type IngestCursor struct {
	Source      string    `json:"source"` // path or name of the source
	SessionID   string    `json:"session_id"`
	Offset      int64     `json:"offset"`
	Fingerprint string    `json:"fingerprint,omitempty"` // of the source's beginning; if it differs, the source was replaced
	State       []byte    `json:"-"`                     // belongs to the reader
	UpdatedAt   time.Time `json:"updated_at"`
}

// UsageSample is how full the client's window was at a usage event.
type UsageSample struct {
	SessionID string    `json:"session_id"`
	Seq       int64     `json:"seq"`
	At        time.Time `json:"at"`
	Epoch     int64     `json:"epoch"`
	Tokens    int64     `json:"tokens"`
	Limit     int64     `json:"limit,omitempty"`
}

// CompletedStep is a step of a workflow that event Seq completed.
type CompletedStep struct {
	ID  string `json:"id"`
	Seq int64  `json:"seq"`
}
