package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"wake/memory"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// relatedChars is how many characters a hook adds to a prompt.
const relatedChars = 1200

// told counts what prompts returned.
type told struct {
	prompts, answered, hit int // all; those that returned anything; those that returned something right
	contexts, right        int // returned contexts
}

func (t *told) add(found []string, gold map[string]bool) {
	right := 0
	for _, id := range found {
		if gold[id] {
			right++
		}
	}
	t.prompts++
	t.contexts += len(found)
	t.right += right
	if len(found) > 0 {
		t.answered++
	}
	if right > 0 {
		t.hit++
	}
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// related measures what is added to a prompt unasked. Each question is a prompt to the
// memory of its own conversation and to that of the previous one, to which it is
// irrelevant. Of contexts outside segments, a server considers more than a hook's
// process has time for.
func related(dir string) error {
	fmt.Printf("%-10s %-8s %8s %10s %8s %12s %8s | %14s\n", "set", "by", "prompts", "answered", "hit", "contexts", "right", "of another")
	for _, set := range []string{"locomo", "beam100k", "ovsfix"} {
		convs, err := loadSet(dir, set, "open")
		if err != nil {
			return err
		}
		for _, by := range []string{"server", "process"} {
			own, foreign, err := relatedBy(convs, by == "process")
			if err != nil {
				return err
			}
			fmt.Printf("%-10s %-8s %8d %10.3f %8.3f %12d %8.3f | %7d %6.3f\n", set, by, own.prompts, share(own.answered, own.prompts),
				share(own.hit, own.prompts), own.contexts, share(own.right, own.contexts), foreign.prompts, share(foreign.answered, foreign.prompts))
		}
	}
	return nil
}

func relatedBy(convs []conversation, hurried bool) (own, foreign told, err error) {
	for i, c := range convs {
		var strange []step
		if i > 0 {
			strange = questionsOf(convs[i-1])
		}
		if err := relatedIn(c, hurried, strange, &own, &foreign); err != nil {
			return own, foreign, fmt.Errorf("%s: %w", c.id, err)
		}
	}
	return own, foreign, nil
}

func questionsOf(c conversation) (out []step) {
	for _, st := range c.steps {
		if st.gold != nil {
			out = append(out, st)
		}
	}
	return out
}

// relatedIn saves a conversation in a new memory and sends prompts to it.
func relatedIn(c conversation, hurried bool, strange []step, own, foreign *told) error {
	ctx := context.Background()
	m, closeMemory, err := newPrompted(ctx)
	if err != nil {
		return err
	}
	defer closeMemory()
	m.s.Hurried = hurried
	for _, st := range c.steps {
		if st.gold == nil {
			err = m.save(ctx, st)
		} else {
			err = m.prompt(ctx, st, own)
		}
		if err != nil {
			return err
		}
	}
	for _, st := range strange {
		if err := m.prompt(ctx, step{question: st.question}, foreign); err != nil {
			return err
		}
	}
	return m.s.Close(ctx)
}

// prompted is a memory with the set's names for its contexts.
type prompted struct {
	s   *memory.Service
	ids map[string]string
}

// newPrompted opens an empty memory in a folder that closing it removes.
func newPrompted(ctx context.Context) (m prompted, closeMemory func(), err error) {
	dir, err := os.MkdirTemp("", "recall")
	if err != nil {
		return m, nil, err
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, "wake.db"), sqlite.Options{})
	if err != nil {
		os.RemoveAll(dir)
		return m, nil, err
	}
	m = prompted{s: memory.New(store, summarizer.Extractive{}), ids: map[string]string{}}
	m.s.DefaultProject = "bench"
	return m, func() {
		store.Close()
		os.RemoveAll(dir)
	}, nil
}

func (m prompted) save(ctx context.Context, st step) error {
	e := st.entry
	saved, err := m.s.Save(ctx, memory.SaveRequest{Content: e.Content, Source: e.Source, Timestamp: e.Time,
		Metadata: map[string]any{"sessionId": e.Session}})
	m.ids[saved.ID] = st.id
	return err
}

var memoryID = regexp.MustCompile(`<wake-memory id=([0-9a-f-]+)`)

func (m prompted) prompt(ctx context.Context, st step, t *told) error {
	text, err := m.s.Related(ctx, memory.Caller{}, "bench", st.question, relatedChars)
	var found []string
	for _, id := range memoryID.FindAllStringSubmatch(text, -1) {
		found = append(found, m.ids[id[1]])
	}
	t.add(found, st.gold)
	return err
}
