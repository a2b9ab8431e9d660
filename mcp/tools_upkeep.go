package mcp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

type updateArgs struct {
	ID              string   `arg:"id,required"`
	Pinned          *bool    `arg:"pinned"`
	AddTags         []string `arg:"add_tags"`
	RemoveTags      []string `arg:"remove_tags"`
	CausedBy        *string  `arg:"caused_by" help:"id, or none to unlink"`
	AddDependencies []string `arg:"add_dependencies"`
	SupersededBy    *string  `arg:"superseded_by" help:"id, or none"`
}

// contextAnswer is one context, with notes.
type contextAnswer struct {
	domain.ContextSnapshot
	Notes []string `json:"notes,omitempty"`
}

func (s *Server) update(ctx context.Context, r request[updateArgs]) (contextAnswer, error) {
	a := r.args
	changed, err := s.service.Update(ctx, memory.UpdateRequest{
		ID: a.ID, Pinned: a.Pinned, AddTags: a.AddTags, RemoveTags: a.RemoveTags,
		CausedBy: linkArg(a.CausedBy), AddDependencies: a.AddDependencies, SupersededBy: linkArg(a.SupersededBy),
	})
	if err != nil {
		return contextAnswer{}, err
	}
	short, note := s.service.Shortened(changed, room(r.by))
	answer := contextAnswer{ContextSnapshot: short}
	if note != "" {
		answer.Notes = []string{note}
	}
	return answer, nil
}

// linkArg turns the id "none" into "", which removes a link. (An empty argument counts
// as absent.)
func linkArg(id *string) *string {
	if id != nil {
		*id = noneToEmpty(*id)
	}
	return id
}

// noneToEmpty turns the id "none" into "".
func noneToEmpty(s string) string {
	if strings.EqualFold(s, "none") {
		return ""
	}
	return s
}

func tellUpdate(p *page, _ updateArgs, a contextAnswer) {
	p.line("Changed.")
	p.context(a.ContextSnapshot, 600)
}

type forgetArgs struct {
	IDs       []string `arg:"ids"`
	Project   string   `arg:"project"`
	Expired   bool     `arg:"expired"`
	SessionID string   `arg:"session_id"`
	DryRun    *bool    `arg:"dry_run" default:"true"`
	Undo      bool     `arg:"undo"`
}

// dry reports whether the call is a dry run. By default it is, except when named
// contexts or a session are brought back, since that removes nothing.
func (a forgetArgs) dry() bool {
	if a.DryRun != nil {
		return *a.DryRun
	}
	return !a.Undo || len(a.IDs) == 0 && a.SessionID == ""
}

// forgetAnswer is what was forgotten: contexts, or a session.
type forgetAnswer struct {
	memory.ForgetAnswer
	Session *memory.ForgetSessionAnswer `json:"session,omitempty"`
}

func (s *Server) forget(ctx context.Context, r request[forgetArgs]) (forgetAnswer, error) {
	a := r.args
	dry := a.dry()
	if a.SessionID != "" {
		if len(a.IDs) > 0 || a.Expired {
			return forgetAnswer{}, domain.Invalid("ids, expired and session_id are three ways to forget; use one at a time")
		}
		found, err := s.service.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: a.SessionID, DryRun: dry, Undo: a.Undo})
		return forgetAnswer{memory.ForgetAnswer{DryRun: found.DryRun, UndoUntil: found.UndoUntil}, &found}, err
	}
	found, err := s.service.Forget(ctx, memory.ForgetRequest{
		By: r.by, IDs: a.IDs, Project: a.Project, Expired: a.Expired, DryRun: dry, Undo: a.Undo,
	})
	fitForget(&found, room(r.by))
	return forgetAnswer{ForgetAnswer: found}, err
}

func tellForget(p *page, args forgetArgs, a forgetAnswer) {
	switch {
	case a.Session != nil:
		tellForgetSession(p, *a.Session)
	case args.Undo && a.DryRun:
		p.line("Nothing is brought back yet. %d would come back.", len(a.Restored))
	case args.Undo:
		p.line("%d brought back.", len(a.Restored))
	case a.DryRun:
		p.line("Nothing is forgotten yet. %d would go, %d protected.", len(a.Forgotten), len(a.Protected))
	default:
		p.line("%d forgotten, %d protected.", len(a.Forgotten), len(a.Protected))
	}
	going, back := "is forgotten", "is back"
	if a.DryRun {
		going, back = "would go", "would come back"
	}
	tellItems(p, going, a.Forgotten)
	tellItems(p, "stays", a.Protected)
	tellItems(p, back, a.Restored)
	if len(a.Missing) > 0 {
		p.line("Not known: %s", domain.Clip(strings.Join(a.Missing, ", "), 300))
	}
	tellForgetNext(p, args, a)
}

// tellForgetNext writes the call that does what was shown, or undoes what was done.
func tellForgetNext(p *page, args forgetArgs, a forgetAnswer) {
	rest := ""
	if more := len(args.IDs) - calledAgain; more > 0 {
		rest = fmt.Sprintf("; likewise the other %d ids", more)
	}
	switch {
	case a.DryRun && (len(a.Restored) > 0 || a.Session != nil && a.Session.Undone):
		p.line("Next: %s%s", call("forget_context", append(forgetCall(args), "undo", "true", "dry_run", "false")...), rest)
	case a.DryRun && (len(a.Forgotten) > 0 || a.Session != nil):
		p.line("Next: %s%s", call("forget_context", append(forgetCall(args), "dry_run", "false")...), rest)
	case !a.UndoUntil.IsZero():
		p.line("Undo until %s: %s%s", day(a.UndoUntil), call("forget_context", append(forgetCall(args), "undo", "true", "dry_run", "false")...), rest)
	}
}

func tellForgetSession(p *page, a memory.ForgetSessionAnswer) {
	what := "is forgotten"
	switch {
	case a.Undone && a.DryRun:
		what = "would come back"
	case a.Undone:
		what = "is back"
	case a.DryRun:
		what = "would be forgotten"
	}
	p.line("Session %s with %s (%d bytes) %s.", a.SessionID, domain.Many(a.Events, "event"), a.Bytes, what)
	if len(a.Children) > 0 {
		p.line("Its child sessions stay: %s", domain.Clip(strings.Join(a.Children, ", "), 300))
	}
}

func tellItems(p *page, verb string, items []memory.ForgetItem) {
	for i, it := range items {
		head := fmt.Sprintf("* %s · %s · %s%s", it.ID, day(it.Timestamp), verb, prefixed(": ", it.Why))
		if !p.item(head, quotation{it.ID, it.Origin, it.SavedAt, it.Summary}, 120) {
			p.line("and %d more", len(items)-i)
			return
		}
	}
}

// calledAgain is how many ids the next call repeats.
const calledAgain = 8

// forgetCall repeats the arguments of a call for the next one.
func forgetCall(a forgetArgs) []string {
	switch {
	case len(a.IDs) > 0:
		return []string{"ids", asJSON(a.IDs[:min(len(a.IDs), calledAgain)])}
	case a.SessionID != "":
		return []string{"session_id", asJSON(a.SessionID)}
	case a.Project != "":
		return []string{"project", asJSON(a.Project), "expired", "true"}
	}
	return []string{"expired", "true"}
}

type statsArgs struct {
	Project string `arg:"project" help:"* = all"`
}

// statsAnswer is the state of the memory, with notes.
type statsAnswer struct {
	memory.StatsAnswer
	Notes []string `json:"notes,omitempty"`
}

func (s *Server) stats(ctx context.Context, r request[statsArgs]) (statsAnswer, error) {
	found, err := s.service.Stats(ctx, r.by, r.args.Project)
	return statsAnswer{StatsAnswer: found}, err
}

func tellStats(p *page, _ statsArgs, a statsAnswer) {
	p.line("%s in %s: %s.", domain.Many(a.Contexts, "context"), cmp.Or(memory.Name(a.Project), "all projects"), cmp.Or(counts(a.Tiers), "no tier holds any"))
	span := ""
	if a.Contexts > 0 {
		span = fmt.Sprintf("; from %s to %s", day(a.Oldest), day(a.Newest))
	}
	p.line("%d pinned, %d superseded, %d forgotten%s.", a.Pinned, a.Superseded, a.Forgotten, span)
	c := a.Causality
	p.line("Why: %d say why they exist, %d are roots; links: %s (%d found by wake); average chain %.1f, longest %d.",
		c.WithCause, c.Roots, cmp.Or(counts(c.Links), "none"), c.AutoLinks, c.AverageDepth, c.LongestDepth)
	if r := a.Prediction; r.Predicted > 0 {
		settled := "none has settled yet"
		if r.Settled > 0 {
			settled = fmt.Sprintf("%d of %d settled ones were used in time (Brier %.3f, base rate %.3f)", r.Hits, r.Settled, r.Brier, r.BrierBase)
		}
		p.line("Prediction: %d scored, average %.2f; %s.", r.Predicted, r.AverageScore, settled)
	}
	tellLearning(p, a.Learning)
	p.line("Bytes: %s. Summaries by: %s, %d waiting.", cmp.Or(counts(a.Bytes), "not counted"), cmp.Or(counts(a.Summaries), "nobody yet"), a.Queued)
	for _, h := range a.Health {
		p.line("%s: %s%s", h.Level, h.Text, prefixed(" → ", h.Action))
	}
}

// tellLearning says how good predictions were, and what they are based on.
func tellLearning(p *page, r memory.LearningRecord) {
	p.line("Record: %s.", strings.Join(r.Verdict, "; "))
	for _, m := range r.Methods {
		p.line("  %s (%s): first %.0f %%, in 5 %.0f %%, in 10 %.0f %%", m.Name, m.About, 100*m.Hit1, 100*m.Hit5, 100*m.Hit10)
	}
	if r.Learned == nil {
		return
	}
	const most = 4
	var signs []string
	for _, s := range r.Learned.Signs[:min(most, len(r.Learned.Signs))] {
		signs = append(signs, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Within))
	}
	p.line("Learned from %s: it goes by %s.", domain.Many(r.Learned.Lessons+r.Learned.StartLessons, "step"), strings.Join(signs, ", "))
}

// counts writes a map of numbers in the order of its keys, without zeros.
func counts[K ~string](m map[K]int64) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
		}
	}
	return strings.Join(parts, ", ")
}

type recalculateArgs struct {
	Project string `arg:"project"`
	What    string `arg:"what" enum:"tiers|predictions|summaries|all" also:"tier=tiers|prediction=predictions|scores=predictions|summary=summaries|everything=all"`
}

// modelPatience is how long a call waits for a model to write summaries. Many clients
// allow a call one minute; the periodic work does the rest.
const modelPatience = 20 * time.Second

func (s *Server) recalculate(ctx context.Context, r request[recalculateArgs]) (memory.RecalculateAnswer, error) {
	return s.service.Recalculate(ctx, memory.RecalculateRequest{Project: r.args.Project, What: r.args.What, Progress: r.progress, Patience: modelPatience})
}

func tellRecalculate(p *page, _ recalculateArgs, a memory.RecalculateAnswer) {
	p.line("Changed: %d tiers, %d predictions, %d summaries.", a.Tiers, a.Predictions, a.Summaries)
	if a.Queued > 0 {
		p.line("Waiting for the model: %d; the periodic work goes on with them.", a.Queued)
	}
}
