package memory

import (
	"fmt"
	"sync"

	"wake/session"
)

// sessionHub is what a service holds in memory about sessions: settings, callbacks,
// sinks and recently used hand-offs. All of it may be lost at a restart.
type sessionHub struct {
	mu        sync.Mutex
	config    *SessionConfig // nil means the defaults
	callbacks map[*thresholdCallback]bool
	sinks     map[*sink]bool
	handoffs  session.HandoffCache
	measured  map[string]SnapshotFigures // by session: the last measured speed-ups of replay
}

// guard runs foreign code and logs its errors and panics.
func (s *Service) guard(what string, fn func() error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Warn(what+" panicked", "panic", fmt.Sprint(p))
		}
	}()
	if err := fn(); err != nil {
		s.Log.Warn(what+" failed", "error", err)
	}
}
