package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

func (a *app) handoffCommand() *cobra.Command {
	c := group("handoff", "Hand work over from one mode or agent to the next",
		a.handoffGetCommand(), a.handoffListCommand(), a.handoffCreateCommand(), a.handoffFindingsCommand(), a.handoffKeepCommand())
	c.Aliases = []string{"handoffs"}
	return c
}

// handoff does one action and prints the answer.
func (a *app) handoff(ctx context.Context, s *memory.Service, r memory.HandoffRequest) error {
	r.By = by("handoff " + string(r.Action))
	answer, err := s.Handoff(ctx, r)
	if err != nil {
		return err
	}
	a.notes(answer.Notes)
	if r.Action == memory.HandoffList {
		return a.printHandoffs(answer.Handoffs)
	}
	return printOne(a, answer, printHandoff)
}

func printHandoff(p *printer, answer memory.HandoffAnswer) {
	p.prose(answer.Text)
	if h := answer.Handoff; h != nil {
		p.line("\nexpires %s", when(h.ExpiresAt))
	}
}

func (a *app) printHandoffs(list []domain.Handoff) error {
	if a.json {
		return jsonLines(a.out, list)
	}
	p := a.printer()
	if len(list) == 0 {
		p.line("no hand-offs yet; make one with: wake handoff create SESSION --to-mode MODE")
		return nil
	}
	t := table{head: []string{"HAND-OFF", "MADE", "EXPIRES", "EVENT", "MODES", "TASK"}}
	for _, h := range list {
		t.add(h.ID, when(h.CreatedAt), when(h.ExpiresAt), fmt.Sprint(h.Seq), cmp.Or(h.FromMode, "start")+" → "+h.ToMode, h.Task)
	}
	t.print(p)
	return nil
}

// handoffBySession is the command of an action that takes only a session, and flags
// that set fields of r.
func (a *app) handoffBySession(use, short string, r *memory.HandoffRequest) *cobra.Command {
	return a.bySession(use, short, func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		r.Ref = of
		return a.handoff(ctx, s, *r)
	})
}

func (a *app) handoffGetCommand() *cobra.Command {
	r := memory.HandoffRequest{Action: memory.HandoffGet}
	c := a.handoffBySession("get [SESSION]", "Print a session's newest hand-off", &r)
	c.Flags().StringVar(&r.ID, "id", "", "the hand-off with this `id`")
	c.Flags().StringVar(&r.ToMode, "to-mode", "", "the newest to this `mode`")
	return c
}

func (a *app) handoffListCommand() *cobra.Command {
	r := memory.HandoffRequest{Action: memory.HandoffList}
	c := a.handoffBySession("list [SESSION]", "List a session's hand-offs", &r)
	limitFlag(c, &r.Limit, 20, "at most this `number`")
	return c
}

func (a *app) handoffCreateCommand() *cobra.Command {
	r := memory.HandoffRequest{Action: memory.HandoffCreate, Important: new(bool)}
	c := a.bySession("create SESSION", "Make a hand-off of a session as it stands", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		if r.ToMode == "" {
			return domain.Invalid("the mode that takes over is missing; name it with --to-mode")
		}
		r.Ref = of
		return a.handoff(ctx, s, r)
	})
	fs := c.Flags()
	fs.StringVar(&r.FromMode, "from-mode", "", "the `mode` that hands over")
	fs.StringVar(&r.ToMode, "to-mode", "", "the `mode` that takes over")
	fs.StringVar(&r.Task, "task", "", "the `task` that is to be done")
	fs.StringSliceVar(&r.Skills, "skills", nil, "`skills` in use")
	fs.StringSliceVar(&r.Tools, "tools", nil, "`tools` in use")
	fs.BoolVar(r.Important, "important", false, "keep it for 7 days instead of an hour")
	return c
}

func (a *app) handoffFindingsCommand() *cobra.Command {
	r := memory.HandoffRequest{Action: memory.HandoffAddFindings}
	var mode string
	var errors, causes, fixes, notes []string
	c := a.bySession("add-findings SESSION", "Add findings to a session and its hand-off", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		r.Ref = of
		for _, found := range []struct {
			kind  domain.FindingKind
			texts []string
		}{{domain.FindingError, errors}, {domain.FindingRootCause, causes}, {domain.FindingFix, fixes}, {domain.FindingNote, notes}} {
			for _, text := range found.texts {
				r.Findings = append(r.Findings, domain.Finding{Mode: mode, Kind: found.kind, Text: text})
			}
		}
		if len(r.Findings) == 0 {
			return domain.Invalid("say what was found, with --error, --root-cause, --fix or --note")
		}
		return a.handoff(ctx, s, r)
	})
	fs := c.Flags()
	fs.StringVar(&r.ID, "id", "", "to the hand-off with this `id`")
	fs.StringVar(&mode, "mode", "", "the `mode` in which it was found (default: the current one)")
	fs.StringArrayVar(&errors, "error", nil, "an `error` that was seen")
	fs.StringArrayVar(&causes, "root-cause", nil, "a `cause` that was found")
	fs.StringArrayVar(&fixes, "fix", nil, "a `fix` that was made")
	fs.StringArrayVar(&notes, "note", nil, "any other `note`")
	return c
}

func (a *app) handoffKeepCommand() *cobra.Command {
	important := true
	c := &cobra.Command{
		Use:   "keep ID",
		Short: "Keep a hand-off for 7 days",
		Args:  takes(1, 1),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			return a.handoff(ctx, s, memory.HandoffRequest{Action: memory.HandoffKeep, ID: strings.TrimSpace(args[0]), Important: &important})
		}),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c.Flags().BoolVar(&important, "important", true, "--important=false lets it expire after an hour again")
	return c
}
