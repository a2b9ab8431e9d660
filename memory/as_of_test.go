package memory_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
)

// What any question is answered as of an earlier time is what it was answered then,
// whatever was saved, changed, replaced, forgotten and brought back since.
func TestAsOfIsWhatWasAnsweredThen(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s, now, done := another(t, folder)
		defer done()
		past := &pasts{living: living{t: t, s: s}}
		then := map[time.Time]map[string]string{}
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			now.Pass(time.Second)
			past.step()
			then[now.Now()] = past.answers(time.Time{})
		}
		now.Pass(time.Second)
		for _, at := range slices.SortedFunc(maps.Keys(then), time.Time.Compare) {
			if diff := cmp.Diff(then[at], past.answers(at)); diff != "" {
				t.Fatalf("as of %s (-then +now):\n%s", domain.FormatTime(at), diff)
			}
		}
	})
}

// pasts is a memory whose past is asked for.
type pasts struct {
	living
	words []string // one of each context that no other has
}

// rare are words that no typing error makes of each other.
var rare = []string{"zeppelin", "gateway", "ledger", "orchid", "turbine", "mosaic", "falcon", "blanket", "quartz", "violin"}

func (p *pasts) step() {
	steps := []func(){p.save, p.save, p.change, p.replace, p.forget, p.undo}
	steps[rapid.IntRange(0, len(steps)-1).Draw(p.t, "what")]()
}

func (p *pasts) save() {
	word := rare[len(p.words)]
	a, err := p.s.Save(ctx, memory.SaveRequest{Content: "a note about the " + word, Tags: []string{p.tag()},
		CausedBy: p.one(append(p.contexts, "")), Supersedes: p.one(append(p.contexts, ""))})
	if p.may(err); err == nil {
		p.contexts, p.words = append(p.contexts, a.ID), append(p.words, word)
	}
}

func (p *pasts) tag() string { return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(p.t, "tag") }

// change gives a context other tags, and now and then another cause.
func (p *pasts) change() {
	req := memory.UpdateRequest{ID: p.one(p.contexts), AddTags: []string{p.tag()}, RemoveTags: []string{p.tag()}}
	if rapid.Bool().Draw(p.t, "causes") {
		cause := p.one(append(p.contexts, ""))
		req.CausedBy = &cause
	}
	_, err := p.s.Update(ctx, req)
	p.may(err)
}

func (p *pasts) replace() {
	by := p.one(append(p.contexts, ""))
	_, err := p.s.Update(ctx, memory.UpdateRequest{ID: p.one(p.contexts), SupersededBy: &by})
	p.may(err)
}

func (p *pasts) forget() {
	_, err := p.s.Forget(ctx, memory.ForgetRequest{IDs: []string{p.one(p.contexts)}})
	p.may(err)
}

func (p *pasts) undo() {
	_, err := p.s.Forget(ctx, memory.ForgetRequest{IDs: []string{p.one(p.contexts)}, Undo: true})
	p.may(err)
}

// answers asks everything as of a time; zero is now.
func (p *pasts) answers(at time.Time) map[string]string {
	filter, out := memory.Filter{AsOf: at}, map[string]string{}
	list, err := p.s.Load(ctx, memory.LoadRequest{Filter: filter, Limit: 100})
	p.may(err)
	for _, c := range list.Contexts {
		cause := ""
		if c.Causality != nil {
			cause = c.Causality.CausedBy
		}
		out["list "+c.ID] = fmt.Sprint(slices.Sorted(slices.Values(c.Tags)), c.SupersededBy, cause)
	}
	for i, id := range p.contexts {
		found, err := p.s.Search(ctx, memory.SearchRequest{Query: p.words[i], In: memory.InContexts, Filter: filter})
		p.may(err)
		for _, h := range found.Hits {
			out["search "+p.words[i]+" "+h.ID] = fmt.Sprint(slices.Sorted(slices.Values(h.Tags)), h.SupersededBy)
		}
		chain, err := p.s.Chain(ctx, memory.ChainRequest{ID: id, Direction: domain.Both, AsOf: at})
		p.may(err)
		for _, n := range chain.Nodes {
			out["chain "+id+" "+n.ID] = n.SupersededBy
		}
	}
	return out
}
