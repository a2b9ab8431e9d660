package main

import "wake/domain"

// commandWords tell people what to do next.
var commandWords = domain.Words{
	domain.FindContexts:       "wake search or wake load show the ids there are; the first eight characters are enough",
	domain.OpenMessage:        "SESSION/NUMBER is a message: wake session messages SESSION shows what people wrote, wake session export SESSION everything",
	domain.ListNewest:         "wake load lists what is newest",
	domain.OpenWhole:          "wake load ID shows all of it",
	domain.SaveContext:        "wake save keeps the next context",
	domain.SaveFirst:          "wake save keeps the first decision; wake import auto takes in what assistants and other memories have kept here",
	domain.ChangeContext:      "wake save with --tags, --rationale, --caused-by or --pinned adds what it lacks",
	domain.Supersede:          "wake save --supersedes says of a text which one it replaces",
	domain.SayWhy:             "save with --action-type, --rationale and --caused-by",
	domain.ExplainLost:        "wake why names them where a chain leads there",
	domain.UnforgetContext:    "within 30 days, wake forget ID --undo brings it back",
	domain.ForgetExpired:      "wake forget --expired shows what could go",
	domain.CatchUpPredictions: "wake recalculate predictions catches up",
	domain.CatchUpSummaries:   "where Ollama runs, wake recalculate summaries catches up",
	domain.OpenSession:        "wake setup lets an assistant record one",
	domain.NameSession:        "give its id as the argument",
	domain.ListSessions:       "wake session list names those that are there",
	domain.ResumeSession:      "wake resume ID goes on with it",
	domain.UnforgetSession:    "within 30 days, wake session forget SESSION --undo brings it back",
	domain.ListCheckpoints:    "wake checkpoint list names the checkpoints",
	domain.RestoreCheckpoint:  "wake checkpoint restore ID",
	domain.UndeleteCheckpoint: "wake checkpoint undelete brings it back first",
	domain.ListHandoffs:       "wake handoff list names the hand-offs",
	domain.MakeHandoff:        "wake handoff create makes one, wake resume gives the session's working context",
}
