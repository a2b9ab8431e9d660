package memory

import (
	"encoding/json"
	"time"

	"wake/domain"
)

// SessionRef names a session by its id, or by the client's own id of it. If it has
// neither, it means the connection's session ([Caller.SessionID]). Without that too,
// reading requests take the project's newest active session, or if none is active its
// newest, and say so; [Service.Person]'s own comes first. Writing requests never guess:
// their Invalid error lists sessions.
type SessionRef struct {
	SessionID       string
	Client          string // with ClientSessionID: claude-code, codex, gemini, or any name
	ClientSessionID string
	Project         string // "" means the service's default
}

// SessionOpening describes a session that a record may open. If the session is known
// already, its title, model, provider, agent and limit are updated from non-empty
// fields, and the other fields are ignored.
type SessionOpening struct {
	AgentID         string
	Model           string
	Provider        string
	Mode            string
	Title           string
	ParentSessionID string
	ParentOpID      string
	ContextLimit    int64
	Attributes      map[string]string
	StartedAt       time.Time // zero is now
	Folder          Folder    // where it works; determines the project if none is named
	Away            bool      // it is imported and worked in no folder of this machine, so it may be anybody's
}

// RecordRequest appends events in the client's form: flat JSON objects as in the table
// of the record tool, at most [domain.MaxBatch]. All of them are appended or none.
type RecordRequest struct {
	By     Caller
	Ref    SessionRef
	Open   SessionOpening
	Events []json.RawMessage
	// ExpectedSeq, if set, is the session's last sequence number as the caller knows
	// it. If it is another one, the result is a Conflict error (003-06).
	ExpectedSeq *int64
}

// AppendRequest is a RecordRequest whose events have been made already.
type AppendRequest struct {
	By          Caller
	Ref         SessionRef
	Open        SessionOpening
	Events      []domain.Event
	ExpectedSeq *int64
	Import      bool // the events are from the past: no thresholds fire, no hand-off is delivered
	// Relaxed commits without waiting for the disk. A power cut may lose the events;
	// the caller can read them again or do without them.
	Relaxed bool
	// Adopt, if set, is the session as another wake stored it. Its events keep their
	// ids, places and times, and trigger nothing.
	Adopt *domain.Session
	// Cursor, if set, is stored in the same transaction: how far the source was read.
	Cursor *domain.IngestCursor

	filled *filled  // what the current import knows of the session
	purged []string // hashes of titles that other sessions of its source must not have
	said   analysed // messages that are analysed already
}

// RecordAnswer says what was appended.
type RecordAnswer struct {
	SessionID   string              `json:"session_id"`
	Opened      bool                `json:"opened,omitempty"` // this call opened the session
	FirstSeq    int64               `json:"first_seq"`        // of the appended events; 0 if all were repeats
	LastSeq     int64               `json:"last_seq"`         // the session's last one after the call
	Accepted    int                 `json:"accepted"`
	Repeated    int                 `json:"repeated"`
	Seqs        []int64             `json:"-"` // of each event in the order given, repeats included
	Pressure    ContextPressure     `json:"context_pressure"`
	Checkpoints []domain.Checkpoint `json:"checkpoints,omitempty"` // made automatically
	Handoff     *domain.Handoff     `json:"handoff,omitempty"`     // made by a mode change
	Notes       []string            `json:"notes,omitempty"`

	session domain.Session // after the call
	fresh   []domain.Event // those appended, with their places
}

// ContextPressure is how full the client's context window is.
type ContextPressure struct {
	Tokens   int64   `json:"tokens"`
	Limit    int64   `json:"limit"`    // 0 if not known
	Fraction float64 `json:"fraction"` // of the limit; 0 if that is not known
	Level    string  `json:"level"`    // ok, checkpoint (0.85), warning (0.95), emergency (1.0)
}

// ReportFormat is the kind of a session report.
type ReportFormat string

// The kinds of report.
const (
	ReportStatus   ReportFormat = "status"
	ReportTimeline ReportFormat = "timeline"
	ReportTree     ReportFormat = "tree"
	ReportTotals   ReportFormat = "totals"
	ReportUsage    ReportFormat = "usage"
)

// ReportRequest asks for a report on a session.
type ReportRequest struct {
	By     Caller
	Ref    SessionRef
	Format ReportFormat   // "" is status
	Limit  int            // events of a timeline, the newest ones: 1 to 1000, default 50
	Zone   *time.Location // of the times in the text; nil is UTC
}

// clock writes a time for the text of a report.
func (r ReportRequest) clock(t time.Time) string {
	if r.Zone == nil {
		return t.UTC().Format("2006-01-02 15:04:05Z")
	}
	return t.In(r.Zone).Format("2006-01-02 15:04:05")
}

// ReportAnswer is a report, as text and as data.
type ReportAnswer struct {
	ID          string                   `json:"id"`
	Format      ReportFormat             `json:"format"`
	Session     domain.Session           `json:"session"`
	Totals      domain.Totals            `json:"totals"` // including children
	Pressure    ContextPressure          `json:"context_pressure"`
	Snapshots   SnapshotFigures          `json:"snapshots"`
	Tree        *domain.SessionNode      `json:"tree,omitempty"`
	Timeline    []TimelineItem           `json:"timeline,omitempty"`
	Ledger      []domain.LedgerEntry     `json:"ledger,omitempty"`
	ByModel     map[string]domain.Totals `json:"by_model,omitempty"`
	Usage       []domain.UsageSample     `json:"usage,omitempty"`
	Firings     []domain.ThresholdFiring `json:"thresholds,omitempty"`
	Transitions []ModeTransition         `json:"transitions,omitempty"`
	Alerts      []domain.Alert           `json:"alerts,omitempty"`
	Text        string                   `json:"text"`
	Notes       []string                 `json:"notes,omitempty"`
}

// SnapshotFigures are figures about a session's state snapshots (003-16).
type SnapshotFigures struct {
	Count      int64   `json:"count"` // taken so far; only the latest is kept
	Bytes      int64   `json:"bytes"` // of the latest
	Seq        int64   `json:"seq"`   // of the latest
	Tail       int64   `json:"tail"`  // events since
	ReplayMS   float64 `json:"replay_ms,omitempty"`
	SnapshotMS float64 `json:"snapshot_ms,omitempty"`
	Speedup    float64 `json:"speedup,omitempty"` // of snapshot and tail against full replay, as last measured
}

// TimelineItem is one event in one line.
type TimelineItem struct {
	Seq  int64            `json:"seq"`
	At   time.Time        `json:"at"`
	Turn int64            `json:"turn"`
	Type domain.EventType `json:"type"`
	Text string           `json:"text"`

	Handoff string `json:"handoff,omitempty"` // id of the one that a change of mode made, if it still exists
}

// ModeTransition counts changes from one mode to another (000-27).
type ModeTransition struct {
	From    string  `json:"from"`
	To      string  `json:"to"`
	Count   int64   `json:"count"`
	Seconds float64 `json:"average_seconds_in_from"`
}

// SessionsRequest asks for a list of sessions.
type SessionsRequest struct {
	Project string // "*" is all
	Client  string
	AgentID string
	Status  domain.SessionStatus
	Since   time.Time
	Until   time.Time
	Limit   int // 1 to 100, default 20
	Cursor  string
}

// SessionsAnswer is a page of a list of sessions.
type SessionsAnswer struct {
	Sessions   []domain.Session `json:"sessions"`
	NextCursor string           `json:"next_cursor,omitempty"`
}

// UserMessage is a message that a person wrote, unchanged.
type UserMessage struct {
	Seq       int64     `json:"seq"`
	At        time.Time `json:"at"`
	Content   string    `json:"content"`
	TakenBack bool      `json:"taken_back,omitempty"` // by a restore, or by going back in the client
}

// EventsRequest asks for events of a session with their payloads.
type EventsRequest struct {
	By    Caller
	Ref   SessionRef
	After int64
	Limit int // 1 to 1000, default 100
}

// EventView is an event with its payload as JSON.
type EventView struct {
	domain.Event
	Payload json.RawMessage `json:"payload,omitempty"`
}

// ForgetSessionRequest asks to forget a whole session.
type ForgetSessionRequest struct {
	SessionID string
	DryRun    bool
	Undo      bool
}

// ForgetSessionAnswer says what was forgotten, or with DryRun what would be.
type ForgetSessionAnswer struct {
	SessionID string    `json:"session_id"`
	DryRun    bool      `json:"dry_run"`
	Undone    bool      `json:"undone,omitempty"`
	Events    int64     `json:"events"`
	Bytes     int64     `json:"bytes"`
	Children  []string  `json:"children,omitempty"` // child sessions; they are kept
	Contexts  []string  `json:"contexts,omitempty"` // distilled from it; they are kept
	UndoUntil time.Time `json:"undo_until,omitzero"`
}

// VerifyAnswer is what [Service.Verify] found.
type VerifyAnswer struct {
	Sessions int64         `json:"sessions"`
	Events   int64         `json:"events"`
	Problems []VerifyIssue `json:"problems"`
}

// VerifyIssue is one difference between the log and what is derived from it.
type VerifyIssue struct {
	SessionID string `json:"session_id"`
	Subject   string `json:"subject"` // sequence, event, blob, totals, ops, snapshot, checkpoint …
	Detail    string `json:"detail"`
	Remedy    string `json:"remedy"`
}

// ResumeRequest asks for the working context of a session. It changes nothing.
type ResumeRequest struct {
	By           Caller
	Ref          SessionRef
	AgentID      string // if set, the newest session of this agent
	TokenBudget  int    // of the whole answer, default 2,000
	SystemPrompt string // the client's current one; a cache made with another one is not used (I12)
	PromptHash   string // alternatively the sha256 of SystemPrompt, in hex
	TextOnly     bool   // only the text is used, so it gets the whole budget

	// Whole bounds the tokens of the answer as a door sends it, with the words that
	// the door adds. Cost counts them. Without Cost there is no such bound.
	Whole int64
	Cost  func(ResumeAnswer) int64
}

// ResumeSource is where a working context came from.
type ResumeSource string

// The sources, in the order in which they are tried.
const (
	FromCache    ResumeSource = "cache"
	FromSnapshot ResumeSource = "snapshot"
	FromReplay   ResumeSource = "replay"
	FromRebuild  ResumeSource = "rebuild"
)

// ResumeAnswer is a working context, and where it came from.
type ResumeAnswer struct {
	SessionID    string           `json:"session_id"`
	Source       ResumeSource     `json:"source"`
	Epoch        int64            `json:"epoch"`
	LastSeq      int64            `json:"last_seq"`
	NextSeq      int64            `json:"next_seq"`
	Messages     []ContextMessage `json:"messages"`
	Earlier      *MorePointer     `json:"earlier,omitempty"`
	Goals        []domain.Goal    `json:"goals"`
	Findings     []domain.Finding `json:"findings"`
	OpenOps      []domain.Op      `json:"open_ops"`
	Steps        []domain.Step    `json:"steps,omitempty"`         // completed, with outputs
	PendingSteps []domain.Step    `json:"pending_steps,omitempty"` // started, not completed
	Waiting      []domain.Signal  `json:"waiting_for,omitempty"`
	Mode         string           `json:"mode,omitempty"`
	Text         string           `json:"text"`
	Notes        []string         `json:"notes,omitempty"`
	PassedOver   bool             `json:"-"` // whether a newer session that had just begun was passed over; it is probably the caller's own
}
