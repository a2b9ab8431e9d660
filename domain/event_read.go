package domain

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// asRead returns p as it will be when decoded after encoding, or nil if only decoding
// can tell: encoding replaces invalid UTF-8, compacts JSON and rounds. It handles the
// payloads that are frequent in a log.
func asRead(p Payload) Payload {
	switch p := p.(type) {
	case Message:
		return messageAsRead(p)
	case OpReport:
		plain := len(p.Request)+len(p.Response)+len(p.Logs)+len(p.Attributes) == 0 && p.StartedAt.IsZero() && p.EndedAt.IsZero()
		if !plain || p.Usage != nil && !p.Usage.Cost.exact() {
			return nil
		}
		p.Request, p.Response, p.Logs, p.Attributes = nil, nil, nil, nil
		return ifUTF8(p, string(p.Kind), string(p.Status), p.OpID, p.Name, p.Label, p.Provider, p.Model, p.Error, p.Reasoning,
			p.ParentOpID, p.ChildSessionID, p.ToolKind, p.MCPServer, p.Command)
	case Reasoning:
		return ifUTF8(p, p.Content)
	case Window:
		return p
	}
	return nil
}

func messageAsRead(m Message) Payload {
	if len(m.Media) > 0 {
		return nil
	}
	m.Media, m.ToolCalls = nil, slices.Clone(m.ToolCalls)
	if len(m.ToolCalls) == 0 {
		m.ToolCalls = nil
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		if !utf8.ValidString(call.ID) || !utf8.ValidString(call.Name) || !utf8.Valid(call.Arguments) {
			return nil
		}
		var compact bytes.Buffer
		compact.Grow(len(call.Arguments))
		if len(call.Arguments) > 0 && json.Compact(&compact, call.Arguments) != nil {
			return nil
		}
		call.Arguments = json.RawMessage(compact.Bytes())
	}
	return ifUTF8(m, string(m.Role), m.Content, m.Reasoning, m.ToolCallID, m.ToolName, m.Error, string(m.Kind), m.MessageID, m.Model, m.AgentID)
}

// ifUTF8 returns p if all texts are UTF-8, else nil.
func ifUTF8(p Payload, texts ...string) Payload {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return nil
		}
	}
	return p
}

// exact reports whether u survives the conversion to dollars.
func (u USD) exact() bool { return -1e15 < u && u < 1e15 }
