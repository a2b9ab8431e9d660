package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// AutoByteusContext is the contents of working_context_snapshot.json (004-14).
type AutoByteusContext struct {
	AgentID        string
	Epoch          int64
	LastCompaction time.Time // zero if there was none
	Messages       []domain.Message
}

// WriteAutoByteusContext writes a working context in the form that AutoByteus restores.
func WriteAutoByteusContext(w io.Writer, c AutoByteusContext) error {
	out := autoContext{SchemaVersion: new(autoVersion), AgentID: c.AgentID, EpochID: c.Epoch, Messages: []autoMessage{}}
	if !c.LastCompaction.IsZero() {
		out.LastCompaction = new(epochSeconds(c.LastCompaction))
	}
	for _, m := range c.Messages {
		out.Messages = append(out.Messages, newAutoMessage(m))
	}
	return writeDocument(w, out)
}

// epochSeconds returns a time as AutoByteus writes it: seconds with a fraction.
func epochSeconds(t time.Time) float64 {
	return float64(t.UnixMicro()) / 1e6
}

func newAutoMessage(m domain.Message) autoMessage {
	media := autoMediaOf(m.Media)
	out := autoMessage{Role: string(m.Role), Images: media.Images, Audio: media.Audio, Video: media.Video}
	if m.Role == domain.RoleUser && !m.Human() {
		out.Role = string(domain.RoleSystem) // no person wrote it
	}
	if m.Reasoning != "" {
		out.Reasoning = &m.Reasoning
	}
	if len(m.ToolCalls) > 0 || m.ToolCallID != "" {
		out.Tool = &autoTool{ToolCallID: m.ToolCallID, ToolName: m.ToolName}
		for _, c := range m.ToolCalls {
			out.Tool.ToolCalls = append(out.Tool.ToolCalls, autoToolCall{c.ID, c.Name, orObject(c.Arguments)})
		}
	}
	if m.ToolCallID == "" {
		out.Content = &m.Content
		return out
	}
	out.Tool.Result, _ = json.Marshal(m.Content)
	if m.Error != "" {
		out.Tool.Error = &m.Error
	}
	return out
}

// WriteAutoByteusTraces writes a session's messages as raw_traces.jsonl.
func WriteAutoByteusTraces(w io.Writer, events []domain.Event) error {
	enc := newEncoder(w)
	turn, seq := 0, 0
	for _, e := range events {
		if e.Type != domain.EventMessage || e.Erased {
			continue
		}
		m, err := e.Message()
		if err != nil {
			return err
		}
		if m.Human() || turn == 0 {
			turn, seq = turn+1, 0
		}
		for _, row := range traceRows(e, m, fmt.Sprintf("rt_%04d_%04d", turn, seq)) {
			seq++
			row["turn_id"], row["seq"] = fmt.Sprintf("turn_%04d", turn), seq
			if err := enc.Encode(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// traceRows returns the raw traces of one message: its text and each tool call. place
// identifies a message without an id.
func traceRows(e domain.Event, m domain.Message, place string) []map[string]any {
	id := cmp.Or(e.Source.ID, e.ID, place)
	row := func(id, kind, content string) map[string]any {
		return map[string]any{"id": id, "ts": epochSeconds(e.At), "trace_type": kind, "content": content, "source_event": "wake"}
	}
	var rows []map[string]any
	switch {
	case m.Role == domain.RoleTool:
		r := row(id, "tool_result", "")
		r["tool_call_id"], r["tool_name"], r["tool_result"] = m.ToolCallID, m.ToolName, m.Content
		if m.Error != "" {
			r["tool_error"] = m.Error
		}
		return []map[string]any{r}
	case m.Human():
		rows = append(rows, row(id, "user", m.Content))
	case m.Role == domain.RoleAssistant && m.Content != "":
		rows = append(rows, row(id, "assistant", m.Content))
	case m.Role != domain.RoleAssistant:
		rows = append(rows, row(id, "system", m.Content))
	}
	if len(m.Media) > 0 && len(rows) > 0 {
		rows[0]["media"] = autoMediaOf(m.Media)
	}
	for i, c := range m.ToolCalls {
		r := row(id+callMark+strconv.Itoa(i), "tool_call", "")
		r["tool_call_id"], r["tool_name"], r["tool_args"] = c.ID, c.Name, orObject(c.Arguments)
		rows = append(rows, r)
	}
	return rows
}

// callMark stands before the number of a call in the id of its row.
const callMark = ":call:"

// AutoByteusRow returns the id of a row without what wake's exports put behind that of a
// message's first call, so that a row that was exported is known again.
func AutoByteusRow(id string) string {
	for {
		before, exported := strings.CutSuffix(id, callMark+"0")
		if !exported {
			return id
		}
		id = before
	}
}

// autoMediaOf lists media by their addresses. Lists without any are empty, not nil.
func autoMediaOf(media []domain.Media) autoMedia {
	out := autoMedia{Images: []string{}, Audio: []string{}, Video: []string{}}
	for _, m := range media {
		switch url := mediaURL(m); m.Type {
		case "audio":
			out.Audio = append(out.Audio, url)
		case "video":
			out.Video = append(out.Video, url)
		default:
			out.Images = append(out.Images, url)
		}
	}
	return out
}

// WriteAutoByteusMemories writes contexts as episodic.jsonl or semantic.jsonl: of
// the given kind, all others are left out.
func WriteAutoByteusMemories(w io.Writer, kind domain.Kind, contexts []domain.ContextSnapshot) error {
	enc := newEncoder(w)
	for _, c := range contexts {
		if c.Kind != kind {
			continue
		}
		row := map[string]any{"id": c.ID, "ts": epochSeconds(c.Timestamp), "tags": notNil(c.Tags), "salience": 0.0}
		if c.Propagation != nil {
			row["salience"] = c.Propagation.PredictionScore
		}
		if kind == domain.Semantic {
			row["fact"], row["confidence"], row["category"] = c.Content, 1.0, autoCategory(c.Tags)
		} else {
			row["summary"], row["turn_ids"] = c.Content, []string{}
		}
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

// autoPlainFact is AutoByteus's category of facts that have no other.
const autoPlainFact = "durable_fact"

// autoCategory returns the category of a fact with these tags. Newer versions of AutoByteus
// refuse all facts if one has no category that they know.
func autoCategory(tags []string) string {
	for _, tag := range tags {
		switch tag {
		case "critical_issue", "unresolved_work", "user_preference", "important_artifact":
			return tag
		case "preference":
			return "user_preference"
		}
	}
	return autoPlainFact
}
