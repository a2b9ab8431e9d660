package memory

import (
	"context"
	"time"

	"wake/domain"
)

// agentsTime is how long one hook goes on to another sub-agent. What is left comes with a
// later one.
const agentsTime = 200 * time.Millisecond

// leftBehind takes in what sub-agents wrote of which no hook told. Claude Code reports no end
// of a sub-agent that a person interrupts, or that is at work when the session ends. The
// client need not wait for it where a server does.
func (h *hooking) leftBehind(ctx context.Context) error {
	if len(h.req.Agents) > 0 && h.req.Waiting != nil {
		h.req.Waiting()
	}
	until := time.Now().Add(agentsTime)
	for _, f := range h.req.Agents {
		held, err := h.holdsAgent(ctx, f)
		if err != nil {
			return err
		}
		if !held {
			h.takeAgent(ctx, f)
		}
		if time.Now().After(until) {
			return nil
		}
	}
	return nil
}

// holdsAgent reports whether the end of a sub-agent was told, and nothing was written since.
func (h *hooking) holdsAgent(ctx context.Context, f AgentFile) (bool, error) {
	agent, there, err := h.session(ctx, f.SessionID)
	return there && agent.Status != domain.SessionActive && !f.Changed.After(agent.UpdatedAt), err
}

func (h *hooking) takeAgent(ctx context.Context, f AgentFile) {
	src := f.Open()
	if src == nil {
		return
	}
	defer src.Close()
	if _, err := h.take(ctx, f.Name, src); err != nil {
		h.s.Log.Warn("a sub-agent's transcript is read later", "error", err)
	}
}
