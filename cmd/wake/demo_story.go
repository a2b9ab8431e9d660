package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
)

const (
	prologue = `One project, four sessions, 33 days. Every session is a new assistant that
remembers nothing: all it has is wake, an MCP server that keeps one SQLite file.`
	epilogue = `The last assistant read no old chat and did not repeat the mistake: it asked in
plain words and learnt what was decided, why, and what came of it.
Connect yours: see README.md`
)

const day = 24 * time.Hour

// story is realistic: most shops that kept the cart in a cookie later moved it.
var story = []chapter{
	{33 * day, "a design", design},
	{12 * day, "a bug, and a reversal", reversal},
	{3 * time.Hour, "work goes on", work},
	{0, "a new idea, an old mistake", lesson},
}

// note is something that an assistant saves in the story.
type note struct {
	name       string
	action     domain.ActionType
	text       string
	because    string
	after      string // the note that caused it
	supersedes string
}

func design(ctx context.Context, s *assistant) error {
	return s.saveAll(ctx,
		note{name: "options", action: domain.Research,
			text: "A cookie, Redis or PostgreSQL could hold the cart."},
		note{name: "cookie", action: domain.Decision, after: "options",
			text: "The shopping cart lives in a signed cookie.", because: "no round trip, and no server to run"},
		note{name: "cookie code", action: domain.FileEdit, after: "cookie",
			text: "cart/cookie.go signs the items with HMAC-SHA256."})
}

func reversal(ctx context.Context, s *assistant) error {
	if _, err := s.ask(ctx, "where does the shopping cart live?", 1); err != nil {
		return err
	}
	return s.saveAll(ctx,
		note{name: "bug", action: domain.ToolUse, after: "cookie",
			text: "Carts over 30 items vanish: browsers cut at 4 KB."},
		note{name: "postgres", action: domain.Decision, after: "bug", supersedes: "cookie",
			text: "The cart moves to PostgreSQL, a cookie has its id.", because: "4 KB is a hard limit, and a lost cart is a lost sale"},
		note{name: "postgres code", action: domain.FileEdit, after: "postgres",
			text: "cart/store.go keeps carts in a table, by that id."})
}

func work(ctx context.Context, s *assistant) error {
	if err := s.open(ctx, "postgres code"); err != nil {
		return err
	}
	return s.saveAll(ctx, note{name: "cleaner", action: domain.FileEdit, after: "postgres code",
		text: "A nightly job deletes carts untouched for 90 days."})
}

func lesson(ctx context.Context, s *assistant) error {
	best, err := s.ask(ctx, "could the wish list live in a cookie?", 2)
	if err != nil {
		return err
	}
	if err := s.why(ctx, best); err != nil {
		return err
	}
	if err := s.saveAll(ctx, note{name: "wish list", action: domain.Decision, after: "bug",
		text: "The wish list goes to PostgreSQL from the start.", because: "the cart outgrew its cookie"}); err != nil {
		return err
	}
	if err := s.tiers(ctx); err != nil {
		return err
	}
	return s.foresee(ctx)
}

func (s *assistant) saveAll(ctx context.Context, notes ...note) error {
	for _, n := range notes {
		if err := s.save(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *assistant) save(ctx context.Context, n note) error {
	args := map[string]any{"content": n.text, "action_type": n.action}
	for key, value := range map[string]string{"rationale": n.because, "caused_by": s.ids[n.after], "supersedes": s.ids[n.supersedes]} {
		if value != "" {
			args[key] = value
		}
	}
	var saved memory.SaveAnswer
	if err := s.call(ctx, "save_context", args, &saved); err != nil {
		return err
	}
	s.ids[n.name] = saved.ID
	s.say("save_context", fmt.Sprintf("%-9s %s", n.action, n.text))
	if n.because != "" {
		s.aside("because " + n.because)
	}
	if n.supersedes != "" {
		s.aside("replaces: " + s.name(saved.Superseded))
	}
	return nil
}

// ask searches for a question and returns the id of the best hit.
func (s *assistant) ask(ctx context.Context, question string, limit int) (string, error) {
	var found memory.SearchAnswer
	if err := s.call(ctx, "search_context", map[string]any{"query": question, "limit": limit}, &found); err != nil {
		return "", err
	}
	s.say("search_context", s.p.paint(yellow, question))
	if len(found.Hits) == 0 {
		return "", fmt.Errorf("search found nothing for %q", question)
	}
	for i, h := range found.Hits {
		s.aside(fmt.Sprintf("%d. %s%s", i+1, h.Summary, s.replaced(h.SupersededBy)))
	}
	return found.Hits[0].ID, nil
}

func (s *assistant) replaced(by string) string {
	if by == "" {
		return ""
	}
	return s.p.paint(yellow, " (replaced)")
}

func (s *assistant) open(ctx context.Context, name string) error {
	var opened memory.LoadAnswer
	if err := s.call(ctx, "load_context", map[string]any{"ids": []string{s.ids[name]}}, &opened); err != nil {
		return err
	}
	s.say("load_context", opened.Contexts[0].Content)
	return nil
}

func (s *assistant) why(ctx context.Context, id string) error {
	var chain memory.ChainAnswer
	if err := s.call(ctx, "causal_chain", map[string]any{"id": id}, &chain); err != nil {
		return err
	}
	s.say("causal_chain", "why, from the beginning:")
	for i, n := range chain.Nodes {
		arrow := ""
		if i > 0 {
			arrow = strings.Repeat("  ", i-1) + "└ "
		}
		s.aside(arrow + n.Summary + s.replaced(n.SupersededBy))
	}
	return nil
}

func (s *assistant) tiers(ctx context.Context) error {
	var stats memory.StatsAnswer
	if err := s.call(ctx, "memory_stats", nil, &stats); err != nil {
		return err
	}
	var warmth []string
	for _, t := range domain.Tiers {
		warmth = append(warmth, fmt.Sprintf("%s %d", s.p.tier(t), stats.Tiers[t]))
	}
	s.say("memory_stats", strings.Join(warmth, "  ")+"  (by last use, not age)")
	return nil
}

func (s *assistant) foresee(ctx context.Context) error {
	var next memory.PredictAnswer
	if err := s.call(ctx, "predict", map[string]any{"limit": 2, "horizon": "24h"}, &next); err != nil {
		return err
	}
	s.say("predict", "needed within 24 hours:")
	for _, p := range next.Predictions {
		s.aside(fmt.Sprintf("%3.0f %%  %s", 100*p.Probability, p.Summary))
	}
	return nil
}

// name returns the name of a saved context in the story.
func (s *assistant) name(id string) string {
	for name, of := range s.ids {
		if of == id {
			return "the " + name + " decision"
		}
	}
	return id
}

// say prints the tool's name in a column of its own, followed by a text.
func (s *assistant) say(tool, text string) {
	s.p.line("  %s %s", s.p.paint(green, fmt.Sprintf("%-14s", tool)), text)
}

func (s *assistant) aside(text string) {
	s.p.line("%19s %s", "", text)
}
