package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// ClientAutoByteus is the client name in sessions of AutoByteus.
const ClientAutoByteus = "autobyteus"

// autoFiles lists the files of an agent's folder, memory/agents/<agent id>/ (004-03),
// in the order in which they must be read: oldest events first, and last the snapshot,
// which repeats them. Newer versions move old rows into numbered files.
func autoFiles() []string {
	return []string{autoArchiveFolder + "/*.jsonl", "raw_traces_archive.jsonl", "raw_traces_[0-9]*.jsonl", "raw_traces.jsonl", "raw_traces_active.jsonl",
		"episodic.jsonl", "semantic.jsonl", "working_context_snapshot.json"}
}

const autoArchiveFolder = "raw_traces_archive"

// AutoByteusFiles lists the files of an agent's memory folder in the order in which
// they must be read.
func AutoByteusFiles(folder fs.FS) []string {
	var all []string
	for _, pattern := range autoFiles() {
		found, err := fs.Glob(folder, pattern) // sorted, and without error for these patterns
		if err == nil {
			all = append(all, found...)
		}
	}
	return all
}

// isAutoFile recognises a file of an agent's folder by its name.
func isAutoFile(name string) bool {
	base := path.Base(name)
	if parent := path.Base(path.Dir(name)); parent == autoArchiveFolder {
		base = parent + "/" + base
	}
	return slices.ContainsFunc(autoFiles(), func(pattern string) bool {
		ok, err := path.Match(pattern, base)
		return ok && err == nil
	})
}

// autoAgent returns the agent to whose folder the file belongs.
func autoAgent(name string) string {
	if agent := agentFolder(name); agent != "" {
		return agent
	}
	parts := pathParts(name)
	if n := len(parts); n > 2 && parts[n-2] == autoArchiveFolder {
		return parts[n-3]
	} else if n > 1 {
		return parts[n-2]
	}
	return baseName(name, ".json", ".jsonl")
}

// agentFolder returns the agent named by the path, agents/<agent id>/. It takes
// precedence over ids inside the files, because the other files of the folder are
// identified by it.
func agentFolder(name string) string {
	parts := pathParts(name)
	for i := len(parts) - 2; i > 0; i-- {
		if parts[i-1] == "agents" {
			return parts[i]
		}
	}
	return ""
}

func autoSession(agent string) *domain.Session {
	return &domain.Session{Client: ClientAutoByteus, ClientSessionID: agent, AgentID: agent}
}

// autoWorking reads working_context_snapshot.json (004-14). Its messages have no times;
// they get that of the last compaction.
type autoWorking struct {
	wholeDocument
}

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

func (a *autoWorking) document(doc []byte, out *sink) error {
	var c autoContext
	if err := decodeLoose(doc, &c); err != nil {
		return err
	}
	if c.Messages == nil || c.SchemaVersion == nil && c.AgentID == "" {
		return errors.New("it is not a working context snapshot: schema_version or messages are missing")
	}
	id := cmp.Or(agentFolder(a.name), c.AgentID, autoAgent(a.name))
	if c.SchemaVersion == nil || *c.SchemaVersion != 1 {
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
	asked, told := prompts{}, prompts{}
	for i, m := range c.Messages {
		out.begin(i + 1)
		msg := m.message()
		key := domain.RowKey(ClientAutoByteus, strconv.FormatInt(c.EpochID, 10)+":"+strconv.Itoa(i))
		switch {
		case msg.Human():
			key = asked.key(msg.Content, "")
		case msg.ToolCallID != "":
			key = domain.ToolResultKey(msg.ToolCallID)
		case len(msg.ToolCalls) == 1 && msg.Content == "" && msg.ToolCalls[0].ID != "":
			key = domain.ToolCallKey(msg.ToolCalls[0].ID)
		case msg.Role == domain.RoleAssistant, msg.Role == domain.RoleUser:
			key = saidKey(told, msg, "")
		}
		out.event(id, at, key, rowRef{}, msg)
	}
	return nil
}

// saidKey is the key of a text of the assistant, or of one in the user's role that is no
// person's. Traces have ids for it and the working context has none, so both identify it
// by content and by which occurrence of that content it is.
func saidKey(told prompts, m domain.Message, id string) domain.Key {
	who := string(m.Role) + ":"
	nth := strings.TrimPrefix(string(told.key(who+m.Content, id)), string(domain.HumanKeyPrefix(who+m.Content)))
	return domain.RowKey(ClientAutoByteus, who+shortHash(m.Content)+":"+nth)
}

// autoKind distinguishes a person's words from the other texts in the user's role. Those
// that do not come from a person have a header, which may follow the contents of files;
// after a compaction, what was remembered comes first.
func autoKind(text string) domain.MessageKind {
	if beginsWith(text, "[MEMORY:EPISODIC]\n", "[MEMORY:SEMANTIC]\n", "[RECENT TURNS]\n") {
		return domain.SummaryMessage
	}
	head, said, _ := strings.Cut(text, "\nmessage:\n")
	if said != "" && strings.HasPrefix(head, "You received a message from sender name: ") {
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
	if result := object(m.Tool.Result); result != nil {
		msg.Content = rawText(result)
	}
	if m.Tool.Error != nil {
		msg.Error = *m.Tool.Error
	}
	return msg
}

// autoLines reads raw traces and episodic and semantic memories.
type autoLines struct {
	autoState
	agent string
	told  bool
}

type autoState struct {
	Prompts  prompts        `json:"prompts,omitempty"`
	Called   recent[string] `json:"called,omitzero"`   // ids of calls → their rows
	Answered recent[string] `json:"answered,omitzero"` // and of their answers
}

func newAutoLines(name string, state json.RawMessage) *autoLines {
	a := &autoLines{agent: autoAgent(name)}
	load(state, &a.autoState)
	if a.Prompts == nil {
		a.Prompts = prompts{}
	}
	return a
}

func (a *autoLines) state() any { return &a.autoState }

func (a *autoLines) restarted() {
	a.Prompts.forgetNameless()
	a.Called, a.Answered = recent[string]{}, recent[string]{}
}

// autoRow is a raw trace, an episode or a fact.
type autoRow struct {
	ID        string          `json:"id"`
	TS        stamp           `json:"ts"`
	TurnID    string          `json:"turn_id"`
	TraceType string          `json:"trace_type"`
	Content   string          `json:"content"`
	Media     autoMedia       `json:"media"`
	ToolName  string          `json:"tool_name"`
	CallID    string          `json:"tool_call_id"`
	Args      json.RawMessage `json:"tool_args"`
	Result    json.RawMessage `json:"tool_result"`
	Error     *string         `json:"tool_error"`

	Summary    string   `json:"summary"`
	Fact       string   `json:"fact"`
	TurnIDs    []string `json:"turn_ids"`
	Tags       []string `json:"tags"`
	Salience   float64  `json:"salience"`
	Confidence float64  `json:"confidence"`
}

func (a *autoLines) decode(line []byte, out *sink) error {
	var row autoRow
	if err := decodeLoose(line, &row); err != nil {
		return err
	}
	at := row.TS.or(out.last)
	out.last = at
	switch {
	case row.Fact != "" || row.Summary != "":
		a.memory(row, at, out)
	case row.TraceType != "":
		a.trace(row, at, out)
	default:
		return errors.New("it is neither a trace nor a memory: trace_type, summary and fact are missing")
	}
	return nil
}

// memory makes a context of an episode or a fact.
func (a *autoLines) memory(row autoRow, at time.Time, out *sink) {
	kind, text := domain.Semantic, row.Fact
	if text == "" {
		kind, text = domain.Episodic, row.Summary
	}
	c := importedContext(AutoByteus, cmp.Or(row.ID, shortHash(text)), at, text)
	c.Kind, c.Tags, c.SessionID = kind, row.Tags, a.agent
	c.Metadata["agent_id"] = a.agent
	if row.Salience != 0 {
		c.Metadata["salience"] = row.Salience
	}
	if row.Confidence != 0 {
		c.Metadata["confidence"] = row.Confidence
	}
	if len(row.TurnIDs) > 0 {
		c.Metadata["turn_ids"] = row.TurnIDs
	}
	out.context(c)
}

func (a *autoLines) trace(row autoRow, at time.Time, out *sink) {
	if !a.told {
		a.told = true
		h := autoSession(a.agent)
		h.StartedAt = at
		out.session(h)
	}
	id := cmp.Or(row.ID, shortHash(row.TurnID+row.TraceType+row.Content+domain.FormatTime(at)))
	call := cmp.Or(row.CallID, row.TurnID+":"+row.ToolName)
	key := domain.RowKey(ClientAutoByteus, id)
	m := domain.Message{Content: row.Content}
	switch row.TraceType {
	case "user":
		m.Role, m.Kind = domain.RoleUser, autoKind(m.Content)
		if key = a.Prompts.key(m.Content, row.ID); !m.Human() {
			key = saidKey(a.Prompts, m, row.ID)
		}
	case "system_instruction":
		m.Role, m.Kind = domain.RoleSystem, domain.MetaMessage
	case "assistant":
		m.Role, m.MessageID = domain.RoleAssistant, id
		key = saidKey(a.Prompts, m, row.ID)
	case "tool_call":
		m.Role, key = domain.RoleAssistant, autoCallKey(&a.Called, call, id, domain.ToolCallKey(call))
		m.ToolCalls = []domain.ToolCall{{ID: call, Name: cmp.Or(row.ToolName, "unknown"), Arguments: row.Args}}
	case "tool_result":
		m.Role, m.ToolCallID, m.ToolName, key = domain.RoleTool, call, row.ToolName, autoCallKey(&a.Answered, call, id, domain.ToolResultKey(call))
		if result := object(row.Result); result != nil {
			m.Content = rawText(result)
		}
		if row.Error != nil {
			m.Error = *row.Error
		}
	case "reasoning":
		out.event(a.agent, at, key, rowRef{id: row.ID, parent: row.TurnID}, domain.Reasoning{Content: row.Content, Complete: true})
		return
	default:
		out.event(a.agent, at, key, rowRef{id: row.ID, parent: row.TurnID}, domain.Note{Kind: row.TraceType, Text: row.Content})
		return
	}
	m.Media = row.Media.all()
	out.event(a.agent, at, key, rowRef{id: row.ID, parent: row.TurnID}, m)
}

// autoCallKey is the key of a call or an answer: the call's, or the row's where another
// row had the call's id before, as after a restart.
func autoCallKey(before *recent[string], call, row string, key domain.Key) domain.Key {
	first, known := before.get(call)
	if known && first != row {
		return domain.RowKey(ClientAutoByteus, row)
	}
	before.put(call, row, openTools)
	return key
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
