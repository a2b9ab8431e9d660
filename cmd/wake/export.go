package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

const exportLong = `Writes what wake keeps to a file, or to standard output.

The format wake, the default, holds everything, one JSON object a line: contexts with
their links, tags and vectors as they were at any time, accesses, predictions, sessions
with their events, checkpoints and hand-offs. wake import wake turns it back into the
same; what follows from these (tiers, the search index, what prediction has learnt) is
computed again. markdown and json are for people: the contexts of all projects, of one with
--project, or one session with --session-id. ollm, ai-agent and autobyteus are the files of
those products and hold one session. autobyteus writes a folder. ollm does if -o names one: the
session and its hand-offs lie in it as OLLM has them in its own, ~/.ollm.

A name that ends in .gz is compressed. If an export in wake's format is stopped, start
it again in the same way within a day, and it goes on.`

const exportExample = `  wake export -o everything.jsonl.gz
  wake export --format markdown --project my-app -o notes.md
  wake export --format autobyteus --session-id 019f03d2-5c41 -o memory/agents/builder`

// exportFlags are the flags of the export command.
type exportFlags struct {
	format  string
	session string
	out     string
	folder  bool // out is one, which may not be there yet
}

func (a *app) exportCommand() *cobra.Command {
	f := exportFlags{format: string(memory.ExportWake)}
	c := &cobra.Command{
		Use:     "export",
		Short:   "Write what wake has stored to a file",
		Long:    exportLong,
		Example: exportExample,
		Args:    noFile,
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, _ []string) error {
			return a.export(ctx, s, f)
		}),
	}
	c.Flags().StringVar(&f.format, "format", f.format, "the `format`: "+strings.Join(words(memory.ExportFormats()), ", "))
	c.Flags().StringVar(&f.session, "session-id", "", "one `session` alone, in wake's format with its children")
	a.completeSessionFlag(c)
	c.Flags().StringVarP(&f.out, "output", "o", "-", "the `file` to write; - is standard output")
	completeFiles(c, "output")
	completeWords(c, "format", words(memory.ExportFormats()))
	return c
}

// noFile checks that no file is named as an argument, as it is in wake backup: without -o,
// standard output is meant.
func noFile(c *cobra.Command, args []string) error {
	if err := takes(0, 0)(c, args); err != nil {
		return withHint(err, "the file to write goes behind -o, as in: %s -o %q", c.CommandPath(), args[0])
	}
	return nil
}

func (a *app) export(ctx context.Context, s *memory.Service, f exportFlags) error {
	format, err := memory.ParseExportFormat(f.format)
	if err != nil {
		return err
	}
	a.notes(s.NoteUnknown(ctx, a.project))
	switch f.out = a.fromHome(f.out); {
	case f.out == "": // as from a variable that is not set
		return domain.Invalid("-o names no file; give its name, or - for standard output")
	case f.out == "-":
		return a.exportAs(ctx, s, format, f)
	case checkNames(f.out) != nil:
		return checkNames(f.out)
	case isStream(f.out): // before the link is followed, which leads from /dev/stdout to nothing that has a path
		return a.exportStream(ctx, s, format, f)
	}
	f.folder = isFolder(f.out) || os.IsPathSeparator(f.out[len(f.out)-1])
	f.out = realPath(f.out) // a link stays a link
	if err := refuseDatabase(ctx, s, f.out); err != nil {
		return err
	}
	return a.exportAs(ctx, s, format, f)
}

// exportAs exports in a format, which determines whether to a file or into a folder.
func (a *app) exportAs(ctx context.Context, s *memory.Service, format memory.ExportFormat, f exportFlags) error {
	switch {
	case format == memory.ExportAutoByteus:
		return a.wrote(f.out, exportAutoByteus(ctx, s, f))
	case format == memory.ExportOLLM && f.folder:
		return a.wrote(f.out, exportOLLM(ctx, s, f))
	case f.folder:
		return domain.Invalid("%s is a folder; name a file in it", f.out)
	case format == memory.ExportWake:
		return a.exportLines(ctx, s, f)
	case f.out == "-":
		return s.ExportAs(ctx, a.exportOut(format), format, f.session, a.project)
	}
	return a.wrote(f.out, writeWhole(f.out, format != memory.ExportAIAgent, func(w io.Writer) error { // ai-agent's files are compressed anyway
		return s.ExportAs(ctx, w, format, f.session, a.project)
	}))
}

// exportOut is standard output for an export. JSON has stored text as it is, so for a
// terminal what acts there is escaped.
func (a *app) exportOut(format memory.ExportFormat) io.Writer {
	if columns(a.out) == 0 || format == memory.ExportMarkdown || format == memory.ExportAIAgent { // for people; compressed
		return a.out
	}
	return &jsonEscaper{w: a.out}
}

// exportedTo is the answer to an export in another format than wake's own.
type exportedTo struct {
	Path string `json:"path"`
}

// wrote prints where an export went, unless it failed.
func (a *app) wrote(path string, err error) error {
	if err != nil {
		return err
	}
	return printOne(a, exportedTo{path}, func(p *printer, e exportedTo) { p.line("wrote %s", e.Path) })
}

// refuseDatabase refuses to overwrite a database, the exported one or another, by
// mistake. The exported one is recognised without opening it, since closing the file
// would drop SQLite's locks on it.
func refuseDatabase(ctx context.Context, s *memory.Service, path string) error {
	own, err := s.Store.Info(ctx)
	if err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if of, ok := strings.CutSuffix(path, suffix); ok && (sameFile(of, own.Address) || isDatabase(of)) {
			return domain.Invalid("%s belongs to a database and is not overwritten; name another file", path)
		}
	}
	return nil
}

// sqliteMagic is the beginning of every SQLite database.
const sqliteMagic = "SQLite format 3\x00"

// isDatabase reports whether a file is an SQLite database.
func isDatabase(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(sqliteMagic))
	_, err = io.ReadFull(file, head)
	return err == nil && string(head) == sqliteMagic
}

// isStream reports whether path is a device or a pipe. These are written to; files are
// replaced.
func isStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// exportStream writes into a device or a pipe, as to standard output.
func (a *app) exportStream(ctx context.Context, s *memory.Service, format memory.ExportFormat, f exportFlags) error {
	into, err := os.OpenFile(f.out, os.O_WRONLY, 0)
	if err != nil {
		return cannotWrite(f.out, err)
	}
	defer func(out io.Writer) { a.out = out }(a.out)
	a.out, f.out = into, "-"
	return errors.Join(a.exportAs(ctx, s, format, f), into.Close())
}

// exportOLLM writes a session into OLLM's folder.
func exportOLLM(ctx context.Context, s *memory.Service, f exportFlags) error {
	if f.session == "" {
		return domain.Invalid("OLLM's folder takes one session's files; name it: --session-id ID (wake session list has them)")
	}
	path := func(name string) string { return filepath.Join(f.out, filepath.FromSlash(name)) }
	read := func(name string) ([]byte, error) { return os.ReadFile(path(name)) }
	return s.ExportOLLM(ctx, f.session, read, func(file transcript.File) error {
		if err := os.MkdirAll(filepath.Dir(path(file.Name)), 0o700); err != nil {
			return cannotWrite(path(file.Name), err)
		}
		return writeWhole(path(file.Name), false, func(w io.Writer) error {
			_, err := w.Write(file.Data)
			return err
		})
	})
}

// exportAutoByteus writes an agent's memory folder.
func exportAutoByteus(ctx context.Context, s *memory.Service, f exportFlags) error {
	if f.session == "" || f.out == "-" {
		return domain.Invalid("autobyteus is a folder of one session's files; give --session-id ID and -o FOLDER")
	}
	if err := os.MkdirAll(f.out, 0o700); err != nil {
		return cannotWrite(f.out, err)
	}
	return s.ExportAutoByteus(ctx, f.session, filepath.Base(absolute(f.out)), func(name string, write func(io.Writer) error) error {
		return writeWhole(filepath.Join(f.out, name), false, write)
	})
}

// exportLines exports in wake's own format.
func (a *app) exportLines(ctx context.Context, s *memory.Service, f exportFlags) error {
	req := memory.ExportRequest{Project: a.project, SessionID: f.session}
	if f.out == "-" {
		req.W = a.exportOut(memory.ExportWake)
		answer, err := a.exportSteps(ctx, s, req, func(memory.ExportMark) error { return nil })
		if err != nil {
			return err
		}
		return a.reportUnread(answer, "everything else was written")
	}
	from, err := s.Store.Info(ctx)
	if err != nil {
		return err
	}
	file, err := openExport(f.out, exportOf{DB: absoluteAddress(from.Address), Project: a.project, SessionID: f.session})
	if err != nil {
		return err
	}
	req.W, req.From = file, file.mark
	answer, err := a.exportSteps(ctx, s, req, file.keep)
	if err != nil {
		return file.stop(ctx, err)
	}
	if err := file.finish(); err != nil {
		return err
	}
	return a.reportExport(answer, file)
}

// exportSteps exports, showing progress and keeping a mark after each step.
func (a *app) exportSteps(ctx context.Context, s *memory.Service, req memory.ExportRequest, keep func(memory.ExportMark) error) (memory.ExportAnswer, error) {
	bar := a.progress()
	defer bar.end()
	req.Step = func(mark memory.ExportMark, answer memory.ExportAnswer) error {
		bar.show("exporting", answer.Contexts+answer.Events, answer.Total)
		if err := keep(mark); err != nil {
			return err
		}
		return ctx.Err()
	}
	return s.Export(ctx, req)
}

// reportExport prints what was exported.
func (a *app) reportExport(answer memory.ExportAnswer, file *exportFile) error {
	err := printOne(a, answer, func(p *printer, e memory.ExportAnswer) {
		p.line("wrote %s: %s, %s, %s, %s", file.path, domain.Many(int64(e.Contexts), "context"), domain.Many(int64(e.Links), "link"),
			domain.Many(int64(e.Sessions), "session"), domain.Many(int64(e.Events), "event"))
		if file.resumed {
			p.line("it went on where it was stopped; what was written before is not counted here")
		}
	})
	if err != nil {
		return err
	}
	return a.reportUnread(answer, "everything else is in "+file.path)
}

// reportUnread reports what an export lacks because the database is damaged. It returns
// an error, so that a script does not take the export for complete.
func (a *app) reportUnread(e memory.ExportAnswer, rest string) error {
	if len(e.Unread) == 0 {
		return nil
	}
	for _, what := range e.Unread {
		fmt.Fprintln(a.err, "wake: not readable:", oneLine(what))
	}
	return domain.Damaged("the database is damaged: %s could not be read; %s", domain.Many(int64(len(e.Unread)), "part"), rest)
}
