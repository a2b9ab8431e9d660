package transcript

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"wake/domain"
)

// call reads a tool call of any kind and returns its id.
func (r codexReading) call(item codexItem) (callID string) {
	callID = cmp.Or(item.CallID, item.ID, "line-"+strconv.Itoa(r.out.line))
	name := cmp.Or(item.Name, strings.TrimSuffix(item.Type, "_call"))
	args := item.Arguments
	for _, other := range []json.RawMessage{item.Input, item.Action} {
		if len(args) == 0 {
			args = other
		}
	}
	r.Tools.put(callID, name, openTools)
	r.emit(r.nth(&r.Called, callID, domain.ToolCallKey(callID)), item.ID, domain.Message{Role: domain.RoleAssistant,
		Model: r.Model, ToolCalls: []domain.ToolCall{{ID: callID, Name: name, Arguments: jsonInText(args)}}})
	return callID
}

// searched emits a web search, which runs on the provider's side. Its item comes when
// the search is over; its results are not recorded.
func (r codexReading) searched(item codexItem) {
	callID := r.call(item)
	switch item.Status {
	case "in_progress", "searching":
	case "failed":
		r.answered(callID, domain.Message{Error: item.Status})
	default:
		r.answered(callID, domain.Message{})
	}
}

// answer reads a tool's answer: a text, a text that holds JSON with an exit code, an
// object with success, or a list of parts.
func (r codexReading) answer(item codexItem) {
	var m domain.Message
	var whole struct {
		Content contentParts `json:"content"`
		Success *bool        `json:"success"`
	}
	var parts contentParts
	switch _ = json.Unmarshal(item.Output, &parts); {
	case parts != nil:
		m.Content, m.Media = parts.text(), parts.media()
	case json.Unmarshal(item.Output, &whole) == nil && whole.Content != nil:
		m.Content, m.Media = whole.Content.text(), whole.Content.media()
	default:
		m.Content = string(item.Output)
	}
	if item.CallID == "" && item.Name != "" { // nobody asked: Codex puts the thread's goal so
		if parts == nil {
			parts = contentParts{{Type: "text", Text: m.Content}}
		}
		r.passed(item.ID, parts)
		return
	}
	why, failed := r.Failed.take(item.CallID)
	if code := exitCode(m.Content); code != 0 {
		m.Error = "exit code " + strconv.Itoa(code)
	} else if script := scriptFailure(m.Content); script != "" {
		m.Error = script
	} else if failed || isRefusal(m.Content) || whole.Success != nil && !*whole.Success {
		m.Error = cmp.Or(why, firstLine(belowTime(m.Content), 200), "failed")
	}
	r.answered(item.CallID, m)
}

// answered emits the answer to a call.
func (r codexReading) answered(callID string, m domain.Message) {
	m.Role, m.ToolCallID = domain.RoleTool, callID
	m.ToolName, _ = r.Tools.take(callID)
	if callID == "" {
		r.emit(r.rowKey(), "", m)
		return
	}
	key := r.nth(&r.Answered, callID, domain.ToolResultKey(callID))
	r.emit(key, "", m)
	r.spawned(callID, spawnAnswer(m.ToolName, m.Content))
	if m.Error != "" && key == domain.ToolResultKey(callID) {
		r.toolFailed(callID, m.Error) // a hook, which may have told of the answer first, knows no exit code
	}
}

// nth is the key of a call or an answer: its id, or its place if the id occurred
// before. Some models start numbering their calls over.
func (r codexReading) nth(before *recent[bool], callID string, key domain.Key) domain.Key {
	if _, again := before.get(callID); again {
		return r.rowKey()
	}
	before.put(callID, true, openTools)
	return key
}

// exitCode returns a command's exit code, or 0 if the text names none.
func exitCode(text string) int {
	var shell struct {
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &shell) == nil {
		return shell.Metadata.ExitCode
	}
	head, _, _ := strings.Cut(text, "\nOutput:")
	for line := range strings.Lines(head) {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if code, ok := strings.CutPrefix(mark, "Process exited with code "); ok {
			mark, rest = "Exit code", code
		}
		switch mark {
		case "Exit code":
			code, _ := strconv.Atoi(rest)
			return code
		case "Chunk ID", "Wall time": // these may precede it
		default:
			return 0
		}
	}
	return 0
}
