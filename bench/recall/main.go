// Command recall measures and trains the ranking of package recall.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"time"

	"wake/recall"
)

func main() {
	data := flag.String("data", "", "folder with the sets")
	flag.Float64Var(&bruteK1, "k1", bruteK1, "")
	flag.Float64Var(&bruteB, "b", bruteB, "")
	l2 := flag.Float64("l2", 0.002, "")
	flag.Parse()
	if err := run(*data, *l2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string, l2 float64) error {
	m, err := recall.DefaultModel()
	if err != nil {
		return err
	}
	sets := map[string][]example{}
	for _, name := range []string{"locomo", "beam100k", "beam500k", "ovsfix"} {
		start := time.Now()
		convs, err := loadSet(dir, name, "open")
		if err != nil {
			return err
		}
		for _, c := range convs {
			es, err := examples(c, m)
			if err != nil {
				return err
			}
			sets[name] = append(sets[name], es...)
		}
		fmt.Println(name, len(sets[name]), time.Since(start))
	}
	for _, c := range madeConversations(30, 1) {
		es, err := examples(c, m)
		if err != nil {
			return err
		}
		sets["made"] = append(sets["made"], es...)
	}
	fmt.Println("made", len(sets["made"]))
	prior := make(recall.Features, recall.NumFeatures*len(recall.KindNames()))
	for i, n := range recall.FeatureNames() {
		prior[i] = priorWeights[n]
	}
	tr := trainer{epochs: 30, rate: 0.5, l2: l2, negatives: 60, prior: prior, seed: 1}
	show("prior", prior, sets)
	show("made only", tr.fit(sets["made"]), sets)
	show("without made", tr.fit(sets["beam100k"], sets["beam500k"], sets["ovsfix"]), sets)
	show("without ovsfix", tr.fit(sets["beam100k"], sets["beam500k"], sets["made"]), sets)
	show("without beam", tr.fit(sets["ovsfix"], sets["made"]), sets)
	w := tr.fit(sets["beam100k"], sets["beam500k"], sets["ovsfix"], sets["made"])
	show("all allowed", w, sets)
	for i, n := range recall.FeatureNames() {
		fmt.Printf("%s %.2f/%.2f/%.2f  ", n, w[i], w[i+recall.NumFeatures], w[i+2*recall.NumFeatures])
	}
	fmt.Println()
	return nil
}

var priorWeights = map[string]float64{"turn": 3, "prev1": 0.9, "next1": 0.9, "prev2": 0.45, "next2": 0.45, "session": 0.6, "speaker": 0.5, "likeness": 1}

func show(label string, w recall.Features, sets map[string][]example) {
	names := make([]string, 0)
	for n := range sets {
		names = append(names, n)
	}
	sort.Strings(names)
	slices.Reverse(names)
	for _, n := range names {
		m := judge(w, sets[n])
		fmt.Printf("%-26s %-10s R10 %.3f NDCG %.3f MRR %.3f R20 %.3f Rall %.3f | s1 %.3f s5 %.3f\n", label, n, m.R10, m.NDCG, m.MRR, m.R20, m.R200, m.SHit1, m.SHit5)
	}
}
