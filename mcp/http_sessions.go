package mcp

import (
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// maxTerminated is how many ended transport sessions are remembered as such.
const maxTerminated = 4096

// httpSessions hands out the transport's session ids. It takes any id of the
// right form, so that clients outlive a restart of the server, but those that
// their client has ended.
type httpSessions struct {
	server.StatelessGeneratingSessionIdManager
	connections *connections

	mu    sync.Mutex
	ended map[string]bool
	order []string // oldest first
}

// Validate reports whether a client has ended the session, and an error where the
// id is none of ours.
func (h *httpSessions) Validate(id string) (terminated bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended[id] {
		return true, nil
	}
	return h.StatelessGeneratingSessionIdManager.Validate(id)
}

// Terminate ends a session, as its client asks.
func (h *httpSessions) Terminate(id string) (notAllowed bool, err error) {
	if _, err := h.StatelessGeneratingSessionIdManager.Validate(id); err != nil {
		return false, err
	}
	h.connections.drop(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended == nil {
		h.ended = map[string]bool{}
	}
	if h.ended[id] {
		return false, nil
	}
	if len(h.order) >= maxTerminated {
		delete(h.ended, h.order[0])
		h.order = h.order[1:]
	}
	h.ended[id], h.order = true, append(h.order, id)
	return false, nil
}
