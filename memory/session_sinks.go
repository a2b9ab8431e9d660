package memory

import (
	"context"
	"time"

	"wake/domain"
)

// SessionSink receives data about sessions as they run (001-15), in programs that run a
// Service themselves; wake adds none. Either function may be nil. Its errors and panics
// are logged and have no effect on the session.
type SessionSink struct {
	Snapshot   func(SessionSnapshotPayload) error // when a child session finishes and when a session ends
	Accounting func(AccountingFlush) error        // the ledger when the session ends, unless it is empty
}

// SessionSnapshotPayload is what sinks get when a child session finishes and when a
// session ends (001-01).
type SessionSnapshotPayload struct {
	Reason    string             `json:"reason"` // subagent_finish or final
	SessionID string             `json:"session_id"`
	OriginID  string             `json:"origin_id"`
	Timestamp time.Time          `json:"timestamp"`
	Version   int                `json:"version"`
	Tree      domain.SessionNode `json:"op_tree"`
}

// AccountingFlush is the ledger of a session, delivered once when it ends (001-02).
type AccountingFlush struct {
	SessionID string               `json:"session_id"`
	OriginID  string               `json:"origin_id"`
	Timestamp time.Time            `json:"timestamp"`
	Entries   []domain.LedgerEntry `json:"entries"`
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
		h.sinks = map[*sink]bool{}
	}
	h.sinks[k] = true
	return func() { s.removeSink(k) }
}

func (s *Service) removeSink(k *sink) {
	h := &s.sessions
	h.mu.Lock()
	there := h.sinks[k]
	if there {
		delete(h.sinks, k)
		close(k.queue) // under the lock, like sends
	}
	h.mu.Unlock()
	if !there {
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
	for k := range s.sessions.sinks {
		select {
		case k.queue <- func() { s.guard(what, func() error { return give(k.SessionSink) }) }:
		default:
			s.Log.Warn("a session sink is too slow; a payload was dropped", "what", what, "session", sessionID)
		}
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
