package mcp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"wake/memory"
)

// How often the store is looked at for what other processes changed.
const (
	watchInterval = 2 * time.Second  // while a client watches a resource
	listInterval  = 30 * time.Second // while one has only listed the resources
)

// others sees the changes that other processes make: another window's server, hooks,
// commands. It looks only while a client waits for changes.
type others struct {
	begun chan struct{} // tells [Server.Run] that a client waits

	mu    sync.Mutex
	watch *memory.Watch // nil while nobody waits
}

// begin watches the store from now on.
func (o *others) begin(ctx context.Context, service *memory.Service, log *slog.Logger) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.watch == nil {
		w, err := service.Watch(ctx)
		if err != nil {
			log.Warn("changes by other processes are not announced", "error", err)
			return
		}
		o.watch = w
	}
	select {
	case o.begun <- struct{}{}:
	default:
	}
}

// look returns what has changed since the last look.
func (o *others) look(ctx context.Context, log *slog.Logger) []memory.Change {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.watch == nil {
		return nil
	}
	changes, err := o.watch.Look(ctx)
	if err != nil && ctx.Err() == nil {
		log.Debug("the store was not looked at", "error", err)
	}
	return changes
}

// endUnless forgets what was seen, unless somebody waits for changes.
func (o *others) endUnless(waited func() bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !waited() {
		o.watch = nil
	}
}

// watched reports whether a client watches a resource.
func (s *Server) watched() bool { return s.connections.anyWatched() || s.streams.any() }

// nextLook is when to look at the store again; never while nobody waits for changes.
func (s *Server) nextLook() <-chan time.Time {
	switch {
	case s.watched():
		return time.After(watchInterval)
	case s.listed.any():
		return time.After(listInterval)
	}
	s.others.endUnless(func() bool { return s.watched() || s.listed.any() })
	return nil
}
