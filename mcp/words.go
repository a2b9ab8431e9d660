package mcp

import (
	"slices"
	"strings"

	"wake/domain"
)

// wordsFor returns the words for a model that is only offered the listed tools. Advice
// that names another tool is left out.
func wordsFor(listed, all []tool) domain.Words {
	words := toolWords
	for h, text := range words {
		if slices.ContainsFunc(all, func(t tool) bool { return strings.Contains(text, t.name) && !hasTool(listed, t.name) }) {
			words[h] = ""
		}
	}
	return words
}

func hasTool(tools []tool, name string) bool {
	return slices.ContainsFunc(tools, func(t tool) bool { return t.name == name })
}

// toolWords tell a model what to do next.
var toolWords = domain.Words{
	domain.FindContexts:       "search_context or load_context with a project show the ids there are",
	domain.OpenMessage:        "SESSION/NUMBER is a message: wake://sessions/SESSION/messages/NUMBER has it whole",
	domain.ListNewest:         "load_context lists what is newest",
	domain.OpenWhole:          "wake://contexts/ID has all of it, and so has an answer with a larger token_budget",
	domain.SaveContext:        "save_context keeps the next context",
	domain.SaveFirst:          "save_context keeps the first decision with its rationale",
	domain.ChangeContext:      "update_context changes its links, tags or pin",
	domain.Supersede:          "if this replaces it, call update_context with its id and superseded_by: ID",
	domain.SayWhy:             "save with action_type, rationale and caused_by",
	domain.ExplainLost:        "causal_chain names them where a chain leads there",
	domain.UnforgetContext:    "within 30 days, forget_context {ids, undo: true} brings it back",
	domain.ForgetExpired:      "forget_context with project and expired: true shows what could go",
	domain.CatchUpPredictions: "recalculate with what: predictions catches up",
	domain.CatchUpSummaries:   "recalculate with what: summaries catches up",
	domain.OpenSession:        "record opens one with client and client_session_id",
	domain.NameSession:        "give its id as session_id",
	domain.ListSessions:       "wake://sessions names those that are there, session_report without session_id the newest",
	domain.ResumeSession:      "resume it with resume {session_id: ID}",
	domain.UnforgetSession:    "within 30 days, forget_context {session_id, undo: true} brings it back",
	domain.ListCheckpoints:    "checkpoint {action: list} names the checkpoints",
	domain.RestoreCheckpoint:  "checkpoint {action: restore, id: ID}",
	domain.UndeleteCheckpoint: "checkpoint {action: undelete} brings it back first",
	domain.ListHandoffs:       "handoff {action: list} names the hand-offs",
	domain.MakeHandoff:        "handoff {action: create} makes one, resume gives the session's working context",
}
