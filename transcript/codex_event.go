package transcript

import (
	"cmp"
	"strings"

	"wake/domain"
)

// codexEvent is an event that Codex wrote for its own screen.
type codexEvent struct {
	Type    string   `json:"type"`
	Message string   `json:"message"`
	Images  []string `json:"images"`
	Local   []string `json:"local_images"` // files
	Reason  string   `json:"reason"`
	Turn    string   `json:"turn_id"`
	Turns   int      `json:"num_turns"` // of thread_rolled_back
	Text    string   `json:"text"`      // of agent_reasoning_raw_content
	Target  *struct {
		Instructions string `json:"instructions"`
	} `json:"target"` // of entered_review_mode

	Name   string        `json:"thread_name"` // of thread_name_updated
	Thread string        `json:"thread_id"`   // of item_completed too, like the next
	Item   codexTurnItem `json:"item"`
	codexEnded
	codexSpawned
	Info *struct {
		Total codexUsage `json:"total_token_usage"`
		Last  codexUsage `json:"last_token_usage"`
	} `json:"info"`
}

func (r codexReading) event(payload []byte) error {
	var e codexEvent
	if err := decodeLoose(payload, &e); err != nil {
		return err
	}
	r.session()
	switch e.Type {
	case "user_message":
		if !r.Reviewing || r.asksReview(e.Message) {
			r.typed(codexTyped, e)
		}
	case "agent_reasoning_raw_content":
		r.thought("", e.Text)
	case "task_started":
		r.Thought = codexThought{}
		r.Imported = strings.HasPrefix(e.Turn, importedTurn)
	case "entered_review_mode":
		if e.Target != nil {
			r.Review, r.Reviewing = reviewOf(e.Target.Instructions), true
		}
	case "exited_review_mode":
		r.Reviewing = false
	case "item_completed":
		r.completed(e)
	case "mcp_tool_call_end", "patch_apply_end":
		r.toolEnded(e.CallID, e.codexEnded)
	case "collab_agent_spawn_end":
		r.spawned(e.CallID, e.NewThread)
	case "token_count":
		if e.Info != nil {
			r.tokens(e)
		}
	case "context_compacted":
		if !r.Listed { // otherwise a compacted row has reported it
			r.Compacted++
			r.emit(CompactionKey(r.Compacted), r.row(), domain.Compaction{})
		}
		r.Listed = false
	case "task_complete":
		r.turnEnded()
	case "thread_name_updated":
		if e.Name != "" && (e.Thread == "" || e.Thread == r.Session) {
			r.emit(r.rowKey(), "", domain.About{Title: e.Name})
		}
	case "thread_rolled_back":
		r.rolledBack(e.Turns)
	case "turn_aborted":
		r.turnEnded()
		r.note(e)
	case "error", "stream_error", "warning":
		r.note(e)
	}
	return nil
}

// importedTurn begins the ids of the turns that Codex copies from a session of Claude Code.
const importedTurn = "external-import-turn-"

// turnEnded is called when a turn is complete or was aborted.
func (r codexReading) turnEnded() {
	r.spoke()
	r.Reviewing = false
}

func (r codexReading) note(e codexEvent) {
	r.emit(r.rowKey(), "", domain.Note{Kind: e.Type, Text: cmp.Or(e.Message, e.Reason)})
}

// completed reads a completed part of a turn. Codex asks another thread for a review, and
// records that here too; the words are a person's if the person said what to look for.
func (r codexReading) completed(e codexEvent) {
	switch e.Item.Type {
	case "EnteredReviewMode":
		r.Review = reviewOf(e.Item.Target.Instructions)
	case "McpToolCall", "FileChange":
		r.toolEnded(e.Item.ID, e.Item.codexEnded)
	case "CollabAgentToolCall", "SubAgentActivity":
		r.spawned(e.Item.ID, e.Item.thread())
	case "Reasoning":
		r.thought(e.Item.ID, e.Item.Raw...)
	case "UserMessage":
		said := e.Item.event()
		if e.Thread == "" || e.Thread == r.Session || e.Thread == r.out.copied || r.asksReview(said.Message) {
			r.typed(codexCompleted, said)
		}
	}
}

// reviewOf is what the state keeps of a person's words on what to look for in a review: a
// hash, since a purge of the prompt does not reach it. It is "" for none.
func reviewOf(words string) string {
	if words = strings.TrimSpace(words); words == "" {
		return ""
	}
	return domain.HashText(words)
}

// asksReview reports whether words are those with which a person asked for the latest
// review. Cursors of older versions have them as they are.
func (r codexReading) asksReview(words string) bool {
	return r.Review == reviewOf(words) || strings.TrimSpace(r.Review) == strings.TrimSpace(words)
}
