package main

import (
	"wake/domain"
	"wake/memory"
)

// sessionSettings configure sessions. Only the file sets them; unset ones keep their
// defaults.
type sessionSettings struct {
	Checkpoints   string           `json:"checkpoints,omitempty"`    // auto, manual (none at thresholds) or off
	Keep          *int             `json:"keep,omitempty"`           // checkpoints kept of each class; 0 keeps all
	Threshold     *float64         `json:"threshold,omitempty"`      // fraction of the limit at which a checkpoint is made
	SnapshotEvery *int64           `json:"snapshot_every,omitempty"` // events between state snapshots
	Limits        map[string]int64 `json:"limits,omitempty"`         // tokens at which clients compact, by client
}

// config converts the settings for the service.
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

// override sets a value if one is given.
func override[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}
