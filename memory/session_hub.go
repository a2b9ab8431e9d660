package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"wake/domain"
	"wake/session"
)

// sessionHub is what a service holds in memory about sessions: settings, callbacks,
// sinks and recently used hand-offs. All of it may be lost at a restart.
type sessionHub struct {
	mu        sync.Mutex
	config    *SessionConfig // nil means the defaults
	next      int
	callbacks map[int]thresholdCallback
	sinks     map[int]*sink
	handoffs  session.HandoffCache
	measured  map[string]SnapshotFigures // by session: the last measured speed-ups of replay
}

type thresholdCallback struct {
	threshold float64
	call      func(domain.ThresholdFiring)
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

// SetSessionConfig changes the configuration of sessions, from the next call on.
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

// OnThreshold registers fn to be called when a session reaches the fraction of its
// limit, once per epoch (000-10). Several callbacks may have the same fraction;
// fractions that differ by at most 0.0001 are one threshold. The returned function
// unregisters fn. A panic of fn is logged and has no other effect. It is for programs
// that run a Service themselves: the thresholds of wake's own checkpoints need no
// callback.
func (s *Service) OnThreshold(fraction float64, fn func(domain.ThresholdFiring)) func() {
	h := &s.sessions
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.callbacks == nil {
		h.callbacks = map[int]thresholdCallback{}
	}
	h.next++
	id := h.next
	h.callbacks[id] = thresholdCallback{fraction, fn}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.callbacks, id)
	}
}

// builtIn lists the thresholds that make checkpoints.
func (c SessionConfig) builtIn() []float64 {
	return []float64{c.AutoThreshold, session.WarningThreshold, session.EmergencyThreshold}
}

// thresholds lists the built-in thresholds and those of callbacks.
func (s *Service) thresholds(c SessionConfig) []float64 {
	list := c.builtIn()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	for _, cb := range s.sessions.callbacks {
		list = append(list, cb.threshold)
	}
	return session.Thresholds(list)
}

// fire calls the callbacks of the thresholds that fired.
func (s *Service) fire(firings []domain.ThresholdFiring) {
	for _, f := range firings {
		s.sessions.mu.Lock()
		var calls []func(domain.ThresholdFiring)
		for _, cb := range s.sessions.callbacks {
			if session.SameThreshold(cb.threshold, f.Threshold) {
				calls = append(calls, cb.call)
			}
		}
		s.sessions.mu.Unlock()
		for _, call := range calls {
			s.guard("threshold callback", func() error { call(f); return nil })
		}
	}
}

// SessionSink receives data about sessions as they run (001-15), in programs that run a
// Service themselves; wake adds none. Either function may be nil. Its errors and panics
// are logged and have no effect on the session.
type SessionSink struct {
	Snapshot   func(SessionSnapshotPayload) error // when a child session finishes and when a session ends
	Accounting func(AccountingFlush) error        // the ledger when the session ends, unless it is empty
}

// sink is a SessionSink with a queue, so that a slow one delays nobody.
type sink struct {
	SessionSink
	queue chan func()
	done  chan struct{}
}

// sinkQueue is the capacity of a sink's queue. What does not fit is dropped and
// logged.
const sinkQueue = 256

// AddSink adds a sink. The returned function removes it, after its queue is delivered
// or two seconds have passed.
func (s *Service) AddSink(out SessionSink) func() {
	h := &s.sessions
	k := &sink{SessionSink: out, queue: make(chan func(), sinkQueue), done: make(chan struct{})}
	go func() {
		defer close(k.done)
		for deliver := range k.queue {
			deliver()
		}
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sinks == nil {
		h.sinks = map[int]*sink{}
	}
	h.next++
	id := h.next
	h.sinks[id] = k
	return func() { s.removeSink(id) }
}

func (s *Service) removeSink(id int) {
	h := &s.sessions
	h.mu.Lock()
	k, ok := h.sinks[id]
	delete(h.sinks, id)
	if ok {
		close(k.queue) // under the lock, like sends
	}
	h.mu.Unlock()
	if !ok {
		return
	}
	select {
	case <-k.done:
	case <-time.After(2 * time.Second):
		s.Log.Warn("a session sink did not take what was waiting for it")
	}
}

// hasSinks reports whether there are sinks.
func (s *Service) hasSinks() bool {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	return len(s.sessions.sinks) > 0
}

// deliver queues a payload for every sink.
func (s *Service) deliver(what, sessionID string, give func(SessionSink) error) {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	for _, k := range s.sessions.sinks {
		select {
		case k.queue <- func() { s.guard(what, func() error { return give(k.SessionSink) }) }:
		default:
			s.Log.Warn("a session sink is too slow; a payload was dropped", "what", what, "session", sessionID)
		}
	}
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

// giveOut delivers the final tree and the ledger of an ended session to the sinks, and
// its parent's tree as well (001-03, 001-04, 001-16).
func (s *Service) giveOut(ctx context.Context, ended domain.Session) {
	if !s.hasSinks() {
		return
	}
	s.guard("final snapshot", func() error { return s.giveTree(ctx, ended, "final") })
	s.guard("accounting flush", func() error {
		entries, err := s.Store.Ledger(ctx, ended.ID)
		if err != nil || len(entries) == 0 {
			return err
		}
		flush := AccountingFlush{SessionID: ended.ID, OriginID: ended.OriginID, Timestamp: s.now(), Entries: entries}
		s.deliver("accounting sink", ended.ID, func(k SessionSink) error {
			if k.Accounting == nil {
				return nil
			}
			return k.Accounting(flush)
		})
		return nil
	})
	if ended.ParentID == "" {
		return
	}
	s.guard("sub-agent snapshot", func() error {
		parent, err := s.Store.Session(ctx, ended.ParentID)
		if err != nil {
			return err
		}
		return s.giveTree(ctx, parent, "subagent_finish")
	})
}

// treeVersion is the version of the trees that sinks receive (001-01).
const treeVersion = 1

// giveTree delivers the tree of a session to the sinks. reason is one of
// [SessionSnapshotPayload].
func (s *Service) giveTree(ctx context.Context, of domain.Session, reason string) error {
	tree, err := s.tree(ctx, of, true, 0)
	if err != nil {
		return err
	}
	p := SessionSnapshotPayload{Reason: reason, SessionID: of.ID, OriginID: of.OriginID, Timestamp: s.now(), Version: treeVersion, Tree: tree}
	s.Log.Debug("session snapshot", "reason", reason, "session", of.ID, "origin", of.OriginID, "bytes", of.Bytes)
	s.deliver("snapshot sink", of.ID, func(k SessionSink) error {
		if k.Snapshot == nil {
			return nil
		}
		return k.Snapshot(p)
	})
	return nil
}
