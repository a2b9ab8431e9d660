package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
)

const restoreLong = `Puts a copy that wake backup made in the place of the database. The copy is checked first
and stays where it is. What was there is kept beside the database under another name, so
that nothing is lost. A restore that was stopped can be started again. Restart the servers
of your assistants afterwards: those that run write nothing more until they are. On Windows
end them first, because there nobody can move a file that is open.`

// restored is the result of a restore.
type restored struct {
	Path  string `json:"path"`
	From  string `json:"from"`
	Size  int64  `json:"size_bytes"`
	Aside string `json:"aside,omitempty"` // where the former database is now
}

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "restore FILE",
		Short:             "Go back to a copy that wake backup made",
		Long:              restoreLong,
		Example:           "  wake restore ~/.local/share/wake/wake-20260131-220000.db",
		Args:              takes(1, 1),
		ValidArgsFunction: offerFiles,
		RunE:              func(c *cobra.Command, args []string) error { return a.restore(c.Context(), a.fromHome(args[0])) },
	}
}

func (a *app) restore(ctx context.Context, from string) error {
	set, err := a.settings()
	if err != nil {
		return err
	}
	bar := a.progress()
	aside, err := restoreStore(ctx, from, set.DB, func(done, total int) { bar.show("restore", done, total) })
	bar.end()
	if err != nil {
		return err
	}
	info, err := os.Stat(set.DB)
	if err != nil {
		return err
	}
	return printOne(a, restored{set.DB, from, info.Size(), aside}, func(p *printer, r restored) {
		p.line("%s %s  %s, checked", p.paint(green, "restored from"), r.From, size(r.Size))
		if r.Aside != "" {
			p.line("what was there is now %s", r.Aside)
		}
		p.line("restart the servers of your assistants: reconnect them, or begin new sessions")
	})
}
