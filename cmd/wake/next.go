package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wake/memory"
)

func (a *app) nextCommand() *cobra.Command {
	var (
		r       memory.PredictRequest
		horizon string
	)
	c := &cobra.Command{
		Use:     "next",
		Aliases: []string{"predict"},
		Short:   "Predict which contexts will be needed next",
		Args:    takes(0, 0),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, _ []string) (err error) {
			if r.Horizon, err = parseSpan("horizon", horizon); err != nil {
				return err
			}
			r.By, r.Project = by("next"), a.project
			return a.next(ctx, s, r)
		}),
	}
	fs := c.Flags()
	fs.StringVar(&r.After, "after", "", "what usually follows the context with this `id`")
	limitFlag(c, &r.Limit, 5, "at most this `number`")
	fs.Float64Var(&r.MinScore, "min-score", 0, "only scores from this `number` on, 0 to 1")
	fs.StringVar(&horizon, "horizon", "24h", "how far ahead to look, a `duration` from 1m to 90d")
	a.completeIDFlag(c, "after")
	return c
}

func (a *app) next(ctx context.Context, s *memory.Service, r memory.PredictRequest) error {
	answer, err := s.Predict(ctx, r)
	if err != nil {
		return err
	}
	a.notes(answer.Notes)
	return printList(a, answer.Predictions, func(p *printer, x memory.Prediction) {
		printPrediction(p, x, answer.Horizon, s.Now())
	}, "nothing to predict yet")
}

func printPrediction(p *printer, x memory.Prediction, horizon string, now time.Time) {
	p.head(x.ID, x.Project, when(x.Timestamp), "", x.Tier, fmt.Sprintf("score %.2f  %.0f %% within %s", x.Score, 100*x.Probability, horizon))
	p.line("  %s", oneLine(x.Summary))
	p.field("because", cmp.Or(x.Why, strings.Join(x.Reasons, ", ")))
	if !x.EvenBy.IsZero() {
		by := when(x.EvenBy)
		if x.EvenBy.Sub(now) > 48*time.Hour { // the minute would be meaningless
			by = x.EvenBy.Local().Format(time.DateOnly)
		}
		p.field("as likely as not by", by)
	}
	if x.Opened {
		p.line("  %s", p.paint(faint, "used already"))
	}
}
