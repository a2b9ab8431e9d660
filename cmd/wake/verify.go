package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const verifyLong = `Reads sessions again from their first event and compares the result with what is stored:
order, texts, totals, operations, snapshots, checkpoints. Without a session, all are
verified. Changes nothing; exits 1 if something differs.`

func (a *app) verifyCommand() *cobra.Command {
	c := a.bySession("verify [SESSION]", "Check stored sessions against their events", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		bar := a.progress()
		answer, err := s.Verify(ctx, of.SessionID, func(done, total int) { bar.show("sessions", done, total) })
		bar.end()
		if err != nil {
			return err
		}
		if err := printOne(a, answer, printVerified); err != nil || len(answer.Problems) == 0 {
			return err
		}
		return withHint(fmt.Errorf("%s found", domain.Many(len(answer.Problems), "difference")), "wake doctor --repair rebuilds what is derived")
	})
	c.Long = verifyLong
	return c
}

func printVerified(p *printer, v memory.VerifyAnswer) {
	for _, x := range v.Problems {
		p.line("%s %s  %s: %s", p.level("problem"), x.SessionID, x.Subject, oneLine(x.Detail))
		if x.Remedy != "" {
			p.line("        %s", oneLine(x.Remedy))
		}
	}
	found := ""
	if len(v.Problems) == 0 {
		found = "; nothing differs"
	}
	p.line("%s with %s read again%s", domain.Many(v.Sessions, "session"), domain.Many(v.Events, "event"), found)
}
