package main

import "wake/recall"

// priors are the weights known before training: neighbours count a third and a sixth of
// a turn's own weight; the session and the named speaker count too. fixedPriors are not
// trained, because the sets say nothing, or something accidental, about them.
var (
	priors = map[string]float64{
		"turn": 3, "prev1": 0.9, "next1": 0.9, "prev2": 0.45, "next2": 0.45, "session": 0.6, "speaker": 0.5, "likeness": 1,
	}
	fixedPriors = map[string]float64{"newest": 3, "oldest": 3, "vector": 3, "date": 1, "decision": 2}
	// No training set asks for a time except by chance. If a question does, the time
	// must outweigh the order among texts with the same words; between people, who
	// remember when something was rather than in which words, it must outweigh nearly
	// everything.
	fixedByKind = map[string]map[string]float64{
		"chat":   {"date": 1},
		"notes":  {"date": 2},
		"people": {"date": 4},
	}
	// Recency helps with notes. In chats, the sets ask at the end for what was said at the
	// start, which teaches the wrong thing. What users want in general is told in chats.
	learnedOf = map[string]string{"recency": "notes", "instruction": "chat", "preference": "chat"}
)

// newTrainer starts from the priors.
func newTrainer(l2 float64) trainer {
	kinds := len(recall.KindNames())
	t := trainer{epochs: 24, rate: 0.5, l2: l2, negatives: 60}
	t.prior = make(recall.Features, recall.NumFeatures*kinds)
	t.fixed = make([]bool, len(t.prior))
	for i, name := range recall.FeatureNames() {
		t.prior[i] = priors[name]
		v, fixed := fixedPriors[name]
		if fixed {
			t.prior[i] = v
		}
		for k, kind := range recall.KindNames() {
			at := i + k*recall.NumFeatures
			only := learnedOf[name]
			t.fixed[at] = fixed || only != "" && kind != only
			if w, ok := fixedByKind[kind][name]; ok {
				t.prior[at], t.fixed[at] = w, true
			}
		}
	}
	return t
}
