package main

import (
	"cmp"
	"context"
	"time"

	"wake/recall"
)

// example is a question with its candidates, for training and evaluation.
type example struct {
	conv, category string
	ids, sessions  []string // per candidate, in the ranking's own order
	x              []recall.Features
	kind           recall.Kind
	gold           []bool
	goldIDs        map[string]bool
	goldSessions   map[string]bool
}

// mate is 1 for a candidate from a session that contains gold.
func (e *example) mate(i int) float64 { return oneIf(e.goldSessions[e.sessions[i]]) }

// examples replays a conversation and records the candidates of every question.
func examples(c conversation, m *recall.Model) ([]example, error) {
	ctx, ix := context.Background(), newBrute()
	ids, sess, sessionOf := map[int64]string{}, map[int64]string{}, map[string]string{}
	var out []example
	for _, s := range c.steps {
		if s.gold == nil {
			ix.add(recall.NewDocument(s.entry))
			ids[s.entry.N], sess[s.entry.N], sessionOf[s.id] = s.id, s.entry.Session, s.entry.Session
			continue
		}
		ranked, err := recall.Rank(ctx, ix, m, recall.Understand(s.question), recall.Options{Now: time.Unix(s.asked, 0).UTC(), Between: ix.between})
		if err != nil {
			return nil, err
		}
		e := example{conv: cmp.Or(s.of, c.id), category: s.category, goldIDs: s.gold, goldSessions: map[string]bool{}}
		for g := range s.gold {
			if v, ok := sessionOf[g]; ok {
				e.goldSessions[v] = true
			}
		}
		for _, r := range ranked {
			e.kind = r.Kind
			id := ids[r.Doc.N]
			e.ids = append(e.ids, id)
			e.sessions = append(e.sessions, sess[r.Doc.N])
			e.x = append(e.x, r.Features)
			e.gold = append(e.gold, s.gold[id])
		}
		out = append(out, e)
	}
	return out, nil
}
