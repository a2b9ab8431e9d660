package mcp

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// filters are the filter arguments of reading tools.
type filters struct {
	Tiers       []domain.Tier       `arg:"tiers" enum:"ACTIVE|RECENT|ARCHIVED|EXPIRED"`
	ActionTypes []domain.ActionType `arg:"action_types"`
	Tags        []string            `arg:"tags"`
	Since       time.Time           `arg:"since" help:"date or 7d"`
	Until       time.Time           `arg:"until"`
	AsOf        time.Time           `arg:"as_of" help:"as known then"`
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
	found, err := s.service.Load(ctx, memory.LoadRequest{
		By: r.by, IDs: a.IDs, Project: a.Project, Mode: a.Mode, Filter: memory.Filter(a.filters), Limit: a.Limit,
		TokenBudget: cmp.Or(a.TokenBudget, room(r.by)), IncludeContent: a.IncludeContent, Cursor: a.Cursor,
	})
	s.noteMissing(ctx, found.Missing, &found.Notes)
	return found, err
}

// noteMissing notes which of the ids of a call no context has, or that one was forgotten.
func (s *Server) noteMissing(ctx context.Context, missing []string, notes *[]string) {
	if err := s.service.NoContexts(ctx, missing); err != nil {
		*notes = append(*notes, s.explain("the missing ids", err))
	}
}

func (s *Server) tellLoad(p *page, args loadArgs, a memory.LoadAnswer) {
	switch n := len(a.Contexts); {
	case n == 0 && !reflect.ValueOf(args.filters).IsZero():
		p.line("No contexts pass these filters.")
	case n == 0 && s.service.ReadsEverything(args.Project):
		p.line("No contexts yet.")
	case n == 0:
		p.line("No contexts here yet. search_context with project \"*\" looks in all projects.")
	case n > 1:
		p.line("%d contexts%s.", n, orderOf(args))
	}
	shown, cut := p.contexts(a.Contexts)
	switch {
	case len(cut) == 0 || a.Shortened: // a note says so
	case len(a.Contexts) == 1:
		p.line("Shortened here; the whole text is in this answer's data and at wake://contexts/%s", cut[0])
	default:
		p.line("%d of them shortened here, whole in this answer's data. One alone has more room: %s", len(cut), call("load_context", "ids", asJSON(cut[:1])))
	}
	if rest := a.Contexts[shown:]; len(rest) > 0 {
		if cursor := a.CursorBehind(shown); cursor != "" {
			p.line("%d more are in this answer's data but not in this text, which has room for %d.", len(rest), shown)
			args.Limit, a.NextCursor = shown, cursor
		} else {
			tellRest(p, each(rest, func(c domain.ContextSnapshot) string { return c.ID }))
		}
	}
	if a.NextCursor != "" {
		more(p, "load_context", args, a.NextCursor)
	}
}

// orderOf says in which order contexts are listed.
func orderOf(args loadArgs) string {
	switch {
	case len(args.IDs) > 0:
		return ""
	case args.Mode == memory.ModeLikely:
		return ", most likely needed first"
	case args.Mode == memory.ModeForgotten:
		return ", longest untouched first"
	}
	return ", newest first"
}

// tellRest says how to load the contexts for which the text had no room.
func tellRest(p *page, ids []string) {
	p.line("%d more are in this answer's data but not in this text. Next: %s", len(ids), call("load_context", "ids", asJSON(p.fitting(ids))))
}

// fitting returns the ids, from the first on, that a closing line has room to name.
func (p *page) fitting(ids []string) []string {
	const most, frame = 20, 250 // more at once would be shortened beyond use
	left := maxText - p.used - frame
	for i, id := range ids {
		if left -= len(id) + len(`"",`); i == most || i > 0 && left < 0 {
			return ids[:i]
		}
	}
	return ids
}

// contexts writes items about contexts, which share the room, and returns how many had room
// and the ids of those that are shortened.
func (p *page) contexts(all []domain.ContextSnapshot) (shown int, cut []string) {
	for i, c := range all {
		most := max(p.room()/(len(all)-i)-250, 200)
		if !p.context(c, most) {
			return i, cut
		}
		if c.Content != "" && utf8.RuneCountInString(contextText(c)) > most {
			cut = append(cut, c.ID)
		}
	}
	return len(all), cut
}

// context writes an item about a context, with at most most characters of its text.
func (p *page) context(c domain.ContextSnapshot, most int) bool {
	return p.item(contextLine(c), quotation{c.ID, c.Origin, c.SavedAt, contextText(c)}, most)
}

// contextLine is wake's own line about a context.
func contextLine(c domain.ContextSnapshot) string {
	parts := []string{c.ID, day(c.Timestamp), "project " + memory.Name(c.Project), string(c.Memory.Tier)}
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

// contextText is the quoted part of a context: its content if loaded, else its
// summary, with rationale and tags.
func contextText(c domain.ContextSnapshot) string {
	text := cmp.Or(c.Content, c.Summary)
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
	return s.service.Search(ctx, memory.SearchRequest{
		By: r.by, Query: a.Query, Project: a.Project, In: a.In, Filter: memory.Filter(a.filters), Limit: a.Limit,
		TokenBudget: cmp.Or(a.TokenBudget, room(r.by)), Cursor: a.Cursor, Explain: a.Explain,
	})
}

func (s *Server) tellSearch(p *page, args searchArgs, a memory.SearchAnswer) {
	if len(a.Hits) == 0 {
		p.line("Nothing found. Try other words%s.", s.tryAllProjects(args.Project))
		return
	}
	p.line("%s, best first.", domain.Many(len(a.Hits), "hit"))
	shown := 0
	for i, h := range a.Hits {
		head, q := hitLine(h), quotation{h.ID, h.Origin, h.SavedAt, hitText(h)}
		if !p.item(head, q, min(p.share(head, q, len(a.Hits)-i), 500)) {
			break
		}
		shown++
	}
	if rest := len(a.Hits) - shown; rest > 0 {
		p.line("%d more hits are in this answer's data but not in this text, which has room for %d.", rest, shown)
		args.Limit, a.NextCursor = shown, a.CursorBehind(shown)
	}
	if a.NextCursor != "" {
		more(p, "search_context", args, a.NextCursor)
		return
	}
	if best := a.Hits[0]; best.IsMessage() {
		p.line("The whole message: wake://sessions/%s/messages/%d", best.SessionID, best.Seq)
	} else {
		p.line("Open one whole: %s; why it came to be: %s", call("load_context", "ids", asJSON([]string{best.ID})), call("causal_chain", "id", asJSON(best.ID)))
	}
}

func hitLine(h domain.Hit) string {
	parts := []string{h.ID, day(h.Timestamp), "project " + memory.Name(h.Project), fmt.Sprintf("score %.3g", h.Score)}
	if h.Tier != "" {
		parts = append(parts, string(h.Tier))
	}
	if h.SessionID != "" && h.Seq > 0 {
		parts = append(parts, "session "+h.SessionID+" event "+strconv.FormatInt(h.Seq, 10))
	}
	if h.Why != "" {
		parts = append(parts, domain.Clip(h.Why, 200))
	}
	if h.SupersededBy != "" && !strings.Contains(h.Why, h.SupersededBy) {
		parts = append(parts, "SUPERSEDED by "+h.SupersededBy)
	}
	return "* " + strings.Join(parts, " · ")
}

func hitText(h domain.Hit) string {
	text := cmp.Or(h.Snippet, h.Summary)
	if h.Summary != "" && !strings.Contains(text, h.Summary) && !strings.Contains(h.Summary, text) {
		text += "\nsummary: " + domain.Clip(h.Summary, 200)
	}
	if len(h.Tags) > 0 {
		text += "\ntags: " + strings.Join(h.Tags, ", ")
	}
	return text
}

// tryAllProjects advises to look further, unless that is what was done.
func (s *Server) tryAllProjects(project string) string {
	if s.service.ReadsEverything(project) {
		return ""
	}
	return `, or project "*" for all projects`
}
