package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const searchExample = `  wake search why did we leave advisory locks
  wake search what broke last week
  wake search "retry limit" --action-type decision --since 30d`

func (a *app) searchCommand() *cobra.Command {
	var (
		r memory.SearchRequest
		f filterFlags
	)
	c := &cobra.Command{
		Use:        "search QUESTION...",
		Aliases:    []string{"find"},
		SuggestFor: []string{"search_context", "ask", "query", "recall"},
		Short:      "Find contexts and messages by a plain question",
		Example:    searchExample,
		Args:       takes(1, anyNumber),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) (err error) {
			if r.Filter, err = f.filter(s.Now()); err != nil {
				return err
			}
			r.By, r.Project, r.Query = by("search"), a.project, strings.Join(args, " ")
			return a.search(ctx, s, r)
		}),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c.Flags().StringVar(&r.In, "in", "", "search `all`, contexts or messages")
	c.Flags().BoolVar(&r.Explain, "explain", false, "also tell what would have come next")
	listFlags(c, &r.Limit, &r.TokenBudget, &r.Cursor)
	f.register(c)
	completeWords(c, "in", []string{memory.InAll, memory.InContexts, memory.InMessages})
	return c
}

func (a *app) search(ctx context.Context, s *memory.Service, r memory.SearchRequest) error {
	answer, err := s.Search(ctx, r)
	if err != nil {
		return err
	}
	a.notes(answer.Notes)
	empty := "nothing found; try other words"
	if !s.ReadsEverything(r.Project) {
		empty += ", or --project '*' for all projects"
	}
	if err := printList(a, answer.Hits, printHit, empty); err != nil {
		return err
	}
	a.more(answer.NextCursor)
	return nil
}

func printHit(p *printer, h domain.Hit) {
	rest := fmt.Sprintf("score %.2f", h.Score)
	if h.SupersededBy != "" {
		rest += "  " + p.paint(yellow, "replaced by "+h.SupersededBy)
	}
	p.head(h.ID, h.Project, when(h.Timestamp), "", h.Tier, rest)
	summary, snippet := oneLine(h.Summary), oneLine(h.Snippet)
	if summary != "" {
		p.line("  %s", summary)
	}
	if more, goesOn := strings.CutPrefix(snippet, summary); summary == "" || !goesOn {
		p.line("  %s", p.paint(faint, "“"+snippet+"”"))
	} else if more = strings.TrimSpace(strings.TrimLeft(more, ".,;:!?")); more != "" { // its reason
		p.line("  %s", p.paint(faint, more))
	}
	p.tags(h.Tags)
	p.field("matched", h.Why)
}
