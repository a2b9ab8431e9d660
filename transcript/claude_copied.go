package transcript

import (
	"strings"
	"time"
)

// claudeHistory is what tells a copied history from the session's own rows where not each
// row names its origin.
type claudeHistory struct {
	AskedIn string    `json:"asked_in,omitempty"` // of the latest reply
	Queued  time.Time `json:"queued,omitzero"`    // of the row of the queue with which the file begins
	Last    time.Time `json:"last,omitzero"`      // of the message before
	Copied  bool      `json:"copied,omitempty"`   // the latest reply was
	Over    bool      `json:"over,omitempty"`     // the session has a reply of its own
}

// copied returns the origin of a reply or a tool's answer, or "" if it is the session's own.
// No model replies as soon after a prompt as a client copies rows, or before the session's
// first prompt was in the queue.
func (h *claudeHistory) copied(row *claudeRow) string {
	if row.Type == "assistant" {
		h.AskedIn = row.AskedIn
	}
	if h.AskedIn != "" && h.AskedIn != row.SessionID && row.reply() {
		return h.AskedIn
	}
	at := row.Timestamp.time()
	if at.IsZero() || h.Over {
		return ""
	}
	before := h.Last
	switch row.Type {
	case "queue-operation":
		if before.IsZero() && h.Queued.IsZero() {
			h.Queued = at
		}
		return ""
	case "user":
		h.Last = at
	case "assistant":
		if h.Last = at; row.Message.Model != "<synthetic>" {
			h.Copied = h.isCopy(row, before)
			h.Over = !h.Copied
		}
	}
	if h.Copied && row.reply() {
		return "another session"
	}
	return ""
}

// isCopy reports whether a reply came before anybody had spoken, too soon after the message
// before it, or before the queue had a prompt. Other tools write whole seconds, or all rows at once.
func (h *claudeHistory) isCopy(row *claudeRow, before time.Time) bool {
	at := row.Timestamp.time()
	switch {
	case before.Before(h.Queued) && at.Before(h.Queued):
		return true
	case at.Nanosecond() == 0 || row.Version == "":
		return false
	case before.IsZero(): // some versions write no prompt for an agent
		return row.ParentUUID == "" && row.isMain()
	}
	after := at.Sub(before)
	return 0 <= after && after < h.pause()
}

// pause is longer than the time between two rows that Claude Code copies, and shorter than any
// reply takes. It may halt amid a long history, so what follows copies may be a copy for longer.
func (h *claudeHistory) pause() time.Duration {
	if h.Copied {
		return 100 * time.Millisecond
	}
	return 5 * time.Millisecond
}

// restore gives a copied row its own session back. The first clients began the file of a
// session that continued another one with copies in which prompts kept their session, but
// replies and tools' answers got the new one, and its folder, branch and version.
func (c *claude) restore(row *claudeRow) {
	if row.reply() && row.ParentUUID != "" && row.ParentUUID == c.LastUUID && row.SessionID != c.Session {
		c.Restored = true
		row.SessionID, row.CWD, row.GitBranch, row.Version = c.Session, "", "", ""
	}
}

// forkMark begins what a sub-agent that continues its parent's session is told. No message of
// that session stands before it if a person started the agent.
const (
	forkMark        = "<fork-boilerplate>"
	startedByPerson = "none"
)

// copied returns the session that a row was copied from, or "" for one of the session's
// own.
func (c *claude) copied(row *claudeRow) string {
	if c.untold(row) {
		return row.SessionID
	}
	if c.Restated == "" && row.Type == "user" && strings.HasPrefix(row.Message.Content.text(), forkMark) {
		c.Restated = startedByPerson
	}
	if row.ForkedFrom.SessionID != "" || c.Forked == "" || row.Type != "assistant" || row.Message.ID == "" {
		return row.ForkedFrom.SessionID
	}
	if c.Restated == "" {
		c.Restated = row.Message.ID
	}
	if row.Message.ID != c.Restated {
		return ""
	}
	return c.Forked
}

// asideAgents returns what Claude Code tells agents that it starts beside a conversation, by the
// label in their ids: to sum it up, to answer a question, to suggest the next prompt. Some
// versions copy the whole conversation into the agent's file before that.
func asideAgents() map[string][]string {
	summary := []string{"Your task is to create a detailed summary of ", "CRITICAL: Respond with TEXT ONLY"}
	return map[string][]string{
		"acompact":           summary,
		"areactive-compact":  summary,
		"aside_question":     {"<system-reminder>This is a side question from the user."},
		"aprompt_suggestion": {"[SUGGESTION MODE: ", "You are now a prompt suggestion generator. "},
		"aextract_memories":  {"You are now acting as the memory extraction subagent"},
	}
}

// asideMarks returns how that begins for the agent with an id, or nil if it is none of these.
func asideMarks(id string) []string {
	return asideAgents()[id[:max(strings.LastIndexByte(id, '-'), 0)]]
}

// untold reports whether a row stands before what such an agent is told, and so is a copy.
func (c *claude) untold(row *claudeRow) bool {
	if c.Untold && row.Type == "user" && !row.reply() {
		c.Untold = !beginsWith(row.Message.Content.text(), asideMarks(c.agentOfFile())...)
	}
	return c.Untold
}
