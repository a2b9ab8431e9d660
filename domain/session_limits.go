package domain

import "time"

// Limits and defaults of sessions.
const (
	MaxBatch        = 1000                // events of one append
	MaxManifest     = 10 << 10            // bytes of a checkpoint's manifest
	SnapshotEvery   = 100                 // events between state snapshots (003-02)
	SnapshotWarning = 100 << 10           // bytes from which a state snapshot is worth a warning (003-12)
	KeepCheckpoints = 5                   // of each class in a session (000-09)
	EmergencyGrace  = 24 * time.Hour      // emergencies younger than this are outside the count
	HandoffMessages = 5                   // messages in a hand-off (000-15)
	HandoffTTL      = time.Hour           // 000-16
	ImportantTTL    = 7 * 24 * time.Hour  // of an important hand-off
	HandoffCache    = 10                  // hand-offs kept in memory (000-16)
	UndoWindow      = 30 * 24 * time.Hour // in which what was forgotten can be brought back
)
