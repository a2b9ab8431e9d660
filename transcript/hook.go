package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wake/domain"
)

// Hook is what a client tells the programs it runs at certain moments, in terms common
// to all clients. Fields that a client does not provide are empty.
type Hook struct {
	Client          string
	Moment          HookMoment
	Name            string // the client's own name of the moment
	SessionID       string // the client's id of the session, or of the sub-agent's session if a sub-agent speaks
	ParentID        string // the parent session's id, of a sub-agent's session
	AgentID         string
	TranscriptPath  string
	AgentTranscript string // the sub-agent's
	Folder          string // where the client works
	Source          string // of a start: startup, resume, clear, compact, fork; of a prompt in Claude Code: where it came from
	Prompt          string
	Trigger         string // of a compaction: manual or auto
	Summary         string // of a compaction
	Model           string
	Tool            HookTool
	Reply           string   // the assistant's last message
	MessageID       string   // of a prompt, and like the next only from opencode
	Removed         []string // messages that are no longer in the conversation, because the user undid them
	Borrowed        bool     // whether Cursor ran it, which runs Claude Code's hooks too, beside its own
}

// HookTool is a tool that was used.
type HookTool struct {
	ID       string
	Name     string
	Input    json.RawMessage
	Response string
	Failed   bool
}

var contextIDPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
})

// SavedContext returns the id of the context that a call of wake's own tool saved, or
// "". The tool's answer begins with it. Clients put the server's name before the
// tool's.
func (t HookTool) SavedContext() string {
	if t.Failed || !strings.HasSuffix(t.Name, "save_context") {
		return ""
	}
	return contextIDPattern().FindString(t.Response)
}

// HookMoment is the moment at which a hook runs.
type HookMoment string

// The moments that wake knows. At any other, [HookOther], wake only reads what is new
// in the transcript.
const (
	HookStart        HookMoment = "start"
	HookPrompt       HookMoment = "prompt"
	HookToolUsed     HookMoment = "tool_used"
	HookSubagentStop HookMoment = "subagent_stop"
	HookStop         HookMoment = "stop"
	HookPreCompact   HookMoment = "pre_compact"
	HookPostCompact  HookMoment = "post_compact"
	HookModelSwitch  HookMoment = "model_switch"
	HookEnd          HookMoment = "end"
	HookOther        HookMoment = "other"
)

// maxHookName is the longest name of a moment, in bytes.
const maxHookName = 100

// hookMoments maps the clients' names of the moments, in lower case. Claude Code and
// Codex share theirs; Gemini and Cursor have some of their own.
var hookMoments = map[string]HookMoment{
	"sessionstart":     HookStart,
	"userpromptsubmit": HookPrompt, "beforeagent": HookPrompt, "beforesubmitprompt": HookPrompt,
	"posttooluse": HookToolUsed, "posttoolusefailure": HookToolUsed, "aftertool": HookToolUsed,
	"aftershellexecution": HookToolUsed, "aftermcpexecution": HookToolUsed, "afterfileedit": HookToolUsed,
	"subagentstop": HookSubagentStop,
	"stop":         HookStop, "afteragent": HookStop, "stopfailure": HookStop, "afteragentresponse": HookStop,
	"precompact": HookPreCompact, "precompress": HookPreCompact,
	"postcompact":     HookPostCompact,
	"postmodelswitch": HookModelSwitch,
	"sessionend":      HookEnd,
}

// HookClients lists the clients with supported hooks.
func HookClients() []string {
	return []string{ClientClaudeCode, ClientCodex, ClientGemini, ClientCursor, ClientGoose, ClientOpencode}
}

// Client names in sessions that are known only from hooks.
const (
	ClientCursor   = "cursor"
	ClientGoose    = "goose"
	ClientOpencode = "opencode" // its hooks are a plugin written by wake setup that uses Claude Code's terms
)

// Heard reports whether the client passes the hook's answer at this moment to the
// model.
func (h Hook) Heard() bool {
	switch h.Client {
	case ClientGoose:
		return false
	case ClientCursor:
		return h.Moment == HookStart
	}
	return h.Moment == HookStart || h.Moment == HookPrompt
}

// PromptKind distinguishes a person's words from what else clients pass to a prompt
// hook: slash commands, and messages of their own, such as the end of a background
// task.
func (h Hook) PromptKind() domain.MessageKind {
	switch {
	case h.AgentID != "":
		return domain.MetaMessage // a model wrote the prompt of a sub-agent
	case slices.Contains(machineSources, h.Source) && !(h.Client == ClientClaudeCode && isChat(h.Prompt)):
		return domain.MetaMessage
	}
	switch h.Client {
	case ClientClaudeCode:
		if isCommand(h.Prompt) {
			return domain.CommandMessage
		}
		return clientText(h.Prompt)
	case ClientCodex:
		return codexKind(h.Prompt)
	case ClientGemini:
		return geminiKind(h.Prompt)
	}
	return domain.PlainMessage
}

// machineSources are Claude Code's names for the sources of prompts that nobody typed:
// a limit that was reset, another session, a loop, a scheduled task, an event of the
// program that runs it.
var machineSources = []string{"system", "loop_wakeup", "schedule_wakeup", "poll_event"}

// hookFields are the fields of the hooks of all clients.
type hookFields struct {
	SessionID       string          `json:"session_id"`
	ConversationID  string          `json:"conversation_id"` // Cursor
	CursorVersion   string          `json:"cursor_version"`
	Name            string          `json:"hook_event_name"`
	TranscriptPath  string          `json:"transcript_path"`
	AgentTranscript string          `json:"agent_transcript_path"`
	Cwd             string          `json:"cwd"`
	Roots           []string        `json:"workspace_roots"` // Cursor
	AgentID         string          `json:"agent_id"`
	Source          string          `json:"source"`
	Trigger         string          `json:"trigger"`
	Prompt          string          `json:"prompt"`
	Summary         string          `json:"compact_summary"`
	Model           json.RawMessage `json:"model"`
	ToModel         string          `json:"to_model"` // Claude Code's PostModelSwitch
	ToolUseID       string          `json:"tool_use_id"`
	ToolName        string          `json:"tool_name"`
	ToolInput       json.RawMessage `json:"tool_input"`
	ToolResponse    json.RawMessage `json:"tool_response"`
	ToolOutput      json.RawMessage `json:"tool_output"`
	Error           json.RawMessage `json:"error"`         // Claude Code's failed tool
	ErrorMessage    string          `json:"error_message"` // Cursor's
	Command         string          `json:"command"`       // Cursor's shell
	Output          string          `json:"output"`        // Cursor's shell
	ResultJSON      json.RawMessage `json:"result_json"`   // Cursor's MCP
	FilePath        string          `json:"file_path"`     // Cursor's edit
	Edits           json.RawMessage `json:"edits"`         // Cursor's edit
	Reply           string          `json:"last_assistant_message"`
	Text            string          `json:"text"`  // Cursor's afterAgentResponse
	Event           string          `json:"event"` // this and the following: goose
	Message         string          `json:"message"`
	WorkingDir      string          `json:"working_dir"`
	ToolCallID      string          `json:"tool_call_id"`
	ParentID        string          `json:"parent_session_id"` // opencode's sub-agents; the following are opencode's, too
	MessageID       string          `json:"message_id"`
	Removed         []string        `json:"removed_messages"`
}

// fromGoose copies fields that goose names differently.
func (f *hookFields) fromGoose() {
	f.Name, f.Prompt, f.Cwd, f.ToolUseID = f.Event, f.Message, f.WorkingDir, f.ToolCallID
}

// ReadHook parses the standard input of a hook. It returns an Invalid error for an
// unknown client, for anything but a JSON object, and for an object that names no
// session.
func ReadHook(client string, data []byte) (Hook, error) {
	format, err := hookClient(client)
	if err != nil {
		return Hook{}, err
	}
	var f hookFields
	// A field of unexpected type must not lose the others.
	if err := decodeLoose(bytes.TrimSpace(data), &f); err != nil {
		return Hook{}, domain.Invalid("standard input is not what %s gives its hooks: %v", client, err)
	}
	if format == ClientGoose {
		f.fromGoose()
	}
	session := cmp.Or(f.SessionID, f.ConversationID)
	if session == "" || len(f.Name) > maxHookName {
		return Hook{}, domain.Invalid("standard input names no session; a hook is run by %s, which gives its session_id", client)
	}
	h := Hook{
		Client: format, Name: f.Name, Moment: momentOf(f.Name), SessionID: session, ParentID: f.ParentID, AgentID: f.AgentID,
		TranscriptPath: f.TranscriptPath, AgentTranscript: f.AgentTranscript, Folder: f.folder(), Source: f.startSource(),
		Prompt: f.Prompt, Trigger: f.Trigger, Summary: f.Summary, Model: f.model(), Tool: f.tool(), Reply: f.Reply,
	}
	h.Borrowed = format == ClientClaudeCode && (f.CursorVersion != "" || f.SessionID == "")
	if format == ClientOpencode {
		h.MessageID, h.Removed = f.MessageID, f.Removed
	}
	if h.Reply == "" && h.Moment == HookStop {
		h.Reply = f.Text
	}
	if f.AgentID != "" && h.Moment != HookSubagentStop {
		h.SessionID, h.ParentID = h.AgentSession(), session
	}
	return h, nil
}

// AgentSession returns the client's id of the session of the sub-agent that a hook in
// its parent's session is about.
func (h Hook) AgentSession() string {
	if h.Client == ClientCodex { // its sub-agents are ordinary threads
		return h.AgentID
	}
	return AgentSession(h.SessionID, h.AgentID)
}

func hookClient(name string) (string, error) {
	for _, c := range HookClients() {
		if c == strings.ToLower(name) {
			return c, nil
		}
	}
	return "", domain.Invalid("%q has no hooks that wake knows; use one of %s", name, strings.Join(HookClients(), ", "))
}

func momentOf(name string) HookMoment {
	if m, ok := hookMoments[strings.ToLower(name)]; ok {
		return m
	}
	return HookOther
}

func (f hookFields) folder() string {
	if f.Cwd == "" && len(f.Roots) > 0 {
		return f.Roots[0]
	}
	return f.Cwd
}

// startSource returns why the session starts; Gemini gives it as the trigger.
func (f hookFields) startSource() string {
	if f.Source == "" && momentOf(f.Name) == HookStart {
		return f.Trigger
	}
	return f.Source
}

// model returns the model's name, which may be a string or the id of an object.
func (f hookFields) model() string {
	if f.ToModel != "" {
		return f.ToModel
	}
	var name string
	if json.Unmarshal(f.Model, &name) == nil {
		return name
	}
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(f.Model, &object) != nil {
		return ""
	}
	return object.ID
}

// fileEdits are what Cursor's agent changed in a file.
type fileEdits struct {
	FilePath string          `json:"file_path"`
	Edits    json.RawMessage `json:"edits"`
}

func (f hookFields) tool() HookTool {
	t := HookTool{ID: f.ToolUseID, Name: f.ToolName, Input: f.ToolInput,
		Response: cmp.Or(plainResponse(f.ToolResponse), plainResponse(f.ToolOutput), plainResponse(f.ResultJSON))}
	if t.Name == "" && f.Command != "" {
		t.Name, t.Response = "shell", f.Output
		t.Input, _ = json.Marshal(map[string]string{"command": f.Command})
	}
	if t.Name == "" && len(f.Edits) > 0 {
		t.Name = "edit_file"
		t.Input, _ = json.Marshal(fileEdits{f.FilePath, f.Edits})
	}
	if t.Failed = strings.EqualFold(f.Name, "PostToolUseFailure"); t.Failed && t.Response == "" {
		t.Response = cmp.Or(plainResponse(f.Error), f.ErrorMessage, "failed")
	}
	return t
}

// plainResponse returns the text of a tool's answer: a string unchanged, the usual
// fields of an object, anything else as JSON.
func plainResponse(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var o struct {
		Stdout string `json:"stdout"`
		Stderr string `json:"stderr"`
	}
	if json.Unmarshal(raw, &o) == nil && o.Stdout+o.Stderr != "" {
		return strings.TrimSuffix(o.Stdout+"\n"+o.Stderr, "\n")
	}
	return string(raw)
}
