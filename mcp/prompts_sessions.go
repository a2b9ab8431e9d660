package mcp

import (
	"context"

	"wake/domain"
	"wake/memory"
)

// promptBudget is the budget of the answer whose text a prompt includes. The text gets a
// quarter of it, as many characters as a page has room for.
const promptBudget = 4500

// sessionPrompts are the prompts that continue work.
func (s *Server) sessionPrompts() []prompt {
	return []prompt{
		{"continue", "Continue where we were", "Take the work up again after a break, a compaction or a crash", []promptArg{
			projectArg, {"session_id", "session; the project's latest when left out", false}}, s.writeContinue, continueTemplate, ""},
		{"handoff", "Hand over", "Leave everything that the next mode or agent needs", []promptArg{
			{"to_mode", "who takes over, such as planning, code, debug or review", true},
			{"session_id", "session; the project's latest when left out", false}}, s.writeHandoff, handoffTemplate, "handoff"},
	}
}

const (
	takeUp   = "First say in two or three sentences where we were and what comes next; then go on with the next step. Check files and running things before relying on them: they may have changed since."
	handOver = "task in one or two sentences, skills and tools in force, and as findings every error, root cause and fix that is known (kind error, root_cause, fix or note). Save decisions that are not kept yet with save_context and their rationale first. Then tell me in a few lines what the next one starts from."

	continueTemplate = "Continue the work of this project. Ask resume where we were; an id at the end of this is the session, a name the project. " + takeUp
	handoffTemplate  = "Hand this work over to the mode that I name at the end of this. Call handoff with action \"create\" and to_mode: " + handOver
)

func (s *Server) writeContinue(ctx context.Context, by memory.Caller, args map[string]string) (string, error) {
	var p page
	p.line("Continue the work described below. %s", takeUp)
	found, err := s.service.Resume(ctx, memory.ResumeRequest{By: by, TokenBudget: promptBudget,
		Ref: memory.SessionRef{SessionID: args["session_id"], Project: args["project"]}})
	switch {
	case err == nil:
		p.session(found.SessionID, lastTime(found.Messages), found.Text)
		p.line("More of it: %s", call("resume", "session_id", asJSON(found.SessionID), "token_budget", "8000"))
		return p.String(), nil
	case domain.KindOf(err) != domain.KindNotFound || args["session_id"] != "":
		return "", err
	}
	err = s.brief(ctx, by, args["project"], &p)
	return p.String(), err
}

func (s *Server) writeHandoff(ctx context.Context, by memory.Caller, args map[string]string) (string, error) {
	ref := memory.SessionRef{SessionID: args["session_id"]}
	owner, _, err := s.service.Session(ctx, ref, by)
	if err != nil {
		return "", err
	}
	var p page
	p.line("Hand this work over to %q. Call handoff with action \"create\" for session %s: %s", args["to_mode"], owner.ID, handOver)
	made := []string{"action", `"create"`, "session_id", asJSON(owner.ID)}
	if owner.Mode != "" {
		made = append(made, "from_mode", asJSON(owner.Mode))
	}
	p.line("Call: %s", call("handoff", append(made, "to_mode", asJSON(args["to_mode"]), "task", `"…"`, "findings", `[{"kind":"note","text":"…"}]`)...))
	return p.String(), nil
}
