package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

type saveArgs struct {
	Content      string            `arg:"content,required" help:"the fact, in full sentences"`
	Project      string            `arg:"project"`
	Summary      string            `arg:"summary"`
	Tags         []string          `arg:"tags"`
	Source       string            `arg:"source" default:"mcp"`
	ActionType   domain.ActionType `arg:"action_type" enum:"conversation|decision|file_edit|tool_use|research"`
	Rationale    string            `arg:"rationale" help:"why"`
	CausedBy     string            `arg:"caused_by" help:"id of what led to it"`
	Dependencies []string          `arg:"dependencies" help:"ids it builds on"`
	Supersedes   string            `arg:"supersedes" help:"id it replaces"`
	Kind         domain.Kind       `arg:"kind" enum:"semantic|episodic"`
	Metadata     map[string]any    `arg:"metadata"`
	Pinned       bool              `arg:"pinned" help:"never forget"`
	Timestamp    time.Time         `arg:"timestamp" help:"when it happened, if not now"`
	SessionID    string            `arg:"session_id"`
}

func (s *Server) save(ctx context.Context, r request[saveArgs]) (memory.SaveAnswer, error) {
	a := r.args
	req := memory.SaveRequest{
		By: r.by, Content: a.Content, Project: a.Project, Summary: a.Summary, Tags: a.Tags, Source: cmp.Or(a.Source, "mcp"),
		ActionType: a.ActionType, Rationale: a.Rationale, CausedBy: noneToEmpty(a.CausedBy), Dependencies: a.Dependencies,
		Supersedes: noneToEmpty(a.Supersedes), Kind: a.Kind, Metadata: a.Metadata, Pinned: a.Pinned, Timestamp: a.Timestamp,
		SessionID: a.SessionID,
	}
	if req.SessionID == "" && !namesSession(a.Metadata) {
		req.SessionID = r.by.SessionID
	}
	answer, err := s.service.Save(ctx, req)
	fitSaved(&answer, room(r.by))
	return answer, err
}

// namesSession reports whether metadata names the session, as in the seed.
func namesSession(metadata map[string]any) bool {
	for _, key := range []string{"sessionId", "session_id"} {
		if id, ok := metadata[key].(string); ok && id != "" {
			return true
		}
	}
	return false
}

func (s *Server) tellSave(p *page, _ saveArgs, a memory.SaveAnswer) {
	verb := "Saved"
	if a.Existing {
		verb = "Already kept, nothing saved again:"
	}
	p.line("%s %s in project %s (%s, %s).", verb, a.ID, memory.Name(a.Project), day(a.Timestamp), a.Tier)
	if c := a.Causality; c != nil {
		why := ""
		if c.Rationale != "" {
			why = " with its rationale"
		}
		p.line("Kept: %s%s%s%s", c.ActionType, why, prefixed(", caused by ", c.CausedBy), prefixed(", depends on ", strings.Join(c.Dependencies, ", ")))
	}
	if a.Superseded != "" {
		p.line("It supersedes %s.", a.Superseded)
	}
	if a.SessionID != "" && a.Seq > 0 {
		p.line("It is event %d of session %s.", a.Seq, a.SessionID)
	}
	for _, l := range a.Links {
		p.line("Linked by wake to %s (%.0f %%): %s", l.To, l.Confidence*100, domain.Clip(l.Reason, 200))
	}
	p.item("In short:", quotation{a.ID, a.Origin, a.SavedAt, a.Summary + prefixed("\ntags: ", strings.Join(a.Tags, ", "))}, 600)
	for _, h := range a.NearDuplicates {
		head := fmt.Sprintf("Nearly the same as %s (%s).", h.ID, day(h.Timestamp))
		if hasTool(s.tools, "update_context") {
			head += " If this one replaces it, call " + call("update_context", "id", asJSON(h.ID), "superseded_by", asJSON(a.ID))
		}
		p.item(head, quotation{h.ID, h.Origin, h.SavedAt, cmp.Or(h.Snippet, h.Summary)}, 200)
	}
}
