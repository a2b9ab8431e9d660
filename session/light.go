package session

import (
	"encoding/json"

	"wake/domain"
)

// light removes the long texts from a payload, leaving ids, names, statuses, numbers
// and short titles. Folds read this form, so that a long log can be folded without
// loading its texts.
func light(p domain.Payload) domain.Payload {
	switch p := p.(type) {
	case domain.Message:
		return lightMessage(p)
	case domain.OpReport:
		return lightOp(p)
	case domain.Goal:
		p.Text = brief(p.Text)
		return p
	case domain.Mode:
		p.Task = brief(p.Task)
		return p
	case domain.About:
		p.Title, p.Status, p.Attributes = brief(p.Title), "", nil
		return p
	case domain.Signal:
		p.Payload = nil
		return p
	case domain.Step:
		p.Output = nil
		return p
	case domain.Reasoning:
		p.Content = ""
		return p
	case domain.Finding:
		p.Text = ""
		return p
	case domain.Compaction:
		p.Summary = ""
		return p
	case domain.End:
		p.Error = ""
		return p
	case domain.Note:
		return domain.Note{Kind: p.Kind}
	}
	return p
}

func lightMessage(m domain.Message) domain.Message {
	out := domain.Message{Role: m.Role, Kind: m.Kind, MessageID: m.MessageID, Block: m.Block, Model: m.Model,
		ToolCallID: m.ToolCallID, ToolName: m.ToolName, AgentID: m.AgentID}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, domain.ToolCall{ID: call.ID, Name: call.Name})
	}
	return out
}

func lightOp(r domain.OpReport) domain.OpReport {
	r.Request, r.Response, r.Logs, r.Attributes = nil, nil, nil, nil
	r.Error, r.Reasoning, r.Label, r.Command = "", "", "", ""
	return r
}

// Bare returns what remains of an event when its text is erased: ids, statuses and
// numbers, enough to fold the log, but nothing that anybody said.
func Bare(e domain.Event) ([]byte, error) {
	p, err := decode(e)
	if err != nil {
		return []byte("{}"), err
	}
	if m, ok := p.(domain.Message); ok {
		return bareMessage(m)
	}
	switch p := light(p).(type) {
	case domain.Goal:
		p.Text = ""
		return domain.EncodePayload(p)
	case domain.Mode:
		p.Task = ""
		return domain.EncodePayload(p)
	case domain.About:
		p.Title = ""
		return domain.EncodePayload(p)
	case domain.Restored:
		return bareRestored(p)
	default:
		return domain.EncodePayload(p)
	}
}

// bareMessage keeps the fact that a tool failed, without the error's text.
func bareMessage(m domain.Message) ([]byte, error) {
	out := lightMessage(m)
	if m.Error != "" {
		out.Error = "erased"
	}
	return domain.EncodePayload(out)
}

// bareRestored removes the texts from the state in a restored event.
func bareRestored(r domain.Restored) ([]byte, error) {
	old, err := stateIn(r)
	if err != nil {
		return nil, err
	}
	old.Task = ""
	for i := range old.Goals {
		old.Goals[i].Brief = ""
	}
	if r.State, err = json.Marshal(old); err != nil {
		return nil, err
	}
	return domain.EncodePayload(r)
}
