package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

// events are the events of one record call, in the client's form.
type events []json.RawMessage

func (events) jsonSchema() string {
	var types []string
	for _, t := range domain.RecordTypes() {
		types = append(types, string(t))
	}
	return `{"type":"array","items":{"type":"object","properties":{"type":` + wordSchema(types) +
		`,"at":{"type":"string"},"key":{"type":"string"}},"required":["type"]}}`
}

type recordArgs struct {
	SessionID       string `arg:"session_id"`
	Client          string `arg:"client"`
	ClientSessionID string `arg:"client_session_id"`
	Project         string `arg:"project"`
	AgentID         string `arg:"agent_id"`
	Model           string `arg:"model"`
	Provider        string `arg:"provider"`
	Mode            string `arg:"mode"`
	Title           string `arg:"title"`
	ParentSessionID string `arg:"parent_session_id"`
	ParentOpID      string `arg:"parent_op_id"`
	ContextLimit    int64  `arg:"context_limit"`
	Events          events `arg:"events" help:"flat objects; message: role, content, tool_calls; op: op_id, kind, name, status, request, response, usage; usage: tokens, limit; goal: id, text, status; mode: to, task; finding: kind, text; signal: name, status; step: id, status, output; compaction: trigger, summary; end: success. All fields: wake://help/record"`
}

func (s *Server) record(ctx context.Context, r request[recordArgs]) (memory.RecordAnswer, error) {
	a := r.args
	answer, err := s.service.Record(ctx, memory.RecordRequest{
		By:  r.by,
		Ref: memory.SessionRef{SessionID: a.SessionID, Client: a.Client, ClientSessionID: a.ClientSessionID, Project: a.Project},
		Open: memory.SessionOpening{AgentID: a.AgentID, Model: a.Model, Provider: a.Provider, Mode: a.Mode, Title: a.Title,
			ParentSessionID: a.ParentSessionID, ParentOpID: a.ParentOpID, ContextLimit: a.ContextLimit},
		Events: a.Events,
	})
	if err == nil {
		r.conn.remember(answer.SessionID)
	}
	answer.Handoff = fitHandoff(answer.Handoff, &answer.Notes)
	return answer, err
}

func tellRecord(p *page, _ recordArgs, a memory.RecordAnswer) {
	opened := ""
	if a.Opened {
		opened = " (opened)"
	}
	p.line("Session %s%s: %s appended, %d were there already; last event %d.", a.SessionID, opened, domain.Many(a.Accepted, "event"), a.Repeated, a.LastSeq)
	tellPressure(p, a.Pressure)
	for _, c := range a.Checkpoints {
		p.line("Checkpoint %s was made automatically (%s).", c.ID, c.Trigger)
	}
	if h := a.Handoff; h != nil {
		p.line("Hand-off %s from %s to %s is ready: %s", h.ID, cmp.Or(memory.Name(h.FromMode), "the start"), memory.Name(h.ToMode), call("handoff", "action", `"get"`, "id", asJSON(h.ID)))
	}
}

// levels puts the levels of a full window into words.
var levels = map[string]string{"checkpoint": "filling up", "warning": "nearly full: save what must not be lost", "emergency": "full: save what must not be lost"}

func tellPressure(p *page, c memory.ContextPressure) {
	switch {
	case c.Tokens == 0:
	case c.Limit == 0:
		p.line("Context window: %d tokens.", c.Tokens)
	default:
		p.line("Context window: %d of %d tokens (%.0f %%), %s.", c.Tokens, c.Limit, c.Fraction*100, cmp.Or(levels[c.Level], c.Level))
	}
}

type checkpointArgs struct {
	Action      memory.CheckpointAction `arg:"action" enum:"create|list|show|diff|restore|fork|pin|unpin|delete|undelete" also:"save=create|make=create|get=show|compare=diff|branch=fork|remove=delete|rollback=restore|revert=restore|ls=list"`
	SessionID   string                  `arg:"session_id"`
	ID          string                  `arg:"id"`
	OtherID     string                  `arg:"other_id"`
	Label       string                  `arg:"label"`
	TokenBudget int                     `arg:"token_budget" help:"restore; default 25000"`
	Trigger     domain.Trigger          `arg:"trigger" enum:"manual|threshold|warning|emergency|pre_compaction|pre_restore"`
	Since       time.Time               `arg:"since"`
	Until       time.Time               `arg:"until"`
	MinTokens   int64                   `arg:"min_tokens" help:"more than"`
	MaxTokens   int64                   `arg:"max_tokens" help:"fewer than"`
	OldestFirst bool                    `arg:"oldest_first"`
	Limit       int                     `arg:"limit" default:"20"`
	Cursor      string                  `arg:"cursor"`
}

func (s *Server) checkpoint(ctx context.Context, r request[checkpointArgs]) (memory.CheckpointAnswer, error) {
	a := r.args
	answer, err := s.service.Checkpoint(ctx, memory.CheckpointRequest{
		By: r.by, Action: a.Action, Ref: memory.SessionRef{SessionID: a.SessionID}, ID: a.ID, OtherID: a.OtherID, Label: a.Label,
		Trigger: a.Trigger, TokenBudget: dataBudget(a.TokenBudget, memory.RestoreBudget), Since: a.Since, Until: a.Until, MinTokens: a.MinTokens, MaxTokens: a.MaxTokens,
		OldestFirst: a.OldestFirst, Limit: a.Limit, Cursor: a.Cursor,
	})
	if err == nil && answer.Restored != nil {
		r.conn.remember(answer.SessionID)
		answer.Restored.Text = "" // the answer's text is the same; twice would cost the budget
	}
	fitCheckpoints(&answer, room(r.by))
	return answer, err
}

// dataBudget is the part of a token budget for the data of an answer, leaving room for
// its text. A negative budget stays what it is, so that it is refused.
func dataBudget(given, standard int) int {
	const frame, most = 60, maxText / 4
	switch {
	case given < 0:
		return given
	case given == 0:
		given = standard
	}
	return max(given-min(most, given/3)-frame, 1)
}

func tellCheckpoint(p *page, args checkpointArgs, a memory.CheckpointAnswer) {
	told := p.session(a.SessionID, checkpointTime(a), withoutNext(a))
	if shown := strings.Count(told, "\n- "); 0 < shown && shown < len(a.Checkpoints) {
		args.Limit, a.NextCursor = shown, a.CursorBehind(shown)
	}
	switch {
	case a.NextCursor != "":
		args.Action, args.SessionID = memory.CheckpointList, a.SessionID // they may have been inferred
		more(p, "checkpoint", args, a.NextCursor)
	case a.Restored != nil:
		p.line("Undo: %s", call("checkpoint", "action", `"restore"`, "id", asJSON(a.Restored.UndoID)))
	case a.ForkID != "":
		p.next("resume", "session_id", asJSON(a.ForkID))
	}
}

// withoutNext is the text of an answer without the call that undoes a restore, or goes on with
// a fork: it is told behind the quotation.
func withoutNext(a memory.CheckpointAnswer) string {
	text := a.Text
	switch {
	case a.Restored != nil:
		before, undo, _ := strings.Cut(a.Text, "\nUndo: ")
		_, behind, _ := strings.Cut(undo, "\n")
		text = before + "\n" + behind
	case a.ForkID != "":
		text, _, _ = strings.Cut(a.Text, "; ")
	}
	return text
}

// findings is an argument: a list of findings, each an object or just a text.
type findings []domain.Finding

func (findings) jsonSchema() string {
	return `{"type":"array","items":{"type":"object","properties":{"kind":` + wordSchema(findingKinds) + `,"text":{"type":"string"}}}}`
}

type handoffArgs struct {
	Action    memory.HandoffAction `arg:"action" enum:"get|list|create|add_findings|keep" also:"show=get|save=create|make=create|add=add_findings|add_finding=add_findings|pin=keep"`
	SessionID string               `arg:"session_id"`
	ID        string               `arg:"id"`
	FromMode  string               `arg:"from_mode"`
	ToMode    string               `arg:"to_mode"`
	Task      string               `arg:"task"`
	Skills    []string             `arg:"skills"`
	Tools     []string             `arg:"tools"`
	Findings  findings             `arg:"findings"`
	Important *bool                `arg:"important" help:"kept 7 d, not 1 h"`
}

func (s *Server) handoff(ctx context.Context, r request[handoffArgs]) (memory.HandoffAnswer, error) {
	a := r.args
	answer, err := s.service.Handoff(ctx, memory.HandoffRequest{
		By: r.by, Action: a.Action, Ref: memory.SessionRef{SessionID: a.SessionID}, ID: a.ID, FromMode: a.FromMode, ToMode: a.ToMode,
		Task: a.Task, Skills: a.Skills, Tools: a.Tools, Findings: a.Findings, Important: a.Important,
	})
	fitHandoffs(&answer)
	return answer, err
}

func tellHandoff(p *page, _ handoffArgs, a memory.HandoffAnswer) {
	p.session(a.SessionID, handoffTime(a), a.Text)
	if h := a.Handoff; h != nil {
		p.line("Hand-off %s expires %s.", h.ID, day(h.ExpiresAt))
	}
}

func checkpointTime(a memory.CheckpointAnswer) time.Time {
	if a.Checkpoint == nil {
		return time.Time{}
	}
	return a.Checkpoint.CreatedAt
}

func handoffTime(a memory.HandoffAnswer) time.Time {
	if a.Handoff == nil {
		return time.Time{}
	}
	return a.Handoff.CreatedAt
}
