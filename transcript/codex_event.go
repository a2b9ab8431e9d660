package transcript

import (
	"slices"
	"strconv"
	"time"

	"wake/domain"
)

// codexEvent is what Codex told its own screen.
type codexEvent struct {
	Type    string   `json:"type"`
	Message string   `json:"message"`
	Images  []string `json:"images"`
	Local   []string `json:"local_images"` // files
	Reason  string   `json:"reason"`
	Info    *struct {
		Total codexUsage `json:"total_token_usage"`
		Last  codexUsage `json:"last_token_usage"`
	} `json:"info"`
}

type codexUsage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
	Total  int64 `json:"total_tokens"`
}

func (c *codex) event(payload []byte, at time.Time, out *sink) error {
	var e codexEvent
	if err := decodeLoose(payload, &e); err != nil {
		return err
	}
	id := c.session(at, out)
	switch e.Type {
	case "user_message":
		c.typed(id, e, at, out)
	case "token_count":
		if e.Info != nil {
			c.tokens(id, e, at, out)
		}
	case "context_compacted":
		if !c.Listed { // else the compacted row before told it
			c.Compacted++
			out.event(id, at, CompactionKey(c.Compacted), rowRef{}, domain.Compaction{})
		}
		c.Listed = false
	case "turn_aborted", "error", "stream_error", "warning":
		out.event(id, at, c.rowKey(out), rowRef{}, domain.Note{Kind: e.Type, Text: orText(e.Message, e.Reason)})
	}
	return nil
}

// typed reads what a person typed. The response item of the same message has the
// same key, because both count the same occurrences.
func (c *codex) typed(id string, e codexEvent, at time.Time, out *sink) {
	m := domain.Message{Role: domain.RoleUser, Content: e.Message, Media: c.pictures(e)}
	if m.Content == "" && m.Media == nil {
		return
	}
	if m.Kind = codexKind(m.Content); !m.Human() {
		out.event(id, at, c.rowKey(out), rowRef{}, m)
		return
	}
	m.Kind = c.asked()
	out.event(id, at, c.Typed.key(m.Content, ""), rowRef{}, m)
}

// pictures are those of a prompt. Of files the event has the names alone; what was
// in them stands in the item before it.
func (c *codex) pictures(e codexEvent) []domain.Media {
	shown, all := c.Shown, append(slices.Clone(e.Images), e.Local...)
	c.Shown = nil
	if len(e.Local) > 0 && len(shown) == len(all) {
		return shown
	}
	var media []domain.Media
	for _, url := range all {
		media = append(media, domain.Media{Type: "image", URL: url})
	}
	return media
}

// tokens reads a token count. The same count may be told several times; a call
// took what the total grew by, and when the total fell, what the call itself says.
func (c *codex) tokens(id string, e codexEvent, at time.Time, out *sink) {
	total, before := e.Info.Total, c.Total
	if total == before {
		return
	}
	spent := codexUsage{Input: total.Input - before.Input, Cached: total.Cached - before.Cached, Output: total.Output - before.Output}
	if min(spent.Input, spent.Cached, spent.Output) < 0 || before == (codexUsage{}) && e.Info.Last != (codexUsage{}) {
		spent = e.Info.Last
	}
	c.Total = total
	usage := domain.TokenUsage{Input: max(spent.Input-spent.Cached, 0), CacheRead: max(spent.Cached, 0), Output: max(spent.Output, 0)}
	opID := "call-" + strconv.Itoa(out.line)
	out.event(id, at, domain.OpKey(opID, domain.OpOK, usage.Total()), rowRef{}, domain.OpReport{OpID: opID, Kind: domain.OpLLM,
		Status: domain.OpOK, Usage: &usage, Provider: "openai", Model: c.Model})
	window := e.Info.Last.Total
	if window <= 0 {
		return
	}
	out.event(id, at, c.rowKey(out), rowRef{}, domain.Window{Tokens: window})
}
