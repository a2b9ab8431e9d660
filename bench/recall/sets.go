package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wake/recall"
)

// conversation is one file of a set: things saved and asked, in order.
type conversation struct {
	id    string
	steps []step
}

// step is a save or, if it has gold, a question.
type step struct {
	entry    recall.Entry
	id       string
	question string
	category string
	asked    int64
	gold     map[string]bool
	of       string // the chat that a question is about, in a conversation that mixes several
}

type fileMemory struct {
	Op       string   `json:"op"`
	ID       string   `json:"id"`
	Session  string   `json:"session"`
	TS       string   `json:"ts"`
	Speaker  string   `json:"speaker"`
	Text     string   `json:"text"`
	Category string   `json:"category"`
	Gold     []string `json:"gold"`
	Date     string   `json:"date"`
}

type file struct {
	ID       string       `json:"id"`
	Memories []fileMemory `json:"memories"`
	Queries  []fileMemory `json:"queries"`
	Stream   []fileMemory `json:"stream"`
}

// loadSet reads every conversation of dir/set/split.
func loadSet(dir, set, split string) ([]conversation, error) {
	names, err := filepath.Glob(filepath.Join(dir, set, split, "*.json"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no conversations in %s", filepath.Join(dir, set, split))
	}
	var out []conversation
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var f file
		if err := json.Unmarshal(data, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, f.conversation(name))
	}
	return out, nil
}

func (f file) conversation(name string) conversation {
	c := conversation{id: f.ID}
	if c.id == "" {
		c.id = filepath.Base(name)
	}
	all := f.Stream
	if all == nil {
		for _, q := range f.Queries {
			q.Op = "query"
			f.Memories = append(f.Memories, q)
		}
		all = f.Memories
	}
	last := map[string]int64{}
	n := int64(0)
	for _, m := range all {
		if m.Op == "query" {
			c.steps = append(c.steps, m.question())
			continue
		}
		n++
		c.steps = append(c.steps, m.save(n, last[m.Session]))
		last[m.Session] = n
	}
	return c
}

func (m fileMemory) question() step {
	gold := map[string]bool{}
	for _, g := range m.Gold {
		gold[g] = true
	}
	return step{question: m.Text, category: m.Category, asked: parse(m.Date).Unix(), gold: gold}
}

func (m fileMemory) save(n, prev int64) step {
	return step{id: m.ID, entry: recall.Entry{
		N: n, Prev: prev, Project: "bench", Session: m.Session, Source: m.Speaker,
		Content: m.Speaker + ": " + m.Text, Time: parse(m.TS),
	}}
}

func parse(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
