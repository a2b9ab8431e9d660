package repository

import (
	"context"
	"time"

	"wake/domain"
)

// SessionReader finds sessions and what is projected from their events.
type SessionReader interface {
	SessionFinder
	EventReader
	PointReader
	ProjectionReader
}

// SessionWriter changes sessions. What a transaction reads before it writes stays
// true to its end, because there is one writer at a time.
type SessionWriter interface {
	SessionKeeper
	EventWriter
	PointWriter
	HandoffWriter
	ProjectionWriter
}

// SessionFinder finds sessions.
type SessionFinder interface {
	// Session returns one session, a forgotten one too, or a NotFound error.
	Session(ctx context.Context, id string) (domain.Session, error)
	// SessionIDsUnder returns at most limit ids that begin with prefix, rising, forgotten
	// sessions included.
	SessionIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// SessionByClient returns the session with the client's own id, or NotFound.
	SessionByClient(ctx context.Context, client, clientSessionID string) (domain.Session, error)
	// Sessions lists what q asks for.
	Sessions(ctx context.Context, q domain.SessionQuery) ([]domain.Session, error)
	// Alerts lists the alerts of a session, the oldest first.
	Alerts(ctx context.Context, sessionID string) ([]domain.Alert, error)
	// Cursor tells how far a source was read; the zero cursor when it never was.
	Cursor(ctx context.Context, source string) (domain.IngestCursor, error)
}

// EventReader reads logs. An event whose row or blob is damaged is returned with
// Damaged set and without payload.
type EventReader interface {
	// Events returns what q asks for, in the order of the log or, backward, the newest
	// first. An unknown session has none.
	Events(ctx context.Context, q domain.EventQuery) ([]domain.Event, error)
	// EventsByDocument returns the events that the search documents with these numbers
	// were made of, by the documents' numbers.
	EventsByDocument(ctx context.Context, ns []int64) (map[int64]domain.Event, error)
	// EventPlaces returns the places of events by key, of those keys that the
	// session holds.
	EventPlaces(ctx context.Context, sessionID string, keys []domain.Key) (map[domain.Key]domain.EventPlace, error)
	// EventPlacesUnder returns the same for all keys that begin with one of the
	// prefixes.
	EventPlacesUnder(ctx context.Context, sessionID string, prefixes []domain.Key) (map[domain.Key]domain.EventPlace, error)
	// CountKeys counts the keys of the session that begin with prefix.
	CountKeys(ctx context.Context, sessionID string, prefix domain.Key) (int64, error)
}

// PointReader finds what points into logs.
type PointReader interface {
	// StateSnapshot returns the latest one, or NotFound.
	StateSnapshot(ctx context.Context, sessionID string) (domain.StateSnapshot, error)
	// Checkpoint returns one, a deleted one too, or NotFound.
	Checkpoint(ctx context.Context, id string) (domain.Checkpoint, error)
	// CheckpointIDsUnder returns, rising, at most limit ids that begin with prefix, of
	// deleted ones too.
	CheckpointIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// Checkpoints lists what q asks for.
	Checkpoints(ctx context.Context, q domain.CheckpointQuery) ([]domain.Checkpoint, error)
	// Handoff returns one, an expired one too, or NotFound.
	Handoff(ctx context.Context, id string) (domain.Handoff, error)
	// HandoffIDsUnder does for hand-offs, expired ones too, what CheckpointIDsUnder does.
	HandoffIDsUnder(ctx context.Context, prefix string, limit int) ([]string, error)
	// Handoffs lists what q asks for, without the texts of their messages.
	Handoffs(ctx context.Context, q domain.HandoffQuery) ([]domain.Handoff, error)
	// CachedContext returns the cached working context, or NotFound.
	CachedContext(ctx context.Context, sessionID string) (domain.CachedContext, error)
	// Firings lists the thresholds that fired in a session, by epoch and threshold.
	Firings(ctx context.Context, sessionID string) ([]domain.ThresholdFiring, error)
}

// ProjectionReader reads what is kept up to date with each append.
type ProjectionReader interface {
	// Turns returns a session's turns in their order.
	Turns(ctx context.Context, sessionID string) ([]domain.Turn, error)
	// Ops returns the session's operations in the order in which they began; of
	// ids only those, when ids is not nil.
	Ops(ctx context.Context, sessionID string, ids []string) ([]domain.Op, error)
	// OpLogs returns the events that hold log lines, by operation.
	OpLogs(ctx context.Context, sessionID string) (map[string][]int64, error)
	// Ledger returns what the session's operations cost, without its children's, by
	// the event that told it last.
	Ledger(ctx context.Context, sessionID string) ([]domain.LedgerEntry, error)
	// UsageSamples returns the newest limit samples, oldest first.
	UsageSamples(ctx context.Context, sessionID string, limit int) ([]domain.UsageSample, error)
	// CompletedSteps returns places and ids of completed steps, in their order.
	CompletedSteps(ctx context.Context, sessionID string) ([]domain.CompletedStep, error)
}

// SessionKeeper changes sessions as a whole.
type SessionKeeper interface {
	// OpenSession stores a new session. A taken id, or a taken id of the client,
	// is a Conflict error.
	OpenSession(ctx context.Context, s domain.Session) error
	// SaveSession writes everything about a session but id and client ids.
	SaveSession(ctx context.Context, s domain.Session) error
	// PutAlert keeps an alert unless one of the same session, kind and subject is
	// there; it reports whether it is new.
	PutAlert(ctx context.Context, a domain.Alert) (bool, error)
	// PutCursor remembers how far a source was read.
	PutCursor(ctx context.Context, c domain.IngestCursor) error
}

// EventWriter appends to logs.
type EventWriter interface {
	// AppendEvents stores events whose Seq is given. A taken place, id or key is a
	// Conflict error, and nothing is stored.
	AppendEvents(ctx context.Context, events []domain.Event) error
	// PlaceEvent sets where an event stands in its source, if that was not known, or
	// not the id of its row, and at has one.
	PlaceEvent(ctx context.Context, sessionID string, seq int64, at domain.SourcePos) error
	// EraseEvents keeps of each event its facts and the payload that bare returns
	// for it. It drops blobs that no other event uses, and what the search index
	// holds of the events. It returns how many it erased.
	EraseEvents(ctx context.Context, q domain.EventQuery, bare func(domain.Event) []byte) (int64, error)
}

// PointWriter keeps what points into logs.
type PointWriter interface {
	// PutStateSnapshot keeps the snapshot as the latest one, unless a later one is
	// there.
	PutStateSnapshot(ctx context.Context, s domain.StateSnapshot) error
	// PutCheckpoint inserts a checkpoint, or replaces the one with its id.
	PutCheckpoint(ctx context.Context, c domain.Checkpoint) error
	// DropCheckpoints removes checkpoints for good.
	DropCheckpoints(ctx context.Context, ids []string) error
	// PutCachedContext replaces a session's cached working context.
	PutCachedContext(ctx context.Context, c domain.CachedContext) error
	// PutFiring records that a threshold fired. It reports false if it had already
	// fired in that epoch.
	PutFiring(ctx context.Context, f domain.ThresholdFiring) (bool, error)
}

// HandoffWriter keeps hand-offs.
type HandoffWriter interface {
	// PutHandoff inserts a hand-off, or replaces the one with its id.
	PutHandoff(ctx context.Context, h domain.Handoff) error
	// DropHandoffs removes hand-offs that expired before the given time.
	DropHandoffs(ctx context.Context, before time.Time) error
}

// ProjectionWriter keeps projections up to date.
type ProjectionWriter interface {
	// PutTurns inserts turns, or moves the ends of those that are there.
	PutTurns(ctx context.Context, turns []domain.Turn) error
	// PutOps inserts operations, or replaces those with their ids.
	PutOps(ctx context.Context, ops []domain.Op) error
	// PutOpLog notes that an event holds log lines of an operation.
	PutOpLog(ctx context.Context, sessionID, opID string, seq int64) error
	// PutLedger inserts entries, or replaces those of their operations.
	PutLedger(ctx context.Context, entries []domain.LedgerEntry) error
	// PutUsageSamples keeps samples; one that is there stays.
	PutUsageSamples(ctx context.Context, samples []domain.UsageSample) error
	// PutCompletedSteps notes where steps were completed.
	PutCompletedSteps(ctx context.Context, sessionID string, steps []domain.CompletedStep) error
	// DropProjections removes what holds texts of a session's events (cached
	// context, snapshot, hand-offs, labels) and, if whole is set, also its
	// checkpoints, turns, steps and alerts. The ledger stays, without errors and
	// commands.
	DropProjections(ctx context.Context, sessionID string, whole bool) error
}
