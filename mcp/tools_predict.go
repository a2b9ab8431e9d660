package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

type predictArgs struct {
	Project  string        `arg:"project" help:"* = all"`
	After    string        `arg:"after" help:"id in use now"`
	Limit    int           `arg:"limit" default:"5"`
	MinScore float64       `arg:"min_score"`
	Horizon  time.Duration `arg:"horizon" default:"24h"`
}

func (s *Server) predict(ctx context.Context, r request[predictArgs]) (memory.PredictAnswer, error) {
	a := r.args
	answer, err := s.service.Predict(ctx, memory.PredictRequest{
		By: r.by, Project: a.Project, After: a.After, Limit: a.Limit, MinScore: a.MinScore, Horizon: a.Horizon,
	})
	fitList(&answer.Predictions, "predictions", room(r.by), &answer.Notes)
	return answer, err
}

func tellPredict(p *page, args predictArgs, a memory.PredictAnswer) {
	if len(a.Predictions) == 0 { // a note says why
		if args.MinScore == 0 {
			p.line("Nothing to predict from yet. Contexts that are saved and opened again teach wake what is needed next.")
		}
		return
	}
	p.line("Probably needed within %s, most likely first.", a.Horizon)
	for i, c := range a.Predictions {
		if !p.prediction(c) {
			p.line("%d more are in this answer's data but not in this text.", len(a.Predictions)-i)
			break
		}
	}
	if r := a.Record; r.Comparable() {
		p.line("Record: of %d earlier uses, %.0f %% were among the first 5 (last used first: %.0f %%).", r.Questions, r.Methods[0].Hit5*100, hit5(r, "lru")*100)
	}
	p.next("load_context", "ids", asJSON([]string{a.Predictions[0].ID}))
}

// hit5 is how often a method had the right context among its first five.
func hit5(r memory.PredictionRecord, method string) float64 {
	for _, m := range r.Methods {
		if m.Name == method {
			return m.Hit5
		}
	}
	return 0
}

// prediction writes an item about a context that is probably needed.
func (p *page) prediction(c memory.Prediction) bool {
	return p.item(predictionLine(c), quotation{c.ID, c.Origin, c.SavedAt, c.Summary}, 300)
}

func predictionLine(c memory.Prediction) string {
	parts := []string{c.ID, day(c.Timestamp), "project " + memory.Name(c.Project), fmt.Sprintf("%.0f %%", c.Probability*100), fmt.Sprintf("score %.2f", c.Score)}
	if !c.EvenBy.IsZero() {
		parts = append(parts, "as likely as not by "+day(c.EvenBy))
	}
	if c.Opened {
		parts = append(parts, "already opened in this session")
	}
	return "* " + strings.Join(append(parts, domain.Clip(cmp.Or(c.Why, strings.Join(c.Reasons, ", ")), 200)), " · ")
}
