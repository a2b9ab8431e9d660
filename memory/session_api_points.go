package memory

import (
	"time"

	"wake/domain"
)

// CheckpointAction is what to do with checkpoints.
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
	Action      CheckpointAction // "" is inferred from the other fields, except for restore and delete
	Ref         SessionRef
	ID          string
	OtherID     string // diff: the second checkpoint; "" means the session's present state
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

// CheckpointAnswer is the result of an action on checkpoints. Which fields are set
// depends on the action.
type CheckpointAnswer struct {
	Action      CheckpointAction    `json:"action"`
	ID          string              `json:"id,omitempty"` // of the checkpoint, if it is about a single one
	SessionID   string              `json:"session_id,omitempty"`
	Checkpoint  *domain.Checkpoint  `json:"checkpoint,omitempty"`
	Checkpoints []domain.Checkpoint `json:"checkpoints,omitzero"` // list: not nil
	NextCursor  string              `json:"next_cursor,omitempty"`
	Removed     []string            `json:"removed,omitempty"` // checkpoints removed by retention
	Diff        *CheckpointDiffText `json:"diff,omitempty"`
	Restored    *Restoration        `json:"restored,omitempty"`
	ForkID      string              `json:"fork_session_id,omitempty"`
	Text        string              `json:"text"`
	Notes       []string            `json:"notes,omitempty"`

	behind func(domain.Checkpoint) string // of a list, the cursor to what follows a checkpoint
}

// CheckpointDiffText is what changed between two points of a session.
type CheckpointDiffText struct {
	FromSeq       int64            `json:"from_seq"`
	ToSeq         int64            `json:"to_seq"`
	Messages      map[string]int64 `json:"messages_by_role"` // number added in between
	Tokens        int64            `json:"tokens"`           // difference of the estimated sizes of the epochs
	GoalsAdded    []domain.Goal    `json:"goals_added,omitempty"`
	GoalsChanged  []domain.Goal    `json:"goals_changed,omitempty"`
	Findings      []domain.Finding `json:"findings_added,omitempty"`
	Steps         []string         `json:"steps_completed,omitempty"`
	ModeFrom      string           `json:"mode_from,omitempty"`
	ModeTo        string           `json:"mode_to,omitempty"`
	ModelFrom     string           `json:"model_from,omitempty"`
	ModelTo       string           `json:"model_to,omitempty"`
	Spent         domain.Totals    `json:"spent"`
	UserMessages  []NumberedText   `json:"user_messages,omitempty"`  // written in between
	OtherTimeline bool             `json:"other_timeline,omitempty"` // one of the points was rolled back, so neither is simply before the other
}

// NumberedText is a text with its sequence number.
type NumberedText struct {
	Seq  int64  `json:"seq"`
	Text string `json:"text"`
}

// Restoration is the result of a restore.
type Restoration struct {
	SessionID    string           `json:"session_id"`
	CheckpointID string           `json:"checkpoint_id"`
	UndoID       string           `json:"undo_id"` // the pre_restore checkpoint; restoring it undoes the restore
	Seq          int64            `json:"seq"`     // of the event with the restored state
	Epoch        int64            `json:"epoch"`   // the new one
	Mode         string           `json:"mode,omitempty"`
	Messages     []ContextMessage `json:"messages"`
	Earlier      *MorePointer     `json:"earlier,omitempty"` // messages left out by the budget
	Goals        []domain.Goal    `json:"goals"`
	Findings     []domain.Finding `json:"findings"`
	Steps        []domain.Step    `json:"steps"` // completed ones, with outputs
	Text         string           `json:"text"`
}

// ContextMessage is one message of a working context, ready for a model.
type ContextMessage struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Pointer string    `json:"pointer,omitempty"` // where the text is, if it was too long for the budget
	domain.Message
}

// MorePointer says how much was left out and where it is.
type MorePointer struct {
	Count int64  `json:"count"`
	URI   string `json:"uri"`
}

// HandoffAction is what to do with hand-offs.
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
	Action    HandoffAction // "" is inferred from the other fields: get, unless they give something to store or keep
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

// HandoffAnswer is a hand-off or a list of them.
type HandoffAnswer struct {
	ID        string           `json:"id,omitempty"`
	SessionID string           `json:"session_id,omitempty"`
	Handoff   *domain.Handoff  `json:"handoff,omitempty"`
	Handoffs  []domain.Handoff `json:"handoffs,omitzero"` // list: not nil
	Text      string           `json:"text"`
	Notes     []string         `json:"notes,omitempty"`
}
