package transcript

import (
	"encoding/json"
	"io"
	"strconv"
	"time"

	"wake/domain"
)

// ollmVersion is the version of OLLM's files.
const ollmVersion = "1.0"

// ollmOut is a context snapshot in OLLM's new shape (000-07, 000-08).
type ollmOut struct {
	Version      string           `json:"version"`
	ID           string           `json:"id"`
	SessionID    string           `json:"sessionId"`
	Timestamp    string           `json:"timestamp"`
	TokenCount   int64            `json:"tokenCount"`
	Summary      string           `json:"summary"`
	Metadata     ollmOutMeta      `json:"metadata"`
	UserMessages []ollmOutMessage `json:"userMessages"`
	Archived     []any            `json:"archivedUserMessages"`
	Messages     []ollmOutMessage `json:"messages"`
	Goals        []ollmOutGoal    `json:"goalStack,omitempty"`
	Reasoning    []ollmOutTrace   `json:"reasoningStorage,omitempty"`

	ids       map[string]bool // of the messages
	last      time.Time       // of the latest message
	lastHuman bool            // who wrote it
}

// ollmOutMeta has the counts under the names of the seed and those of OLLM's code.
type ollmOutMeta struct {
	Model            string  `json:"model"`
	Provider         string  `json:"provider"`
	TokenCount       int64   `json:"tokenCount"`
	ContextSize      int64   `json:"contextSize,omitempty"`
	CompressionRatio float64 `json:"compressionRatio"`
	TotalUser        int     `json:"totalUserMessages"`
	Checkpoints      int     `json:"checkpointCount"`
	TotalCheckpoints int     `json:"totalCheckpoints"`
	TotalCompleted   int     `json:"totalGoalsCompleted"`
}

type ollmOutMessage struct {
	ID         string         `json:"id"`
	Role       string         `json:"role"`
	Content    string         `json:"content"`
	Timestamp  string         `json:"timestamp"`
	ToolCalls  []ollmOutCall  `json:"toolCalls,omitempty"`
	ToolCallID string         `json:"toolCallId,omitempty"`
	ToolName   string         `json:"toolName,omitempty"`
	ToolError  string         `json:"toolError,omitempty"`
	Metadata   *ollmOutTooled `json:"metadata,omitempty"`
}

// ollmOutTooled repeats what tools did where OLLM looks for it: of a message in a file it
// reads the metadata, but no toolCalls or toolCallId beside them.
type ollmOutTooled struct {
	ToolCalls   []ollmOutCall   `json:"toolCalls,omitempty"`
	ToolResults []ollmOutResult `json:"toolResults,omitempty"`
}

type ollmOutResult struct {
	ToolCallID string `json:"toolCallId"`
	Result     string `json:"result"`
	Error      string `json:"error,omitempty"`
}

type ollmOutCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type ollmOutGoal struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Status      string `json:"status"`
	CreatedAt   string `json:"createdAt"`
}

type ollmOutTrace struct {
	Content    string `json:"content"`
	Timestamp  string `json:"timestamp"`
	TokenCount int64  `json:"tokenCount,omitempty"`
	Duration   int64  `json:"duration,omitempty"`
	Complete   bool   `json:"complete,omitempty"`
}

// WriteOLLMSnapshot writes a session at a checkpoint as an OLLM context snapshot: all
// of people's messages, the other messages, goals and reasoning. id names the snapshot
// (the file is snapshot-<id>.json). events are the session's events in force at the
// checkpoint.
func WriteOLLMSnapshot(w io.Writer, id string, at time.Time, s domain.Session, events []domain.Event) error {
	o := &ollmOut{Version: ollmVersion, ID: id, SessionID: ollmSession(s), Timestamp: isoMillis(at),
		Summary: s.Title, UserMessages: []ollmOutMessage{}, Archived: []any{}, Messages: []ollmOutMessage{},
		TokenCount: s.Tokens, Metadata: ollmOutMeta{Model: s.Model, Provider: s.Provider, TokenCount: s.Tokens, ContextSize: s.ContextLimit, CompressionRatio: 1}}
	o.ids = map[string]bool{}
	goals := map[string]int{}
	for _, e := range events {
		o.take(e, goals)
	}
	o.Metadata.TotalUser = len(o.UserMessages)
	for _, g := range o.Goals {
		if g.Status == ollmCompleted {
			o.Metadata.TotalCompleted++
		}
	}
	return writeDocument(w, o)
}

// isoMillis formats a time as JavaScript does, with microseconds if there are any.
func isoMillis(t time.Time) string {
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		return domain.FormatTime(t)
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func (o *ollmOut) take(e domain.Event, goals map[string]int) {
	switch e.Type {
	case domain.EventMessage:
		withPayload(e, func(m domain.Message) { o.message(e, m) })
	case domain.EventReasoning:
		withPayload(e, func(r domain.Reasoning) {
			o.Reasoning = append(o.Reasoning, ollmOutTrace{r.Content, isoMillis(e.At), r.TokenCount, r.DurationMS, r.Complete})
		})
	case domain.EventGoal:
		withPayload(e, func(g domain.Goal) { o.goal(e, g, goals) })
	case domain.EventCompaction:
		o.Metadata.Checkpoints++
		o.Metadata.TotalCheckpoints++
		withPayload(e, func(c domain.Compaction) {
			if c.Summary != "" {
				o.message(e, domain.Message{Role: domain.RoleUser, Kind: domain.SummaryMessage, Content: c.Summary})
			}
		})
	}
}

func (o *ollmOut) message(e domain.Event, m domain.Message) {
	out := ollmOutMessage{ID: o.messageID(e), Role: string(m.Role), Content: m.Content,
		Timestamp: isoMillis(o.after(e.At, m.Human())), ToolCallID: m.ToolCallID, ToolName: m.ToolName, ToolError: m.Error}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, ollmOutCall{c.ID, c.Name, orObject(c.Arguments)})
	}
	switch {
	case len(out.ToolCalls) > 0:
		out.Metadata = &ollmOutTooled{ToolCalls: out.ToolCalls}
	case m.ToolCallID != "":
		out.Metadata = &ollmOutTooled{ToolResults: []ollmOutResult{{m.ToolCallID, m.Content, m.Error}}}
	}
	if m.Human() {
		o.UserMessages = append(o.UserMessages, out)
		return
	}
	if m.Role == domain.RoleUser {
		out.Role = string(domain.RoleSystem) // no person wrote it
	}
	o.Messages = append(o.Messages, out)
}

// after returns the time of a message. Since times alone order the messages of the two
// lists, it is a microsecond later if the one before has the same time and is in the
// other list.
func (o *ollmOut) after(at time.Time, human bool) time.Time {
	if back := o.last.Sub(at); back >= 0 && back < time.Millisecond {
		if at = o.last; human != o.lastHuman {
			at = at.Add(time.Microsecond)
		}
	}
	o.last, o.lastHuman = at, human
	return at
}

// messageID is the id of an event's message: the source's, which several may share, for
// the first of them.
func (o *ollmOut) messageID(e domain.Event) string {
	id := e.Source.ID
	if id == "" || o.ids[id] {
		id = e.ID
	}
	if id == "" || o.ids[id] {
		id = "message-" + strconv.Itoa(len(o.UserMessages)+len(o.Messages))
	}
	o.ids[id] = true
	return id
}

// ollmCompleted is the status of a goal that was reached.
const ollmCompleted = "completed"

func (o *ollmOut) goal(e domain.Event, g domain.Goal, goals map[string]int) {
	status := map[domain.GoalStatus]string{domain.GoalActive: "active", domain.GoalDone: ollmCompleted, domain.GoalDropped: "abandoned"}[g.Status]
	i, known := goals[g.ID]
	if !known {
		goals[g.ID] = len(o.Goals)
		o.Goals = append(o.Goals, ollmOutGoal{g.ID, g.Text, status, isoMillis(e.At)})
		return
	}
	o.Goals[i].Status = status
	if g.Text != "" {
		o.Goals[i].Description = g.Text
	}
}

// ollmTransition is a mode transition in OLLM's shape (000-15).
type ollmTransition struct {
	ID        string                  `json:"id"`
	Timestamp string                  `json:"timestamp"`
	FromMode  string                  `json:"fromMode"`
	ToMode    string                  `json:"toMode"`
	Recent    []ollmRecent            `json:"recentMessages"`
	Skills    []string                `json:"activeSkills"`
	Tools     []string                `json:"activeTools"`
	Task      *string                 `json:"currentTask"`
	Findings  map[string]ollmFindings `json:"findings,omitempty"`
	Traces    []ollmTrace             `json:"reasoningTraces,omitempty"`
}

type ollmRecent struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	Timestamp string `json:"timestamp"`
}

// WriteOLLMTransition writes a hand-off as an OLLM mode transition; the file is
// transition-<timestamp>.json below session-<id>/ (000-16).
func WriteOLLMTransition(w io.Writer, h domain.Handoff) error {
	t := ollmTransition{ID: h.ID, Timestamp: isoMillis(h.CreatedAt), FromMode: h.FromMode, ToMode: h.ToMode,
		Recent: []ollmRecent{}, Skills: notNil(h.Skills), Tools: notNil(h.Tools), Findings: map[string]ollmFindings{}}
	for _, m := range h.Messages {
		t.Recent = append(t.Recent, ollmRecent{string(m.Role), m.Content, isoMillis(m.At)})
	}
	if h.Task != "" {
		t.Task = &h.Task
	}
	for mode, f := range h.Findings {
		out := ollmFindings{Errors: notNil(f.Errors), Fixes: notNil(f.Fixes), Notes: f.Notes}
		if f.RootCause != "" {
			out.RootCause = &f.RootCause
		}
		t.Findings[mode] = out
	}
	for _, r := range h.Reasoning {
		t.Traces = append(t.Traces, ollmTrace{r.Content, r.TokenCount, r.DurationMS, r.Complete})
	}
	return writeDocument(w, t)
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
