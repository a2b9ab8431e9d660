package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// miniConfig is the configuration of mini-swe-agent.
type miniConfig struct {
	Model struct {
		Name string `json:"model_name"`
	} `json:"model"`
	Environment struct {
		CWD string `json:"cwd"`
	} `json:"environment"`
	EnvironmentType string `json:"environment_type"`
}

// miniMessage is a message of mini-swe-agent: as sent to the model through either of
// OpenAI's APIs, with the agent's own data.
type miniMessage struct {
	sweMessage
	Kind         string          `json:"type"`   // in the newer API: message, function_call_output
	Output       json.RawMessage `json:"output"` // in the newer API: of a call, or the items of a whole response
	CallID       string          `json:"call_id"`
	ToolCallID   string          `json:"tool_call_id"`
	Reasoning    string          `json:"reasoning_content"`
	Extra        miniExtra       `json:"extra"`
	miniResponse                 // if the message is a whole response
}

type miniExtra struct {
	Timestamp  stamp        `json:"timestamp"`
	Interrupt  string       `json:"interrupt_type"` // UserInterruption, UserRejection, UserNewTask, FormatError …
	Cost       float64      `json:"cost"`
	ReturnCode int          `json:"returncode"`
	Exception  string       `json:"exception_info"`
	ExitStatus string       `json:"exit_status"`
	Submission string       `json:"submission"`
	Response   miniResponse `json:"response"`
}

// miniResponse is what the model's API returned beside the message.
type miniResponse struct {
	ID       string    `json:"id"`
	Provider string    `json:"provider"` // who ran the model, by OpenRouter
	Model    string    `json:"model"`
	Created  stamp     `json:"created"`
	Usage    miniUsage `json:"usage"`
}

// miniUsage counts cache reads and writes as part of the input.
type miniUsage struct {
	Prompt     int64      `json:"prompt_tokens"`
	Completion int64      `json:"completion_tokens"`
	Input      int64      `json:"input_tokens"` // this and the next: names in the newer API
	Output     int64      `json:"output_tokens"`
	Write      int64      `json:"cache_creation_input_tokens"`
	OfPrompt   miniCached `json:"prompt_tokens_details"`
	OfInput    miniCached `json:"input_tokens_details"`
}

type miniCached struct {
	Cached int64 `json:"cached_tokens"`
}

func (u miniUsage) usage() domain.TokenUsage {
	input, cached, write := max(u.Prompt, u.Input, 0), max(u.OfPrompt.Cached, u.OfInput.Cached, 0), max(u.Write, 0)
	return domain.TokenUsage{Input: max(input-cached-write, 0), CacheRead: cached, CacheWrite: write, Output: max(u.Completion, u.Output, 0)}
}

// at returns when the message came. The first version says it of the model's answers alone.
func (m miniMessage) at() time.Time {
	return m.Extra.Timestamp.or(m.Extra.Response.Created.Time)
}

// isMini reports whether there is a message among those of a document.
func isMini(messages []json.RawMessage) bool {
	return slices.ContainsFunc(messages, func(raw json.RawMessage) bool {
		var m miniMessage
		return decodeLoose(raw, &m) == nil && m.Role != ""
	})
}

// mini reads a trajectory of mini-swe-agent.
func (r *sweReader) mini(t sweTrajectory, h *domain.Session) {
	messages := make([]miniMessage, len(t.Messages))
	var named time.Time // in the session's id, which has been made without the times of the first version
	for i, raw := range t.Messages {
		_ = decodeLoose(raw, &messages[i]) // anything but a message has no role
		if r.at.IsZero() {
			r.at = messages[i].at() // for those before the first one with a time
		}
		if named.IsZero() {
			named = messages[i].Extra.Timestamp.Time
		}
	}
	h.StartedAt = r.at
	if c := t.Info.MiniConfig; c != nil && strings.HasSuffix(c.EnvironmentType, "LocalEnvironment") { // other environments have folders of their own
		setAttributes(h.Attributes, "cwd", c.Environment.CWD)
	}
	r.nameRun(h, messages, named)
	r.out.session(h)
	rest := t.Info.ModelStats.Cost
	for i, m := range messages {
		r.out.begin(i + 1)
		r.at = stamp{m.at()}.or(r.at)
		r.miniMessage(m, r.rowID(t.Messages[i]), &t)
		rest -= m.Extra.Cost
	}
	if t.Info.ModelStats.Cost = rest; rest < 1e-9 {
		t.Info.ModelStats.Cost = 0 // each call reported its own
	}
	r.out.begin(len(messages) + 1)
	r.end(t)
}

// nameRun distinguishes runs whose file has the same name, that of the latest run.
func (r *sweReader) nameRun(h *domain.Session, messages []miniMessage, began time.Time) {
	if strings.ContainsAny(r.session, "0123456789") {
		return
	}
	for _, m := range messages {
		if m.Role == "user" {
			r.session += "-" + shortHash(domain.FormatTime(began)+m.Content.text())
			h.ClientSessionID = r.session
			return
		}
	}
}

func (r *sweReader) miniMessage(m miniMessage, id string, t *sweTrajectory) {
	switch {
	case m.Kind == "function_call_output":
		m.Role, m.ToolCallID = "tool", m.CallID
		_ = json.Unmarshal(m.Output, &m.Content)
	case m.Role == "" && m.Output != nil:
		m.Role = "assistant"
		m.unfold()
	}
	msg := domain.Message{Content: m.Content.text(), Media: m.Content.media()}
	key := domain.RowKey(ClientSWEAgent, id)
	switch m.Role {
	case "assistant":
		m.Thought, msg.Model = m.Reasoning, cmp.Or(m.Model, m.Extra.Response.Model)
		r.assistant("step-"+id, m.sweMessage, msg)
	case "tool":
		msg.Role, msg.ToolCallID, msg.ToolName = domain.RoleTool, m.ToolCallID, r.names[m.ToolCallID]
		if m.Extra.ReturnCode != 0 || m.Extra.Exception != "" {
			msg.Error = firstLine(cmp.Or(m.Extra.Exception, msg.Content, "failed"), 200)
		}
		if msg.ToolCallID != "" {
			key = r.answerKey(msg.ToolCallID, key)
		}
		r.event(key, msg)
	case "user":
		msg.Role, msg.Kind = domain.RoleUser, r.miniKind(m, msg.Content)
		if msg.Human() {
			r.asked, key = true, r.prompts.key(msg.Content, "")
		}
		if msg.Content != "" || msg.Media != nil {
			r.event(key, msg)
		}
	case "exit": // if the run ended well, the head says the same
		t.Info.ExitStatus = cmp.Or(t.Info.ExitStatus, m.Extra.ExitStatus)
		t.Info.Submission = cmp.Or(t.Info.Submission, m.Extra.Submission)
	case "":
		r.out.skip("it is not a message: it has no role")
	default:
		msg.Role, msg.Kind = domain.RoleSystem, domain.MetaMessage
		r.event(key, msg)
	}
	r.miniUsage(m, "step-"+id)
}

// unfold splits a whole response of the newer API.
func (m *miniMessage) unfold() {
	var items []codexItem
	_ = decodeLoose(m.Output, &items)
	for _, item := range items {
		switch item.Type {
		case "message":
			m.Content = append(m.Content, item.Content...)
		case "reasoning":
			m.Reasoning = strings.TrimPrefix(m.Reasoning+"\n"+cmp.Or(item.Summary.text(), item.Content.text()), "\n")
		case "function_call":
			call := sweToolCall{ID: item.CallID}
			call.Function.Name, call.Function.Arguments = item.Name, item.Arguments
			m.ToolCalls = append(m.ToolCalls, call)
		}
	}
}

// miniKind distinguishes what a person said in between from answers of the environment.
// In the first versions, only the beginning of the text shows it.
func (r *sweReader) miniKind(m miniMessage, text string) domain.MessageKind {
	switch text {
	case "Interrupted by user: Temporary interruption caught.", "Switched to human mode.",
		"Command not executed. Switching to human mode", "Commands not executed. Switching to human mode":
		return domain.MetaMessage
	}
	switch {
	case strings.HasPrefix(text, "User command: \n```bash\n"):
		return domain.CommandMessage
	case !r.asked, strings.HasPrefix(m.Extra.Interrupt, "User"),
		m.Extra.Interrupt == "" && beginsWith(text, "Interrupted by user: ", "The user added a new task: ", "Command not executed. The user rejected your command with the following message: "):
		return domain.PlainMessage
	}
	return domain.MetaMessage
}

// miniUsage emits the usage of the model call that returned the message.
func (r *sweReader) miniUsage(m miniMessage, step string) {
	response := m.Extra.Response
	if m.Usage != (miniUsage{}) {
		response = m.miniResponse
	}
	usage := response.Usage.usage()
	if usage.Cost = domain.Dollars(max(m.Extra.Cost, 0)); usage == (domain.TokenUsage{}) {
		return
	}
	r.event(modelCall(cmp.Or(response.ID, step), response.Provider, cmp.Or(response.Model, r.model), usage))
}
