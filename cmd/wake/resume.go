package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const resumeLong = `Prints the working context of a session: what an assistant needs to go on after a
compaction, a crash, or on the next day. Without a session, it takes the project's newest
active one, or if none is active its newest; where people share a database, their own comes
first. Changes nothing.`

func (a *app) resumeCommand() *cobra.Command {
	var (
		r      memory.ResumeRequest
		prompt string
	)
	c := a.bySession("resume [SESSION]", "Print what an assistant needs to go on", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		if prompt != "" {
			text, err := os.ReadFile(a.fromHome(prompt))
			if err != nil {
				return domain.Invalid("the system prompt %s cannot be read: %v; name its file", prompt, domain.Reason(err))
			}
			r.SystemPrompt = string(text)
		}
		r.By, r.Ref, r.TextOnly = by("resume"), of, !a.json
		answer, err := s.Resume(ctx, r)
		if err != nil {
			return err
		}
		a.notes(answer.Notes)
		if answer.Text == "" {
			a.note("the token budget has no room for the story of session " + answer.SessionID)
		}
		return printOne(a, answer, func(p *printer, x memory.ResumeAnswer) { p.prose(x.Text) })
	})
	c.Long = resumeLong
	fs := c.Flags()
	fs.StringVar(&r.AgentID, "agent-id", "", "the newest session of this `agent`")
	fs.IntVar(&r.TokenBudget, "token-budget", 0, "at most this many `tokens` (default 2000)")
	fs.StringVar(&prompt, "system-prompt", "", "`file` with the system prompt that the assistant runs with now")
	completeFiles(c, "system-prompt")
	return c
}
