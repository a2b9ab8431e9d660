package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const purgeLong = `Overwrites one context beyond recovery, with everything that was made of it: for what
must not exist, such as a leaked password. A tombstone with the id and the hash stays.
To merely let go of something, use: wake forget`

func (a *app) purgeCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "purge ID",
		Short: "Erase one context beyond recovery",
		Long:  purgeLong,
		Args:  cobra.ExactArgs(1),
		RunE: a.do(func(ctx context.Context, s *memory.Service, args []string) error {
			if err := a.confirmPurge(args[0], yes); err != nil {
				return err
			}
			return a.purge(ctx, s, args[0])
		}),
		ValidArgsFunction: a.completeFirstID,
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) purge(ctx context.Context, s *memory.Service, id string) error {
	text, err := s.Store.ContextsByID(ctx, []string{id}, true) // a forgotten one has none here
	if err != nil {
		return err
	}
	answer, err := s.Purge(ctx, memory.PurgeRequest{By: by("purge"), ID: id})
	if err != nil {
		return err
	}
	if info, err := s.Store.Info(ctx); err == nil && len(text) == 1 {
		answer.Backups = append(answer.Backups, copiesBeside(info.Address, traceOf(text[0].Content))...)
	}
	a.notes(answer.Notes)
	return one(a, answer, printPurged)
}

// confirmPurge asks to type the word, because nothing brings the text back.
func (a *app) confirmPurge(id string, yes bool) error {
	if yes {
		return nil
	}
	fmt.Fprintf(a.err, "This erases %s for good. Type purge to go on: ", printable(id))
	line, _ := bufio.NewReader(a.in).ReadString('\n') // an end of input is no consent
	if strings.TrimSpace(line) != "purge" {
		return withHint(domain.Conflict("not confirmed; nothing was purged"), "add --yes where nobody can type")
	}
	return nil
}

func printPurged(p *printer, x memory.PurgeAnswer) {
	p.line("%s %s", p.paint(red, "purged"), x.ID)
	p.line("  sha256 %s", x.Hash)
	for _, b := range x.Backups {
		p.line("  %s %s", p.paint(yellow, "a backup still holds it:"), b)
	}
}
