package transcript

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"wake/domain"
)

// claudeContent is a text or a list of blocks.
type claudeContent struct {
	Blocks []claudeBlock
	Set    bool
	Listed bool // it was a list
}

// UnmarshalJSON accepts both shapes. A text becomes one block; strings in a list become
// texts.
func (c *claudeContent) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	c.Set = true
	switch data[0] {
	case '"':
		var text string
		err := json.Unmarshal(data, &text)
		c.Blocks = []claudeBlock{{Type: "text", Text: text}}
		return err
	case '[':
		c.Listed = true
		if err := json.Unmarshal(data, &c.Blocks); isMismatch(err) || slices.ContainsFunc(c.Blocks, func(b claudeBlock) bool { return !b.known() }) {
			return c.mixed(data)
		}
		return nil
	case '{': // such as the error of a search
		c.Set = false
		return c.mixed(slices.Concat([]byte("["), data, []byte("]")))
	}
	c.Set = false
	return nil
}

// mixed reads a list in which some elements are not blocks, or blocks of unknown type.
func (c *claudeContent) mixed(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	c.Blocks = nil
	for _, part := range parts {
		var block claudeBlock
		if part[0] == '"' {
			block.Type = "text"
			_ = json.Unmarshal(part, &block.Text)
		} else if err := json.Unmarshal(part, &block); err != nil && !isMismatch(err) {
			return err
		}
		if !block.known() {
			block.Raw = part
		}
		c.Blocks = append(c.Blocks, block)
	}
	return nil
}

// text joins the texts of the content with newlines.
func (c claudeContent) text() string {
	if len(c.Blocks) == 1 {
		return c.Blocks[0].Text
	}
	var texts []string
	for _, b := range c.Blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// answer returns a tool's answer: its texts, and other elements except images and files
// as JSON.
func (c claudeContent) answer() string {
	var parts []string
	for _, b := range c.Blocks {
		switch {
		case b.Type == "text", b.Type == "" && b.Text != "":
			parts = append(parts, b.Text)
		case b.Raw != nil:
			parts = append(parts, rawText(withoutCipher(b.Raw)))
		}
	}
	return strings.Join(parts, "\n")
}

// withoutCipher removes from a block what only the provider can decrypt.
func withoutCipher(block json.RawMessage) json.RawMessage {
	var all fields
	if !bytes.Contains(block, []byte(`"encrypted_`)) || json.Unmarshal(block, &all) != nil {
		return block
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, "encrypted_") })
	block, _ = json.Marshal(all) // this JSON was just decoded
	return block
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   claudeContent   `json:"content"`
	IsError   bool            `json:"is_error"`
	Source    claudeSource    `json:"source"`
	Title     string          `json:"title"`

	Raw json.RawMessage `json:"-"` // the whole block, if its type is unknown
}

// answers reports whether the block is a tool's answer.
func (b claudeBlock) answers() bool {
	return b.Type == "tool_result" || strings.HasSuffix(b.Type, "_tool_result")
}

// known reports whether the block's contents are in its fields.
func (b claudeBlock) known() bool {
	return b.Type == "" || strings.HasSuffix(b.Type, "_use") || strings.HasSuffix(b.Type, "_result") && b.ToolUseID != "" ||
		slices.Contains([]string{"text", "thinking", "redacted_thinking", "image", "document"}, b.Type)
}

// isMedia reports whether the block is a picture or a file.
func (b claudeBlock) isMedia() bool { return b.Type == "image" || b.Type == "document" }

// media returns the image or document of a block.
func (b claudeBlock) media() domain.Media {
	m := domain.Media{Type: "image", Mime: b.Source.MediaType, URL: b.Source.URL, Name: b.Title}
	if b.Type == "document" {
		m.Type = "file"
	}
	switch {
	case b.Source.Type == "text":
		m.Data = []byte(b.Source.Data)
	case b.Source.Data != "":
		m = inBase64(m, b.Source.Data)
	}
	return m
}

// claudeSource is an image or a document inside a message.
type claudeSource struct {
	Type      string `json:"type"` // base64, text, url
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}
