package transcript

import (
	"fmt"

	"wake/domain"
)

// Item is one thing read from a source. One of the pointers is set. Times that
// the source does not tell are zero: the file's own time is the best guess then.
type Item struct {
	// Session tells of a session before its first event of this read, and again
	// when more became known; empty fields say nothing. ClientSessionID is the
	// source's id of it, ParentID and OriginID are such ids too. Attributes hold
	// cwd, git_branch and version where the source tells them.
	Session *domain.Session
	// Event is an event without sequence and id; its SessionID is the source's.
	Event *domain.Event
	// Context is a memory, with its true time and a stable id, so that reading it
	// twice makes one.
	Context *domain.ContextSnapshot
	History *domain.ContextHistory // of the context, without its links; from wake's own files alone
	Link    *domain.Link           // beside what Context.Causality names
	Skipped *Skipped

	// These come from wake's own files alone, see [Writer].
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

// Blob is a stretch of bytes that events share, by its hash.
type Blob struct {
	Hash string `json:"hash"` // sha256, hex
	Data []byte `json:"data"`
}

// Skipped is a part of a source that could not be used.
type Skipped struct {
	Source string // the source's name
	Line   int    // from 1; 0 where the source has no lines
	Offset int64  // bytes from its beginning
	Reason string
	// Unfinished marks a last line that is still being written: it is not lost,
	// the next read takes it.
	Unfinished bool
}

func (s Skipped) String() string {
	if s.Line == 0 {
		return fmt.Sprintf("%s: %s", s.Source, s.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", s.Source, s.Line, s.Reason)
}
