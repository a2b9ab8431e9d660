package transcript

import (
	"slices"
	"time"

	"wake/domain"
)

// A last-prompt row says where the conversation ends. Claude Code writes one when a client
// that drives it, such as an editor, makes it go back. In its own terminal it writes one
// behind the next message, which names no row.

// nowhere is the leaf of such a row.
const nowhere = "00000000-0000-0000-0000-000000000000"

// claudeCut is what was dropped, until the model speaks again. Up to then the client may
// undo it.
type claudeCut struct {
	Rewound Rewound `json:"rewound"`
	Last    string  `json:"last"`           // the last row that was dropped
	Kept    string  `json:"kept,omitempty"` // where the conversation ends, or what the next message answers
	Next    string  `json:"next,omitempty"` // the person's next message
}

// checkpoint reads a last-prompt row.
func (c *claude) checkpoint(row *claudeRow, at time.Time, out *sink) {
	b := &c.Branches
	if !row.Explicit || row.SessionID != b.Session || c.Sessions[b.Session] == nil || c.Restored || b.Windows {
		return
	}
	switch {
	case row.Rewound:
		b.cut(row, at, out)
	case row.LeafUUID == nowhere:
		b.restarted(out)
	case b.Cut != nil && row.LeafUUID != "" && row.LeafUUID != b.Cut.Kept && row.LeafUUID != b.Cut.Next:
		b.undo(out)
	}
}

// cut tells that the person has gone back. A note takes the place of the row in the log,
// so that what comes later is not dropped, too.
func (b *claudeBranches) cut(row *claudeRow, at time.Time, out *sink) {
	if row.CutUUID == "" {
		return
	}
	id := "cut " + row.CutUUID + " behind " + b.Last
	b.Cut = &claudeCut{Rewound: Rewound{Session: b.Session, From: row.CutUUID, Row: id}, Last: b.Last, Kept: row.LeafUUID}
	b.Left = append(b.Left, b.Last)
	out.event(b.Session, at, domain.RowKey("reverted", id), rowRef{id: id}, domain.Note{Kind: "reverted"})
	out.rewound(b.Cut.Rewound)
}

// undo tells that what was dropped counts again.
func (b *claudeBranches) undo(out *sink) {
	out.rewound(Rewound{Session: b.Session, ID: "undone " + b.Cut.Rewound.Row, Undone: b.Cut.Rewound.Row})
	b.Left = slices.DeleteFunc(b.Left, func(id string) bool { return id == b.Cut.Last })
	b.Cut = nil
}

// spoke is called for a person's message. It reports whether this is the first one behind a
// cut; a session that was named after what was dropped can now get another name.
func (b *claudeBranches) spoke(row *claudeRow, out *sink) bool {
	if b.Cut == nil || b.Cut.Next != "" {
		return false
	}
	b.Cut.Next = row.UUID
	out.rewound(b.Cut.Rewound)
	return true
}

// root notes a person's message that begins the conversation. Another one may be where the
// person went back to the one before, or of another window.
func (b *claudeBranches) root(row *claudeRow) {
	if b.First != "" {
		b.Again = &claudeCut{Rewound: Rewound{Session: b.Session, From: b.First, Row: row.UUID}, Last: b.before, Kept: row.ParentUUID}
	}
	if b.First == "" || row.ParentUUID == "" {
		b.First = row.UUID
	}
}

// restarted tells that the person has gone back to the first message of a conversation, if
// the latest one begins it.
func (b *claudeBranches) restarted(out *sink) {
	if b.Again == nil {
		return
	}
	b.First = b.Again.Rewound.Row
	if b.Again.Last != b.Again.Kept {
		b.Left = append(b.Left, b.Again.Last)
	}
	out.rewound(b.Again.Rewound)
	b.Again = nil
}
