package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const loadLong = `Opens contexts by id, or lists a project's. Wherever a command takes an id, its first eight
characters or more do, if no other id of the kind begins with them.`

const loadExample = `  wake load                          the newest contexts of this folder's project
  wake load --mode likely --limit 5  what will be needed next
  wake load 5f0c2c8e                 one context with its text`

func (a *app) loadCommand() *cobra.Command {
	var (
		r      memory.LoadRequest
		f      filterFlags
		mode   string
		withIt bool
	)
	c := &cobra.Command{
		Use:               "load [ID...]",
		SuggestFor:        []string{"load_context", "list", "ls", "show", "get", "open", "view"},
		Short:             "Open contexts by id, or list a project's",
		Long:              loadLong,
		Example:           loadExample,
		ValidArgsFunction: a.completeIDs,
	}
	c.RunE = a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) (err error) {
		if r.Filter, err = f.filter(s.Now()); err != nil {
			return err
		}
		r.By, r.Project, r.IDs, r.Mode = by("load"), a.project, args, memory.Mode(strings.ToLower(mode))
		if c.Flags().Changed("content") {
			r.IncludeContent = &withIt
		}
		return a.load(ctx, s, r)
	})
	c.Flags().StringVar(&mode, "mode", "", "`recent`, likely or forgotten (longest untouched)")
	c.Flags().BoolVar(&withIt, "content", false, "with the whole text (default with ids)")
	listFlags(c, &r.Limit, &r.TokenBudget, &r.Cursor)
	f.register(c)
	completeWords(c, "mode", words([]memory.Mode{memory.ModeRecent, memory.ModeLikely, memory.ModeForgotten}))
	return c
}

func (a *app) load(ctx context.Context, s *memory.Service, r memory.LoadRequest) error {
	answer, err := s.Load(ctx, r)
	if err != nil {
		return err
	}
	a.notes(answer.Notes)
	empty := "no contexts here yet; keep one with: wake save"
	if !r.Filter.Empty() {
		empty = "no context fits; leave a filter out"
	}
	if !s.ReadsEverything(r.Project) {
		empty += ", or look in all projects with: --project '*'"
	}
	if err := printList(a, answer.Contexts, printContext, empty); err != nil {
		return err
	}
	a.more(answer.NextCursor)
	return s.NoContexts(ctx, answer.Missing)
}

// printContext prints one context: a head line, its text, and why it exists.
func printContext(p *printer, c domain.ContextSnapshot) {
	p.head(c.ID, c.Project, when(c.Timestamp), actionOf(c.Causality), c.Memory.Tier, marks(c))
	if c.Content == "" {
		p.line("  %s", oneLine(c.Summary))
	} else {
		p.text(c.Content)
	}
	p.tags(c.Tags)
	if y := c.Causality; y != nil {
		p.field("why", y.Rationale)
		p.field("caused by", y.CausedBy)
		p.field("rests on", strings.Join(y.Dependencies, ", "))
	}
	p.field("replaced by", c.SupersededBy)
}

func actionOf(c *domain.Causality) domain.ActionType {
	if c == nil {
		return ""
	}
	return c.ActionType
}

func marks(c domain.ContextSnapshot) string {
	var m []string
	if c.Pinned {
		m = append(m, "pinned")
	}
	if c.SupersededBy != "" {
		m = append(m, "replaced")
	}
	if c.Memory.AccessCount > 0 {
		m = append(m, fmt.Sprintf("read %d×", c.Memory.AccessCount))
	}
	return strings.Join(m, ", ")
}
