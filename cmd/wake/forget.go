package main

import (
	"context"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const forgetLong = `Forgets contexts: those that you name, or with --expired those that nobody has used for
30 days. Without --yes it only shows what would be forgotten and what is protected, and
why. For 30 days --undo brings forgotten contexts back: those that you name, or all of
this project.`

func (a *app) forgetCommand() *cobra.Command {
	var (
		r   memory.ForgetRequest
		yes bool
	)
	c := &cobra.Command{
		Use:        "forget [ID...]",
		SuggestFor: []string{"forget_context", "delete", "remove", "rm"},
		Short:      "Forget contexts; shows first what would go",
		Long:       forgetLong,
		Example: `  wake forget --expired         what would go
  wake forget --expired --yes   let it go
  wake forget 5f0c2c8e --undo   bring one back`,
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			if yes && r.Undo {
				return domain.Invalid("--yes forgets and --undo brings back; use one")
			}
			r.By, r.Project, r.IDs, r.DryRun = by("forget"), a.writesTo(), args, !yes && !r.Undo
			return a.forget(ctx, s, r)
		}),
		ValidArgsFunction: a.completeIDs,
	}
	fs := c.Flags()
	fs.BoolVar(&r.Expired, "expired", false, "contexts of this project that nobody has used for 30 days")
	limitFlag(c, &r.Limit, 100, "at most this `number` of expired ones")
	fs.BoolVarP(&yes, "yes", "y", false, "do it")
	fs.BoolVar(&r.Undo, "undo", false, "bring back what was forgotten")
	return c
}

func (a *app) forget(ctx context.Context, s *memory.Service, r memory.ForgetRequest) error {
	if len(r.IDs) == 0 && !r.Expired && !r.Undo {
		return withHint(domain.Invalid("say what to forget: ids or --expired"), "wake session forget forgets a session")
	}
	answer, err := s.Forget(ctx, r)
	if err != nil {
		return err
	}
	a.notes(answer.Notes)
	if err := printOne(a, answer, printForgotten); err != nil {
		return err
	}
	return s.NoContexts(ctx, answer.Missing)
}

func printForgotten(p *printer, f memory.ForgetAnswer) {
	verb := p.paint(yellow, "forgotten")
	if f.DryRun {
		verb = p.paint(yellow, "would go ")
	}
	forgetItems(p, verb, f.Forgotten)
	forgetItems(p, p.paint(green, "is back  "), f.Restored)
	forgetItems(p, p.paint(faint, "stays    "), f.Protected)
	switch {
	case len(f.Forgotten)+len(f.Restored)+len(f.Protected) == 0:
		p.line("nothing to forget")
	case f.DryRun && len(f.Forgotten) > 0:
		p.line("\nnothing was changed; add --yes to forget %s", domain.Many(len(f.Forgotten), "context"))
	case !f.UndoUntil.IsZero():
		it := "them"
		if len(f.Forgotten) == 1 {
			it = "it"
		}
		p.line("\nbring %s back with --undo until %s", it, when(f.UndoUntil))
	}
}

func forgetItems(p *printer, verb string, items []memory.ForgetItem) {
	for _, i := range items {
		p.line("%s %s  %s  %s", verb, i.ID, when(i.Timestamp), oneLine(i.Summary))
		p.field("         because", i.Why)
	}
}
