package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"slices"

	"wake/recall"
)

// The sets used for training, and those only used for measuring. LoCoMo's license
// allows only measuring.
var (
	trainSets   = []string{"beam100k", "beam500k", "ovsfix"}
	measureSets = []string{"locomo"}
)

const (
	chatSet   = "chats"
	chatMixes = 8
	madeSet   = "made"
	madeSize  = 30 // conversations
	latestSet = "latest"
	unseenSet = "unseen"
	folds     = 4
)

// readSets replays all conversations of the sets, and the generated ones.
func readSets(dir string, m *recall.Model, names []string) (exampleSets, error) {
	sets := exampleSets{}
	for _, name := range names {
		convs, err := loadSet(dir, name, "open")
		if err == nil {
			err = sets.add(name, convs, m)
		}
		if err != nil {
			return nil, err
		}
	}
	mixes, err := chatConversations(chatMixes, 1)
	if err != nil {
		return nil, err
	}
	return sets, cmp.Or(sets.add(madeSet, madeConversations(madeSize, 1), m), sets.add(chatSet, mixes, m))
}

// exampleSets are the questions of each set, with their candidates.
type exampleSets map[string][]example

func (sets exampleSets) add(name string, convs []conversation, m *recall.Model) error {
	for _, c := range convs {
		es, err := examples(c, m)
		if err != nil {
			return err
		}
		sets[name] = append(sets[name], es...)
	}
	return nil
}

// evaluate prints every set with the weights that ship.
func evaluate(dir string, m *recall.Model) error {
	sets, err := readSets(dir, m, append(slices.Clone(measureSets), trainSets...))
	if err != nil {
		return err
	}
	if err := cmp.Or(sets.add(latestSet, latestConversations(subjects, 1), m), sets.add(unseenSet, latestConversations(unseen, 1), m)); err != nil {
		return err
	}
	header()
	for _, name := range slices.Concat(measureSets, trainSets, []string{madeSet, chatSet, latestSet, unseenSet}) {
		row(name, shipped(sets[name]), len(sets[name]))
		byCategory := map[string][]example{}
		for _, e := range sets[name] {
			byCategory[e.category] = append(byCategory[e.category], e)
		}
		for _, c := range slices.Sorted(maps.Keys(byCategory)) {
			row("  "+c, shipped(byCategory[c]), len(byCategory[c]))
		}
	}
	return nil
}

// shipped measures the order produced by the ranking itself.
func shipped(es []example) measures {
	var sum measures
	for _, e := range es {
		sum.add(measure(e.ids, e.sessions, e.goldIDs, e.goldSessions))
	}
	return sum.mean(len(es))
}

// learn trains on the allowed sets, reports cross-validation over conversations and
// whole sets, and writes the weights.
func learn(dir, out string, l2 float64, m *recall.Model) error {
	sets, err := readSets(dir, m, trainSets)
	if err != nil {
		return err
	}
	tr := newTrainer(l2)
	names := append(slices.Clone(trainSets), madeSet, chatSet)
	header()
	for _, left := range names {
		w := tr.fit(pick(sets, without(names, left), nil)...)
		row(left+", trained on the others", judge(w, sets[left]), len(sets[left]))
	}
	crossValidate(tr, sets, names)
	w := tr.fit(pick(sets, names, nil)...)
	for _, n := range names {
		row(n+", trained on all", judge(w, sets[n]), len(sets[n]))
	}
	if out == "" {
		return nil
	}
	return write(out, w)
}

// crossValidate leaves out a quarter of every set's conversations at a time.
func crossValidate(tr trainer, sets map[string][]example, names []string) {
	sums := map[string]*measures{}
	for f := range folds {
		w := tr.fit(pick(sets, names, func(n string, i int) bool { return foldOf(n, sets[n], i) != f })...)
		for _, n := range names {
			for i, e := range sets[n] {
				if foldOf(n, sets[n], i) == f {
					if sums[n] == nil {
						sums[n] = &measures{}
					}
					sums[n].add(judgeOne(w, e))
				}
			}
		}
	}
	for _, n := range names {
		row(n+", conversations left out", sums[n].mean(len(sets[n])), len(sets[n]))
	}
}

// foldOf assigns a conversation, or a range of a stream, to a fold.
func foldOf(set string, es []example, i int) int {
	if set == "ovsfix" {
		return i * folds / len(es)
	}
	h := fnv.New32a()
	h.Write([]byte(es[i].conv))
	return int(h.Sum32() % folds)
}

func pick(sets map[string][]example, names []string, keep func(string, int) bool) [][]example {
	var out [][]example
	for _, n := range names {
		var part []example
		for i, e := range sets[n] {
			if keep == nil || keep(n, i) {
				part = append(part, e)
			}
		}
		out = append(out, part)
	}
	return out
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// write stores the weights in recall's format, rounded to three decimals, without those
// close to zero.
func write(path string, w recall.Features) error {
	file := struct {
		About   string                        `json:"about"`
		Weights map[string]map[string]float64 `json:"weights"`
	}{
		About:   "Trained by `go run ./bench/recall train` on BEAM, ovsfix and conversations of our own making; see bench/recall/README.md.",
		Weights: map[string]map[string]float64{},
	}
	for k, kind := range recall.KindNames() {
		file.Weights[kind] = map[string]float64{}
		for i, name := range recall.FeatureNames() {
			if v := math.Round(w[i+k*recall.NumFeatures]*1000) / 1000; math.Abs(v) >= 0.01 {
				file.Weights[kind][name] = v
			}
		}
	}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func header() {
	fmt.Printf("%-36s %5s %7s %7s %7s %7s %7s %7s %7s %7s\n", "", "n", "R@10", "NDCG@10", "MRR", "R@20", "hit@1", "shit@1", "shit@5", "found")
}

func row(label string, m measures, n int) {
	fmt.Printf("%-36s %5d %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f\n", label, n, m.R10, m.NDCG, m.MRR, m.R20, m.Hit1, m.SHit1, m.SHit5, m.Found)
}
