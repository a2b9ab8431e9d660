package memory

import (
	"context"
	"io"
	"strings"
	"time"

	"wake/domain"
)

// How long the hook at the end of a turn waits for the transcript, and how often it
// looks. Claude Code starts the hook some 50 ms before it writes the reply.
const (
	replyWait = 250 * time.Millisecond
	replyLook = 25 * time.Millisecond
)

// awaitReply reads a session's transcript again until it has the reply that the client
// reports. Otherwise the reply would be missing until the next hook, which may never come,
// and never does for a sub-agent. The client need not wait for it where a server does.
func (h *hooking) awaitReply(ctx context.Context, clientID, name string, src io.ReadSeeker) error {
	if src == nil || h.hook.Reply == "" || h.req.Again {
		return nil
	}
	for until := time.Now().Add(replyWait); ; {
		if held, err := h.holdsReply(ctx, clientID); held || err != nil || time.Now().After(until) {
			return err
		}
		if h.req.Waiting != nil {
			h.req.Waiting()
		}
		time.Sleep(replyLook)
		if _, err := src.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := h.take(ctx, name, src); err != nil {
			return err
		}
	}
}

// holdsReply reports whether a session's newest message is the reply, or the last block
// of it.
func (h *hooking) holdsReply(ctx context.Context, clientID string) (bool, error) {
	known, there, err := h.session(ctx, clientID)
	if err != nil || !there {
		return false, err
	}
	newest, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: known.ID, Types: []domain.EventType{domain.EventMessage}, Backward: true, Limit: 1})
	if err != nil || len(newest) == 0 {
		return false, err
	}
	m, err := newest[0].Message()
	said := strings.TrimSpace(m.Content)
	return m.Role == domain.RoleAssistant && said != "" && strings.HasSuffix(strings.TrimSpace(h.hook.Reply), said), err
}
