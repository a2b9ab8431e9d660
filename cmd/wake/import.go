package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

const importLong = `Imports what other products have stored (transcripts of assistants, memories of other
memory servers), and files that wake export wrote. FORMAT is one of

  %s

or auto, which recognises the format of each file, as it does if only paths are given. A path
may be a folder. Without a path, the folders where the product keeps its files are searched.
An import can be stopped and started again; nothing is taken in twice.

A session goes into the project of the folder that it worked in, as with hooks, and Claude's
memories go into that of the transcripts beside them. Sessions whose transcript names no
folder, and contexts that name no project, go into this folder's project. --project puts
everything into one.`

const importExample = `  wake import claude-code
  wake import ~/backups/assistants
  wake import wake everything.jsonl`

// importFlags are the flags of the import command.
type importFlags struct {
	lines bool
	whole bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	var formats []string
	for _, known := range transcript.Formats() {
		formats = append(formats, string(known))
	}
	c := &cobra.Command{
		Use:     "import {FORMAT [PATH...] | PATH...}",
		Short:   "Import what other products, or another wake, have stored",
		Long:    fmt.Sprintf(importLong, strings.Join(formats, ", ")),
		Example: importExample,
		Args:    someSource,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return append(formats, string(transcript.Auto)), cobra.ShellCompDirectiveDefault
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: a.runBeginning(func(ctx context.Context, s *memory.Service, args []string) error {
			format, paths, err := whatToImport(args)
			if err != nil {
				return err
			}
			return a.importAll(ctx, s, f, format, paths)
		}),
	}
	c.Flags().BoolVar(&f.lines, "lines", false, "list what was taken from each source, and each line that was skipped, with the reason")
	c.Flags().BoolVar(&f.whole, "whole", false, "read files from their beginning, even if they were read before")
	return c
}

// someSource checks that an import is told what to take.
func someSource(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return withHint(domain.Invalid("say what to import: a format, a file or a folder"), "wake import auto takes what all products have in this home folder; wake import --help lists the formats")
	}
	return nil
}

// whatToImport reads the arguments: a format and paths, or paths alone.
func whatToImport(args []string) (transcript.Format, []string, error) {
	format, err := transcript.ParseFormat(args[0])
	if err == nil {
		return format, args[1:], nil
	}
	if fileExists(args[0]) || isPattern(args[0]) || strings.ContainsAny(args[0], `/`+string(filepath.Separator)) || filepath.Ext(args[0]) != "" {
		return transcript.Auto, args, nil
	}
	return "", nil, withHint(err, "name a format, or a file or folder that is there")
}

// importAll imports every source. It goes on after one that cannot be read.
func (a *app) importAll(ctx context.Context, s *memory.Service, f importFlags, want transcript.Format, paths []string) error {
	sources, err := a.sources(want, paths)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(a.relaxGC())
	s.Store.JoinWrites() // most sources are small
	defer pausesWhenSuspended(s.Store)()
	im := &importing{app: a, memory: s, flags: f, bar: a.progress(), size: sizesOf(sources)}
	for _, src := range sources {
		im.take(ctx, src)
	}
	im.finish(ctx)
	if im.total.Sources < len(sources) {
		im.bar.end()
		return im.stopped(len(sources))
	}
	s.IndexImports(ctx)
	im.bar.end()
	a.notes(someNotes(im.total.notes, f.lines))
	if err := printOne(a, im.total, func(p *printer, t importTotal) { printImport(p, t, f.lines) }); err != nil {
		return err
	}
	return errors.Join(append(im.failures, im.notDurable)...)
}

// someNotes shortens notes to as many as a person reads.
func someNotes(notes []string, all bool) []string {
	const most = 10
	if all || len(notes) <= most {
		return notes
	}
	return append(notes[:most:most], fmt.Sprintf("%d more like these; --lines lists them", len(notes)-most))
}
