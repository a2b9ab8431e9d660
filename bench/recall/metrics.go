package main

import "math"

// measures are quality measures of a ranking, each from 0 to 1.
type measures struct {
	R10, NDCG, MRR, R20, Hit1, SHit1, SHit5 float64
	Found                                   float64 // share of the gold among all candidates
}

func (m *measures) add(o measures) {
	m.R10 += o.R10
	m.NDCG += o.NDCG
	m.MRR += o.MRR
	m.R20 += o.R20
	m.Hit1 += o.Hit1
	m.SHit1 += o.SHit1
	m.SHit5 += o.SHit5
	m.Found += o.Found
}

func (m measures) mean(n int) measures {
	d := float64(max(n, 1))
	return measures{m.R10 / d, m.NDCG / d, m.MRR / d, m.R20 / d, m.Hit1 / d, m.SHit1 / d, m.SHit5 / d, m.Found / d}
}

// measure compares ranked ids and their sessions with the gold. goldSessions are the
// sessions that contain gold.
func measure(ranked, sessions []string, gold, goldSessions map[string]bool) measures {
	var m measures
	dcg, first := 0.0, 0
	for r, id := range ranked {
		if !gold[id] {
			continue
		}
		m.Found++
		if first == 0 {
			first = r + 1
		}
		if r < 10 {
			m.R10++
			dcg += 1 / math.Log2(float64(r+2))
		}
		if r < 20 {
			m.R20++
		}
	}
	g := float64(len(gold))
	m.R10, m.R20, m.Found = m.R10/g, m.R20/g, m.Found/g
	if first > 0 {
		m.MRR = 1 / float64(first)
	}
	m.Hit1 = oneIf(first == 1)
	ideal := 0.0
	for r := range min(10, len(gold)) {
		ideal += 1 / math.Log2(float64(r+2))
	}
	m.NDCG = dcg / ideal
	m.SHit1, m.SHit5 = sessionHits(sessions, goldSessions)
	return m
}

// sessionHits ranks each session by its first memory.
func sessionHits(sessions []string, gold map[string]bool) (hit1, hit5 float64) {
	seen := map[string]bool{}
	for _, s := range sessions {
		if seen[s] {
			continue
		}
		seen[s] = true
		if gold[s] {
			return oneIf(len(seen) == 1), oneIf(len(seen) <= 5)
		}
	}
	return 0, 0
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
