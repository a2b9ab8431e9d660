package mcp

import (
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Limits of what is kept of the transport's sessions. Most clients leave without a word.
const (
	maxEnded    = 4096           // ended sessions that are remembered as such
	sessionIdle = 12 * time.Hour // without a request or an open stream, then nothing is kept
)

// httpSessions hands out the transport's session ids. It takes any id of the
// right form, so that clients outlive a restart of the server and long silence, but
// those that their client has ended.
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

// Terminate forgets what is kept of a session that was ended or fell silent.
func (h *httpSessions) Terminate(id string) (notAllowed bool, err error) {
	h.connections.drop(id)
	return id == "", nil
}

// endByClient answers for the library where a client would end, or listen to, a session
// that is none or was ended, and remembers those that clients end.
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
		next.ServeHTTP(w, r)
	})
}

func (h *httpSessions) end(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended == nil {
		h.ended = map[string]bool{}
	}
	if len(h.order) >= maxEnded {
		delete(h.ended, h.order[0])
		h.order = h.order[1:]
	}
	h.ended[id], h.order = true, append(h.order, id)
}
