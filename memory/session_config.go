package memory

import (
	"wake/domain"
	"wake/session"
)

// SessionConfig configures sessions. It may change while wake is running (000-11).
type SessionConfig struct {
	Enabled          bool             // whether checkpoints can be created
	Keep             int              // checkpoints kept of each class, default 5; 0 keeps all
	Auto             bool             // make checkpoints at thresholds
	AutoThreshold    float64          // default 0.85 of the limit
	SnapshotInterval int64            // events between state snapshots, default 100
	Limits           map[string]int64 // tokens at which clients compact, by client; they override what clients report and what was learned
}

// DefaultSessionConfig returns the seed's defaults: 5 checkpoints of each class are
// kept, and made automatically at 85 % of the limit (000-11).
func DefaultSessionConfig() SessionConfig {
	return SessionConfig{Enabled: true, Keep: domain.KeepCheckpoints, Auto: true, AutoThreshold: session.DefaultThreshold,
		SnapshotInterval: domain.SnapshotEvery}
}

// SessionConfig returns the current configuration of sessions.
func (s *Service) SessionConfig() SessionConfig {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if s.sessions.config == nil {
		return DefaultSessionConfig()
	}
	return *s.sessions.config
}

// SetSessionConfig changes the configuration of sessions, from the next call on. It
// returns an Invalid error for a value out of range.
func (s *Service) SetSessionConfig(c SessionConfig) error {
	switch {
	case c.Keep < 0:
		return domain.Invalid("sessions.keep is a number of checkpoints from 0 (all of them) up")
	case !(c.AutoThreshold > 0 && c.AutoThreshold <= 1):
		return domain.Invalid("sessions.threshold is a fraction of the limit above 0 and at most 1, such as 0.85")
	case c.SnapshotInterval < 1:
		return domain.Invalid("sessions.snapshot_every is a number of events from 1 up")
	}
	for client, limit := range c.Limits {
		if limit < 1 {
			return domain.Invalid("the limit of %s is a number of tokens from 1 up", client)
		}
	}
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	s.sessions.config = &c
	return nil
}

// window is how full a session's context window is, relative to the limit configured
// for its client, else to the reported or learned one.
func (c SessionConfig) window(s *domain.Session) domain.Window {
	w := s.Window()
	if limit := c.Limits[s.Client]; limit > 0 {
		w.Limit = limit
	}
	return w
}
