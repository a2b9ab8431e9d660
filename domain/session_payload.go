package domain

import (
	"encoding/json"
	"time"
)

// Role is the speaker of a message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
	RoleTool      Role = "tool"
)

// MessageKind distinguishes what people wrote from what clients sent in their name.
type MessageKind string

// The kinds of message.
const (
	PlainMessage   MessageKind = ""        // written by the one in the role
	SummaryMessage MessageKind = "summary" // a client's compaction summary, in whatever role
	CommandMessage MessageKind = "command" // a slash command or its output
	MetaMessage    MessageKind = "meta"    // instructions, environment or reminders added by a client
)

// Message is the payload of a message event: one message of a conversation, or one
// block of it. Content is stored exactly as accepted. Several text parts of one
// message are joined with a newline.
type Message struct {
	Role       Role        `json:"role"`
	Content    string      `json:"content,omitempty"`
	Reasoning  string      `json:"reasoning,omitempty"`
	ToolCalls  []ToolCall  `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string      `json:"tool_call_id,omitempty"` // of the call that a tool answers
	ToolName   string      `json:"tool_name,omitempty"`
	Error      string      `json:"error,omitempty"` // of the tool
	Media      []Media     `json:"media,omitempty"`
	Kind       MessageKind `json:"kind,omitempty"`
	MessageID  string      `json:"message_id,omitempty"` // the model API's id, shared by the blocks of a message
	Block      int         `json:"block,omitempty"`      // number of the block in that message, from 0
	Model      string      `json:"model,omitempty"`
	AgentID    string      `json:"agent_id,omitempty"` // of the sub-agent that speaks
}

// EventType returns [EventMessage].
func (Message) EventType() EventType { return EventMessage }

// Human reports whether a person wrote the message.
func (m Message) Human() bool {
	return m.Role == RoleUser && m.Kind == PlainMessage && m.ToolCallID == ""
}

// ToolCall is an assistant's call of a tool.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // an object, or whatever the model wrote as a string
}

// Media is a picture, a sound, a video or a file in a message.
type Media struct {
	Type string `json:"type"`           // image, audio, video, file
	URL  string `json:"url,omitempty"`  // may be a data: URL
	Mime string `json:"mime,omitempty"` // such as image/png
	Name string `json:"name,omitempty"`
	Data []byte `json:"data,omitempty"` // the content, if the source had it
}

// OpReport is the payload of an op event: an operation began, went on or ended.
// Reports with the same OpID are about the same operation. A later report adds to
// earlier ones, and usage counts once, at its maximum.
type OpReport struct {
	OpID           string          `json:"op_id"`
	Kind           OpKind          `json:"kind"`
	Name           string          `json:"name,omitempty"`
	Turn           *int64          `json:"turn,omitempty"` // the client's number of the turn; nil means the current one
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
	StartedAt      time.Time       `json:"started_at,omitzero"`        // if the source reports both ends at once
	EndedAt        time.Time       `json:"ended_at,omitzero"`
	ToolKind       string          `json:"tool_kind,omitempty"` // such as mcp, rest, internal, agent
	MCPServer      string          `json:"mcp_server,omitempty"`
	Command        string          `json:"command,omitempty"`
	CharactersIn   int64           `json:"characters_in,omitempty"`
	CharactersOut  int64           `json:"characters_out,omitempty"`
	Attributes     json.RawMessage `json:"attributes,omitempty"` // other data of the source
}

// EventType returns [EventOp].
func (OpReport) EventType() EventType { return EventOp }

// Window is the payload of a usage event: how full the client's context window is.
type Window struct {
	Tokens int64 `json:"tokens"`
	Limit  int64 `json:"limit,omitempty"` // tokens at which the client compacts; 0 if not known
}

// EventType returns [EventUsage].
func (Window) EventType() EventType { return EventUsage }

// Goal is the payload of a goal event: something that the session should achieve. The
// latest event with an ID counts.
type Goal struct {
	ID     string     `json:"id"`
	Text   string     `json:"text,omitempty"`
	Status GoalStatus `json:"status"`
}

// EventType returns [EventGoal].
func (Goal) EventType() EventType { return EventGoal }

// GoalStatus is the status of a goal.
type GoalStatus string

// The statuses of a goal.
const (
	GoalActive  GoalStatus = "active"
	GoalDone    GoalStatus = "done"
	GoalDropped GoalStatus = "dropped"
)

// Reasoning is the payload of a reasoning event: a trace of a model's thinking.
type Reasoning struct {
	Content    string `json:"content"`
	TokenCount int64  `json:"token_count,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	Complete   bool   `json:"complete,omitempty"`
}

// EventType returns [EventReasoning].
func (Reasoning) EventType() EventType { return EventReasoning }

// Mode is the payload of a mode event: a change of the mode of work. If a list is nil
// or the task empty, the hand-off gets what was in force before. An empty list says that
// there are none now.
type Mode struct {
	To     string   `json:"to"`
	Skills []string `json:"skills,omitzero"`
	Tools  []string `json:"tools,omitzero"`
	Task   string   `json:"task,omitempty"`
}

// EventType returns [EventMode].
func (Mode) EventType() EventType { return EventMode }

// Finding is the payload of a finding event: something found out during a session.
type Finding struct {
	Mode string      `json:"mode,omitempty"` // in which it was found; "" means the current one
	Kind FindingKind `json:"kind"`
	Text string      `json:"text"`
}

// EventType returns [EventFinding].
func (Finding) EventType() EventType { return EventFinding }

// FindingKind is the kind of a finding.
type FindingKind string

// The kinds of finding (000-15).
const (
	FindingError     FindingKind = "error"
	FindingRootCause FindingKind = "root_cause"
	FindingFix       FindingKind = "fix"
	FindingNote      FindingKind = "note"
)

// Signal is the payload of a signal event: something that a workflow waits for.
type Signal struct {
	Name    string          `json:"name"`
	Status  SignalStatus    `json:"status"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// EventType returns [EventSignal].
func (Signal) EventType() EventType { return EventSignal }

// SignalStatus is the status of a signal.
type SignalStatus string

// The statuses of a signal.
const (
	SignalWaiting  SignalStatus = "waiting"
	SignalReceived SignalStatus = "received"
	SignalTimeout  SignalStatus = "timeout"
)

// Step is the payload of a step event: one step of a workflow. A completed step is
// never handed out again (003-05).
type Step struct {
	ID     string          `json:"id"`
	Status StepStatus      `json:"status"`
	Output json.RawMessage `json:"output,omitempty"`
}

// EventType returns [EventStep].
func (Step) EventType() EventType { return EventStep }

// StepStatus is the status of a step.
type StepStatus string

// The statuses of a step.
const (
	StepStarted   StepStatus = "started"
	StepCompleted StepStatus = "completed"
	StepFailed    StepStatus = "failed"
)

// Compaction is the payload of a compaction event: the client replaced its window by a
// summary. That begins a new epoch.
type Compaction struct {
	Trigger      string `json:"trigger,omitempty"` // manual or auto
	Summary      string `json:"summary,omitempty"`
	TokensBefore int64  `json:"tokens_before,omitempty"`
	TokensAfter  int64  `json:"tokens_after,omitempty"`
}

// EventType returns [EventCompaction].
func (Compaction) EventType() EventType { return EventCompaction }

// End is the payload of an end event: the session is over.
type End struct {
	Success *bool  `json:"success,omitempty"` // nil if not known
	Error   string `json:"error,omitempty"`
}

// EventType returns [EventEnd].
func (End) EventType() EventType { return EventEnd }

// About is the payload of an about event: what became known about a session, or
// changed. Empty fields change nothing.
type About struct {
	Title        string            `json:"title,omitempty"`
	Model        string            `json:"model,omitempty"`
	Provider     string            `json:"provider,omitempty"`
	AgentID      string            `json:"agent_id,omitempty"`
	Status       string            `json:"status,omitempty"` // what it is doing now, in words
	ContextLimit int64             `json:"context_limit,omitempty"`
	Attributes   map[string]string `json:"attributes,omitempty"` // version, branch, folder …
}

// EventType returns [EventAbout].
func (About) EventType() EventType { return EventAbout }

// ContextSaved is the payload of a context_saved event. It has the id of a context
// that was saved in the session, but none of its text.
type ContextSaved struct {
	ContextID string `json:"context_id"`
}

// EventType returns [EventContextSaved].
func (ContextSaved) EventType() EventType { return EventContextSaved }

// Restored is the payload of a restored event. It has the state to which the session
// was set back: to a checkpoint or, if the user went back in the client, to one in which
// what they dropped is not in force.
type Restored struct {
	CheckpointID string          `json:"checkpoint_id,omitempty"`
	UndoID       string          `json:"undo_id,omitempty"` // the pre_restore checkpoint
	Seq          int64           `json:"seq"`               // of the checkpoint, else of the event before this one
	State        json.RawMessage `json:"state"`
	DroppedFrom  int64           `json:"dropped_from,omitempty"` // what the user dropped; without it and a checkpoint,
	DroppedTo    int64           `json:"dropped_to,omitempty"`   // whatever they seemed to have dropped is in force again
}

// ByUser reports whether the user set the session back in the client.
func (r Restored) ByUser() bool { return r.CheckpointID == "" }

// EventType returns [EventRestored].
func (Restored) EventType() EventType { return EventRestored }

// Note is the payload of a note event: an entry of a client's log that fits no other
// type.
type Note struct {
	Kind string          `json:"kind"` // the client's type, such as turn_duration or api_error
	Text string          `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// EventType returns [EventNote].
func (Note) EventType() EventType { return EventNote }
