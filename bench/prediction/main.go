// Command prediction replays recorded accesses through the predictor and prints how
// well it and simple methods would have predicted each step, asked just before it.
//
//	go run ./bench/prediction traces/*.csv
//
// A trace is a CSV file with the columns ts,session,step,actor,item,op,parent, oldest
// first (op a: added, m: modified, r: read, d: deleted, s: known without an access).
// Beside it, NAME.items.csv has the columns item,label.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"wake/prediction"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: go run ./bench/prediction TRACE.csv…") }
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, file := range flag.Args() {
		if strings.HasSuffix(file, ".items.csv") {
			continue
		}
		if err := report(os.Stdout, file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// early is how many questions count as those of a new project.
const early = 200

// report replays one trace and prints its table.
func report(w io.Writer, file string) error {
	steps, err := readTrace(file)
	if err != nil {
		return err
	}
	begin := time.Now()
	model, items := prediction.NewModel(), prediction.Memory{}
	var first prediction.Record
	for _, s := range steps {
		changed, err := model.Advance(s, items)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, it := range changed {
			items[it.ID] = it
		}
		if model.Record.Ranks[prediction.MethodWake].Questions == early {
			first = model.Record
		}
	}
	took := time.Since(begin)
	state, err := model.MarshalBinary()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s: %d steps, %d items, %.2f ms a step, state %d kB\n", filepath.Base(file), model.Steps, len(items),
		took.Seconds()*1000/float64(max(1, len(steps))), len(state)>>10)
	table(w, model.Record, first)
	odds(w, "24 h", model.Record.Day)
	odds(w, "7 d", model.Record.Week)
	return nil
}

func table(w io.Writer, all, first prediction.Record) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer t.Flush()
	fmt.Fprintf(t, "method\tquestions\thit@1\thit@5\thit@10\tMRR\tMRR of the first %d\t\n", early)
	for k, name := range prediction.MethodNames() {
		r := all.Ranks[k]
		h1, h5, h10 := r.HitRates()
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t\n", name, r.Questions, h1, h5, h10, r.MRR(), first.Ranks[k].MRR())
	}
}

func odds(w io.Writer, horizon string, o prediction.Odds) {
	fmt.Fprintf(w, "  P(%s): base rate %.4f, Brier %.4f, skill %.3f, calibration error %.4f\n", horizon, o.Base(), o.Brier(), o.Skill(), o.CalibrationError())
}
