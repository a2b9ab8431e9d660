package repository

import (
	"context"
	"time"

	"wake/domain"
)

// SessionReader reads sessions and the projections of their events.
type SessionReader interface {
	SessionFinder
	EventReader
	PointReader
	ProjectionReader
}

// SessionWriter changes sessions. Because there is one writer at a time, what a
// transaction has read stays true until it commits.
type SessionWriter interface {
	SessionKeeper
	EventWriter
	PointWriter
	HandoffWriter
	ProjectionWriter
}

// SessionFinder finds sessions.
type SessionFinder interface {
	// Session returns one session, which may be a forgotten one, or a NotFound error.
	Session(ctx context.Context, id string) (domain.Session, error)
	// SessionIDsUnder returns at most limit ids that begin with prefix, in ascending
	// order, including those of forgotten sessions.
	SessionIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// SessionByClient returns the session with the client's own id, or a NotFound error.
	SessionByClient(ctx context.Context, client, clientSessionID string) (domain.Session, error)
	// Sessions lists the sessions that match q.
	Sessions(ctx context.Context, q domain.SessionQuery) ([]domain.Session, error)
	// EventsOfActive counts the events of the sessions of a project ("" means all) that
	// [SearchReader.DocumentsWhere] reads to list messages since a time.
	EventsOfActive(ctx context.Context, project string, since time.Time) (int64, error)
	// Alerts lists the alerts of a session, oldest first.
	Alerts(ctx context.Context, sessionID string) ([]domain.Alert, error)
	// Cursor returns how far a source was read, or the zero cursor if it never was.
	Cursor(ctx context.Context, source string) (domain.IngestCursor, error)
	// Cursors lists all cursors by source.
	Cursors(ctx context.Context) ([]domain.IngestCursor, error)
}

// EventReader reads session logs. An event whose row or blob is damaged is returned
// with Damaged set and without payload.
type EventReader interface {
	// Events returns the events that match q, in the order of the log or, with
	// q.Backward, newest first. An unknown session has none.
	Events(ctx context.Context, q domain.EventQuery) ([]domain.Event, error)
	// EventsByDocument returns, by document number, the events behind these search
	// documents.
	EventsByDocument(ctx context.Context, ns []int64) (map[int64]domain.Event, error)
	// EventPlaces returns the places of the session's events that have one of the keys.
	EventPlaces(ctx context.Context, sessionID string, keys []domain.Key) (map[domain.Key]domain.EventPlace, error)
	// EventPlacesUnder does the same for all keys that begin with one of the prefixes.
	EventPlacesUnder(ctx context.Context, sessionID string, prefixes []domain.Key) (map[domain.Key]domain.EventPlace, error)
	// CountKeys counts the keys of the session that begin with each prefix.
	CountKeys(ctx context.Context, sessionID string, prefixes ...domain.Key) ([]int64, error)
}

// PointReader reads what points into session logs.
type PointReader interface {
	// StateSnapshot returns the latest snapshot, or a NotFound error.
	StateSnapshot(ctx context.Context, sessionID string) (domain.StateSnapshot, error)
	// Checkpoint returns one checkpoint, which may be a deleted one, or a NotFound
	// error.
	Checkpoint(ctx context.Context, id string) (domain.Checkpoint, error)
	// CheckpointIDsUnder returns at most limit ids that begin with prefix, in ascending
	// order, including those of deleted checkpoints.
	CheckpointIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// Checkpoints lists the checkpoints that match q.
	Checkpoints(ctx context.Context, q domain.CheckpointQuery) ([]domain.Checkpoint, error)
	// Handoff returns one hand-off, which may be an expired one, or a NotFound error.
	Handoff(ctx context.Context, id string) (domain.Handoff, error)
	// HandoffIDsUnder is CheckpointIDsUnder for hand-offs, including expired ones.
	HandoffIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// Handoffs lists the hand-offs that match q, without the texts of their messages.
	Handoffs(ctx context.Context, q domain.HandoffQuery) ([]domain.Handoff, error)
	// CachedContext returns the cached working context, or a NotFound error.
	CachedContext(ctx context.Context, sessionID string) (domain.CachedContext, error)
	// Firings lists the thresholds that have fired in a session, by epoch and threshold.
	Firings(ctx context.Context, sessionID string) ([]domain.ThresholdFiring, error)
}

// ProjectionReader reads what each append keeps up to date.
type ProjectionReader interface {
	// Turns returns a session's turns in order.
	Turns(ctx context.Context, sessionID string) ([]domain.Turn, error)
	// Ops returns the session's operations in the order in which they began. If ids is
	// not nil, only those are returned.
	Ops(ctx context.Context, sessionID string, ids []string) ([]domain.Op, error)
	// OpLogs returns the sequence numbers of the events that hold log lines, by
	// operation.
	OpLogs(ctx context.Context, sessionID string) (map[string][]int64, error)
	// Ledger returns the cost of the session's operations, without those of child
	// sessions, ordered by the event that last reported it.
	Ledger(ctx context.Context, sessionID string) ([]domain.LedgerEntry, error)
	// UsageSamples returns the newest limit samples, oldest first.
	UsageSamples(ctx context.Context, sessionID string, limit int) ([]domain.UsageSample, error)
	// CompletedSteps returns the completed steps with their sequence numbers, in order.
	CompletedSteps(ctx context.Context, sessionID string) ([]domain.CompletedStep, error)
}

// SessionKeeper changes sessions as a whole.
type SessionKeeper interface {
	// OpenSession stores a new session. A taken id, or a taken client session id, is a
	// Conflict error.
	OpenSession(ctx context.Context, s domain.Session) error
	// SaveSession stores everything about a session except its id and client ids.
	SaveSession(ctx context.Context, s domain.Session) error
	// PutAlert keeps an alert unless the session already has one of the same kind and
	// subject, and reports whether it was new.
	PutAlert(ctx context.Context, a domain.Alert) (bool, error)
	// PutCursor stores how far a source was read.
	PutCursor(ctx context.Context, c domain.IngestCursor) error
}

// EventWriter appends to session logs.
type EventWriter interface {
	// AppendEvents stores events whose Seq is set. If a sequence number, id or key is
	// taken, it returns a Conflict error and stores nothing.
	AppendEvents(ctx context.Context, events []domain.Event) error
	// PlaceEvent sets an event's position in its source, if the position or the id of
	// its source row was unknown and at provides it.
	PlaceEvent(ctx context.Context, sessionID string, seq int64, at domain.SourcePos) error
	// EraseEvents keeps each event's facts and the payload that bare returns for it. It
	// drops blobs that no other event uses and the events' search documents, and returns
	// how many events it erased.
	EraseEvents(ctx context.Context, q domain.EventQuery, bare func(domain.Event) []byte) (int64, error)
}

// PointWriter stores what points into session logs.
type PointWriter interface {
	// PutStateSnapshot stores the snapshot unless a later one exists.
	PutStateSnapshot(ctx context.Context, s domain.StateSnapshot) error
	// PutCheckpoint inserts a checkpoint or replaces the one with its id.
	PutCheckpoint(ctx context.Context, c domain.Checkpoint) error
	// DropCheckpoints deletes checkpoints permanently.
	DropCheckpoints(ctx context.Context, ids []string) error
	// PutCachedContext replaces a session's cached working context.
	PutCachedContext(ctx context.Context, c domain.CachedContext) error
	// PutFiring records that a threshold fired. It reports false if it had already
	// fired in that epoch.
	PutFiring(ctx context.Context, f domain.ThresholdFiring) (bool, error)
}

// HandoffWriter stores hand-offs.
type HandoffWriter interface {
	// PutHandoff inserts a hand-off or replaces the one with its id.
	PutHandoff(ctx context.Context, h domain.Handoff) error
	// DropHandoffs deletes the hand-offs that expired before the given time.
	DropHandoffs(ctx context.Context, before time.Time) error
}

// ProjectionWriter keeps projections up to date.
type ProjectionWriter interface {
	// PutTurns inserts turns or updates the ends of existing ones.
	PutTurns(ctx context.Context, turns []domain.Turn) error
	// PutOps inserts operations or replaces those with the same ids.
	PutOps(ctx context.Context, ops []domain.Op) error
	// PutOpLog records that an event holds log lines of an operation.
	PutOpLog(ctx context.Context, sessionID, opID string, seq int64) error
	// PutLedger inserts entries or replaces those of the same operations.
	PutLedger(ctx context.Context, entries []domain.LedgerEntry) error
	// PutUsageSamples stores samples; existing ones stay unchanged.
	PutUsageSamples(ctx context.Context, samples []domain.UsageSample) error
	// PutCompletedSteps records where steps were completed.
	PutCompletedSteps(ctx context.Context, sessionID string, steps []domain.CompletedStep) error
	// DropProjections removes what holds texts of a session's events (cached context,
	// snapshot, hand-offs, labels) and, if whole is set, also its checkpoints, turns,
	// steps and alerts. The ledger stays, without errors and commands.
	DropProjections(ctx context.Context, sessionID string, whole bool) error
}
