package transcript

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"wake/domain"
)

// codexItem is a response item: what went to the model and what came back.
type codexItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   codexParts      `json:"content"`
	Summary   codexParts      `json:"summary"` // of reasoning
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Status    string          `json:"status"`
	Revised   string          `json:"revised_prompt"` // of a picture that the model made
	Result    string          `json:"result"`         // the picture, in base64

	Passed struct {
		Kinds []string `json:"content_item_kinds"` // of the parts, each by whom and what it is
	} `json:"internal_chat_message_metadata_passthrough"`
}

// own splits the parts by what newer versions say of each: a person's, and those that
// Codex put there by itself.
func (i codexItem) own() (people, codex codexParts) {
	if len(i.Passed.Kinds) != len(i.Content) {
		return i.Content, nil
	}
	for n, part := range i.Content {
		switch kind := i.Passed.Kinds[n]; {
		case kind == "", kind == "unknown", strings.HasPrefix(kind, "user."):
			people = append(people, part)
		default:
			codex = append(codex, part)
		}
	}
	return people, codex
}

// codexParts is a list of parts, or a text.
type codexParts []codexPart

type codexPart struct {
	Type     string   `json:"type"`
	Text     string   `json:"text"`
	ImageURL imageURL `json:"image_url"`
}

// imageURL is the address of a picture, by itself or, as in SWE-agent, as the url of an
// object.
type imageURL string

// UnmarshalJSON reads both shapes and passes over others.
func (u *imageURL) UnmarshalJSON(data []byte) error {
	var object struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(data, (*string)(u)) != nil && json.Unmarshal(data, &object) == nil {
		*u = imageURL(object.URL)
	}
	return nil
}

// UnmarshalJSON reads both shapes and passes over others.
func (p *codexParts) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		var text string
		err := json.Unmarshal(data, &text)
		*p = codexParts{{Type: "text", Text: text}}
		return err
	}
	if data[0] != '[' {
		return nil
	}
	var parts []codexPart
	err := decodeLoose(data, &parts)
	*p = parts
	return err
}

// text joins the texts with newlines.
func (p codexParts) text() string { return strings.Join(p.texts(), "\n") }

// words are the texts one behind the other, as the event of a prompt has them.
func (p codexParts) words() string { return strings.Join(p.texts(), "") }

// texts are without the marks that stand around pictures.
func (p codexParts) texts() []string {
	var texts []string
	for _, part := range p {
		mark := strings.HasPrefix(part.Text, "<image") && strings.HasSuffix(part.Text, ">") || part.Text == "</image>"
		if part.Text != "" && !mark {
			texts = append(texts, part.Text)
		}
	}
	return texts
}

func (p codexParts) media() []domain.Media {
	var media []domain.Media
	for _, part := range p {
		if part.ImageURL != "" {
			media = append(media, domain.Media{Type: "image", URL: string(part.ImageURL)})
		}
	}
	return media
}

func (c *codex) item(payload []byte, at time.Time, out *sink) error {
	var item codexItem
	if err := decodeLoose(payload, &item); err != nil {
		return err
	}
	if item.Type == "" && item.Role != "" {
		item.Type = "message"
	}
	id := c.session(at, out)
	if item.models() {
		c.spoke(id, out)
	}
	switch item.Type {
	case "message":
		c.message(id, item, at, out)
	case "agent_message":
		c.passed(id, item.ID, item.Content, at, out)
	case "reasoning":
		text := cmp.Or(item.Summary.text(), item.Content.text())
		if text != "" {
			out.event(id, at, c.rowKey(out), rowRef{id: item.ID}, domain.Reasoning{Content: text, Complete: true})
		}
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call":
		c.call(id, item, at, out)
	case "web_search_call":
		c.searched(id, item, at, out)
	case "image_generation_call":
		c.drawn(id, item, at, out)
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		c.answer(id, item, at, out)
	}
	return nil
}

// drawn gives a picture that the model made; one that failed has none.
func (c *codex) drawn(id string, item codexItem, at time.Time, out *sink) {
	data, err := base64.StdEncoding.DecodeString(item.Result)
	if err != nil || len(data) == 0 {
		return
	}
	out.event(id, at, c.rowKey(out), rowRef{id: item.ID}, domain.Message{Role: domain.RoleAssistant, MessageID: item.ID, Model: c.Model,
		Content: item.Revised, Media: []domain.Media{{Type: "image", Mime: "image/png", Data: data}}})
}

// models reports whether the model said the item.
func (i codexItem) models() bool {
	return i.Role == "assistant" || i.Type == "reasoning" || strings.HasSuffix(i.Type, "_call")
}

func (c *codex) message(id string, item codexItem, at time.Time, out *sink) {
	if item.Role == "user" {
		people, codex := item.own()
		c.passed(id, item.ID, codex, at, out)
		item.Content = people
	}
	m := domain.Message{Role: domain.RoleAssistant, Content: item.Content.text(), Media: item.Content.media(), Model: c.Model}
	key := c.rowKey(out)
	switch item.Role {
	case "user":
		m.Role, m.Model, m.Kind = domain.RoleUser, "", codexItemKind(item.Content)
		if cwd := codexFolder(m.Content); cwd != "" && !m.Human() && c.CWD == "" {
			c.moved(cwd, at, out)
		}
		if m.Human() {
			c.Shown = m.Media
			c.prompt(id, codexAsked, m, item.Content.words(), at, out)
			return
		}
	case "assistant":
		m.MessageID = item.ID
	default: // developer, system
		m.Role, m.Model, m.Kind = domain.RoleSystem, "", domain.MetaMessage
	}
	if m.Content == "" && len(m.Media) == 0 {
		return
	}
	out.event(id, at, key, rowRef{id: item.ID}, m)
}

// codexFolder is the folder that Codex tells the model it works in: early rollouts tell
// it nowhere else.
func codexFolder(text string) string {
	if !strings.HasPrefix(text, "<environment_context>") {
		return ""
	}
	for _, around := range [][2]string{{"<cwd>", "</cwd>"}, {"\nCurrent working directory: ", "\n"}} {
		if _, rest, ok := strings.Cut(text, around[0]); ok {
			folder, _, _ := strings.Cut(rest, around[1])
			return strings.TrimSpace(folder)
		}
	}
	return ""
}

// passed gives what Codex told the model by itself, such as what another agent said.
func (c *codex) passed(id, item string, parts codexParts, at time.Time, out *sink) {
	m := domain.Message{Role: domain.RoleUser, Kind: codexItemKind(parts), Content: parts.text(), Media: parts.media()}
	if m.Content == "" && len(m.Media) == 0 {
		return
	}
	if m.Kind == domain.PlainMessage {
		m.Kind = domain.MetaMessage
	}
	out.event(id, at, c.rowKey(out), rowRef{id: item}, m)
}

// communication reads what one agent told another, as the first versions with several
// agents wrote it.
func (c *codex) communication(payload []byte, at time.Time, out *sink) error {
	var said struct {
		Content string `json:"content"`
	}
	if err := decodeLoose(payload, &said); err != nil {
		return err
	}
	c.passed(c.session(at, out), "", codexParts{{Text: said.Content}}, at, out)
	return nil
}

// codexKind tells a person's words from what Codex puts into user rows: its
// instructions, the environment, notices. Each is a whole element, so that who only
// speaks of one is heard.
func codexKind(text string) domain.MessageKind {
	t := strings.TrimSpace(text)
	if strings.HasPrefix(t, "# AGENTS.md instructions") && strings.Contains(t, "</INSTRUCTIONS>") {
		return domain.MetaMessage
	}
	own := []string{"environment_context", "user_instructions", "INSTRUCTIONS", "turn_aborted", "permissions instructions", "collaboration_mode",
		"skill", "subagent_notification", "user_action", "model_switch", "personality_spec", "app-context", "user_shell_command",
		"codex_internal_context", "goal_context", "hook_prompt", "heartbeat"}
	for _, name := range own {
		rest, opens := strings.CutPrefix(t, "<"+name)
		if !opens || rest == "" || !strings.ContainsRune("> ", rune(rest[0])) || !strings.Contains(t, "</"+name+">") {
			continue
		}
		if name == "user_shell_command" {
			return domain.CommandMessage
		}
		return domain.MetaMessage
	}
	return domain.PlainMessage
}

// codexItemKind is codexKind for a response item, whose parts Codex makes of
// several things: it is nobody's words when every part is Codex' own, or one whole
// element.
func codexItemKind(parts codexParts) domain.MessageKind {
	kind := domain.PlainMessage
	for _, part := range parts {
		text := strings.TrimSpace(part.Text)
		if text == "" {
			continue
		}
		if kind = codexKind(text); kind == domain.PlainMessage {
			name := elementName(text)
			if !strings.Contains(name, "_") || !strings.HasSuffix(text, "</"+name+">") {
				return domain.PlainMessage // also what people paste: HTML has no such names
			}
			kind = domain.MetaMessage
		}
	}
	return kind
}
