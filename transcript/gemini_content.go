package transcript

import (
	"cmp"
	"encoding/json"
	"strings"

	"wake/domain"
)

// geminiContent is a text, a part or a list of parts.
type geminiContent []geminiPart

// UnmarshalJSON accepts all three shapes; strings in a list are texts.
func (c *geminiContent) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var raw []json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		raw = []json.RawMessage{data}
	}
	for _, r := range raw {
		var part geminiPart
		if json.Unmarshal(r, &part.Text) != nil {
			_ = json.Unmarshal(r, &part)
		}
		*c = append(*c, part)
	}
	return nil
}

type geminiPart struct {
	Text       string `json:"text"`
	Thought    bool   `json:"thought"`
	InlineData *struct {
		Mime string `json:"mimeType"`
		Data string `json:"data"`
	} `json:"inlineData"`
	FileData *struct {
		Mime string `json:"mimeType"`
		URI  string `json:"fileUri"`
	} `json:"fileData"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *geminiResponse `json:"functionResponse"`
}

func (c geminiContent) message(role domain.Role) domain.Message {
	m := domain.Message{Role: role}
	var texts []string
	for _, p := range c {
		switch {
		case p.Thought: // it is among the thoughts too
		case p.InlineData != nil:
			m.Media = append(m.Media, inBase64(domain.Media{Type: mediaType(p.InlineData.Mime), Mime: p.InlineData.Mime}, p.InlineData.Data))
		case p.FileData != nil:
			m.Media = append(m.Media, domain.Media{Type: mediaType(p.FileData.Mime), Mime: p.FileData.Mime, URL: p.FileData.URI})
		case p.Text != "":
			texts = append(texts, p.Text)
		}
	}
	m.Content = strings.Join(texts, "\n")
	return m
}

// answer returns the tool message made from the parts.
func (c geminiContent) answer(id, name string) domain.Message {
	m := c.message(domain.RoleTool)
	m.ToolCallID, m.ToolName = id, name
	var texts []string
	for _, p := range c {
		text := p.Text
		if p.FunctionResponse != nil {
			var failure string
			text, failure = p.FunctionResponse.text()
			m.Error = cmp.Or(m.Error, failure)
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	m.Content = strings.Join(texts, "\n")
	if name == geminiShell {
		m.Error = cmp.Or(m.Error, shellFailure(m.Content))
	}
	return m
}

// to returns the answer to one call. Where the client has hidden something from the model
// in a turn, it repeats the answers to all calls of the turn in each.
func (c geminiContent) to(callID string) geminiContent {
	var own geminiContent
	mine, answers := false, 0
	for _, p := range c {
		if p.FunctionResponse != nil {
			mine = p.FunctionResponse.ID == callID
			answers++
		}
		if mine {
			own = append(own, p)
		}
	}
	if answers < 2 || own == nil {
		return c
	}
	return own
}

// geminiResponse is a tool's answer: usually an output or an error, but tools of MCP
// servers may answer anything.
type geminiResponse struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

// text returns the answer and, if the tool failed, the reason.
func (r geminiResponse) text() (text, failure string) {
	var known struct {
		Output json.RawMessage `json:"output"`
		Error  json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(r.Response, &known)
	if notNull(known.Error) != nil {
		text = rawText(known.Error)
		return text, firstLine(text, 200)
	}
	if known.Output == nil {
		known.Output = r.Response
	}
	return rawText(notNull(known.Output)), ""
}
