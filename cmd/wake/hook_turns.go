package main

import (
	"context"
	"sync"

	"wake/transcript"
)

// turns lets a server handle the hooks of one session one after the other, in the order in
// which they came. A client waits for each of its hooks, but one that it kills goes on in
// the server, and the log has to keep the order in which the person spoke.
type turns struct {
	mu   sync.Mutex                    // guards last
	last map[sessionTurn]chan struct{} // of the hook that came last; closed when it has passed
}

// sessionTurn is a client's session.
type sessionTurn struct{ client, id string }

// wait waits for the hooks of the session that came before. pass, which may be called
// again, lets the next one begin.
func (t *turns) wait(ctx context.Context, h transcript.Hook) (pass func(), err error) {
	whose, mine := sessionTurn{h.Client, h.SessionID}, make(chan struct{})
	t.mu.Lock()
	before, busy := t.last[whose]
	if t.last == nil {
		t.last = map[sessionTurn]chan struct{}{}
	}
	t.last[whose] = mine
	t.mu.Unlock()
	pass = sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.last[whose] == mine {
			delete(t.last, whose)
		}
		close(mine)
	})
	if !busy {
		return pass, nil
	}
	select {
	case <-before:
		return pass, nil
	case <-ctx.Done():
		return pass, ctx.Err()
	}
}
