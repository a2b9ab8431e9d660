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
	tr := newTrainer(l2)
	train := func(skip func(string, int) bool, names ...string) recall.Features {
		var in [][]example
		for _, n := range names {
			var part []example
			for i, e := range sets[n] {
				if skip == nil || !skip(n, i) {
					part = append(part, e)
				}
			}
			in = append(in, part)
		}
		return tr.fit(in...)
	}
	allowed := []string{"beam100k", "beam500k", "ovsfix", "made"}
	w := train(nil, allowed...)
	show("all allowed", w, sets)
	cats := map[string][]example{}
	for _, e := range sets["locomo"] {
		cats[e.category] = append(cats[e.category], e)
	}
	show("  locomo", w, cats)
	// leave conversations out
	folds := 4
	sums := map[string]*measures{}
	for f := range folds {
		fold := func(n string, i int) bool { return foldOf(n, sets[n], i, folds) == f }
		wf := train(fold, allowed...)
		for _, n := range allowed {
			for i, e := range sets[n] {
				if fold(n, i) {
					if sums[n] == nil {
						sums[n] = &measures{}
					}
					sums[n].add(judgeOne(wf, e))
				}
			}
		}
	}
	for _, n := range allowed {
		m := sums[n].mean(len(sets[n]))
		fmt.Printf("%-26s %-10s R10 %.3f NDCG %.3f MRR %.3f R20 %.3f | s1 %.3f s5 %.3f\n", "left out", n, m.R10, m.NDCG, m.MRR, m.R20, m.SHit1, m.SHit5)
	}
	for i, n := range recall.FeatureNames() {
		fmt.Printf("%s", n)
		for k := range recall.KindNames() {
			fmt.Printf("/%.2f", w[i+k*recall.NumFeatures])
		}
		fmt.Print("  ")
	}
	fmt.Println()
	return nil
}

func foldOf(set string, es []example, i, folds int) int {
	if set == "ovsfix" {
		return i * folds / len(es)
	}
	h := 0
	for _, c := range es[i].conv {
		h = h*31 + int(c)
	}
	return h % folds
}

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
