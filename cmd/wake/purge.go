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

const purgeLong = `Overwrites one context, or one event of a session, beyond recovery, with everything that
was made of it: for what must not exist, such as a leaked password. The place and a hash
of what was there stay. To merely let go of something, use: wake forget`

// purgeTarget is what is to be erased: a context, or an event of a session.
type purgeTarget struct {
	id        string
	sessionID string
	seq       int64
}

func (t purgeTarget) String() string {
	if t.id != "" {
		return t.id
	}
	return fmt.Sprintf("event %d of session %s", t.seq, t.sessionID)
}

func (a *app) purgeCommand() *cobra.Command {
	var (
		t   purgeTarget
		yes bool
	)
	c := &cobra.Command{
		Use:   "purge {ID | --session-id SESSION --seq NUMBER}",
		Short: "Erase one context or event beyond recovery",
		Long:  purgeLong,
		Args:  cobra.MaximumNArgs(1),
		RunE: a.do(func(ctx context.Context, s *memory.Service, args []string) error {
			t.id = strings.Join(args, "")
			if byEvent := t.sessionID != "" && t.seq > 0; byEvent == (t.id != "") {
				return domain.Invalid("say what to purge: the id of a context, or --session-id and --seq of an event")
			}
			if err := a.confirmPurge(t, yes); err != nil {
				return err
			}
			if t.id == "" {
				return a.purgeEvent(ctx, s, t)
			}
			return a.purge(ctx, s, t.id)
		}),
		ValidArgsFunction: a.completeFirstID,
	}
	c.Flags().StringVar(&t.sessionID, "session-id", "", "the `session` of the event")
	c.Flags().Int64Var(&t.seq, "seq", 0, "the event's `number` in its session")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) purgeEvent(ctx context.Context, s *memory.Service, t purgeTarget) error {
	gone, err := s.PurgeEvent(ctx, t.sessionID, t.seq)
	if err != nil {
		return err
	}
	return one(a, gone, func(p *printer, _ domain.Event) { p.line("%s %s", p.paint(red, "purged"), t) })
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
	if len(text) == 1 {
		if err := a.purgeSpool(text[0].Content); err != nil {
			return err
		}
	}
	if info, err := s.Store.Info(ctx); err == nil && len(text) == 1 {
		answer.Backups = append(answer.Backups, copiesBeside(info.Address, traceOf(text[0].Content))...)
	}
	a.notes(answer.Notes)
	return one(a, answer, printPurged)
}

// purgeSpool erases what waits in the spool of this database and holds the text.
func (a *app) purgeSpool(text string) error {
	set, err := a.settings()
	if err != nil {
		return err
	}
	_, err = a.spool(set.DB).purge(text)
	return err
}

// confirmPurge asks to type the word, because nothing brings the text back.
func (a *app) confirmPurge(t purgeTarget, yes bool) error {
	if yes {
		return nil
	}
	fmt.Fprintf(a.err, "This erases %s for good. Type purge to go on: ", printable(t.String()))
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
