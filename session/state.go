package session

import (
	"unicode/utf8"

	"wake/domain"
)

// Limits of what a state holds. The oldest items over a limit are dropped; they stay
// in the log and in the store's tables.
const (
	keepRecent  = 32  // references to the newest messages
	keepGoals   = 200 // finished ones are dropped first
	keepOpenOps = 500
	keepWaiting = 500 // signals, and steps under way
	keepNames   = 200 // skills and tools in force
	briefLength = 200 // characters of a goal's or a task's text
)

// State is the result of folding a session's events up to a place in its log.
type State struct {
	Restorable
	Running
}

// Restorable is the part of a state that a restore sets back: what the model goes on
// with. Its hash is the state hash of checkpoints.
type Restorable struct {
	Timeline  []Span              `json:"timeline"`   // what of the log is in force
	EpochFrom int64               `json:"epoch_from"` // earlier messages were compacted away
	Messages  Digest              `json:"messages"`   // of the epoch
	Recent    []domain.MessageRef `json:"recent,omitempty"`
	Users     Digest              `json:"users"` // human messages on the whole timeline
	LastUser  *domain.MessageRef  `json:"last_user,omitempty"`
	Goals     []GoalRef           `json:"goals,omitempty"`
	Reasoning Digest              `json:"reasoning"`
	Findings  Digest              `json:"findings"`
	Steps     Digest              `json:"steps"` // completed ones
	UnderWay  []StepRef           `json:"under_way,omitempty"`
	Waiting   []SignalRef         `json:"waiting,omitempty"`
	Mode      string              `json:"mode,omitempty"`
	ModeSeq   int64               `json:"mode_seq,omitempty"`
	Task      string              `json:"task,omitempty"`
	Skills    []string            `json:"skills,omitempty"`
	Tools     []string            `json:"tools,omitempty"`
	Compacted int64               `json:"compactions,omitempty"`
}

// Running is the part of a state that only goes on: a restore does not set it back.
type Running struct {
	Epoch    int64         `json:"epoch"` // from 1
	LastSeq  int64         `json:"last_seq"`
	Turn     int64         `json:"turn"`
	Title    string        `json:"title,omitempty"`
	Model    string        `json:"model,omitempty"`
	Provider string        `json:"provider,omitempty"`
	Window   domain.Window `json:"window"`
	Open     []OpRef       `json:"open_ops,omitempty"`
	Totals   domain.Totals `json:"totals"` // from the events, without the 1 for the session itself
	UndoID   string        `json:"undo_id,omitempty"`
	Ended    bool          `json:"ended,omitempty"`
}

// GoalRef is a goal, with the event that has its whole text.
type GoalRef struct {
	ID     string            `json:"id"`
	Seq    int64             `json:"seq"`
	Status domain.GoalStatus `json:"status"`
	Brief  string            `json:"brief,omitempty"`
	Hash   string            `json:"hash,omitempty"` // of that event
}

// Cut reports whether Brief is only the beginning of the goal's text.
func (g GoalRef) Cut() bool { return utf8.RuneCountInString(g.Brief) > briefLength }

// StepRef is a step that has started and not completed.
type StepRef struct {
	ID     string            `json:"id"`
	Seq    int64             `json:"seq"`
	Status domain.StepStatus `json:"status"` // started or failed
}

// SignalRef is a signal that a workflow waits for.
type SignalRef struct {
	Name string `json:"name"`
	Seq  int64  `json:"seq"`
}

// OpRef is an operation that has not ended.
type OpRef struct {
	ID   string        `json:"op_id"`
	Kind domain.OpKind `json:"kind"`
	Name string        `json:"name,omitempty"`
	Seq  int64         `json:"seq"`
	Turn int64         `json:"turn"`
}

// Digest stands for a list that only grows: its length, its tokens and a running hash
// of the items.
type Digest struct {
	Count  int64  `json:"count"`
	Tokens int64  `json:"tokens,omitempty"`
	Chain  string `json:"chain,omitempty"`
}

// New returns the state of a session without events.
func New() State {
	return State{
		Restorable: Restorable{Timeline: []Span{{From: 1}}, EpochFrom: 1},
		Running:    Running{Epoch: 1},
	}
}

// Begin returns the state of a session before its first event.
func Begin(s domain.Session) State {
	state := New()
	state.Mode, state.Title = s.Opened.Mode, brief(s.Opened.Title)
	state.Model, state.Provider = s.Opened.Model, s.Opened.Provider
	return state
}

// Clone returns a copy that shares nothing with s.
func (s *State) Clone() State {
	c := *s
	c.Timeline = append([]Span(nil), s.Timeline...)
	c.Recent = append([]domain.MessageRef(nil), s.Recent...)
	if s.LastUser != nil {
		last := *s.LastUser
		c.LastUser = &last
	}
	c.Goals = append([]GoalRef(nil), s.Goals...)
	c.UnderWay = append([]StepRef(nil), s.UnderWay...)
	c.Waiting = append([]SignalRef(nil), s.Waiting...)
	c.Skills = append([]string(nil), s.Skills...)
	c.Tools = append([]string(nil), s.Tools...)
	c.Open = append([]OpRef(nil), s.Open...)
	return c
}
