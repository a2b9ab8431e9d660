package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

func (a *app) statsCommand() *cobra.Command {
	var prediction bool
	c := &cobra.Command{
		Use:        "stats",
		SuggestFor: []string{"memory_stats", "info"},
		Short:      "Count what is stored and suggest what to do",
		Args:       takes(0, 0),
	}
	c.RunE = a.runWithMemory(func(ctx context.Context, s *memory.Service, _ []string) error {
		if prediction {
			return a.predictionStats(ctx, s)
		}
		answer, err := s.Stats(ctx, a.project)
		if err != nil {
			return err
		}
		return printOne(a, answer, printStats)
	})
	c.Flags().BoolVar(&prediction, "prediction", false, "how right predictions were, and what was learnt")
	return c
}

func printStats(p *printer, s memory.StatsAnswer) {
	p.line("%s  %s, %d pinned, %d replaced, %d forgotten", p.paint(bold, oneLine(cmp.Or(s.Project, "all projects"))),
		domain.Many(s.Contexts, "context"), s.Pinned, s.Superseded, s.Forgotten)
	if s.Contexts > 0 {
		p.line("from %s to %s", when(s.Oldest), when(s.Newest))
	}
	p.line("")
	t := table{whole: true}
	tierRows(&t, s.Tiers)
	c := s.Causality
	t.add("causality", fmt.Sprintf("%d of %d say why, %s", c.WithCause, s.Contexts, domain.Many(c.Roots, "root")))
	t.add("", fmt.Sprintf("chains %.1f deep on average, %d at most", c.AverageDepth, c.LongestDepth))
	t.add("links", linkCounts(c))
	t.add("prediction", predictionCounts(s.Prediction))
	for _, v := range s.Learning.Verdict {
		t.add("", v)
	}
	for _, what := range slices.Sorted(maps.Keys(s.Bytes)) {
		t.add("bytes "+what, size(s.Bytes[what]))
	}
	if s.Queued > 0 {
		t.add("waiting", domain.Many(s.Queued, "summary")+" for a model to improve; without one, what was extracted stays")
	}
	t.print(p)
	printHealth(p, s.Health)
}

func tierRows(t *table, tiers map[domain.Tier]int64) {
	for _, tier := range domain.Tiers {
		t.add(string(tier), domain.Many(tiers[tier], "context"))
	}
}

func linkCounts(c domain.CausalityStats) string {
	return fmt.Sprintf("%s, %s (%d found by wake), %s, %s", domain.Many(c.Links[domain.Cause], "cause"),
		domain.Many(c.Links[domain.Dependency], "dependency"), c.AutoLinks,
		domain.Many(c.Links[domain.Supersedes], "replacement"), domain.Many(c.LostParents, "lost parent"))
}

func predictionCounts(s domain.PredictionStats) string {
	return fmt.Sprintf("%d predicted, %d came true of %d settled, %d pending", s.Predicted, s.Hits, s.Settled, s.Pending)
}

func (a *app) predictionStats(ctx context.Context, s *memory.Service) error {
	records, err := s.PredictionRecords(ctx, a.project)
	if err != nil {
		return err
	}
	for _, r := range records {
		a.notes(r.Notes)
	}
	return printList(a, records, printRecord, "there is nothing to predict in any project yet")
}

func printHealth(p *printer, health []memory.Advice) {
	if len(health) > 0 {
		p.line("")
	}
	for _, h := range health {
		p.line("%s %s", p.level(h.Level), oneLine(h.Text))
		if h.Action != "" {
			p.line("        %s", oneLine(h.Action))
		}
	}
}
