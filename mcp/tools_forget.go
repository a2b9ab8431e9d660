package mcp

import (
	"context"
	"fmt"
	"strings"

	"wake/domain"
	"wake/memory"
)

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
	s.noteMissing(ctx, found.Missing, &found.Notes)
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
	tellForgetNext(p, args, a)
}

// tellForgetNext writes the call that does what was shown, or undoes what was done.
func tellForgetNext(p *page, args forgetArgs, a forgetAnswer) {
	rest := ""
	if more := len(args.IDs) - calledAgain; more > 0 {
		rest = fmt.Sprintf("; likewise the other %d ids", more)
	}
	undo := call("forget_context", append(forgetCall(args), "undo", "true", "dry_run", "false")...)
	switch {
	case a.DryRun && (len(a.Restored) > 0 || a.Session != nil && a.Session.Undone):
		p.line("Next: %s%s", undo, rest)
	case a.DryRun && (len(a.Forgotten) > 0 || a.Session != nil):
		p.line("Next: %s%s", call("forget_context", append(forgetCall(args), "dry_run", "false")...), rest)
	case !a.UndoUntil.IsZero():
		p.line("Undo until %s: %s%s", day(a.UndoUntil), undo, rest)
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
	if len(a.Contexts) > 0 && !a.Undone {
		p.line("What was overheard in it stays, until it is forgotten by its ids: %s", domain.Clip(strings.Join(a.Contexts, ", "), 300))
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
