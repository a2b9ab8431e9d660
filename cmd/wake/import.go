package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

const importLong = `Imports what other products have stored (transcripts of assistants, memories of other
memory servers), and files that wake export wrote. FORMAT is one of

  %s

or auto, which recognises the format of each file. A path may be a folder. Without a path,
the folders where the product keeps its files are searched. An import can be stopped and
started again; nothing is taken in twice.

A session goes into the project of the folder that it worked in, as with hooks, and Claude's
memories go into that of the transcripts beside them. Sessions whose transcript names no
folder, and contexts that name no project, go into this folder's project. --project puts
everything into one.`

const importExample = `  wake import claude-code
  wake import auto ~/backups/assistants
  wake import wake everything.jsonl`

// importFlags say how an import reads and reports.
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
		Use:     "import FORMAT [PATH...]",
		Short:   "Import what other products, or another wake, have stored",
		Long:    fmt.Sprintf(importLong, strings.Join(formats, ", ")),
		Example: importExample,
		Args:    cobra.MinimumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return append(formats, string(transcript.Auto)), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: a.do(func(ctx context.Context, s *memory.Service, args []string) error {
			return a.importAll(ctx, s, f, args[0], args[1:])
		}),
	}
	c.Flags().BoolVar(&f.lines, "lines", false, "list what was taken from each source, and each line that was skipped, with the reason")
	c.Flags().BoolVar(&f.whole, "whole", false, "read files from their beginning, even if they were read before")
	return c
}

// importTotal adds up what the sources gave.
type importTotal struct {
	Sources   int          `json:"sources"`
	Failed    int          `json:"failed"`
	Unchanged int          `json:"unchanged"` // sources without anything new
	Sessions  int          `json:"sessions"`
	Events    memory.Tally `json:"events"`
	Contexts  memory.Tally `json:"contexts"`
	Links     memory.Tally `json:"links"`
	Others    memory.Tally `json:"others"` // accesses, predictions, checkpoints, hand-offs
	Skipped   int          `json:"skipped"`
	Distilled int          `json:"distilled"`

	Projects map[string]*projectShare `json:"projects,omitempty"` // that got anything new

	notes   []string
	touched map[string]bool // the sessions, of which several sources may hold parts
}

// projectShare is what one project got.
type projectShare struct {
	Sessions int `json:"sessions"` // that have anything new
	Events   int `json:"events"`
	Contexts int `json:"contexts"`
	touched  map[string]bool
}

func (t *importTotal) add(a memory.ImportAnswer) {
	t.Others = plus(t.Others, a.Others)
	t.notes = append(t.notes, a.Notes...)
	if t.touched == nil {
		t.touched = map[string]bool{}
	}
	for _, id := range a.Sessions {
		t.touched[id] = true
	}
	t.Sessions = len(t.touched)
	t.Events = plus(t.Events, a.Events)
	t.Contexts = plus(t.Contexts, a.Contexts)
	t.Links = plus(t.Links, a.Links)
	t.Skipped += a.Skipped
	t.Distilled += a.Distilled
	for project, got := range a.Projects {
		t.addShare(project, *got)
	}
}

// addShare adds up what a source brought a project.
func (t *importTotal) addShare(project string, got memory.Share) {
	if got.Events+got.Contexts == 0 {
		return
	}
	if t.Projects == nil {
		t.Projects = map[string]*projectShare{}
	}
	all := t.Projects[project]
	if all == nil {
		all = &projectShare{touched: map[string]bool{}}
		t.Projects[project] = all
	}
	all.Events += got.Events
	all.Contexts += got.Contexts
	for _, id := range got.Sessions {
		all.touched[id] = true
	}
	all.Sessions = len(all.touched)
}

func plus(a, b memory.Tally) memory.Tally {
	return memory.Tally{Taken: a.Taken + b.Taken, Known: a.Known + b.Known}
}

// seen adds up what a source gave.
func seen(a memory.ImportAnswer) memory.Tally {
	return plus(plus(a.Events, a.Contexts), plus(a.Links, a.Others))
}

// importAll reads every source; one that cannot be read does not keep the others
// from being taken.
func (a *app) importAll(ctx context.Context, s *memory.Service, f importFlags, format string, paths []string) error {
	want, err := transcript.ParseFormat(format)
	if err != nil {
		return err
	}
	sources, err := a.sources(want, paths)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(a.collectSeldom())
	im := &importing{app: a, memory: s, flags: f, bar: a.progress(), size: sizesOf(sources)}
	for _, src := range sources {
		if err := im.take(ctx, src); err != nil {
			return err
		}
	}
	if err := im.settle(ctx); err != nil {
		return err
	}
	if im.total.Sources < len(sources) {
		im.bar.end()
		return withHint(domain.Unavailable("the import was stopped; %d of %d sources are complete; this run took in %s and %s", im.total.Sources, len(sources),
			domain.Many(im.total.Events.Taken, "event"), domain.Many(im.total.Contexts.Taken+im.total.Distilled, "context")), "start it again to go on from here")
	}
	im.bar.end()
	a.notes(someNotes(im.total.notes, f.lines))
	if err := one(a, im.total, printImport); err != nil {
		return err
	}
	return errors.Join(im.failures...)
}

// someNotes are as many as a person reads.
func someNotes(notes []string, all bool) []string {
	const most = 10
	if all || len(notes) <= most {
		return notes
	}
	return append(notes[:most:most], fmt.Sprintf("%d more like these; --lines lists them", len(notes)-most))
}

// importing is an import of several sources under way. While one is read, contexts are
// made of the decisions in the one before.
type importing struct {
	*app
	memory   *memory.Service
	flags    importFlags
	bar      *progress
	size     int64              // bytes of all sources
	done     int64              // of those that were read
	open     <-chan importedOne // brings the source before; nil where there is none
	total    importTotal
	failures []error
}

// importedOne is a source with what it gave.
type importedOne struct {
	path   string
	answer memory.ImportAnswer
	err    error
}

// take reads one source, unless it is to stop, and settles the one before.
func (im *importing) take(ctx context.Context, src source) error {
	if ctx.Err() != nil {
		return nil
	}
	im.show(0)
	answer, err := im.read(ctx, src)
	im.done += src.size()
	if err := im.settle(ctx); err != nil {
		return err
	}
	open := make(chan importedOne, 1)
	go func() {
		if err == nil {
			err = im.memory.DistilImport(ctx, &answer)
		}
		open <- importedOne{src.path, answer, err}
	}()
	im.open = open
	return nil
}

// settle waits for the source before, if there is one, and adds up what it gave. That
// it cannot be read is kept for the end; that it was stopped, the next run makes good.
func (im *importing) settle(ctx context.Context) error {
	if im.open == nil {
		return nil
	}
	got := <-im.open
	im.open = nil
	im.total.add(got.answer)
	if got.err != nil && ctx.Err() != nil {
		return nil
	}
	im.total.Sources++
	if got.err != nil {
		im.total.Failed++
		im.failures = append(im.failures, fmt.Errorf("%s: %v", got.path, got.err)) // a bad file is no wrong use of wake
		return nil
	}
	if seen(got.answer) == (memory.Tally{}) && got.answer.Skipped == 0 {
		im.total.Unchanged++
	}
	if !im.flags.lines {
		return nil
	}
	im.bar.end()
	return one(im.app, got.answer, printSource)
}

// show draws the bar at an offset of the source that is being read.
func (im *importing) show(offset int64) {
	im.bar.show("importing kB", int((im.done+offset)>>10), int(im.size>>10))
}

// read takes in one source and tells of what it skipped.
func (im *importing) read(ctx context.Context, src source) (memory.ImportAnswer, error) {
	req := memory.ImportRequest{By: by("import"), Format: src.format, Name: src.path, Project: im.project, Whole: im.flags.whole}
	req.FolderOf = func(dir string) memory.Folder { return workedIn(cmp.Or(dir, src.folder()), im.home()) }
	req.Progress = func(sofar memory.ImportAnswer) { im.show(min(sofar.Offset, src.size())) } // a packed file reads more than it has
	if im.flags.lines {
		req.Skipped = func(sk transcript.Skipped) { fmt.Fprintf(im.err, "skipped %s\n", printable(sk.String())) }
	}
	closeSource, err := src.open(ctx, &req)
	if err != nil {
		return memory.ImportAnswer{}, err
	}
	answer, err := im.memory.Import(ctx, req)
	return answer, errors.Join(err, closeSource())
}

// printSource tells what one source gave.
func printSource(p *printer, a memory.ImportAnswer) {
	all := seen(a)
	p.line("%s (%s): %d new, %d there already, %d skipped", oneLine(a.Name), a.Format, all.Taken, all.Known, a.Skipped)
}

func printImport(p *printer, t importTotal) {
	text := "read " + domain.Many(t.Sources, "source")
	if t.Unchanged > 0 {
		text += fmt.Sprintf("; in %d nothing was new", t.Unchanged)
	}
	if t.Failed > 0 {
		text += fmt.Sprintf("; %d could not be read", t.Failed)
	}
	p.line("%s", text)
	printTallies(p, t)
	text = fmt.Sprintf("in %s; %s skipped", domain.Many(t.Sessions, "session"), domain.Many(t.Skipped, "line"))
	if t.Skipped > 0 {
		text += " (--lines --whole lists them)"
	}
	p.line("%s", text)
	if t.Distilled > 0 {
		p.line("%s made from decisions in them", domain.Many(t.Distilled, "context"))
	}
	printProjects(p, t)
}

// printProjects tells what went into which project, unless all went into this run's own.
func printProjects(p *printer, t importTotal) {
	if own := t.Projects[p.own]; len(t.Projects) == 0 || len(t.Projects) == 1 && own != nil {
		return
	}
	rows := table{head: []string{"PROJECT", "SESSIONS", "EVENTS", "CONTEXTS"}}
	for _, project := range slices.Sorted(maps.Keys(t.Projects)) {
		got := t.Projects[project]
		rows.add(project, fmt.Sprint(got.Sessions), fmt.Sprint(got.Events), fmt.Sprint(got.Contexts))
	}
	rows.print(p)
}

func printTallies(p *printer, t importTotal) {
	rows := table{head: []string{"", "TAKEN", "THERE ALREADY"}}
	for _, r := range []struct {
		name  string
		tally memory.Tally
	}{{"events", t.Events}, {"contexts", t.Contexts}, {"links", t.Links}, {"others", t.Others}} {
		if r.tally != (memory.Tally{}) {
			rows.add(r.name, fmt.Sprint(r.tally.Taken), fmt.Sprint(r.tally.Known))
		}
	}
	if len(rows.rows) > 0 {
		rows.print(p)
	}
}
