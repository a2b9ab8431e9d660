package mcp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// contextTools are the tools that save, find and explain contexts.
func (s *Server) contextTools() []tool {
	return []tool{
		define(s, about{
			name: "save_context", title: "Save a context", core: true,
			text: "Keep one fact for later sessions: a decision with its rationale, a finding, a fix, a preference. Give caused_by or supersedes when it follows from or replaces an earlier one.",
		}, s.save, tellSave),
		define(s, about{
			name: "load_context", title: "Load contexts", core: true, readOnly: true,
			text: "Open contexts by ids (exact content), or list a project's: recent, likely needed next, or forgotten.",
		}, s.load, tellLoad),
		define(s, about{
			name: "search_context", title: "Search memory", core: true, readOnly: true,
			text: "Find contexts and messages by a plain question. Ask before deciding or redoing something.",
		}, s.search, tellSearch),
		define(s, about{
			name: "causal_chain", title: "Explain why", core: true, readOnly: true,
			text: "Why a context came to be (causes) or what followed from it (effects), told step by step.",
		}, s.chain, tellChain),
		define(s, about{
			name: "predict", title: "Predict what is needed next", core: true, readOnly: true,
			text: "What will probably be needed next, with reasons. Good at the start of work.",
		}, s.predict, tellPredict),
	}
}

// filters are the arguments that narrow any reading tool.
type filters struct {
	Tiers       []domain.Tier       `arg:"tiers" enum:"ACTIVE|RECENT|ARCHIVED|EXPIRED"`
	ActionTypes []domain.ActionType `arg:"action_types"`
	Tags        []string            `arg:"tags"`
	Since       time.Time           `arg:"since" help:"date or 7d"`
	Until       time.Time           `arg:"until"`
	AsOf        time.Time           `arg:"as_of" help:"as known then"`
}

func (f filters) filter() memory.Filter {
	return memory.Filter{Tiers: f.Tiers, ActionTypes: f.ActionTypes, Tags: f.Tags, Since: f.Since, Until: f.Until, AsOf: f.AsOf}
}

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
		By: r.by, Content: a.Content, Project: a.Project, Summary: a.Summary, Tags: a.Tags, Source: a.Source,
		ActionType: a.ActionType, Rationale: a.Rationale, CausedBy: a.CausedBy, Dependencies: a.Dependencies,
		Supersedes: a.Supersedes, Kind: a.Kind, Metadata: a.Metadata, Pinned: a.Pinned, Timestamp: a.Timestamp,
		SessionID: a.SessionID,
	}
	if req.Source == "" {
		req.Source = "mcp"
	}
	if req.SessionID == "" && !namesSession(a.Metadata) {
		req.SessionID = r.by.SessionID
	}
	return s.service.Save(ctx, req)
}

// namesSession reports whether metadata names the session, as the seed's does.
func namesSession(metadata map[string]any) bool {
	for _, key := range []string{"sessionId", "session_id"} {
		if id, ok := metadata[key].(string); ok && id != "" {
			return true
		}
	}
	return false
}

func tellSave(p *page, _ saveArgs, a memory.SaveAnswer) {
	verb := "Saved"
	if a.Existing {
		verb = "Already kept, nothing saved again:"
	}
	p.line("%s %s in project %s (%s, %s).", verb, a.ID, a.Project, day(a.Timestamp), a.Tier)
	if a.Causality != nil {
		p.line("Why: %s%s%s", a.Causality.ActionType, prefixed(", caused by ", a.Causality.CausedBy), prefixed(", depends on ", strings.Join(a.Causality.Dependencies, ", ")))
	}
	if a.Superseded != "" {
		p.line("It supersedes %s.", a.Superseded)
	}
	if a.SessionID != "" && a.Seq > 0 {
		p.line("It is event %d of session %s.", a.Seq, a.SessionID)
	}
	for _, l := range a.Links {
		p.line("Linked by wake to %s (%.0f %%): %s", l.To, l.Confidence*100, clip(l.Reason, 200))
	}
	p.item("Kept as"+prefixed(", tags ", strings.Join(a.Tags, ", "))+":", quotation{a.ID, domain.FromAssistant, a.Timestamp, a.Summary}, 400)
	for _, h := range a.NearDuplicates {
		p.item(fmt.Sprintf("Nearly the same as %s (%s). If this one replaces it, call %s", h.ID, day(h.Timestamp),
			call("update_context", "id", asJSON(h.ID), "superseded_by", asJSON(a.ID))), quotation{h.ID, h.Origin, h.Timestamp, first(h.Snippet, h.Summary)}, 200)
	}
}

type loadArgs struct {
	IDs     []string    `arg:"ids"`
	Project string      `arg:"project" help:"* = all"`
	Mode    memory.Mode `arg:"mode" enum:"recent|likely|forgotten" also:"new=recent|newest=recent|latest=recent|last=recent|predicted=likely|next=likely|old=forgotten|oldest=forgotten|stale=forgotten"`
	filters
	Limit          int    `arg:"limit" help:"1-100" default:"10"`
	TokenBudget    int    `arg:"token_budget"`
	IncludeContent *bool  `arg:"include_content" help:"default with ids"`
	Cursor         string `arg:"cursor"`
}

func (s *Server) load(ctx context.Context, r request[loadArgs]) (memory.LoadAnswer, error) {
	a := r.args
	if err := positive("token_budget", a.TokenBudget); err != nil {
		return memory.LoadAnswer{}, err
	}
	return s.service.Load(ctx, memory.LoadRequest{
		By: r.by, IDs: a.IDs, Project: a.Project, Mode: a.Mode, Filter: a.filter(), Limit: a.Limit,
		TokenBudget: a.TokenBudget, IncludeContent: a.IncludeContent, Cursor: a.Cursor,
	})
}

func tellLoad(p *page, args loadArgs, a memory.LoadAnswer) {
	switch n := len(a.Contexts); {
	case n == 0:
		p.line("No contexts here yet. search_context with project \"*\" looks in all projects.")
	case n > 1:
		p.line("%d contexts.", n)
	}
	shown := 0
	for i, c := range a.Contexts {
		share := p.room() / (len(a.Contexts) - i)
		most := max(share-250, 200)
		if !p.item(contextLine(c), quotation{c.ID, c.Origin, c.SavedAt, contextText(c)}, most) {
			break
		}
		if len(a.Contexts) == 1 && utf8.RuneCountInString(c.Content) > most {
			p.line("Shortened here; the whole text is in this answer's data and at wake://contexts/%s", c.ID)
		}
		shown++
	}
	if len(a.Missing) > 0 {
		p.line("Not known: %s", clip(strings.Join(a.Missing, ", "), 400))
	}
	tellRest(p, "load_context", a.Contexts[shown:], a.NextCursor, projectArg(args.Project)...)
}

// tellRest says how to get what the text had no room for, and what comes after.
func tellRest(p *page, tool string, rest []domain.ContextSnapshot, cursor string, args ...string) {
	if len(rest) > 0 {
		ids := make([]string, 0, len(rest))
		for _, c := range rest[:min(len(rest), 8)] {
			ids = append(ids, c.ID)
		}
		p.line("%d more are in this answer's data but not in this text. Next: %s", len(rest), call("load_context", "ids", asJSON(ids)))
	}
	if cursor != "" {
		p.next(tool, append(args, "cursor", asJSON(cursor))...)
	}
}

// contextLine is what wake itself says of a context.
func contextLine(c domain.ContextSnapshot) string {
	parts := []string{c.ID, day(c.Timestamp), "project " + c.Project, string(c.Memory.Tier)}
	if c.Causality != nil {
		parts = append(parts, string(c.Causality.ActionType))
		if c.Causality.CausedBy != "" {
			parts = append(parts, "caused by "+c.Causality.CausedBy)
		}
	}
	if c.Pinned {
		parts = append(parts, "pinned")
	}
	if c.SupersededBy != "" {
		parts = append(parts, "SUPERSEDED by "+c.SupersededBy)
	}
	return "* " + strings.Join(parts, " · ")
}

// contextText is what is quoted of a context: its content where it was loaded,
// else its summary, with tags and rationale.
func contextText(c domain.ContextSnapshot) string {
	text := first(c.Content, c.Summary)
	if c.Causality != nil && c.Causality.Rationale != "" {
		text += "\nrationale: " + c.Causality.Rationale
	}
	if len(c.Tags) > 0 {
		text += "\ntags: " + strings.Join(c.Tags, ", ")
	}
	return text
}

type searchArgs struct {
	Query   string `arg:"query,required"`
	Project string `arg:"project" help:"* = all"`
	In      string `arg:"in" enum:"all|contexts|messages" also:"context=contexts|message=messages|both=all|everything=all|memory=contexts"`
	filters
	Limit       int    `arg:"limit" help:"1-100" default:"10"`
	TokenBudget int    `arg:"token_budget"`
	Cursor      string `arg:"cursor"`
	Explain     bool   `arg:"explain"`
}

func (s *Server) search(ctx context.Context, r request[searchArgs]) (memory.SearchAnswer, error) {
	a := r.args
	if err := positive("token_budget", a.TokenBudget); err != nil {
		return memory.SearchAnswer{}, err
	}
	return s.service.Search(ctx, memory.SearchRequest{
		By: r.by, Query: a.Query, Project: a.Project, In: a.In, Filter: a.filter(), Limit: a.Limit,
		TokenBudget: a.TokenBudget, Cursor: a.Cursor, Explain: a.Explain,
	})
}

func tellSearch(p *page, args searchArgs, a memory.SearchAnswer) {
	if len(a.Hits) == 0 {
		p.line("Nothing found. Try other words%s.", tryAllProjects(args.Project))
		return
	}
	p.line("%s, best first.", many(len(a.Hits), "hit"))
	shown := 0
	for _, h := range a.Hits {
		if !p.item(hitLine(h), quotation{h.ID, h.Origin, h.Timestamp, hitText(h)}, 500) {
			break
		}
		shown++
	}
	if rest := len(a.Hits) - shown; rest > 0 {
		p.line("%d more hits are in this answer's data but not in this text.", rest)
	}
	if a.NextCursor != "" {
		p.next("search_context", append([]string{"query", asJSON(clip(args.Query, 150)), "cursor", asJSON(a.NextCursor)}, projectArg(args.Project)...)...)
		return
	}
	if best := a.Hits[0]; best.Seq == 0 {
		p.line("Open one whole: %s; why it came to be: %s", call("load_context", "ids", asJSON([]string{best.ID})), call("causal_chain", "id", asJSON(best.ID)))
	}
}

func hitLine(h domain.Hit) string {
	parts := []string{h.ID, day(h.Timestamp), "project " + h.Project, fmt.Sprintf("score %.3g", h.Score)}
	if h.Tier != "" {
		parts = append(parts, string(h.Tier))
	}
	if h.SessionID != "" && h.Seq > 0 {
		parts = append(parts, "session "+h.SessionID+" event "+strconv.FormatInt(h.Seq, 10))
	}
	if h.Why != "" {
		parts = append(parts, clip(h.Why, 200))
	}
	if h.SupersededBy != "" && !strings.Contains(h.Why, h.SupersededBy) {
		parts = append(parts, "SUPERSEDED by "+h.SupersededBy)
	}
	return "* " + strings.Join(parts, " · ")
}

func hitText(h domain.Hit) string {
	text := first(h.Snippet, h.Summary)
	if h.Summary != "" && !strings.Contains(text, h.Summary) && !strings.Contains(h.Summary, text) {
		text += "\nsummary: " + clip(h.Summary, 200)
	}
	if len(h.Tags) > 0 {
		text += "\ntags: " + strings.Join(h.Tags, ", ")
	}
	return text
}

func tryAllProjects(project string) string {
	if project == memory.AllProjects {
		return ""
	}
	return `, or project "*" for all projects`
}

// projectArg repeats the project of a call in the next one.
func projectArg(project string) []string {
	if project == "" {
		return nil
	}
	return []string{"project", asJSON(project)}
}

// positive refuses a number below zero.
func positive(name string, n int) error {
	if n < 0 {
		return domain.Invalid("%s is %d; it may not be below 0", name, n)
	}
	return nil
}

// prefixed is text behind prefix, or nothing at all.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// first is the first of texts that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
