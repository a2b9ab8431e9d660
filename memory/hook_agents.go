package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
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
	agents, err := h.agents(ctx)
	if err != nil {
		return err
	}
	if len(agents) > 0 && h.req.Waiting != nil {
		h.req.Waiting()
	}
	most := agentsStop
	if h.hook.Moment == transcript.HookEnd {
		most = agentsEnd
	}
	began := time.Now()
	for _, f := range agents {
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

// agentsAt is how many sub-agents' transcripts one hook looks for by their names, and agentRows
// how many of a sub-agent's newest events may name it.
const (
	agentsAt  = 5
	agentRows = 20
)

// agents lists the transcripts of the session's sub-agents. Codex keeps them among all others
// and reports no end of a review, whose last answer comes after its hooks. Nothing is added to
// those that it has packed.
func (h *hooking) agents(ctx context.Context) ([]AgentFile, error) {
	if h.hook.Client != transcript.ClientCodex || h.req.AgentAt == nil {
		return h.req.Agents, nil
	}
	parent, there, err := h.session(ctx, h.hook.SessionID)
	if err != nil || !there {
		return nil, err
	}
	active, err := h.s.Store.Sessions(ctx, domain.SessionQuery{ParentID: parent.ID, Status: domain.SessionActive, Limit: agentsAt})
	if err != nil {
		return nil, err
	}
	var found []AgentFile
	for _, agent := range active {
		rows, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: agent.ID, Backward: true, Limit: agentRows, Light: true})
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(rows, func(e domain.Event) bool { return strings.HasSuffix(e.Source.Name, ".jsonl") })
		if at < 0 {
			continue
		}
		if f := h.req.AgentAt(rows[at].Source.Name); f != nil {
			found = append(found, *f)
		}
	}
	return found, nil
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
