package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"wake/domain"
)

// hookFields are the fields of the hooks of all clients.
type hookFields struct {
	SessionID       string          `json:"session_id"`
	ConversationID  string          `json:"conversation_id"` // Cursor
	CursorVersion   string          `json:"cursor_version"`
	Timestamp       json.RawMessage `json:"timestamp"` // GitHub Copilot and VS Code
	Name            string          `json:"hook_event_name"`
	TranscriptPath  string          `json:"transcript_path"`
	AgentTranscript string          `json:"agent_transcript_path"`
	Cwd             string          `json:"cwd"`
	Roots           []string        `json:"workspace_roots"` // Cursor
	AgentID         string          `json:"agent_id"`
	Source          string          `json:"source"`
	Trigger         string          `json:"trigger"`
	ContextTokens   int64           `json:"context_tokens"` // Cursor
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
	Title           string          `json:"session_title"`
	MessageID       string          `json:"message_id"`
	Removed         []string        `json:"removed_messages"`
	Files           []hookFile      `json:"files"`
}

// hookFile is a picture or file that goes with a prompt. A large one comes without its URL.
type hookFile struct {
	Mime string `json:"mime"`
	Name string `json:"filename"`
	URL  string `json:"url"`
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
	data = bytes.TrimPrefix(data, byteOrderMark) // which PowerShell puts in front
	if err := decodeLoose(bytes.TrimSpace(data), &f); err != nil {
		return Hook{}, domain.Invalid("standard input is not what %s gives its hooks: %v", client, err)
	}
	if format == ClientGoose {
		f.fromGoose()
	}
	session := cmp.Or(f.SessionID, f.ConversationID)
	if format == ClientCodex {
		f.AgentID = cmp.Or(f.AgentID, codexReviewer(session, f.TranscriptPath))
	}
	switch {
	case session == "":
		return Hook{}, domain.Invalid("standard input names no session; a hook is run by %s, which gives its session_id", client)
	case len(f.Name) > maxHookName:
		return Hook{}, domain.Invalid("standard input names its moment in %d bytes; the limit is %d", len(f.Name), maxHookName)
	}
	h := Hook{
		Client: format, Name: f.Name, Moment: momentOf(f.Name), SessionID: session, ParentID: f.ParentID, AgentID: f.AgentID,
		TranscriptPath: f.TranscriptPath, AgentTranscript: f.AgentTranscript, Folder: f.folder(), Source: f.startSource(),
		Prompt: f.Prompt, Trigger: f.Trigger, Summary: f.Summary, Model: f.model(), Tool: f.tool(), Reply: f.Reply,
		Tokens: max(f.ContextTokens, 0), Version: f.CursorVersion,
	}
	h.Borrowed = format == ClientClaudeCode && f.borrowed()
	if format == ClientOpencode {
		h.Title, h.MessageID, h.Removed, h.Media = f.Title, f.MessageID, f.Removed, f.media()
	}
	if h.Reply == "" && h.Moment == HookStop {
		h.Reply = f.Text
	}
	if f.AgentID != "" && h.Moment != HookSubagentStop {
		h.SessionID, h.ParentID = h.AgentSession(), session
	}
	return h, nil
}

func hookClient(name string) (string, error) {
	if client := strings.ToLower(name); slices.Contains(HookClients(), client) {
		return client, nil
	}
	return "", domain.Invalid("%q has no hooks that wake knows; use one of %s", name, strings.Join(HookClients(), ", "))
}

// borrowed reports whether another client runs a hook of Claude Code. Cursor names itself
// or its conversation. GitHub Copilot and VS Code say the time, and Claude Code's transcript,
// which is two folders below projects, is not theirs.
func (f hookFields) borrowed() bool {
	ofClaudeCode := filepath.Base(filepath.Dir(filepath.Dir(f.TranscriptPath))) == "projects"
	return f.CursorVersion != "" || f.SessionID == "" || f.Timestamp != nil && !ofClaudeCode
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

// media returns the pictures and files that go with a prompt.
func (f hookFields) media() (all []domain.Media) {
	for _, file := range f.Files {
		all = append(all, domain.Media{Type: mediaType(file.Mime), Mime: file.Mime, Name: file.Name, URL: file.URL})
	}
	return all
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

func (f hookFields) tool() HookTool {
	t := HookTool{ID: shortID(f.ToolUseID), Name: f.ToolName, Input: f.ToolInput}
	for _, raw := range []json.RawMessage{f.ToolResponse, f.ToolOutput, f.ResultJSON} {
		if t.Response == "" && t.Media == nil {
			t.Response, t.Media = hookAnswer(raw)
		}
	}
	if t.Name == "" && f.Command != "" {
		t.Name, t.Response = "shell", f.Output
		t.Input, _ = json.Marshal(map[string]string{"command": f.Command})
	}
	if t.Name == "" && len(f.Edits) > 0 {
		t.Name = "edit_file"
		t.Input, _ = json.Marshal(fileEdits{f.FilePath, f.Edits})
	}
	if t.Failed = strings.EqualFold(f.Name, "PostToolUseFailure"); t.Failed && t.Response == "" {
		t.Response = cmp.Or(plainAnswer(f.Error), f.ErrorMessage, "failed")
	}
	return t
}

// fileEdits are what Cursor's agent changed in a file.
type fileEdits struct {
	FilePath string          `json:"file_path"`
	Edits    json.RawMessage `json:"edits"`
}
