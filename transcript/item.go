package transcript

import (
	"fmt"
	"time"

	"wake/domain"
)

// Item is one thing read from a source. One of the pointers is set; History only
// together with Context. Times missing in the source are zero; the file's own time is
// then the best guess.
type Item struct {
	// Session comes before the session's first event in a read, and again when more
	// becomes known; empty fields are unknown. ClientSessionID, ParentID and OriginID
	// are the source's ids. Attributes hold cwd, git_branch and version if the source
	// has them.
	Session *domain.Session
	// Event is an event without sequence number and id; its SessionID is the source's.
	Event *domain.Event
	// Context is a memory with its original time and a stable id, so that reading it
	// twice makes one context.
	Context *domain.ContextSnapshot
	History *domain.ContextHistory // of the context, without its links; only from wake's own files
	Link    *domain.Link           // in addition to those in Context.Causality
	Rewound *Rewound               // behind the events that it names
	Named   *Named                 // the name of a session that other sources have
	Distant *Distant               // what the source says of memories that others of its files have
	Skipped *Skipped

	// These come only from wake's own files, see [Writer].
	Access     *domain.Access
	Outcome    *domain.Outcome
	Tombstone  *domain.Tombstone
	Checkpoint *domain.Checkpoint
	Handoff    *domain.Handoff
	Firing     *domain.ThresholdFiring
	Blob       *Blob

	// Whole marks the last item of a line: [Reader.Cursor] now covers it.
	Whole bool
}

// Blob is a run of bytes that events share, by its hash.
type Blob struct {
	Hash string `json:"hash"` // sha256, hex
	Data []byte `json:"data"`
}

// Rewound says that a person went back in a conversation: what had been said from some
// message on was dropped, and another one took its place.
type Rewound struct {
	Session string    // the source's id
	At      time.Time // zero if the source does not say
	From    string    // row of the first message that was dropped; "" if nothing was, whatever was told before
	Behind  bool      // From may have no message; the first one behind it in its file was dropped, and with no From the first of all
	Row     string    // row that shows it, from which on the conversation counts again; "" if nobody has spoken since
	ID      string    // of the source for it; "" if it is that of the Row
	Undone  string    // with no From: row or ID of the rewind that alone did not happen
	Removed []string  // instead of From: rows that are no longer in the conversation, and Row is the first of them
	Refused bool      // instead of From: the last prompt was not sent, so the source does not have it
	Words   string    // of the prompt that was not sent, if it need not be the last one
	Turns   int       // instead of From: how many of a person's last messages before Row were dropped, each with its answer
}

// Named is the name of a session, from a source that has nothing else of it. It opens no
// session: one that is not known yet stays unknown.
type Named struct {
	Client  string
	Session string // the client's id
	Title   string
	At      time.Time
}

// Distant is what a file says of memories that it does not have itself, by the source's
// ids: that they are related, or that one was deleted.
type Distant struct {
	From, To string
	Link     domain.Link // between them, without its ends
	Deleted  bool        // instead of To and Link: From was deleted
	At       time.Time   // when it was deleted; zero if the source does not say
}

// Skipped is a part of a source that could not be used.
type Skipped struct {
	Source string // name of the source
	Line   int    // counted from 1; 0 if the source has no lines
	Reason string
	// Unfinished marks a last line that is still being written. It is not lost: the next
	// read takes it.
	Unfinished bool
}

func (s Skipped) String() string {
	if s.Line == 0 {
		return fmt.Sprintf("%s: %s", s.Source, s.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", s.Source, s.Line, s.Reason)
}
