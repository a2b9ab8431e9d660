package memory

import (
	"cmp"
	"context"

	"wake/domain"
	"wake/repository"
)

// Up to how many events a session has that is distilled while its client waits. Longer
// ones are left to a server's periodic work. A compaction takes the client long anyway.
const (
	distilAtEnd        = 1_000
	distilAtCompaction = 10_000
)

// end records the end of the session and distils it unless it is long. Claude Code also
// reports an end where nothing began, such as that of claude mcp list.
func (h *hooking) end(ctx context.Context) error {
	known, there, err := h.session(ctx, h.hook.SessionID)
	if err != nil || !there {
		return err
	}
	if h.awaitsHistory(known) {
		if err := h.release(ctx, known.ID); err != nil {
			return err
		}
	}
	if h.id = known.ID; known.Status == domain.SessionEnded { // Gemini CLI reports its end several times
		return nil
	}
	if err := h.append(ctx, "", domain.End{}); err != nil {
		return err
	}
	return h.distil(ctx, distilAtEnd, false)
}

// distil distils the session, unless it has more than most events.
func (h *hooking) distil(ctx context.Context, most int64, midTurn bool) error {
	if h.s.NoDistil {
		return nil
	}
	now, err := h.s.Store.Session(ctx, h.id)
	if err != nil || now.LastSeq > most {
		return err
	}
	if _, err := h.s.distil(ctx, now, distilling{safe: repository.Durable, midTurn: midTurn}); err != nil {
		h.s.Log.Info("the session is distilled later", "error", err)
	}
	return nil
}

// stopped takes in the reply at the end of a turn. A transcript has more than the reply.
func (h *hooking) stopped(ctx context.Context) error {
	switch {
	case h.transcribed():
		if err := h.awaitReply(ctx, h.hook.SessionID, h.hook.TranscriptPath, h.req.Transcript); err != nil {
			return UnreadError{err} // one hook in the spool is enough, however many turns end
		}
		return nil
	case h.hook.Reply == "":
		return nil
	}
	return h.append(ctx, "", domain.Message{Role: domain.RoleAssistant, Content: h.hook.Reply, Model: h.hook.Model})
}

// agentStopped ends the session of a sub-agent, if that is known. If the agent is
// called again, its session goes on.
func (h *hooking) agentStopped(ctx context.Context) error {
	if h.hook.AgentID == "" {
		return nil
	}
	if err := h.awaitReply(ctx, h.hook.AgentSession(), h.hook.AgentTranscript, h.req.AgentTranscript); err != nil {
		return err
	}
	agent, there, err := h.session(ctx, h.hook.AgentSession())
	if err != nil || !there || agent.Status != domain.SessionActive {
		return err
	}
	e, err := h.event("", domain.End{})
	if err != nil {
		return err
	}
	_, err = h.appendTo(ctx, agent.ID, e)
	return err
}

// append records one event of the hook itself.
func (h *hooking) append(ctx context.Context, key domain.Key, p domain.Payload) error {
	e, err := h.event(key, p)
	if err != nil {
		return err
	}
	return h.record(ctx, e)
}

// event makes an event of the hook itself. If it has no key of its own, the id of the
// call is its key.
func (h *hooking) event(key domain.Key, p domain.Payload) (domain.Event, error) {
	if key == "" && h.req.ID != "" {
		key = domain.RowKey("hook", h.req.ID)
	}
	return domain.NewEvent(h.at(), key, p)
}

func (h *hooking) record(ctx context.Context, events ...domain.Event) error {
	parent, err := h.parent(ctx)
	if err != nil {
		return err
	}
	a, err := h.s.Append(ctx, AppendRequest{By: h.by, Ref: h.ref(), Events: events,
		Open: SessionOpening{AgentID: h.hook.AgentID, Title: h.hook.Title, Model: h.hook.Model, ParentSessionID: parent, Folder: h.req.Folder, Attributes: h.attributes()}})
	if err == nil {
		h.id = a.SessionID
	}
	return err
}

// appendTo records an event in a session that wake knows, and reports whether it was new
// there.
func (h *hooking) appendTo(ctx context.Context, sessionID string, e domain.Event) (fresh bool, err error) {
	a, err := h.s.Append(ctx, AppendRequest{By: h.by, Ref: SessionRef{SessionID: sessionID}, Events: []domain.Event{e}})
	return a.Accepted > 0, err
}

// startedByFork is the source of a session that begins with a copy of another's history.
const startedByFork = "fork"

// attributes are what a transcript would say about the session as well, and whether it
// is a fork.
func (h *hooking) attributes() map[string]string {
	known := map[string]string{}
	if h.hook.Folder != "" {
		known["cwd"] = h.hook.Folder
	}
	if h.hook.Source == startedByFork {
		known["source"] = startedByFork
	}
	return known
}

// open makes the session known, and records a change of its model.
func (h *hooking) open(ctx context.Context) error {
	switch {
	case h.id == "":
		return h.record(ctx)
	case h.hook.Model == "" || h.hook.Model == h.last.Model:
		return nil
	}
	e, err := h.event("", domain.About{Model: h.hook.Model})
	if err != nil {
		return err
	}
	_, err = h.appendTo(ctx, h.id, e)
	return err
}

// parent returns wake's id of a sub-agent's parent session, "" if there is none.
func (h *hooking) parent(ctx context.Context) (string, error) {
	if h.hook.ParentID == "" {
		return "", nil
	}
	return h.s.sessionOf(ctx, h.by, SessionRef{Client: h.hook.Client, ClientSessionID: h.hook.ParentID, Project: h.req.Project}, SessionOpening{Folder: h.req.Folder})
}

// toolUsed records a call and its result under the keys that the transcript will give
// them. A call without an id is left to the transcript; without a transcript it gets
// an id here.
func (h *hooking) toolUsed(ctx context.Context) error {
	t := h.hook.Tool
	if t.ID == "" && !h.transcribed() && t.Name != "" {
		t.ID = cmp.Or(h.req.ID, h.s.newEventID())
	}
	if t.ID == "" {
		return nil
	}
	call, err := domain.NewEvent(h.at(), domain.ToolCallKey(t.ID), domain.Message{
		Role: domain.RoleAssistant, ToolCalls: []domain.ToolCall{{ID: t.ID, Name: t.Name, Arguments: t.Input}}, AgentID: h.hook.AgentID})
	if err != nil {
		return err
	}
	answer := domain.Message{Role: domain.RoleTool, ToolCallID: t.ID, ToolName: t.Name, Content: t.Response, Media: t.Media, AgentID: h.hook.AgentID}
	if t.Failed {
		answer.Content, answer.Error = "", t.Response
	}
	result, err := domain.NewEvent(h.at(), domain.ToolResultKey(t.ID), answer)
	if err != nil {
		return err
	}
	return h.record(ctx, call, result)
}
