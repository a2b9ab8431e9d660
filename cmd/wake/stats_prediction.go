package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"wake/domain"
	"wake/memory"
	"wake/prediction"
)

// printRecord prints how good predictions were in a project and what was learnt.
func printRecord(p *printer, r memory.ProjectRecord) {
	p.line("%s  %s, %s in %s; %s judged", p.paint(bold, oneLine(r.Project)),
		domain.Many(r.Contexts, "context"), domain.Many(r.Steps, "step"), domain.Many(r.Sessions, "session"), domain.Many(r.Questions, "use"))
	for _, v := range r.Verdict {
		p.line("  %s", oneLine(v))
	}
	printMethods(p, r.PredictionRecord)
	printChances(p, "24 hours", r.Day)
	printChances(p, "7 days", r.Week)
	printLearned(p, r.Learned)
	printShown(p, r)
	p.line("")
}

// printMethods prints the methods' results on the same questions.
func printMethods(p *printer, r memory.PredictionRecord) {
	if !r.Comparable() {
		return
	}
	p.line("")
	t := table{head: []string{"what was used stood", "first", "in 5", "in 10", "1/rank", "ranked by"}}
	for _, m := range r.Methods {
		t.add(m.Name, percent(m.Hit1), percent(m.Hit5), percent(m.Hit10), fmt.Sprintf("%.3f", m.MRR), m.About)
	}
	t.print(p)
}

// curveWidth is the width of a row of the calibration curve, from 0 to 100 %.
const curveWidth = 50

// printChances prints the calibration curve: predicted and actual probability, with a
// row for each tenth that has predictions.
func printChances(p *printer, within string, c *memory.ChanceRecord) {
	if c == nil {
		return
	}
	p.line("")
	p.line("%s  Brier score %.4f, skill %.3f, calibration error %.4f, base rate %s",
		p.paint(bold, "chances within "+within), c.Brier, c.Skill, c.CalibrationError, percent(c.BaseRate))
	p.line("   said    came  0 %%%s100 %%  share of chances", strings.Repeat(" ", curveWidth-7))
	for _, b := range c.Curve {
		p.line("%s  %s  %s  %s", percent(b.Given), percent(b.Used), p.paint(curveColour(b), curveRow(b)), percent(b.Weight/c.Given))
	}
	p.line("  %s", p.paint(faint, "| said   * came   + both"))
}

// curveRow draws one bin: the predicted probability and the actual one.
func curveRow(b memory.CurveBin) string {
	row := []byte(strings.Repeat(".", curveWidth+1))
	said, came := int(math.Round(b.Given*curveWidth)), int(math.Round(b.Used*curveWidth))
	row[said], row[came] = '|', '*'
	if said == came {
		row[said] = '+'
	}
	return string(row)
}

// curveColour is the colour of a bin, by the difference between predicted and actual.
func curveColour(b memory.CurveBin) string {
	switch d := math.Abs(b.Given - b.Used); {
	case d <= 0.05:
		return green
	case d <= 0.15:
		return yellow
	}
	return red
}

func printLearned(p *printer, l *memory.LearnedRecord) {
	p.line("")
	if l == nil {
		p.line("%s  nothing yet: it goes by how often and how lately contexts were used", p.paint(bold, "learnt"))
		return
	}
	p.line("%s  from %s within sessions and %s of one", p.paint(bold, "learnt"), domain.Many(l.Lessons, "step"), domain.Many(l.StartLessons, "start"))
	t := table{head: []string{"it goes by", "within a session", "at its start"}}
	addShares(&t, l.Signs)
	t.print(p)
	t = table{head: []string{"it listens to", "within a session", "at its start"}}
	addShares(&t, l.Voices)
	t.print(p)
}

func addShares(t *table, shares []memory.LearnedShare) {
	for _, s := range shares {
		t.add(s.Name, percent(s.Within), percent(s.Start))
	}
}

// printShown prints the outcomes of the predictions that were shown.
func printShown(p *printer, r memory.ProjectRecord) {
	s := r.Shown
	p.line("")
	p.line("%s", p.paint(bold, "predictions handed out"))
	var t table
	t.add("settled", fmt.Sprintf("%d, of which %d came true", s.Settled, s.Hits))
	t.add("pending", fmt.Sprint(s.Pending))
	if s.Settled > 0 {
		t.add("squared error", fmt.Sprintf("%.3f; always saying the base rate would have %.3f", s.Brier, s.BrierBase))
	}
	t.add("contexts with a score", fmt.Sprintf("%d, %.2f on average", s.Predicted, s.AverageScore))
	for _, reason := range slices.Sorted(maps.Keys(s.Reasons)) {
		t.add("because "+prediction.InWords(reason), fmt.Sprint(s.Reasons[reason]))
	}
	t.add("last refresh", when(s.LastRefresh))
	t.print(p)
}

// percent writes a share in seven columns.
func percent(share float64) string { return fmt.Sprintf("%5.1f %%", 100*share) }
