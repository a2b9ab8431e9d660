package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"wake/domain"
)

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
	Category   string   `json:"category"` // of a fact, in newer versions
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
	if row.Category != "" && row.Category != autoPlainFact && row.Category != autoCategory(row.Tags) {
		row.Tags = append(row.Tags, row.Category)
	}
	c.Kind, c.Tags, c.SessionID = kind, cutTags(row.Tags...), a.agent
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
	emit := func(p domain.Payload) { out.event(a.agent, at, key, rowRef{id: row.ID, parent: row.TurnID}, p) }
	m := domain.Message{Content: row.Content}
	switch row.TraceType {
	case "user":
		m.Role, m.Kind = domain.RoleUser, autoKind(m.Content)
		if key = a.Prompts.key(m.Content, row.ID); !m.Human() && !strings.HasPrefix(m.Content, toolsDone) {
			key = saidKey(a.Prompts, m, row.ID)
		}
	case "system_instruction", "system": // the latter by wake
		m.Role, m.Kind = domain.RoleSystem, domain.MetaMessage
	case "assistant":
		m.Role, m.MessageID = domain.RoleAssistant, id
		key = saidKey(a.Prompts, m, row.ID)
	case "tool_call":
		m.Role, key = domain.RoleAssistant, autoCallKey(&a.Called, call, id, domain.ToolCallKey(call))
		m.ToolCalls = []domain.ToolCall{{ID: call, Name: cmp.Or(row.ToolName, "unknown"), Arguments: row.Args}}
	case "tool_result":
		m.Role, m.ToolCallID, m.ToolName, key = domain.RoleTool, call, row.ToolName, autoCallKey(&a.Answered, call, id, domain.ToolResultKey(call))
		if result := notNull(row.Result); result != nil {
			m.Content = rawText(result)
		}
		if row.Error != nil {
			m.Error = *row.Error
		}
	case "reasoning":
		emit(domain.Reasoning{Content: row.Content, Complete: true})
		return
	default:
		emit(domain.Note{Kind: row.TraceType, Text: row.Content})
		return
	}
	if m.Media = row.Media.all(); says(m) {
		emit(m)
	}
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
