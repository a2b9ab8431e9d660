package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"wake/domain"
)

// ClientOLLM is the client name in sessions of OLLM.
const ClientOLLM = "ollm"

// ollmFile is the union of the three kinds of file.
type ollmFile struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
	Timestamp stamp  `json:"timestamp"`

	UserMessages []ollmMessage   `json:"userMessages"`
	Messages     []ollmMessage   `json:"messages"`
	GoalStack    json.RawMessage `json:"goalStack"`
	Reasoning    json.RawMessage `json:"reasoningStorage"`
	TokenCount   int64           `json:"tokenCount"`
	Metadata     ollmMetadata    `json:"metadata"`

	FromMode string                  `json:"fromMode"`
	ToMode   string                  `json:"toMode"`
	Recent   []ollmMessage           `json:"recentMessages"`
	Skills   []string                `json:"activeSkills"`
	Tools    []string                `json:"activeTools"`
	Task     string                  `json:"currentTask"`
	Findings map[string]ollmFindings `json:"findings"`
	Traces   []ollmTrace             `json:"reasoningTraces"`

	StartTime stamp          `json:"startTime"`
	Model     string         `json:"model"`
	Provider  string         `json:"provider"`
	ToolCalls []ollmToolCall `json:"toolCalls"`
}

type ollmMetadata struct {
	Model       string `json:"model"`
	Provider    string `json:"provider"`
	TokenCount  int64  `json:"tokenCount"`
	ContextSize int64  `json:"contextSize"`
	StartTime   stamp  `json:"startTime"`
	CreatedBy   string `json:"createdBy"`
}

// known leaves out what OLLM writes for want of the value: the snapshots that it makes
// by itself before compressing name the model unknown, and give the number of messages
// as the size of the context.
func (m ollmMetadata) known() ollmMetadata {
	if m.Model == "unknown" {
		m.Model = ""
	}
	if m.CreatedBy == "SnapshotLifecycle" {
		m.ContextSize = 0
	}
	return m
}

type ollmFindings struct {
	Errors    []string `json:"errors"`
	RootCause *string  `json:"rootCause"`
	Fixes     []string `json:"fixes"`
	Notes     []string `json:"notes,omitempty"`
}

// readOLLMFile reads the files of OLLM CLI: context snapshots in the old shape (all
// messages in one list) and the new one (people's messages separate), mode transitions,
// and recorded sessions (000-07, 000-08, 000-15, 000-16, 000-19).
func readOLLMFile(name string, doc []byte, out *sink) error {
	var f ollmFile
	damage, err := decodeSaved(doc, messageDepth, &f)
	if err != nil {
		return err
	}
	if f.FromMode == "" && f.ToMode == "" && f.Messages == nil && f.UserMessages == nil {
		return errors.New("it is not a file of OLLM: it has neither messages nor modes")
	}
	if damage != "" {
		out.skip(damage)
	}
	f.Metadata = f.Metadata.known()
	f.StartTime.Time = f.StartTime.or(f.Metadata.StartTime.Time)
	r := &ollmReader{file: f, session: f.session(name), prompts: prompts{}, out: out}
	r.last = f.StartTime.or(f.Timestamp.Time)
	r.header()
	if f.ToMode != "" || f.FromMode != "" {
		r.transition()
	} else {
		r.conversation()
	}
	return nil
}

// session returns the session's id in the file, or in its folder's name.
func (f ollmFile) session(name string) string {
	return cmp.Or(f.SessionID, folderID(name, "session-"), f.ID, baseName(name, ".json"))
}

// ollmReader is one pass over a file.
type ollmReader struct {
	file    ollmFile
	session string
	prompts prompts
	last    time.Time
	n       int
	out     *sink
}

func (r *ollmReader) header() {
	f := r.file
	h := &domain.Session{Client: ClientOLLM, ClientSessionID: r.session, Model: cmp.Or(f.Model, f.Metadata.Model),
		Provider: cmp.Or(f.Provider, f.Metadata.Provider), StartedAt: f.StartTime.or(f.Timestamp.Time), Attributes: map[string]string{}}
	if f.SessionID != "" || f.FromMode != "" {
		setAttributes(h.Attributes, "snapshot_id", f.ID)
	}
	r.out.session(h)
}

func (r *ollmReader) event(at time.Time, key domain.Key, id string, p domain.Payload) {
	r.n++
	r.out.begin(r.n)
	r.out.event(r.session, at, key, rowRef{id: id}, p)
}

// conversation reads a snapshot or a recorded session. People's messages and the others
// are in two lists, which are merged by time.
func (r *ollmReader) conversation() {
	f := r.file
	next := 0 // of the tool calls, which a recorded session lists separately
	for _, m := range mergeOLLM(f.UserMessages, f.Messages) {
		for ; next < len(f.ToolCalls) && f.ToolCalls[next].before(m); next++ {
			r.toolCall(next, f.ToolCalls[next])
		}
		r.message(m)
	}
	for ; next < len(f.ToolCalls); next++ {
		r.toolCall(next, f.ToolCalls[next])
	}
	r.goals(f.GoalStack)
	r.traces(f.Reasoning)
	if n := max(f.TokenCount, f.Metadata.TokenCount); n > 0 {
		r.event(r.last, domain.RowKey("window", cmp.Or(f.ID, r.session)), "", domain.Window{Tokens: n, Limit: max(f.Metadata.ContextSize, 0)})
	}
}

// transition reads a mode transition: what was said and found in the old mode, then the
// change.
func (r *ollmReader) transition() {
	f := r.file
	if f.FromMode != "" {
		r.event(f.Timestamp.Time, domain.RowKey("mode", f.ID+":from"), f.ID, domain.Mode{To: f.FromMode})
	}
	for _, m := range f.Recent {
		r.message(m)
	}
	for _, mode := range slices.Sorted(maps.Keys(f.Findings)) {
		r.findings(mode, f.Findings[mode])
	}
	r.last = f.Timestamp.or(r.last)
	for _, t := range f.Traces {
		r.trace(t, r.last)
	}
	if f.ToMode != "" {
		r.event(f.Timestamp.Time, domain.RowKey("mode", f.ID+":to"), f.ID,
			domain.Mode{To: f.ToMode, Skills: f.Skills, Tools: f.Tools, Task: f.Task})
	}
}

func (r *ollmReader) findings(mode string, f ollmFindings) {
	add := func(kind domain.FindingKind, texts ...string) {
		for _, text := range texts {
			if text != "" {
				r.event(r.last, domain.RowKey("finding", mode+":"+string(kind)+":"+shortHash(text)), "", domain.Finding{Mode: mode, Kind: kind, Text: text})
			}
		}
	}
	add(domain.FindingError, f.Errors...)
	if f.RootCause != nil {
		add(domain.FindingRootCause, *f.RootCause)
	}
	add(domain.FindingFix, f.Fixes...)
	add(domain.FindingNote, f.Notes...)
}
