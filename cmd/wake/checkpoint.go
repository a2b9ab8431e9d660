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

func (a *app) checkpointCommand() *cobra.Command {
	c := group("checkpoint", "Mark places in a session, and set it back to one",
		a.checkpointCreateCommand(),
		a.checkpointListCommand(),
		a.checkpointByID("show ID", "Show what a checkpoint holds", &memory.CheckpointRequest{Action: memory.CheckpointShow}),
		a.checkpointDiffCommand(),
		a.checkpointRestoreCommand(),
		a.checkpointByID("fork ID", "Open a new session that goes on from a checkpoint", &memory.CheckpointRequest{Action: memory.CheckpointFork}),
		a.checkpointByID("pin ID", "Keep a checkpoint for good", &memory.CheckpointRequest{Action: memory.CheckpointPin}),
		a.checkpointByID("unpin ID", "Remove the pin again", &memory.CheckpointRequest{Action: memory.CheckpointUnpin}),
		a.checkpointByID("delete ID", "Take a checkpoint out of the list", &memory.CheckpointRequest{Action: memory.CheckpointDelete}),
		a.checkpointByID("undelete ID", "Bring a deleted checkpoint back", &memory.CheckpointRequest{Action: memory.CheckpointUndelete}))
	c.Aliases = []string{"checkpoints"}
	return c
}

// checkpoint does one action and prints the answer.
func (a *app) checkpoint(ctx context.Context, s *memory.Service, r memory.CheckpointRequest) error {
	r.By = by("checkpoint " + string(r.Action))
	answer, err := s.Checkpoint(ctx, r)
	if err != nil {
		return err
	}
	a.notes(answer.Notes)
	return printOne(a, answer, func(p *printer, c memory.CheckpointAnswer) { p.prose(c.Text) })
}

// checkpointByID is the command of an action that takes only a checkpoint, and flags
// that set fields of r.
func (a *app) checkpointByID(use, short string, r *memory.CheckpointRequest) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  takes(1, 1),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			r.ID = args[0]
			return a.checkpoint(ctx, s, *r)
		}),
		ValidArgsFunction: a.completeCheckpoints,
	}
}

func (a *app) checkpointCreateCommand() *cobra.Command {
	r := memory.CheckpointRequest{Action: memory.CheckpointCreate}
	c := a.bySession("create SESSION", "Remember where a session is", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		r.Ref = of
		return a.checkpoint(ctx, s, r)
	})
	c.Flags().StringVar(&r.Label, "label", "", "a `name` for it")
	return c
}

func (a *app) checkpointRestoreCommand() *cobra.Command {
	r := memory.CheckpointRequest{Action: memory.CheckpointRestore}
	c := a.checkpointByID("restore ID", "Set a session back; can be undone, and touches no files", &r)
	c.Flags().IntVar(&r.TokenBudget, "token-budget", 0, "give back at most this many `tokens` (default 25000)")
	return c
}

func (a *app) checkpointDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID [OTHER]",
		Short: "Show what changed between two checkpoints, or since one",
		Args:  takes(1, 2),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			r := memory.CheckpointRequest{Action: memory.CheckpointDiff, ID: args[0]}
			if len(args) == 2 {
				r.OtherID = args[1]
			}
			return a.checkpoint(ctx, s, r)
		}),
		ValidArgsFunction: a.completeCheckpoints,
	}
}

func (a *app) checkpointListCommand() *cobra.Command {
	r := memory.CheckpointRequest{Action: memory.CheckpointList}
	var trigger, since, until string
	c := a.bySession("list [SESSION]", "List a session's checkpoints, the newest first", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		p := timeParser{now: s.Now()}
		r.Since, r.Until = p.parse(since), p.parse(until)
		if p.err != nil {
			return p.err
		}
		r.By, r.Ref, r.Trigger = by("checkpoint list"), of, domain.Trigger(strings.ReplaceAll(strings.ToLower(trigger), "-", "_"))
		answer, err := s.Checkpoint(ctx, r)
		if err != nil {
			return err
		}
		a.notes(answer.Notes)
		return a.printCheckpoints(r, answer)
	})
	fs := c.Flags()
	fs.StringVar(&trigger, "trigger", "", "only those made by: `manual`, threshold, warning, emergency, pre_compaction or pre_restore")
	fs.StringVar(&since, "since", "", "only made after this `time`")
	fs.StringVar(&until, "until", "", "only made before this `time`")
	fs.Int64Var(&r.MinTokens, "min-tokens", 0, "only with more `tokens` than this")
	fs.Int64Var(&r.MaxTokens, "max-tokens", 0, "only with fewer `tokens` than this")
	fs.BoolVar(&r.OldestFirst, "oldest-first", false, "the oldest first")
	fs.BoolVar(&r.Deleted, "deleted", false, "list deleted ones too")
	listFlags(c, &r.Limit, nil, &r.Cursor)
	completeWords(c, "trigger", words(domain.Triggers))
	return c
}

func (a *app) printCheckpoints(r memory.CheckpointRequest, answer memory.CheckpointAnswer) error {
	defer a.more(answer.NextCursor)
	if a.json {
		return jsonLines(a.out, answer.Checkpoints)
	}
	p := a.printer()
	if len(answer.Checkpoints) == 0 {
		if r.Trigger != "" || !r.Since.IsZero() || !r.Until.IsZero() || r.MinTokens > 0 || r.MaxTokens > 0 {
			p.line("no checkpoint fits; leave a filter out")
		} else {
			p.line("no checkpoints yet; make one with: wake checkpoint create SESSION")
		}
		return nil
	}
	t := table{head: []string{"CHECKPOINT", "MADE", "TRIGGER", "EVENT", "TOKENS", "", "WHAT"}}
	for _, c := range answer.Checkpoints {
		t.add(c.ID, when(c.CreatedAt), string(c.Trigger), fmt.Sprint(c.Seq), fmt.Sprint(c.Manifest.TokenCount), checkpointMarks(c), checkpointTitle(c))
	}
	t.print(p)
	return nil
}

func checkpointMarks(c domain.Checkpoint) string {
	switch {
	case !c.DeletedAt.IsZero():
		return "deleted"
	case c.Pinned:
		return "pinned"
	}
	return ""
}

func checkpointTitle(c domain.Checkpoint) string {
	return cmp.Or(c.Label, c.Manifest.LastUserText, c.Manifest.Title)
}

// completeCheckpoints offers the newest checkpoints of the newest session.
func (a *app) completeCheckpoints(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 || len(args) == 1 && c.Name() != "diff" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(c, func(ctx context.Context, s *memory.Service) ([]string, error) {
		answer, err := s.Checkpoint(ctx, memory.CheckpointRequest{
			Action: memory.CheckpointList, Ref: a.sessionArg(nil), Limit: offered, Deleted: c.Name() == "undelete"})
		var ids []string
		for _, x := range answer.Checkpoints {
			ids = append(ids, cobra.CompletionWithDesc(x.ID, cut(oneLine(when(x.CreatedAt)+" "+checkpointTitle(x)), 60)))
		}
		return ids, err
	})
}
