package memory

import (
	"context"
	"time"

	"wake/transcript"
)

// How long one hook goes on to another sub-agent, and how long it reads their transcripts at
// all: at the end of the session the client waits for less than a second. What is left comes
// with a later hook, which goes on where this one stopped.
const (
	agentsTime = 200 * time.Millisecond
	agentsEnd  = 300 * time.Millisecond
	agentsStop = 2 * time.Second
)

// leftBehind takes in what sub-agents wrote of which no hook told. Claude Code reports no end
// of a sub-agent that a person interrupts, or that is at work when the session ends. The
// client need not wait for it where a server does.
func (h *hooking) leftBehind(ctx context.Context) error {
	if len(h.req.Agents) > 0 && h.req.Waiting != nil {
		h.req.Waiting()
	}
	most := agentsStop
	if h.hook.Moment == transcript.HookEnd {
		most = agentsEnd
	}
	began := time.Now()
	for _, f := range h.req.Agents {
		read, err := h.isRead(ctx, f)
		if err != nil {
			return err
		}
		if !read {
			h.takeAgent(ctx, f, began.Add(most))
		}
		if time.Since(began) > agentsTime {
			return nil
		}
	}
	return nil
}

// isRead reports whether a sub-agent's transcript was read to its end.
func (h *hooking) isRead(ctx context.Context, f AgentFile) (bool, error) {
	cursor, err := h.s.Store.Cursor(ctx, cursorOf(h.format(), f.Name))
	return err == nil && cursor.Offset == f.Size, err
}

func (h *hooking) takeAgent(ctx context.Context, f AgentFile, until time.Time) {
	src := f.Open()
	if src == nil {
		return
	}
	defer src.Close()
	ctx, stop := context.WithDeadline(ctx, until)
	defer stop()
	if _, err := h.take(ctx, f.Name, src); err != nil {
		h.s.Log.Info("a sub-agent's transcript is read later", "error", err)
	}
}
