package main

import (
	"github.com/spf13/cobra"

	"wake/bench/prediction/line"
)

// predictBenchCommand lets an evaluator drive the real predictor over JSON lines,
// with the clock of its events. It touches no database.
func (a *app) predictBenchCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "predict-bench",
		Short:  "Answer an evaluator of predictions in JSON lines",
		Args:   takes(0, 0),
		Hidden: true,
		RunE:   func(*cobra.Command, []string) error { return line.Serve(a.in, a.out) },
	}
}
