package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// ClientAutoByteus is the client name in sessions of AutoByteus.
const ClientAutoByteus = "autobyteus"

func autoSession(agent string) *domain.Session {
	return &domain.Session{Client: ClientAutoByteus, ClientSessionID: agent, AgentID: agent}
}

// autoVersion is the only version of the working context that is known.
const autoVersion = 1.0

// autoContext is working_context_snapshot.json.
type autoContext struct {
	SchemaVersion  *float64      `json:"schema_version"`
	AgentID        string        `json:"agent_id"`
	EpochID        int64         `json:"epoch_id"`
	LastCompaction *float64      `json:"last_compaction_ts"`
	Messages       []autoMessage `json:"messages"`
}

type autoMessage struct {
	Role      string    `json:"role"`
	Content   *string   `json:"content,omitempty"`
	Reasoning *string   `json:"reasoning_content,omitempty"`
	Images    []string  `json:"image_urls,omitempty"`
	Audio     []string  `json:"audio_urls,omitempty"`
	Video     []string  `json:"video_urls,omitempty"`
	Tool      *autoTool `json:"tool_payload,omitempty"`
}

type autoTool struct {
	ToolCalls  []autoToolCall  `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	ToolName   string          `json:"tool_name,omitempty"`
	Result     json.RawMessage `json:"tool_result,omitempty"`
	Error      *string         `json:"tool_error,omitempty"`
}

type autoToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// readAutoContext reads working_context_snapshot.json (004-14). Its messages have no times;
// they get that of the last compaction.
func readAutoContext(name string, doc []byte, out *sink) error {
	var c autoContext
	damage, err := decodeSaved(doc, messageDepth, &c)
	if err != nil {
		return err
	}
	if damage != "" {
		out.skip(damage)
	}
	if c.Messages == nil || c.SchemaVersion == nil && c.AgentID == "" {
		return errors.New("it is not a working context snapshot: schema_version or messages are missing")
	}
	id := cmp.Or(agentFolder(name), c.AgentID, autoAgent(name))
	if c.SchemaVersion == nil || *c.SchemaVersion != autoVersion {
		out.session(autoSession(id))
		out.skip("its schema_version is not 1, the only one that is known; what was said stands in the traces beside it")
		return nil
	}
	var at time.Time
	if c.LastCompaction != nil && *c.LastCompaction > 0 {
		at = epochTime(*c.LastCompaction)
	}
	h := autoSession(id)
	h.Attributes = map[string]string{"epoch_id": strconv.FormatInt(c.EpochID, 10)}
	out.session(h)
	keys := autoKeys{c.EpochID, prompts{}, prompts{}}
	for i, m := range c.Messages {
		out.begin(i + 1)
		if msg := m.message(); says(msg) {
			out.event(id, at, keys.of(msg, i), rowRef{}, msg)
		}
	}
	return nil
}

// autoKeys makes the keys of a working context's messages, which have no ids.
type autoKeys struct {
	epoch       int64
	asked, told prompts
}

// of returns the key of message i, counted from 0.
func (k autoKeys) of(m domain.Message, i int) domain.Key {
	switch {
	case m.Human(), strings.HasPrefix(m.Content, toolsDone):
		return k.asked.key(m.Content, "")
	case m.ToolCallID != "":
		return domain.ToolResultKey(m.ToolCallID)
	case len(m.ToolCalls) == 1 && m.Content == "" && m.ToolCalls[0].ID != "":
		return domain.ToolCallKey(m.ToolCalls[0].ID)
	case m.Role == domain.RoleAssistant, m.Role == domain.RoleUser:
		return saidKey(k.told, m, "")
	}
	return domain.RowKey(ClientAutoByteus, strconv.FormatInt(k.epoch, 10)+":"+strconv.Itoa(i))
}

// saidKey is the key of a text of the assistant, or of one in the user's role that is no
// person's. Traces have ids for it and the working context has none, so both identify it
// by content and by which occurrence of that content it is.
func saidKey(told prompts, m domain.Message, id string) domain.Key {
	who := string(m.Role) + ":"
	nth := told.nth(shortHash(who+m.Content), id)
	return domain.RowKey(ClientAutoByteus, who+shortHash(m.Content)+":"+strconv.Itoa(nth))
}

// IsSaidKey reports whether a key is one by content and occurrence, as saidKey makes them.
func IsSaidKey(key domain.Key) bool {
	return beginsWith(string(key), string(domain.RowKey(ClientAutoByteus, "assistant:")), string(domain.RowKey(ClientAutoByteus, "user:")))
}

// toolsDone begins what some versions tell the model after its tools have answered: the answers
// again. It has the key of a person's words, which an earlier wake took it for.
const toolsDone = "The following tool executions have completed. Please analyze their results and decide the next course of action.\n"

// autoKind distinguishes a person's words from the other texts in the user's role. Those
// that do not come from a person have a header, which may follow the contents of files;
// after a compaction, what was remembered comes first.
func autoKind(text string) domain.MessageKind {
	if beginsWith(text, "[MEMORY:EPISODIC]\n", "[MEMORY:SEMANTIC]\n", "[RECENT TURNS]\n") {
		return domain.SummaryMessage
	}
	head, said, _ := strings.Cut(text, "\nmessage:\n")
	if said != "" && strings.HasPrefix(head, "You received a message from sender name: ") || strings.HasPrefix(text, toolsDone) {
		return domain.MetaMessage
	}
	for _, header := range []string{"**[Tool Execution Result]**\n", "**[Message From Agent]**\n", "**[System Notification]**\n"} {
		if strings.HasPrefix(text, header) || strings.HasPrefix(text, "**[Context]**\n") && strings.Contains(text, "\n\n"+header) {
			return domain.MetaMessage
		}
	}
	return domain.PlainMessage
}

func (m autoMessage) message() domain.Message {
	msg := domain.Message{Role: domain.Role(m.Role)}
	switch msg.Role {
	case domain.RoleUser, domain.RoleAssistant, domain.RoleTool:
	default:
		msg.Role, msg.Kind = domain.RoleSystem, domain.MetaMessage
	}
	if m.Content != nil {
		msg.Content = *m.Content
	}
	if msg.Role == domain.RoleUser {
		msg.Kind = autoKind(msg.Content)
	}
	if m.Reasoning != nil {
		msg.Reasoning = *m.Reasoning
	}
	msg.Media = autoMedia{m.Images, m.Audio, m.Video}.all()
	if m.Tool == nil {
		return msg
	}
	for i, c := range m.Tool.ToolCalls {
		msg.ToolCalls = append(msg.ToolCalls, domain.ToolCall{ID: cmp.Or(c.ID, "call-"+strconv.Itoa(i)), Name: cmp.Or(c.Name, "unknown"), Arguments: c.Arguments})
	}
	msg.ToolCallID, msg.ToolName = m.Tool.ToolCallID, m.Tool.ToolName
	if result := notNull(m.Tool.Result); result != nil {
		msg.Content = rawText(result)
	}
	if m.Tool.Error != nil {
		msg.Error = *m.Tool.Error
	}
	return msg
}

// autoMedia are the addresses of what was sent with a text.
type autoMedia struct {
	Images []string `json:"images"`
	Audio  []string `json:"audio"`
	Video  []string `json:"video"`
}

func (m autoMedia) all() []domain.Media {
	return slices.Concat(mediaAt("image", m.Images), mediaAt("audio", m.Audio), mediaAt("video", m.Video))
}
