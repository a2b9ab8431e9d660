package domain

import (
	"encoding/json"
	"time"
)

// Role is who speaks in a message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
	RoleTool      Role = "tool"
)

// MessageKind distinguishes what people wrote from what clients sent in their
// name.
type MessageKind string

// The kinds of message. "" is what the role says it is.
const (
	PlainMessage   MessageKind = ""
	SummaryMessage MessageKind = "summary" // a client's compaction summary, in whatever role
	CommandMessage MessageKind = "command" // a slash command or its output
	MetaMessage    MessageKind = "meta"    // instructions, environment, reminders that a client added
)

// Message is one message of a conversation, or one block of it: the payload of a
// message event. Content is kept exactly as accepted; several text parts of one
// message are joined with a newline.
type Message struct {
	Role       Role        `json:"role"`
	Content    string      `json:"content,omitempty"`
	Reasoning  string      `json:"reasoning,omitempty"`
	ToolCalls  []ToolCall  `json:"tool_calls,omitempty"`   // an assistant asks for these
	ToolCallID string      `json:"tool_call_id,omitempty"` // a tool answers this call
	ToolName   string      `json:"tool_name,omitempty"`
	Error      string      `json:"error,omitempty"` // the tool failed
	Media      []Media     `json:"media,omitempty"`
	Kind       MessageKind `json:"kind,omitempty"`
	MessageID  string      `json:"message_id,omitempty"` // the model API's id; blocks of one message share it
	Block      int         `json:"block,omitempty"`      // which block of that message, from 0
	Model      string      `json:"model,omitempty"`
	AgentID    string      `json:"agent_id,omitempty"` // a sub-agent speaks
}

// EventType is [EventMessage].
func (Message) EventType() EventType { return EventMessage }

// Human reports whether a person wrote the message.
func (m Message) Human() bool {
	return m.Role == RoleUser && m.Kind == PlainMessage && m.ToolCallID == ""
}

// ToolCall is a tool that an assistant asks for.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // an object, or whatever the model wrote as a string
}

// Media is a picture, a sound, a film or a file in a message.
type Media struct {
	Type string `json:"type"`           // image, audio, video, file
	URL  string `json:"url,omitempty"`  // where it is; may be a data: URL
	Mime string `json:"mime,omitempty"` // such as image/png
	Name string `json:"name,omitempty"`
	Data []byte `json:"data,omitempty"` // the thing itself, where the source held it
}

// OpReport tells that an operation began, went on or ended: the payload of an op
// event. Reports with the same OpID are about one operation; a later one adds to
// what is known, and usage counts once, at its greatest.
type OpReport struct {
	OpID           string          `json:"op_id"`
	Kind           OpKind          `json:"kind"`
	Name           string          `json:"name,omitempty"`
	Turn           *int64          `json:"turn,omitempty"` // the client's own count; else the turn it falls into
	Label          string          `json:"label,omitempty"`
	Status         OpStatus        `json:"status,omitempty"`
	Request        json.RawMessage `json:"request,omitempty"`  // whole, whatever its size (001-09)
	Response       json.RawMessage `json:"response,omitempty"` // whole
	Usage          *TokenUsage     `json:"usage,omitempty"`
	LatencyMS      int64           `json:"latency_ms,omitempty"`
	Provider       string          `json:"provider,omitempty"`
	Model          string          `json:"model,omitempty"`
	Logs           []LogEntry      `json:"logs,omitempty"`
	Error          string          `json:"error,omitempty"`
	Reasoning      string          `json:"reasoning,omitempty"`
	ParentOpID     string          `json:"parent_op_id,omitempty"`
	ChildSessionID string          `json:"child_session_id,omitempty"` // for kind session
	StartedAt      time.Time       `json:"started_at,omitzero"`        // where the source tells both ends at once
	EndedAt        time.Time       `json:"ended_at,omitzero"`
	ToolKind       string          `json:"tool_kind,omitempty"` // such as mcp, rest, internal, agent
	MCPServer      string          `json:"mcp_server,omitempty"`
	Command        string          `json:"command,omitempty"`
	CharactersIn   int64           `json:"characters_in,omitempty"`
	CharactersOut  int64           `json:"characters_out,omitempty"`
	Attributes     json.RawMessage `json:"attributes,omitempty"` // what a source knows beyond these
}

// EventType is [EventOp].
func (OpReport) EventType() EventType { return EventOp }

// Window tells how full the client's window is: the payload of a usage event.
type Window struct {
	Tokens int64 `json:"tokens"`
	Limit  int64 `json:"limit,omitempty"` // tokens at which the client compacts; 0 is not told
}

// EventType is [EventUsage].
func (Window) EventType() EventType { return EventUsage }

// Goal is something the session is meant to achieve: the payload of a goal
// event. The latest event of an ID counts.
type Goal struct {
	ID     string     `json:"id"`
	Text   string     `json:"text,omitempty"`
	Status GoalStatus `json:"status"`
}

// EventType is [EventGoal].
func (Goal) EventType() EventType { return EventGoal }

// GoalStatus is how a goal stands.
type GoalStatus string

// The states of a goal.
const (
	GoalActive  GoalStatus = "active"
	GoalDone    GoalStatus = "done"
	GoalDropped GoalStatus = "dropped"
)

// Reasoning is a trace of a model's thinking: the payload of a reasoning event.
type Reasoning struct {
	Content    string `json:"content"`
	TokenCount int64  `json:"token_count,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	Complete   bool   `json:"complete,omitempty"`
}

// EventType is [EventReasoning].
func (Reasoning) EventType() EventType { return EventReasoning }

// Mode is a change of the mode of work, and what is in force in the new one: the
// payload of a mode event. A nil list or empty task says nothing: what was in
// force before goes into the hand-off.
type Mode struct {
	To     string   `json:"to"`
	Skills []string `json:"skills,omitempty"`
	Tools  []string `json:"tools,omitempty"`
	Task   string   `json:"task,omitempty"`
}

// EventType is [EventMode].
func (Mode) EventType() EventType { return EventMode }

// Finding is something found out during a session: the payload of a finding
// event.
type Finding struct {
	Mode string      `json:"mode,omitempty"` // the mode it was found in; "" is the current one
	Kind FindingKind `json:"kind"`
	Text string      `json:"text"`
}

// EventType is [EventFinding].
func (Finding) EventType() EventType { return EventFinding }

// FindingKind says what a finding is.
type FindingKind string

// The kinds of finding (000-15).
const (
	FindingError     FindingKind = "error"
	FindingRootCause FindingKind = "root_cause"
	FindingFix       FindingKind = "fix"
	FindingNote      FindingKind = "note"
)

// Signal is something that a workflow waits for: the payload of a signal event.
type Signal struct {
	Name    string          `json:"name"`
	Status  SignalStatus    `json:"status"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// EventType is [EventSignal].
func (Signal) EventType() EventType { return EventSignal }

// SignalStatus is how the waiting stands.
type SignalStatus string

// The states of a signal.
const (
	SignalWaiting  SignalStatus = "waiting"
	SignalReceived SignalStatus = "received"
	SignalTimeout  SignalStatus = "timeout"
)

// Step is one step of a workflow: the payload of a step event. A completed one
// is never handed out again (003-05).
type Step struct {
	ID     string          `json:"id"`
	Status StepStatus      `json:"status"`
	Output json.RawMessage `json:"output,omitempty"`
}

// EventType is [EventStep].
func (Step) EventType() EventType { return EventStep }

// StepStatus is how a step stands.
type StepStatus string

// The states of a step.
const (
	StepStarted   StepStatus = "started"
	StepCompleted StepStatus = "completed"
	StepFailed    StepStatus = "failed"
)

// Compaction tells that the client replaced its window by a summary, which opens
// a new epoch: the payload of a compaction event.
type Compaction struct {
	Trigger      string `json:"trigger,omitempty"` // manual or auto
	Summary      string `json:"summary,omitempty"`
	TokensBefore int64  `json:"tokens_before,omitempty"`
	TokensAfter  int64  `json:"tokens_after,omitempty"`
}

// EventType is [EventCompaction].
func (Compaction) EventType() EventType { return EventCompaction }

// End tells that the session is over: the payload of an end event.
type End struct {
	Success *bool  `json:"success,omitempty"` // nil is not told
	Error   string `json:"error,omitempty"`
}

// EventType is [EventEnd].
func (End) EventType() EventType { return EventEnd }

// About is what became known about a session, or changed: the payload of an
// about event. An empty field leaves what was known.
type About struct {
	Title        string            `json:"title,omitempty"`
	Model        string            `json:"model,omitempty"`
	Provider     string            `json:"provider,omitempty"`
	AgentID      string            `json:"agent_id,omitempty"`
	Status       string            `json:"status,omitempty"` // what it is doing just now, in words
	ContextLimit int64             `json:"context_limit,omitempty"`
	Attributes   map[string]string `json:"attributes,omitempty"` // version, branch, folder …
}

// EventType is [EventAbout].
func (About) EventType() EventType { return EventAbout }

// ContextSaved points at a context that was saved in the session and holds none
// of its text: the payload of a context_saved event.
type ContextSaved struct {
	ContextID string `json:"context_id"`
}

// EventType is [EventContextSaved].
func (ContextSaved) EventType() EventType { return EventContextSaved }

// Restored holds the state to which the session was set back: the payload of a
// restored event.
type Restored struct {
	CheckpointID string          `json:"checkpoint_id"`
	UndoID       string          `json:"undo_id,omitempty"` // the pre_restore checkpoint made before
	Seq          int64           `json:"seq"`               // the checkpoint's place
	State        json.RawMessage `json:"state"`
}

// EventType is [EventRestored].
func (Restored) EventType() EventType { return EventRestored }

// Note is a client's log entry of a type that wake does not have: the payload
// of a note event.
type Note struct {
	Kind string          `json:"kind"` // the client's name of it, such as turn_duration or api_error
	Text string          `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// EventType is [EventNote].
func (Note) EventType() EventType { return EventNote }
