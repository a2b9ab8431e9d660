package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

// sessionTools are the tools that keep a session's log and bring it back.
func (s *Server) sessionTools() []tool {
	return []tool{
		define(s, about{
			name: "record", title: "Record what happens",
			text: "Append events to a session's log; client + client_session_id opens one. Answers how full the context window is.",
		}, s.record, tellRecord),
		define(s, about{
			name: "checkpoint", title: "Checkpoints of a session",
			text: "Mark a place in a session before something risky; list, diff, fork, or set the session back to one (restore; files are not touched, undo is kept).",
		}, s.checkpoint, tellCheckpoint),
		define(s, about{
			name: "handoff", title: "Hand work over",
			text: "What one mode or agent leaves to the next: last messages, skills, tools, task, findings.",
		}, s.handoff, tellHandoff),
	}
}

// recoveryTools are the tools that tell where a session stands.
func (s *Server) recoveryTools() []tool {
	return []tool{
		define(s, about{
			name: "resume", title: "Resume work", core: true, readOnly: true,
			text: "The working context back after a compaction, crash or new day: last messages, goals, findings, what is open. Changes nothing.",
		}, s.resume, tellResume),
		define(s, about{
			name: "session_report", title: "Report on a session", readOnly: true,
			text: "Status, timeline, operation tree, totals or window usage of a session.",
		}, s.report, tellReport),
	}
}

// events are the events of one record call, as the client wrote them.
type events []json.RawMessage

func (events) shape() string {
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
	return answer, err
}

func tellRecord(p *page, _ recordArgs, a memory.RecordAnswer) {
	opened := ""
	if a.Opened {
		opened = " (opened)"
	}
	p.line("Session %s%s: %s appended, %d were there already; last event %d.", a.SessionID, opened, many(a.Accepted, "event"), a.Repeated, a.LastSeq)
	tellPressure(p, a.Pressure)
	for _, c := range a.Checkpoints {
		p.line("Checkpoint %s was made by itself (%s).", c.ID, c.Trigger)
	}
	if h := a.Handoff; h != nil {
		p.line("Hand-off %s from %s to %s is ready: %s", h.ID, h.FromMode, h.ToMode, call("handoff", "action", `"get"`, "id", asJSON(h.ID)))
	}
}

func tellPressure(p *page, c memory.ContextPressure) {
	switch {
	case c.Tokens == 0:
	case c.Limit == 0:
		p.line("Context window: %d tokens.", c.Tokens)
	default:
		p.line("Context window: %d of %d tokens (%.0f %%), %s.", c.Tokens, c.Limit, c.Fraction*100, c.Level)
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
	MinTokens   int64                   `arg:"min_tokens"`
	MaxTokens   int64                   `arg:"max_tokens"`
	OldestFirst bool                    `arg:"oldest_first"`
	Limit       int                     `arg:"limit" default:"20"`
	Cursor      string                  `arg:"cursor"`
}

func (s *Server) checkpoint(ctx context.Context, r request[checkpointArgs]) (memory.CheckpointAnswer, error) {
	a := r.args
	if err := positive("token_budget", a.TokenBudget); err != nil {
		return memory.CheckpointAnswer{}, err
	}
	answer, err := s.service.Checkpoint(ctx, memory.CheckpointRequest{
		By: r.by, Action: a.Action, Ref: memory.SessionRef{SessionID: a.SessionID}, ID: a.ID, OtherID: a.OtherID, Label: a.Label,
		Trigger: a.Trigger, TokenBudget: dataBudget(a.TokenBudget, 25_000), Since: a.Since, Until: a.Until, MinTokens: a.MinTokens, MaxTokens: a.MaxTokens,
		OldestFirst: a.OldestFirst, Limit: a.Limit, Cursor: a.Cursor,
	})
	if err == nil && answer.Restored != nil {
		r.conn.remember(answer.SessionID)
		answer.Restored.Text = "" // the answer has it; twice would cost the budget
	}
	return answer, err
}

func tellCheckpoint(p *page, _ checkpointArgs, a memory.CheckpointAnswer) {
	p.session(first(a.ID, a.SessionID), checkpointTime(a), a.Text)
	switch {
	case a.NextCursor != "":
		p.next("checkpoint", "action", `"list"`, "session_id", asJSON(a.SessionID), "cursor", asJSON(a.NextCursor))
	case a.Restored != nil:
		p.line("Undo: %s", call("checkpoint", "action", `"restore"`, "id", asJSON(a.Restored.UndoID)))
	case a.ForkID != "":
		p.next("resume", "session_id", asJSON(a.ForkID))
	}
}

// findings are what was found out, each an object or a mere text.
type findings []domain.Finding

func (findings) shape() string {
	return `{"type":"array","items":{"type":"object","properties":{"kind":` + wordSchema(findingKinds) + `,"text":{"type":"string"}}}}`
}

type handoffArgs struct {
	Action    memory.HandoffAction `arg:"action" enum:"get|list|create|add_findings|keep" default:"get" also:"show=get|save=create|make=create|add=add_findings|add_finding=add_findings|pin=keep"`
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
	return s.service.Handoff(ctx, memory.HandoffRequest{
		By: r.by, Action: a.Action, Ref: memory.SessionRef{SessionID: a.SessionID}, ID: a.ID, FromMode: a.FromMode, ToMode: a.ToMode,
		Task: a.Task, Skills: a.Skills, Tools: a.Tools, Findings: a.Findings, Important: a.Important,
	})
}

func tellHandoff(p *page, _ handoffArgs, a memory.HandoffAnswer) {
	p.session(first(a.ID, a.SessionID), handoffTime(a), a.Text)
	if h := a.Handoff; h != nil {
		p.line("Hand-off %s expires %s.", h.ID, day(h.ExpiresAt))
	}
}

type resumeArgs struct {
	SessionID    string `arg:"session_id"`
	Project      string `arg:"project"`
	AgentID      string `arg:"agent_id"`
	TokenBudget  int    `arg:"token_budget" default:"2000"`
	SystemPrompt string `arg:"system_prompt" help:"or its sha256"`
}

func (s *Server) resume(ctx context.Context, r request[resumeArgs]) (memory.ResumeAnswer, error) {
	a := r.args
	if err := positive("token_budget", a.TokenBudget); err != nil {
		return memory.ResumeAnswer{}, err
	}
	req := memory.ResumeRequest{
		By: r.by, Ref: memory.SessionRef{SessionID: a.SessionID, Project: a.Project}, AgentID: a.AgentID,
		TokenBudget: dataBudget(a.TokenBudget, 2_000),
	}
	if sha256Pattern.MatchString(a.SystemPrompt) {
		req.PromptHash = strings.ToLower(a.SystemPrompt)
	} else {
		req.SystemPrompt = a.SystemPrompt
	}
	answer, err := s.service.Resume(ctx, req)
	if err == nil {
		r.conn.remember(answer.SessionID)
	}
	return answer, err
}

// dataBudget is what of a budget of tokens the data of an answer may take, so
// that the text beside it fits as well.
func dataBudget(given, standard int) int {
	const frame, most = 60, maxText / 4
	if given == 0 {
		given = standard
	}
	return max(given-min(most, given/3)-frame, 1)
}

// sha256Pattern tells the hash of a system prompt from a system prompt.
var sha256Pattern = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

func tellResume(p *page, _ resumeArgs, a memory.ResumeAnswer) {
	p.session(a.SessionID, lastTime(a.Messages), a.Text)
	if a.Earlier != nil {
		p.line("%d earlier messages: %s", a.Earlier.Count, a.Earlier.URI)
	}
}

type reportArgs struct {
	SessionID string              `arg:"session_id"`
	Format    memory.ReportFormat `arg:"format" enum:"status|timeline|tree|totals|usage" default:"status" also:"summary=status|optree=tree|cost=totals|costs=totals|tokens=usage|events=timeline"`
}

func (s *Server) report(ctx context.Context, r request[reportArgs]) (memory.ReportAnswer, error) {
	return s.service.SessionReport(ctx, memory.ReportRequest{By: r.by, Ref: memory.SessionRef{SessionID: r.args.SessionID}, Format: r.args.Format})
}

func tellReport(p *page, _ reportArgs, a memory.ReportAnswer) {
	p.session(a.ID, a.Session.UpdatedAt, a.Text)
	tellPressure(p, a.Pressure)
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

func lastTime(messages []memory.ContextMessage) time.Time {
	if len(messages) == 0 {
		return time.Time{}
	}
	return messages[len(messages)-1].At
}

// session quotes what the service tells of a session, whole lines of it as far
// as there is room.
func (p *page) session(id string, at time.Time, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	kept := wholeLines(memory.PlainText(text), p.room()-400)
	p.item(fmt.Sprintf("From the log of %s:", id), quotation{id, "session", at, kept}, maxText)
	if len(kept) < len(strings.TrimSpace(text)) {
		p.line("The rest is in this answer's data.")
	}
}

// wholeLines is as much of text as fits into n characters without cutting a line.
func wholeLines(text string, n int) string {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) <= n {
		return string(runes)
	}
	kept := string(runes[:max(n, 0)])
	if at := strings.LastIndexByte(kept, '\n'); at > 0 {
		return kept[:at]
	}
	return clip(kept, n)
}
