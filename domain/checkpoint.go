package domain

import "time"

// Checkpoint is a place in a session's log to which the session can be set back, with
// a short description (000-07).
type Checkpoint struct {
	ID        string          `json:"id"`
	SessionID string          `json:"session_id"`
	Seq       int64           `json:"seq"`
	Epoch     int64           `json:"epoch"`
	Class     CheckpointClass `json:"class"`
	Trigger   Trigger         `json:"trigger"`
	Label     string          `json:"label,omitempty"`
	CreatedAt time.Time       `json:"created_at"`
	Pinned    bool            `json:"pinned,omitempty"`
	DeletedAt time.Time       `json:"deleted_at,omitzero"` // hidden; can be brought back for 30 days
	Manifest  Manifest        `json:"manifest"`
	StateHash string          `json:"state_hash"` // of the state there, without epoch and last sequence number
	Size      int64           `json:"size"`       // of the checkpoint itself, in bytes
}

// CheckpointClass is the unit of retention: by default the last 5 checkpoints of each
// class are kept.
type CheckpointClass string

// The classes of checkpoint.
const (
	ClassManual     CheckpointClass = "manual"
	ClassAutomatic  CheckpointClass = "automatic"
	ClassPreRestore CheckpointClass = "pre_restore"
)

// Trigger is what made a checkpoint.
type Trigger string

// The triggers (000-03 … 000-06).
const (
	TriggerManual        Trigger = "manual"
	TriggerThreshold     Trigger = "threshold"      // the window is 85 % full, or as the settings say
	TriggerWarning       Trigger = "warning"        // 95 %
	TriggerEmergency     Trigger = "emergency"      // 100 %, or the client compacted by itself
	TriggerPreCompaction Trigger = "pre_compaction" // requested before a compaction
	TriggerPreRestore    Trigger = "pre_restore"    // before a restore
)

// Triggers lists every trigger.
var Triggers = []Trigger{TriggerManual, TriggerThreshold, TriggerWarning, TriggerEmergency, TriggerPreCompaction, TriggerPreRestore}

// Class returns the class of checkpoints with this trigger.
func (t Trigger) Class() CheckpointClass {
	switch t {
	case TriggerManual:
		return ClassManual
	case TriggerPreRestore:
		return ClassPreRestore
	default:
		return ClassAutomatic
	}
}

// Manifest describes a checkpoint in at most 10 KB, so that a list need not read
// anything else. It is made with the checkpoint and never changes, even if the model
// or mode does (I19); a purge alone empties its texts.
type Manifest struct {
	Title         string      `json:"title,omitempty"`
	Model         string      `json:"model,omitempty"`
	Provider      string      `json:"provider,omitempty"`
	Mode          string      `json:"mode,omitempty"`
	Task          string      `json:"task,omitempty"`
	Turn          int64       `json:"turn"`
	TokenCount    int64       `json:"token_count"`             // of the epoch's messages; an estimate
	WindowTokens  int64       `json:"window_tokens,omitempty"` // as reported by the client
	WindowLimit   int64       `json:"window_limit,omitempty"`
	Messages      int64       `json:"messages"`      // in the epoch
	UserMessages  int64       `json:"user_messages"` // on the whole timeline
	Goals         []Goal      `json:"goals,omitempty"`
	Steps         int64       `json:"steps_completed,omitempty"`
	Findings      int64       `json:"findings,omitempty"`
	OpenOps       int         `json:"open_ops,omitempty"`
	Compactions   int64       `json:"compactions,omitempty"`
	LastUser      *MessageRef `json:"last_user_message,omitempty"`
	LastUserText  string      `json:"last_user_text,omitempty"` // its beginning
	SchemaVersion int         `json:"schema_version"`
}

// MessageRef points at a message event.
type MessageRef struct {
	Seq    int64  `json:"seq"`
	Role   Role   `json:"role"`
	Tokens int64  `json:"tokens"`
	Hash   string `json:"hash"`
}

// CheckpointQuery asks for checkpoints, newest first by place in the log.
type CheckpointQuery struct {
	SessionID     string // "" means all sessions
	Trigger       Trigger
	Class         CheckpointClass
	Since         time.Time // created after (000-23: strictly)
	Until         time.Time // created before (strictly)
	MinTokens     int64     // more than this, if above 0
	MaxTokens     int64     // less than this, if above 0
	OldestFirst   bool
	Deleted       bool      // include deleted ones
	DeletedBefore time.Time // if not zero, only those deleted before
	Limit         int       // 0 means no limit
	After         *Position
}

// ThresholdFiring records that a threshold fired in an epoch. Each fires once per
// epoch.
type ThresholdFiring struct {
	SessionID    string    `json:"session_id"`
	Epoch        int64     `json:"epoch"`
	Threshold    float64   `json:"threshold"` // fraction of the limit
	At           time.Time `json:"at"`
	Seq          int64     `json:"seq"`
	CheckpointID string    `json:"checkpoint_id,omitempty"`
}

// StateSnapshot is the folded state of a session at an event, stored so that a resume
// need not replay the whole log. Only the latest is kept (003-08).
type StateSnapshot struct {
	SessionID string
	Seq       int64
	Version   int    // of the reducer that made it
	State     []byte // canonical JSON
	Checksum  string // sha256 of session, sequence, version and state
	CreatedAt time.Time
	Taken     int64 // number of snapshots taken of the session so far; set by the store
}

// CachedContext is the working context of a session after event Seq, stored to make a
// resume fast. As a cache it is rebuilt if anything is wrong with it (004-04).
type CachedContext struct {
	SessionID  string
	AgentID    string
	Seq        int64
	Epoch      int64
	PromptHash string // of the system prompt it was made for; "" means any
	Payload    []byte // see session.Serialize
	SavedAt    time.Time
}
