package main

import (
	"github.com/spf13/cobra"

	"wake/bench/prediction/line"
)

// predictBenchCommand runs the predictor for an evaluator that sends events with their
// times as JSON lines. It uses no database.
func (a *app) predictBenchCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "predict-bench",
		Short:  "Answer an evaluator of predictions in JSON lines",
		Args:   takes(0, 0),
		Hidden: true,
		RunE:   func(*cobra.Command, []string) error { return line.Serve(a.in, a.out) },
	}
}
