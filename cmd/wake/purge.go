package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const purgeLong = `Overwrites one context, or one event of a session, beyond recovery, with everything that
was derived from it: for what must not exist, such as a leaked password. Only its place
and a hash of it stay. To hide something in a way that can be undone, use: wake forget`

// purgeTarget is what to erase: a context, or an event of a session.
type purgeTarget struct {
	id        string
	sessionID string
	seq       int64
}

// clear reports whether the target is one context or one event, and not both.
func (t purgeTarget) clear() bool {
	if t.id != "" {
		return t.sessionID == "" && t.seq == 0
	}
	return t.sessionID != "" && t.seq > 0
}

// find returns the whole text of the target, and tells the user in a line what the target
// is: ids may be shortened, and a number mistyped.
func (t purgeTarget) find(ctx context.Context, s *memory.Service) (line, text string, err error) {
	if t.id != "" {
		c, err := s.Purgeable(ctx, t.id)
		return fmt.Sprintf("%s of %s: %s", c.ID, when(c.Timestamp), cut(oneLine(c.Summary), 100)), c.Content, err
	}
	e, err := s.PurgeableEvent(ctx, t.sessionID, t.seq)
	return fmt.Sprintf("%s of %s: %s", eventOf(e.SessionID, e.Seq), when(e.Line.At), cut(oneLine(e.Line.Text), 100)), e.Text, err
}

func eventOf(session string, seq int64) string {
	return fmt.Sprintf("event %d of session %s", seq, session)
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
		Args:  takes(0, 1),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			t.id = strings.Join(args, "")
			if !t.clear() {
				return domain.Invalid("say what to purge: the id of a context, or --session-id and --seq of an event")
			}
			line, text, err := t.find(ctx, s)
			if err != nil {
				return err
			}
			if err := a.confirmPurge(ctx, line, yes); err != nil {
				return err
			}
			if err := a.purgeSpool(text); err != nil {
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
	a.completeSessionFlag(c)
	c.Flags().Int64Var(&t.seq, "seq", 0, "the event's `number` in its session")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) purgeEvent(ctx context.Context, s *memory.Service, t purgeTarget) error {
	gone, err := s.PurgeEvent(ctx, t.sessionID, t.seq)
	if err != nil {
		return err
	}
	gone.Backups = a.backupsWith(ctx, s, append(gone.IDs, gone.Contexts...))
	a.notes(gone.Notes)
	return printOne(a, gone, func(p *printer, gone memory.PurgedEvent) {
		for _, place := range gone.Places {
			p.line("%s %s", p.paint(red, "purged"), eventOf(place.SessionID, place.Seq))
		}
		for _, id := range gone.Contexts {
			p.line("%s %s, which was made of it", p.paint(red, "purged"), id)
		}
		p.backups(gone.Backups)
	})
}

func (a *app) purge(ctx context.Context, s *memory.Service, id string) error {
	answer, err := s.Purge(ctx, id)
	if err != nil {
		return err
	}
	answer.Backups = append(answer.Backups, a.backupsWith(ctx, s, []string{answer.ID})...)
	a.notes(answer.Notes)
	return printOne(a, answer, printPurged)
}

// backupsWith lists the files beside the database that contain one of the ids.
func (a *app) backupsWith(ctx context.Context, s *memory.Service, ids []string) []string {
	info, err := s.Store.Info(ctx)
	if err != nil {
		return nil
	}
	return copiesBeside(info.Address, ids)
}

// purgeSpool erases hooks with the text from this database's spool. It must come before the
// text is erased from the database: a purge that is repeated does not know it any more.
func (a *app) purgeSpool(text string) error {
	set, err := a.settings()
	if err != nil {
		return err
	}
	a.adoptSpool(set.DB)
	return a.spool(set.DB).purge(text)
}

// confirmPurge asks the user to type the word, because a purge cannot be undone.
func (a *app) confirmPurge(ctx context.Context, line string, yes bool) error {
	if yes {
		return nil
	}
	answer, err := a.ask(ctx, fmt.Sprintf("This erases %s\nType purge to erase it for good: ", printable(line)))
	refused := domain.Conflict("not confirmed; nothing was purged")
	switch {
	case answer == "purge":
		return nil
	case err != nil: // the end of input is no consent
		return withHint(refused, "add --yes if nobody can type an answer")
	}
	return refused
}

func printPurged(p *printer, x memory.PurgeAnswer) {
	p.line("%s %s", p.paint(red, "purged"), x.ID)
	p.line("  sha256 %s", x.Hash)
	p.backups(x.Backups)
}

func (p *printer) backups(paths []string) {
	for _, path := range paths {
		p.line("  %s %s", p.paint(yellow, "a backup still holds it:"), path)
	}
}
