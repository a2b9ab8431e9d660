package transcript

import (
	"cmp"
	"time"

	"wake/domain"
)

// codexEvent is an event that Codex wrote for its own screen.
type codexEvent struct {
	Type    string   `json:"type"`
	Message string   `json:"message"`
	Images  []string `json:"images"`
	Local   []string `json:"local_images"` // files
	Reason  string   `json:"reason"`

	Thread string        `json:"thread_id"` // of item_completed, like the next
	Item   codexTurnItem `json:"item"`
	Info   *struct {
		Total codexUsage `json:"total_token_usage"`
		Last  codexUsage `json:"last_token_usage"`
	} `json:"info"`
}

// codexUsage counts cache reads and writes as part of the input.
type codexUsage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Write  int64 `json:"cache_write_input_tokens"`
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
		c.typed(id, codexTyped, e, at, out)
	case "item_completed":
		c.completed(id, e, at, out)
	case "token_count":
		if e.Info != nil {
			c.tokens(id, e, at, out)
		}
	case "context_compacted":
		if !c.Listed { // otherwise a compacted row has reported it
			c.Compacted++
			out.event(id, at, CompactionKey(c.Compacted), rowRef{}, domain.Compaction{})
		}
		c.Listed = false
	case "task_complete":
		c.spoke(id, out)
	case "turn_aborted", "error", "stream_error", "warning":
		if e.Type == "turn_aborted" {
			c.spoke(id, out)
		}
		out.event(id, at, c.rowKey(out), rowRef{}, domain.Note{Kind: e.Type, Text: cmp.Or(e.Message, e.Reason)})
	}
	return nil
}

// completed reads a completed part of a turn. Codex asks another thread for a review, and
// records that here too; the words are a person's if the person said what to look for.
func (c *codex) completed(id string, e codexEvent, at time.Time, out *sink) {
	switch e.Item.Type {
	case "EnteredReviewMode":
		c.Review = e.Item.Target.Instructions
	case "UserMessage":
		said := e.Item.event()
		if e.Thread == "" || e.Thread == id || e.Thread == out.copied || said.Message == c.Review {
			c.typed(id, codexCompleted, said, at, out)
		}
	}
}

// tokens reads a token count. The same count may be written several times. A call used
// the increase of the total or, if the total fell, what the call itself reports.
func (c *codex) tokens(id string, e codexEvent, at time.Time, out *sink) {
	total, before := e.Info.Total, c.Total
	if total == before {
		return
	}
	spent := codexUsage{Input: total.Input - before.Input, Cached: total.Cached - before.Cached, Write: total.Write - before.Write, Output: total.Output - before.Output}
	if min(spent.Input, spent.Cached, spent.Write, spent.Output) < 0 || before == (codexUsage{}) && e.Info.Last != (codexUsage{}) {
		spent = e.Info.Last
	}
	if c.Total = total; out.copied != "" {
		return
	}
	if !c.Recorded {
		c.called(id, "call-"+c.place(out), spent, at, out)
	}
	window := e.Info.Last.Total
	if window <= 0 {
		return
	}
	out.event(id, at, c.rowKey(out), rowRef{}, domain.Window{Tokens: window})
}

// called reports the usage of a model call.
func (c *codex) called(id, opID string, spent codexUsage, at time.Time, out *sink) {
	usage := domain.TokenUsage{Input: max(spent.Input-spent.Cached-spent.Write, 0), CacheRead: max(spent.Cached, 0), CacheWrite: max(spent.Write, 0), Output: max(spent.Output, 0)}
	out.event(id, at, domain.OpKey(opID, domain.OpOK, usage.Total()), rowRef{}, domain.OpReport{OpID: opID, Kind: domain.OpLLM,
		Status: domain.OpOK, Usage: &usage, Provider: "openai", Model: c.Model})
}

// recorded reads the usage of one call, which newer versions write before the count
// that includes it. It is the only record for a compaction on the provider's side.
// Usage of other threads is ignored.
func (c *codex) recorded(payload []byte, at time.Time, out *sink) error {
	var r struct {
		Thread   string     `json:"thread_id"`
		Response string     `json:"response_id"`
		Usage    codexUsage `json:"usage"`
	}
	if err := decodeLoose(payload, &r); err != nil || r.Usage == (codexUsage{}) {
		return err
	}
	c.Recorded = true
	id := c.session(at, out)
	if out.copied == "" && (r.Thread == "" || r.Thread == id) {
		c.called(id, cmp.Or(r.Response, "call-"+c.place(out)), r.Usage, at, out)
	}
	return nil
}
