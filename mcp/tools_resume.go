package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/domain"
	"wake/memory"
)

type resumeArgs struct {
	SessionID    string `arg:"session_id"`
	Project      string `arg:"project"`
	AgentID      string `arg:"agent_id"`
	TokenBudget  int    `arg:"token_budget" default:"2000"`
	SystemPrompt string `arg:"system_prompt" help:"or its sha256"`
}

func (s *Server) resume(ctx context.Context, r request[resumeArgs]) (memory.ResumeAnswer, error) {
	a := r.args
	req := memory.ResumeRequest{
		By: r.by, Ref: memory.SessionRef{SessionID: a.SessionID, Project: a.Project}, AgentID: a.AgentID,
		TokenBudget: resumeBudget(a.TokenBudget),
		Whole:       int64(cmp.Or(a.TokenBudget, memory.ResumeBudget)), Cost: resumeCost,
	}
	if isSHA256(a.SystemPrompt) {
		req.PromptHash = strings.ToLower(a.SystemPrompt)
	} else {
		req.SystemPrompt = a.SystemPrompt
	}
	answer, err := s.service.Resume(ctx, req)
	if err == nil && !answer.PassedOver {
		r.conn.remember(answer.SessionID)
	}
	return answer, err
}

// resumeCost is how many tokens the two forms of an answer take together.
func resumeCost(a memory.ResumeAnswer) int64 {
	a.Notes = slices.Clip(a.Notes)
	told, err := result(&a, nil, false, func(p *page) { tellResume(p, resumeArgs{}, a) })
	if err != nil { // it cannot be sent at all
		return 0
	}
	words := told.Content[0].(sdk.TextContent).Text
	return domain.Tokens(string(told.RawStructuredContent)) + domain.Tokens(words)
}

// resumeBudget is the budget of a resume without what the page adds. The answer counts its
// text twice, as data and as words, and is told again if it still costs too much.
func resumeBudget(given int) int {
	const frame = 100
	if given < 0 {
		return given // so that it is refused
	}
	return max(cmp.Or(given, memory.ResumeBudget)-frame, 1)
}

// isSHA256 distinguishes the hash of a system prompt from a prompt.
func isSHA256(s string) bool {
	if len(s) != hex.EncodedLen(sha256.Size) {
		return false
	}
	_, err := hex.DecodeString(s)
	return err == nil
}

func tellResume(p *page, _ resumeArgs, a memory.ResumeAnswer) {
	p.session(a.SessionID, lastTime(a.Messages), a.Text)
	if strings.TrimSpace(a.Text) == "" { // some clients refuse an empty text, and a model could not go on from one
		p.line("The token_budget has no room for the story of session %s; all its messages: wake://sessions/%s/working-context", a.SessionID, a.SessionID)
	}
	if a.Earlier != nil {
		uri := a.Earlier.URI
		if strings.TrimSpace(a.Text) != "" { // it names the session
			uri = "…" + uri[strings.LastIndex(uri, "/"):]
		}
		p.line("%s: %s", domain.Many(a.Earlier.Count, "earlier message"), uri)
	}
}

type reportArgs struct {
	SessionID string              `arg:"session_id"`
	Format    memory.ReportFormat `arg:"format" enum:"status|timeline|tree|totals|usage" default:"status" also:"summary=status|optree=tree|cost=totals|costs=totals|tokens=usage|events=timeline"`
}

func (s *Server) report(ctx context.Context, r request[reportArgs]) (memory.ReportAnswer, error) {
	answer, err := s.service.SessionReport(ctx, memory.ReportRequest{By: r.by, Ref: memory.SessionRef{SessionID: r.args.SessionID}, Format: r.args.Format})
	fitReport(&answer)
	return answer, err
}

func tellReport(p *page, _ reportArgs, a memory.ReportAnswer) {
	text := a.Text
	if a.Format == memory.ReportTimeline {
		text = newestLines(text, p.room()-400)
	}
	p.session(a.ID, a.Session.UpdatedAt, text)
	if len(text) < len(a.Text) || len(a.Timeline) > 0 && a.Timeline[0].Seq > 1 {
		p.line("Earlier events: wake://sessions/%s/events", a.ID)
	}
	if a.Format != memory.ReportStatus && a.Format != memory.ReportUsage { // which tell it themselves
		tellPressure(p, a.Pressure)
	}
}

func lastTime(messages []memory.ContextMessage) time.Time {
	if len(messages) == 0 {
		return time.Time{}
	}
	return messages[len(messages)-1].At
}
