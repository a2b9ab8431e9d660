package mcp

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Limits of what is kept about the transport's sessions. Most clients leave without
// notice.
const (
	maxEnded    = 4096             // ended sessions that are remembered
	sessionIdle = 10 * time.Minute // without request or open stream, after which the library's 10 KB are dropped
)

// httpSessions manages the transport's session ids. It accepts any id of the right
// form, so that clients survive a restart of the server and long silence, except ids
// of sessions that their clients have ended.
type httpSessions struct {
	server.StatelessGeneratingSessionIdManager
	connections *connections
	again       func(context.Context) // a client that watches resources speaks again

	mu    sync.Mutex
	ended []string // oldest first
}

// Validate reports whether a client has ended the session. It returns an error if the
// id does not have our form.
func (h *httpSessions) Validate(id string) (terminated bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.ended, id) {
		return true, nil
	}
	return h.StatelessGeneratingSessionIdManager.Validate(id)
}

// Terminate lets the library drop what it keeps of a session that was ended or is idle.
// The connection of an idle one stays, because its client may continue; but until then,
// the store is not looked at for it.
func (h *httpSessions) Terminate(id string) (notAllowed bool, err error) {
	h.connections.silence(id, true)
	return id == "", nil
}

// endByClient answers requests to end, or listen to, a session that does not exist or
// has ended, which the library does not refuse. It remembers the sessions that clients
// end.
func (h *httpSessions) endByClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(server.HeaderKeySessionID)
		if id != "" && r.Method != http.MethodPost {
			if ended, err := h.Validate(id); ended || err != nil {
				http.Error(w, "there is no such session; begin one with initialize", http.StatusNotFound)
				return
			}
			if r.Method == http.MethodDelete {
				h.end(id)
			}
		}
		if id != "" && h.connections.silence(id, false) {
			h.again(r.Context())
		}
		next.ServeHTTP(w, r)
	})
}

func (h *httpSessions) end(id string) {
	h.connections.drop(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ended) >= maxEnded {
		h.ended = h.ended[1:]
	}
	h.ended = append(h.ended, id)
}
