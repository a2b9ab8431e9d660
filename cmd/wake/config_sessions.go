package main

import (
	"wake/domain"
	"wake/memory"
)

// sessionSettings are how sessions are kept. Only the file sets them; what it
// leaves out keeps its default.
type sessionSettings struct {
	Checkpoints   string           `json:"checkpoints,omitempty"`    // auto, manual (none at thresholds) or off
	Keep          *int             `json:"keep,omitempty"`           // checkpoints of each class; 0 keeps all
	Threshold     *float64         `json:"threshold,omitempty"`      // of the limit, at which a checkpoint is made
	SnapshotEvery *int64           `json:"snapshot_every,omitempty"` // events between state snapshots
	Limits        map[string]int64 `json:"limits,omitempty"`         // tokens at which a client compacts, by its name
}

// config turns them into what the memory goes by.
func (s sessionSettings) config() (memory.SessionConfig, error) {
	c := memory.DefaultSessionConfig()
	switch s.Checkpoints {
	case "", "auto":
	case "manual":
		c.Auto = false
	case off:
		c.Enabled = false
	default:
		return c, domain.Invalid("sessions.checkpoints is %q; use auto, manual or off", s.Checkpoints)
	}
	override(&c.Keep, s.Keep)
	override(&c.AutoThreshold, s.Threshold)
	override(&c.SnapshotInterval, s.SnapshotEvery)
	c.Limits = s.Limits
	return c, nil
}

// override takes over a value that is given.
func override[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}
