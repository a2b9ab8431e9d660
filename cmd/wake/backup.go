package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const backupLong = `Writes a complete copy of the SQLite file while assistants go on using it, and checks the
copy. Without a path, the copy is put beside the file, with the time in its name.

wake restore goes back to a copy. For a PostgreSQL database, both say which of its own
tools to run.`

// backup is the answer of the backup command.
type backup struct {
	Path string `json:"path"`
	Size int64  `json:"size_bytes"`
}

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "backup [PATH]",
		Short:             "Copy the database while it is in use, and check the copy",
		Long:              backupLong,
		Args:              takes(0, 1),
		ValidArgsFunction: offerFiles,
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			path, err := a.backupPath(ctx, s, args)
			if err != nil {
				return err
			}
			bar := a.progress()
			err = s.Store.Backup(ctx, path, func(done, total int) { bar.show("backup", done, total) })
			bar.end()
			if err != nil {
				return err
			}
			return a.reportBackup(path)
		}),
	}
}

// backupPath returns where to write the copy. It never returns the path of an existing
// file.
func (a *app) backupPath(ctx context.Context, s *memory.Service, args []string) (string, error) {
	path := ""
	if len(args) == 1 {
		if path = a.fromHome(args[0]); path == "-" {
			return "", domain.Invalid("a backup cannot go to standard output; name a file, or use wake export")
		}
	} else {
		info, err := s.Store.Info(ctx)
		if err != nil {
			return "", err
		}
		if isPostgres(info.Address) {
			return "wake.dump", nil // PostgreSQL's own tools make the copy; the store says how
		}
		path = strings.TrimSuffix(info.Address, ".db") + time.Now().Format("-20060102-150405") + ".db"
	}
	path = absolute(path) // "" is this folder
	if _, err := os.Lstat(path); err == nil {
		return "", domain.Conflict("%s is there already; name another file", path)
	}
	return path, checkNames(path)
}

func (a *app) reportBackup(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return printOne(a, backup{path, info.Size()}, func(p *printer, b backup) {
		p.line("%s %s  %s, checked", p.paint(green, "backed up to"), b.Path, size(b.Size))
	})
}
