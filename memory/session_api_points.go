package memory

import (
	"time"

	"wake/domain"
)

// CheckpointAction is what a checkpoint request wants done.
type CheckpointAction string

// The actions on checkpoints.
const (
	CheckpointCreate   CheckpointAction = "create"
	CheckpointList     CheckpointAction = "list"
	CheckpointShow     CheckpointAction = "show"
	CheckpointDiff     CheckpointAction = "diff"
	CheckpointRestore  CheckpointAction = "restore"
	CheckpointFork     CheckpointAction = "fork"
	CheckpointPin      CheckpointAction = "pin"
	CheckpointUnpin    CheckpointAction = "unpin"
	CheckpointDelete   CheckpointAction = "delete"
	CheckpointUndelete CheckpointAction = "undelete"
)

// CheckpointRequest is one action on checkpoints.
type CheckpointRequest struct {
	By          Caller
	Action      CheckpointAction // "" is read from the arguments, but restore and delete must be named
	Ref         SessionRef
	ID          string
	OtherID     string // diff: the second checkpoint; "" is the session as it is now
	Label       string
	Trigger     domain.Trigger // create: default manual; list: filter
	TokenBudget int            // restore: default 25,000
	Since       time.Time      // list: created after
	Until       time.Time      // list: created before
	MinTokens   int64
	MaxTokens   int64
	OldestFirst bool
	Deleted     bool // list: also deleted ones
	Limit       int  // list: 1 to 100, default 20
	Cursor      string
}

// CheckpointAnswer is the result of an action on checkpoints; which fields are set
// depends on the action.
type CheckpointAnswer struct {
	Action      CheckpointAction    `json:"action"`
	ID          string              `json:"id,omitempty"` // of the one checkpoint it is about
	SessionID   string              `json:"session_id,omitempty"`
	Checkpoint  *domain.Checkpoint  `json:"checkpoint,omitempty"`
	Checkpoints []domain.Checkpoint `json:"checkpoints,omitempty"`
	NextCursor  string              `json:"next_cursor,omitempty"`
	Removed     []string            `json:"removed,omitempty"` // checkpoints that retention took
	Diff        *CheckpointDiffText `json:"diff,omitempty"`
	Restored    *Restoration        `json:"restored,omitempty"`
	ForkID      string              `json:"fork_session_id,omitempty"`
	Text        string              `json:"text"`
	Notes       []string            `json:"notes,omitempty"`
}

// CheckpointDiffText is what changed between two points of a session.
type CheckpointDiffText struct {
	FromSeq       int64            `json:"from_seq"`
	ToSeq         int64            `json:"to_seq"`
	Messages      map[string]int64 `json:"messages_by_role"` // added between
	Tokens        int64            `json:"tokens"`           // difference of the epoch's estimate
	GoalsAdded    []domain.Goal    `json:"goals_added,omitempty"`
	GoalsChanged  []domain.Goal    `json:"goals_changed,omitempty"`
	Findings      []domain.Finding `json:"findings_added,omitempty"`
	Steps         []string         `json:"steps_completed,omitempty"`
	ModeFrom      string           `json:"mode_from,omitempty"`
	ModeTo        string           `json:"mode_to,omitempty"`
	ModelFrom     string           `json:"model_from,omitempty"`
	ModelTo       string           `json:"model_to,omitempty"`
	Spent         domain.Totals    `json:"spent"`
	UserMessages  []RestoredText   `json:"user_messages,omitempty"`  // written between
	OtherTimeline bool             `json:"other_timeline,omitempty"` // one of them was rolled back: not simply before and after
}

// RestoredText is a text with its place.
type RestoredText struct {
	Seq  int64  `json:"seq"`
	Text string `json:"text"`
}

// Restoration is what a restore handed back.
type Restoration struct {
	SessionID    string           `json:"session_id"`
	CheckpointID string           `json:"checkpoint_id"`
	UndoID       string           `json:"undo_id"` // the pre_restore checkpoint: restore it to undo
	Seq          int64            `json:"seq"`     // of the event that carries the restored state
	Epoch        int64            `json:"epoch"`   // the new one
	Mode         string           `json:"mode,omitempty"`
	Messages     []ContextMessage `json:"messages"`
	Earlier      *MorePointer     `json:"earlier,omitempty"` // messages that the budget left out
	Goals        []domain.Goal    `json:"goals"`
	Findings     []domain.Finding `json:"findings"`
	Steps        []domain.Step    `json:"steps"` // completed ones with their outputs
	Text         string           `json:"text"`
}

// ContextMessage is one message of a working context, ready for a model.
type ContextMessage struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Pointer string    `json:"pointer,omitempty"` // too long for the budget: where its text is
	domain.Message
}

// MorePointer says what was left out and where it is.
type MorePointer struct {
	Count int64  `json:"count"`
	URI   string `json:"uri"`
}

// HandoffAction is what a hand-off request wants done.
type HandoffAction string

// The actions on hand-offs.
const (
	HandoffGet         HandoffAction = "get"
	HandoffList        HandoffAction = "list"
	HandoffCreate      HandoffAction = "create"
	HandoffAddFindings HandoffAction = "add_findings"
	HandoffKeep        HandoffAction = "keep"
)

// HandoffRequest is one action on hand-offs.
type HandoffRequest struct {
	By        Caller
	Action    HandoffAction // "" is what the other fields mean: get, unless they give what is to be kept
	Ref       SessionRef
	ID        string
	FromMode  string
	ToMode    string
	Task      string
	Skills    []string
	Tools     []string
	Findings  []domain.Finding
	Important *bool // keep: default true
	Limit     int   // list: 1 to 100, default 20
}

// HandoffAnswer is the hand-off, or the list.
type HandoffAnswer struct {
	ID        string           `json:"id,omitempty"`
	SessionID string           `json:"session_id,omitempty"`
	Handoff   *domain.Handoff  `json:"handoff,omitempty"`
	Handoffs  []domain.Handoff `json:"handoffs,omitempty"`
	Text      string           `json:"text"`
	Notes     []string         `json:"notes,omitempty"`
}
