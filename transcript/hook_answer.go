package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"wake/domain"
)

// hookAnswer returns what a tool answered, as a client's hook is told of it: the text, and
// the pictures and files beside it. As text, a screenshot would be counted as a hundred
// thousand tokens, and searched.
func hookAnswer(raw json.RawMessage) (text string, media []domain.Media) {
	if !slices.ContainsFunc(shownTypes, func(kind string) bool { return bytes.Contains(raw, []byte(`"`+kind+`"`)) }) {
		return plainAnswer(raw), nil
	}
	parts := hookParts(raw)
	if media = parts.media(); media == nil {
		return plainAnswer(raw), nil
	}
	return parts.text(), media
}

// shownTypes are the types of parts that are pictures or files.
var shownTypes = []string{codexImage, "image", "audio", "document", "pdf"}

const codexImage = "input_image"

// plainAnswer returns the text of an answer: a string unchanged, the usual fields of an
// object, anything else as JSON.
func plainAnswer(raw json.RawMessage) string {
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

// answerParts are the parts of an answer.
type answerParts []answerPart

// answerPart is a text, a picture or a file, in the shapes of the clients and of MCP.
type answerPart struct {
	Type     string       `json:"type"`
	Text     string       `json:"text"`
	Mime     string       `json:"mimeType"`  // of an MCP server's picture
	Data     string       `json:"data"`      // of the same
	ImageURL imageURL     `json:"image_url"` // in Codex
	Source   claudeSource `json:"source"`    // in Claude Code
	File     answerFile   `json:"file"`      // what Claude Code read from the disk
}

// answerFile is a file that Claude Code read for its model.
type answerFile struct {
	Mime   string `json:"type"` // only of pictures
	Base64 string `json:"base64"`
}

// hookParts returns the parts of an answer that has any: it is a list of them, has one, or is one.
func hookParts(raw json.RawMessage) (parts answerParts) {
	var whole struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	list := bytes.TrimSpace(raw)
	if bytes.HasPrefix(list, []byte("{")) {
		var part answerPart
		_ = decodeLoose(list, &part)
		_ = decodeLoose(list, &whole)
		parts, list = answerParts{part}, whole.Content
	}
	var all []json.RawMessage
	if bytes.HasPrefix(list, []byte("[")) {
		_ = decodeLoose(list, &all)
	}
	for _, element := range append(all, whole.Structured) {
		if notNull(element) != nil {
			parts = append(parts, partOf(element))
		}
	}
	return parts
}

// partOf reads an element of an answer. One that is neither a text nor a picture is kept as
// JSON.
func partOf(element json.RawMessage) answerPart {
	var part answerPart
	if element[0] == '{' {
		_ = decodeLoose(element, &part)
	}
	if part.Type != "text" && part.media() == nil {
		part.Text = rawText(element)
	}
	return part
}

// text joins the texts with newlines.
func (p answerParts) text() string {
	var texts []string
	for _, part := range p {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// media returns the pictures and files.
func (p answerParts) media() (all []domain.Media) {
	for _, part := range p {
		all = append(all, part.media()...)
	}
	return all
}

func (p answerPart) media() []domain.Media {
	switch {
	case !slices.Contains(shownTypes, p.Type):
		return nil
	case p.Type == codexImage:
		return mediaAt("image", []string{string(p.ImageURL)})
	case p.Source.Data != "", p.Source.URL != "":
		return []domain.Media{claudeBlock{Type: p.Type, Source: p.Source}.media()}
	case p.File.Base64 != "":
		mime := cmp.Or(p.File.Mime, "application/"+p.Type)
		return []domain.Media{inBase64(domain.Media{Type: mediaType(mime), Mime: mime}, p.File.Base64)}
	case p.Data != "":
		return []domain.Media{inBase64(domain.Media{Type: p.Type, Mime: p.Mime}, p.Data)}
	}
	return nil
}
