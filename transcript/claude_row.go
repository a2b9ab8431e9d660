package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"wake/domain"
)

// claudeRow is one line of a Claude Code transcript of any version, with the fields
// that wake uses.
type claudeRow struct {
	Type        string        `json:"type"`
	Subtype     string        `json:"subtype"`
	UUID        string        `json:"uuid"`
	ParentUUID  string        `json:"parentUuid"`
	LogicalUUID string        `json:"logicalParentUuid"` // parent of a boundary
	SentAs      string        `json:"sentAsUuid"`        // of a prompt that is stored again behind a compaction, its first row
	SessionID   string        `json:"sessionId"`
	AskedIn     string        `json:"requestSessionId"`   // of a reply, if a fork copied it: the session that asked for it
	AgentID     string        `json:"agentId"`            // in a sub-agent's file
	StreamID    string        `json:"session_id"`         // the session, in streamed output
	StreamTool  string        `json:"parent_tool_use_id"` // in streamed output, the call that runs a sub-agent
	Timestamp   rowTime       `json:"timestamp"`
	CWD         string        `json:"cwd"`
	GitBranch   string        `json:"gitBranch"`
	Version     string        `json:"version"`
	Message     claudeMessage `json:"message"`

	IsSidechain       *bool `json:"isSidechain"`
	IsMeta            bool  `json:"isMeta"`
	IsCompactSummary  bool  `json:"isCompactSummary"`
	IsAPIErrorMessage bool  `json:"isApiErrorMessage"`
	TranscriptOnly    bool  `json:"isVisibleInTranscriptOnly"` // not shown to the model
	TurnCompanion     bool  `json:"turnCompanion"`             // added by the client beside a prompt
	IsSynthetic       bool  `json:"isSynthetic"`               // the same in streamed output

	ToolUseResult   *claudeResult   `json:"toolUseResult"`
	CompactMetadata claudeCompact   `json:"compactMetadata"`
	StreamCompact   claudeStreamed  `json:"compact_metadata"` // the same in streamed output
	Content         json.RawMessage `json:"content"`          // of system rows and the queue
	Error           json.RawMessage `json:"error"`
	DurationMS      int64           `json:"durationMs"`
	CostUSD         float64         `json:"costUSD"` // in assistant rows of the first clients

	Summary     string           `json:"summary"`
	LeafUUID    string           `json:"leafUuid"`
	CustomTitle string           `json:"customTitle"`
	AITitle     string           `json:"aiTitle"`
	Operation   string           `json:"operation"` // of the prompt queue
	Reason      string           `json:"reason"`    // why it was removed from the queue
	PrURL       string           `json:"prUrl"`
	Explicit    bool             `json:"explicit"` // of where the conversation ends, as are the next two
	Rewound     bool             `json:"rewound"`
	CutUUID     string           `json:"cutUuid"` // the first row that was dropped
	Attachment  claudeAttachment `json:"attachment"`
	claudeRun

	ForkedFrom struct { // of a row copied by a fork
		SessionID string `json:"sessionId"`
	} `json:"forkedFrom"`
	ParentSession string `json:"parentSessionId"` // of a sub-agent that continues its parent's session

	Abridged int             `json:"v"` // this and the next are only in rows of Entire
	Agent    string          `json:"agent"`
	Qwen     json.RawMessage `json:"systemPayload"` // of system rows of Qwen Code

	Origin       claudeOrigin `json:"origin"`
	PromptSource string       `json:"promptSource"` // typed, queued, sdk, system …
	TurnOrigin   string       `json:"turnOrigin"`   // of the turn that the row begins: human, sdk, scheduled, peer …

	TurnPosition struct {
		PromptIndex int `json:"promptIndex"` // counted from 1, without prompts that were dropped
	} `json:"turnPosition"`
}

func (r *claudeRow) ref() rowRef {
	return rowRef{id: r.UUID, parent: cmp.Or(r.ParentUUID, r.LogicalUUID)}
}

// key is the key of a row without a more specific rule: its id, or its contents.
func (r *claudeRow) key(part int, text string) domain.Key {
	id := r.UUID
	if id == "" {
		id = string(r.Timestamp) + shortHash(text)
	}
	return domain.RowKey(ClientClaudeCode, id+":"+strconv.Itoa(part))
}

// errNoRow says that a line is JSON, but not a row.
var errNoRow = errors.New("it is not a row of a transcript: it has no type")

// fault returns why the row cannot be used, or nil.
func (r *claudeRow) fault() error {
	switch {
	case r.Type == "":
		return errNoRow
	case r.abridged():
		return errors.New("it is a row of Entire's transcript.jsonl, which is abridged and names no session; import the full.jsonl that it was made of")
	case r.isQwens():
		return errors.New("it is a row of Qwen Code, whose transcripts wake does not read")
	}
	return nil
}

// abridged reports whether the row is one that Entire derives from transcripts of
// several clients, beside a full copy.
func (r *claudeRow) abridged() bool {
	return r.Abridged > 0 && r.Agent != "" && r.SessionID == "" && !r.Message.Content.Set
}

// isQwens reports whether the row is from Qwen Code, which wraps Gemini's messages in
// Claude Code's row format.
func (r *claudeRow) isQwens() bool {
	return len(r.Qwen) > 0 || len(r.Message.Parts) > 0 && !r.Message.Content.Set
}

// ownTitle reports whether the row is of the name that a person gave the conversation.
func (r *claudeRow) ownTitle() bool { return r.Type == "custom-title" || r.CustomTitle != "" }

// reply reports whether the row is of the model, or a tool's answer to it.
func (r *claudeRow) reply() bool {
	return r.Type == "assistant" || r.Type == "user" && slices.ContainsFunc(r.Message.Content.Blocks, claudeBlock.answers)
}

// aside reports whether the row says that it is of a sub-agent.
func (r *claudeRow) aside() bool { return r.IsSidechain != nil && *r.IsSidechain }

// subagent returns the id of the sub-agent that the row names, or "".
func (r *claudeRow) subagent() string { return shortID(cmp.Or(r.AgentID, r.StreamTool)) }

// byItself reports whether the client added the row without a person's words.
func (r *claudeRow) byItself() bool {
	if r.Origin.relayed() { // whatever else the client says of the turn
		return false
	}
	if r.Origin.machine() || r.PromptSource == "system" {
		return true
	}
	switch r.TurnOrigin {
	case "host_synthetic": // also what the client does not know of the program that runs it
		return r.Origin.Kind == "" && !r.typed()
	case "scheduled", "task_notification", "peer", "agent", "auto_continuation":
		// a program may pass on in a person's name what it has by itself
		return (r.Origin.Kind == "" || r.Origin.Kind == "human") && !r.typed()
	}
	return false
}

// typed reports whether the client says that a person typed the prompt.
func (r *claudeRow) typed() bool { return r.PromptSource == "typed" || r.PromptSource == "queued" }

// begins reports whether a prompt is the first one of its conversation. Behind a compaction,
// such a prompt can answer a row that was dropped.
func (r *claudeRow) begins() bool { return r.ParentUUID == "" || r.TurnPosition.PromptIndex == 1 }

// fromPerson reports whether the client says that the prompt is a person's, as it never
// does of a summary.
func (r *claudeRow) fromPerson() bool { return r.Origin.Kind == "human" || r.typed() }

// findContent looks for the content of the message, which some tools write directly in
// the row, and reports whether there is any.
func (r *claudeRow) findContent() bool {
	if !r.Message.Content.Set {
		_ = json.Unmarshal(r.Content, &r.Message.Content)
	}
	return r.Message.Content.Set
}

// claudeOrigin says where a prompt came from: human, channel (a chat or a program),
// plugin, peer, task-notification, auto-continuation …
type claudeOrigin struct {
	Kind   string `json:"kind"`
	AsUser bool   `json:"asUser"` // a plugin passes on what a person typed elsewhere, such as on a phone
}

// machine reports whether the prompt did not come from a person.
func (o claudeOrigin) machine() bool {
	return !o.relayed() && !slices.Contains([]string{"", "human", "channel", "unclassified"}, o.Kind)
}

// chat reports whether a person wrote the text in a chat, although the client marks it as
// its own.
func (o claudeOrigin) chat(text string) bool { return o.Kind == "channel" && isChat(text) }

// relayed reports whether a plugin passed a person's words on.
func (o claudeOrigin) relayed() bool { return o.Kind == "plugin" && o.AsUser }

type claudeMessage struct {
	ID      string        `json:"id"`
	Model   string        `json:"model"`
	Content claudeContent `json:"content"`
	Usage   *claudeUsage  `json:"usage"`

	Parts json.RawMessage `json:"parts"` // instead of the content, see isQwens
}

type claudeCompact struct {
	Trigger    string `json:"trigger"`
	PreTokens  int64  `json:"preTokens"`
	PostTokens int64  `json:"postTokens"`
}

type claudeStreamed struct {
	Trigger    string `json:"trigger"`
	PreTokens  int64  `json:"pre_tokens"`
	PostTokens int64  `json:"post_tokens"`
}

// claudeRun is how a run of the client went, from the last row of its streamed output.
type claudeRun struct {
	IsError bool            `json:"is_error"`
	Result  string          `json:"result"` // the last reply, or what went wrong
	Errors  []string        `json:"errors"`
	Turns   int64           `json:"num_turns"`
	TookMS  int64           `json:"duration_ms"`
	Cost    float64         `json:"total_cost_usd"` // of the process so far
	Denials json.RawMessage `json:"permission_denials"`
}

type claudeAttachment struct {
	Type        string          `json:"type"`
	Prompt      json.RawMessage `json:"prompt"`
	CommandMode string          `json:"commandMode"`
	IsMeta      bool            `json:"isMeta"`
	Origin      claudeOrigin    `json:"origin"`
}

// claudeResult is what the client records about a tool's answer beside its text. For
// some tools it is a plain text, which adds nothing.
type claudeResult struct {
	AgentID string
}

// UnmarshalJSON decodes an object and ignores other shapes.
func (r *claudeResult) UnmarshalJSON(data []byte) error {
	if data[0] != '{' || !bytes.Contains(data, []byte("agentId")) { // it usually repeats the text
		return nil
	}
	var shape struct {
		AgentID string `json:"agentId"`
	}
	if err := json.Unmarshal(data, &shape); err != nil && !isMismatch(err) {
		return err
	}
	r.AgentID = shape.AgentID
	return nil
}
