package transcript

import (
	"slices"

	"wake/domain"
)

// claudeBranches recognises where a person went back in a conversation. In its terminal,
// Claude Code does not say where to: the file keeps what was dropped, and the next message
// answers the row that the first dropped one had answered.
//
// Two windows that continue one session leave the same trace. Only there does a branch go
// on that seemed to be left.
type claudeBranches struct {
	Session string              `json:"session,omitempty"`
	Typed   recent[claudeTyped] `json:"typed,omitzero"`   // the first message that a person sent in answer to a row, by that row
	Newest  string              `json:"newest,omitempty"` // the row that the newest of them answers
	Last    string              `json:"last,omitempty"`   // the latest row
	Left    []string            `json:"left,omitempty"`   // the last rows of the branches that were left
	Windows bool                `json:"windows,omitempty"`
	Cut     *claudeCut          `json:"cut,omitempty"`
	First   string              `json:"first,omitempty"`  // the latest message that began the conversation
	Caveat  string              `json:"caveat,omitempty"` // the latest row that says that commands follow
	Again   *claudeCut          `json:"anew,omitempty"`   // what was dropped if it took the place of the one before, until they send another message

	before string // the row before the latest
}

// claudeTyped is a message that a person sent.
type claudeTyped struct {
	Row      string `json:"row"`
	Answered bool   `json:"answered,omitempty"`
}

// typedRows is how many messages can be gone back to, behind compactions too.
const typedRows = 100

// follow notes a row of any type, before it is read.
func (c *claude) follow(row *claudeRow, out *sink) {
	if !row.isMain() {
		return
	}
	b := &c.Branches
	if row.SessionID != b.Session {
		*b = claudeBranches{Session: row.SessionID}
	}
	if row.Subtype == "compact_boundary" || row.IsCompactSummary {
		b.Cut, b.Windows = nil, false
	}
	if t, ok := b.Typed.get(b.Newest); ok && t.Row == row.ParentUUID {
		b.Typed.put(b.Newest, claudeTyped{Row: t.Row, Answered: true}, typedRows)
	}
	if row.Type == "assistant" && !row.IsAPIErrorMessage {
		b.Cut = nil
	}
	if row.IsMeta && isCaveat(row.Message.Content.text()) {
		b.Caveat = row.UUID
	}
	left := slices.Index(b.Left, row.ParentUUID)
	switch {
	case left < 0:
		b.before, b.Last = b.Last, row.UUID
	case row.Type == "user" || row.Type == "assistant":
		b.before, b.Last, b.Left, b.Windows = b.Last, row.UUID, nil, true
		out.rewound(Rewound{Session: b.Session, At: row.Timestamp.time(), Row: row.UUID})
	default: // a hook or a timer that ended late
		b.Left[left] = row.UUID
	}
}

// typed notes that a row, which was just emitted, is a person's message or command.
func (r *claudeReading) typed() {
	row, b := r.row, &r.Branches
	if !row.isMain() || r.Restored {
		return
	}
	b.Again = nil
	cut := b.spoke(row, r.out)
	if row.begins() {
		b.root(row)
	}
	switch row.ParentUUID {
	case "", b.Caveat: // early versions wrote it once for all commands of a run
		return
	}
	first, known := b.Typed.get(row.ParentUUID)
	if !known {
		b.Newest = row.ParentUUID
		b.Typed.put(b.Newest, claudeTyped{Row: row.UUID}, typedRows)
		return
	}
	branches := first.Answered || first.Row == b.before // else the rows of this file name no real parents
	if branches && first.Row != row.UUID && !b.Windows && !cut {
		b.Left, b.Again = append(b.Left, b.before), nil
		r.out.rewound(Rewound{Session: b.Session, At: row.Timestamp.time(), From: first.Row, Row: row.UUID})
	}
}

// isMain reports whether the row has a place in the conversation with the user, rather
// than in a sub-agent's.
func (r *claudeRow) isMain() bool {
	return r.UUID != "" && r.SessionID != "" && !r.aside() && r.subagent() == ""
}

// isTyped reports whether a message is a person's own, or a command or its output.
func isTyped(m domain.Message) bool { return m.Human() || m.Kind == domain.CommandMessage }
