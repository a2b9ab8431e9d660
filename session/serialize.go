package session

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	"wake/domain"
)

// WorkingVersion is the schema version that [Serialize] writes, and the only one
// that [Deserialize] reads: a newer one may mean anything (I12, 004-17).
const WorkingVersion = 1

// Cached is a serialised working context with what says when it may be used.
// Its outer shape is the seed's (004-14), but for the time of the last compaction, which
// the log has; seq, prompt_hash, seqs and checksum are ours.
type Cached struct {
	SchemaVersion int             `json:"schema_version"`
	AgentID       string          `json:"agent_id"`
	Epoch         int64           `json:"epoch_id"`
	SessionID     string          `json:"session_id,omitempty"`
	Seq           int64           `json:"seq,omitempty"` // up to here the messages go
	PromptHash    string          `json:"prompt_hash,omitempty"`
	Earlier       int64           `json:"earlier,omitempty"` // messages of the epoch before those here
	Messages      []CachedMessage `json:"messages"`
	Checksum      string          `json:"checksum,omitempty"`
}

// CachedMessage is a message in the seed's shape (004-14), with its place and with what
// that shape has no field for, so that it reads back as the same message that the log
// holds.
type CachedMessage struct {
	Seq       int64           `json:"seq,omitempty"`
	At        time.Time       `json:"at,omitzero"`
	Role      string          `json:"role"`
	Content   string          `json:"content"`
	Reasoning string          `json:"reasoning_content,omitempty"`
	ImageURLs []string        `json:"image_urls,omitempty"`
	AudioURLs []string        `json:"audio_urls,omitempty"`
	VideoURLs []string        `json:"video_urls,omitempty"`
	Tool      json.RawMessage `json:"tool_payload,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	MessageID string          `json:"message_id,omitempty"`
	Block     int             `json:"block,omitempty"`
	Model     string          `json:"model,omitempty"`
	AgentID   string          `json:"agent_id,omitempty"`
	Media     []domain.Media  `json:"media,omitempty"`    // where it is more than lists of URLs
	Left      int64           `json:"left_out,omitempty"` // bytes of a text that is read from its event
}

type toolPayload struct {
	ToolCalls  []domain.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
	ToolName   string            `json:"tool_name,omitempty"`
	Result     json.RawMessage   `json:"tool_result,omitempty"` // a string, or whatever the tool answered
	Error      *string           `json:"tool_error,omitempty"`
}

// Serialize writes a cached working context with its checksum.
func Serialize(c Cached) ([]byte, error) {
	c.SchemaVersion, c.Checksum = WorkingVersion, ""
	if c.Messages == nil {
		c.Messages = []CachedMessage{}
	}
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	c.Checksum = domain.HashBytes(data)
	return json.Marshal(c)
}

// Deserialize reads what [Serialize] wrote. If anything is wrong with it, it
// returns an Invalid error that says what; the caller then builds the context
// again.
func Deserialize(data []byte) (Cached, error) {
	if err := Validate(data); err != nil {
		return Cached{}, err
	}
	var c Cached
	if err := json.Unmarshal(data, &c); err != nil {
		return Cached{}, domain.Invalid("the cached working context cannot be read: %v", err)
	}
	sum := c.Checksum
	c.Checksum = ""
	plain, err := json.Marshal(c)
	if err != nil {
		return Cached{}, err
	}
	if sum != domain.HashBytes(plain) {
		return Cached{}, domain.Invalid("the cached working context does not match its checksum")
	}
	c.Checksum = sum
	return c, nil
}

// Validate checks the shape by the seed's rules (004-15): schema_version a
// number, ours; agent_id a string; messages an array of objects, each with a
// string role.
func Validate(data []byte) error {
	var shape struct {
		Version  *float64          `json:"schema_version"`
		AgentID  *string           `json:"agent_id"`
		Messages *[]map[string]any `json:"messages"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&shape); err != nil {
		return domain.Invalid("the cached working context is not what it should be: %v", err)
	}
	switch {
	case shape.Version == nil || *shape.Version != WorkingVersion:
		return domain.Invalid("the cached working context has another schema version than %d", WorkingVersion)
	case shape.AgentID == nil:
		return domain.Invalid("the cached working context has no agent_id")
	case shape.Messages == nil:
		return domain.Invalid("the cached working context has no messages")
	}
	for i, m := range *shape.Messages {
		if _, ok := m["role"].(string); !ok {
			return domain.Invalid("message %d of the cached working context has no role", i)
		}
	}
	return nil
}

// Fits reports whether a cached context may be used for what is asked (I12). It is
// unfit if it is of another session, agent or epoch, reaches past the log's end, or was
// made for another system prompt. A prompt that is not known, "", fits any.
func (c Cached) Fits(sessionID, agentID string, epoch, lastSeq int64, promptHash string) bool {
	samePrompt := c.PromptHash == "" || promptHash == "" || c.PromptHash == promptHash
	return c.SessionID == sessionID && c.AgentID == agentID && c.Epoch == epoch && c.Seq <= lastSeq && samePrompt
}

// FromMessage puts a message into the seed's shape.
func FromMessage(seq int64, at time.Time, m domain.Message) (CachedMessage, error) {
	out := CachedMessage{Seq: seq, At: at, Role: string(m.Role), Content: m.Content, Reasoning: m.Reasoning,
		Kind: string(m.Kind), MessageID: m.MessageID, Block: m.Block, Model: m.Model, AgentID: m.AgentID}
	for _, media := range m.Media {
		switch media.Type {
		case "image":
			out.ImageURLs = append(out.ImageURLs, media.URL)
		case "audio":
			out.AudioURLs = append(out.AudioURLs, media.URL)
		case "video":
			out.VideoURLs = append(out.VideoURLs, media.URL)
		}
	}
	if !reflect.DeepEqual(out.media(), m.Media) {
		out.Media = m.Media
	}
	if len(m.ToolCalls) == 0 && m.ToolCallID == "" && m.ToolName == "" && m.Error == "" {
		return out, nil
	}
	p := toolPayload{ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, ToolName: m.ToolName}
	if m.Role == domain.RoleTool {
		text, err := json.Marshal(m.Content)
		if err != nil {
			return out, err
		}
		p.Result, out.Content = text, ""
	}
	if m.Error != "" {
		p.Error = &m.Error
	}
	data, err := json.Marshal(p)
	out.Tool = data
	return out, err
}

// Message converts back to a message.
func (c CachedMessage) Message() (domain.Message, error) {
	m := domain.Message{Role: domain.Role(c.Role), Content: c.Content, Reasoning: c.Reasoning,
		Kind: domain.MessageKind(c.Kind), MessageID: c.MessageID, Block: c.Block, Model: c.Model, AgentID: c.AgentID, Media: c.media()}
	if len(c.Tool) == 0 {
		return m, nil
	}
	var p toolPayload
	if err := json.Unmarshal(c.Tool, &p); err != nil {
		return m, domain.Invalid("a tool payload of the cached working context cannot be read: %v", err)
	}
	m.ToolCalls, m.ToolCallID, m.ToolName = p.ToolCalls, p.ToolCallID, p.ToolName
	if len(p.Result) > 0 && json.Unmarshal(p.Result, &m.Content) != nil {
		m.Content = string(p.Result)
	}
	if p.Error != nil {
		m.Error = *p.Error
	}
	return m, nil
}

func (c CachedMessage) media() []domain.Media {
	if c.Media != nil {
		return c.Media
	}
	list := appendMedia(nil, "image", c.ImageURLs)
	list = appendMedia(list, "audio", c.AudioURLs)
	return appendMedia(list, "video", c.VideoURLs)
}

func appendMedia(list []domain.Media, kind string, urls []string) []domain.Media {
	for _, u := range urls {
		list = append(list, domain.Media{Type: kind, URL: u})
	}
	return list
}
