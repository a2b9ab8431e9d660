package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

func (a *app) recalculateCommand() *cobra.Command {
	what := []string{"tiers", "predictions", "summaries", "all"}
	return &cobra.Command{
		Use:   "recalculate [tiers|predictions|summaries|all]",
		Short: "Do the periodic work of servers now",
		Args:  takes(0, 1),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			bar := a.progress()
			r := memory.RecalculateRequest{Project: a.project, Progress: bar.show}
			if len(args) == 1 {
				r.What = strings.ToLower(args[0])
			}
			if r.What == "" || r.What == "all" {
				if n := a.drainAll(ctx, s); n > 0 {
					a.note("stored " + domain.Many(n, "report") + " of assistants that had waited")
				}
			}
			answer, err := s.Recalculate(ctx, r)
			bar.end()
			if err != nil {
				return err
			}
			a.notes(answer.Notes)
			return printOne(a, answer, printRecalculated)
		}),
		ValidArgs: what,
	}
}

func printRecalculated(p *printer, r memory.RecalculateAnswer) {
	p.line("changed %s, %s, %s", domain.Many(r.Tiers, "tier"), domain.Many(r.Predictions, "prediction"), domain.Many(r.Summaries, "summary"))
	if r.Queued > 0 {
		p.line("waiting for the model: %s", domain.Many(r.Queued, "summary"))
	}
}
