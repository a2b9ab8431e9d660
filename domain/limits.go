package domain

import "time"

// Limits of what wake accepts. Errors name the limit.
const (
	MaxContent  = 1 << 20        // bytes of a context's content
	MaxQuery    = 8 << 10        // bytes of a search query; only the first 8 KB of a longer one are used
	MaxPayload  = 16 << 20       // bytes of an event's payload
	MaxMessage  = 32 << 20       // bytes of one MCP message
	MaxName     = 200            // characters of a project name or tag
	MaxID       = 500            // bytes of an id or name given by a client
	MaxTags     = 64             // tags of a context
	MaxSummary  = 2000           // characters of a summary given by a caller
	MaxLead     = 24 * time.Hour // how far a time may be ahead of the clock
	MaxList     = 100            // items of one list answer
	DefaultList = 10
)

// Limits and defaults of sessions.
const (
	MaxBatch        = 1000                // events of one append
	MaxManifest     = 10 << 10            // bytes of a checkpoint's manifest
	SnapshotEvery   = 100                 // events between state snapshots (003-02)
	SnapshotWarning = 100 << 10           // bytes of a state snapshot from which a warning is logged (003-12)
	KeepCheckpoints = 5                   // of each class in a session (000-09)
	EmergencyGrace  = 24 * time.Hour      // age below which emergency checkpoints are not counted
	HandoffMessages = 5                   // messages in a hand-off (000-15)
	HandoffTTL      = time.Hour           // 000-16
	ImportantTTL    = 7 * 24 * time.Hour  // of an important hand-off
	HandoffCache    = 10                  // hand-offs kept in memory (000-16)
	UndoWindow      = 30 * 24 * time.Hour // how long forgetting can be undone
)
