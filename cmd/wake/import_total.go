package main

import (
	"fmt"
	"maps"
	"slices"

	"wake/domain"
	"wake/memory"
)

// importTotal adds up the results of the sources.
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

	Projects map[string]*projectShare `json:"projects,omitempty"` // those that got something new
	Failures []importFailure          `json:"failures,omitempty"` // for programs; people read them as errors

	notes   []string
	touched map[string]bool // ids of sessions; several sources may have parts of one
}

// importFailure is a source that could not be read, or not to its end.
type importFailure struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// projectShare is what one project got.
type projectShare struct {
	Sessions int `json:"sessions"` // with something new
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

// addShare adds what a project got from a source.
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

// seen adds up everything in a source.
func seen(a memory.ImportAnswer) memory.Tally {
	return plus(plus(a.Events, a.Contexts), plus(a.Links, a.Others))
}

// printSource prints the result of one source.
func printSource(p *printer, a memory.ImportAnswer) {
	all := seen(a)
	p.line("%s (%s): %d new, %d there already, %d skipped", oneLine(a.Name), a.Format, all.Taken, all.Known, a.Skipped)
}

// printImport prints what an import took. If listed, the lines that it skipped are told already.
func printImport(p *printer, t importTotal, listed bool) {
	text := "read " + domain.Many(t.Sources, "source")
	if t.Unchanged > 0 {
		text += fmt.Sprintf("; in %d nothing was new", t.Unchanged)
	}
	if t.Failed > 0 {
		text += fmt.Sprintf("; %d could not be read", t.Failed)
	}
	p.line("%s", text)
	printTallies(p, t)
	text = domain.Many(t.Skipped, "line") + " skipped"
	if t.Sessions > 0 {
		text = "in " + domain.Many(t.Sessions, "session") + "; " + text
	}
	if t.Skipped > 0 && !listed {
		text += " (--lines --whole lists them)"
	}
	p.line("%s", text)
	if t.Distilled > 0 {
		p.line("%s made from decisions in them", domain.Many(t.Distilled, "context"))
	}
	printProjects(p, t)
}

// printProjects prints what each project got, unless everything went into this run's
// own project.
func printProjects(p *printer, t importTotal) {
	if own := t.Projects[p.currentProject]; len(t.Projects) == 0 || len(t.Projects) == 1 && own != nil {
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
