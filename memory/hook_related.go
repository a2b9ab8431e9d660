package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"wake/domain"
	"wake/recall"
	"wake/recall/index"
)

// A prompt brings back relatedMost contexts at most, of the relatedDepth likeliest.
const (
	relatedMost  = 5
	relatedDepth = 8
)

// Related brings back, in at most budget characters, contexts that clearly
// belong to a prompt; "" where none does. What session already knows of, because
// it was saved or handed out there, is left out.
func (s *Service) Related(ctx context.Context, by Caller, project, prompt string, budget int) (string, error) {
	p := prompting{finding: finding{s: s, now: s.now(), req: SearchRequest{Project: project}, q: recall.Understand(headOf(prompt, domain.MaxQuery))}}
	if p.telling = tellingTerms(p.q.Terms); len(p.telling) == 0 {
		return "", nil
	}
	if err := p.likely(ctx); err != nil || len(p.found) == 0 {
		return "", err
	}
	if err := p.open(ctx, 0, relatedDepth); err != nil {
		return "", err
	}
	clear, err := s.untold(ctx, by.SessionID, p.clearlyRelevant(by.SessionID))
	if err != nil || len(clear) == 0 {
		return "", err
	}
	told := newTelling(budget, "wake remembers what may belong to this. "+QuoteNotice, "")
	told.section("", clear[:min(relatedMost, len(clear))])
	s.touch(by, domain.Shown, told.contexts)
	return told.String(), s.markTold(ctx, by.SessionID, told.contexts)
}

// everyday are words that most prompts to an assistant have, whatever they are
// about.
const everyday = `add app break build call change check class code command comment commit correct create data default
	delete describe directory do document edit error example explain fail feature file find fix folder format function give
	go good help implement issue keep last line list look make method model move need new next number output page plan please
	problem project prompt put read refactor remove rename repository request result review run same save set show start
	stop string summary task test text thing time try type update use user value variable version want way word work write`

var everydayTerms = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, t := range recall.Analyze(everyday) {
		set[t] = true
	}
	return set
})

// tellingTerms are the distinct terms of a text without everyday ones.
func tellingTerms(terms []string) []string {
	return slices.DeleteFunc(distinct(terms), func(t string) bool { return everydayTerms()[t] })
}

// A context clearly belongs to a prompt
//   - if it has all of the prompt's telling words, and the ranking of a search gives it more
//     than an even chance of being the answer; or
//   - if that chance, times the share of the telling words that it has, by weight, is
//     clearEnough, and it has more than fewestCommon of these words, or as many and they
//     make up more than half of the weight.
//
// For questions to chats and to a history of code, two to four times as much of what this
// brings back is right as by words in common alone (bench/recall/README.md).
const (
	clearEnough  = 0.12
	fewestCommon = 2
	mostly       = 0.5
)

// prompting is the search for what belongs to a prompt.
type prompting struct {
	finding
	telling []string
	weights map[string]float64 // of the telling terms, the rarer the more
	mass    float64            // of all of them
}

// likely finds the project's contexts for the prompt, the likeliest first, with the
// chance of each as its score. A client waits for it: where no context has enough of
// the telling words, nothing is ranked.
func (p *prompting) likely(ctx context.Context) (err error) {
	for range rankTries {
		if p.found, err = p.rankIfEnough(ctx); domain.KindOf(err) != domain.KindConflict {
			break
		}
	}
	return err
}

func (p *prompting) rankIfEnough(ctx context.Context) ([]candidate, error) {
	scope, err := p.scope(ctx)
	if err != nil {
		return nil, err
	}
	if enough, err := p.weigh(ctx, scope); !enough || err != nil {
		return nil, err
	}
	model, err := p.s.rankingModel()
	if err != nil {
		return nil, err
	}
	ranked, err := recall.Rank(ctx, scope, model, p.q, recall.Options{Now: p.asked(), Limit: searchDepth})
	if err != nil {
		return nil, err
	}
	return chances(ranked), nil
}

// scope is the project's part of the index. A process that ends soon looks for the
// prompt's words alone; one that stays keeps what it reads.
func (p *prompting) scope(ctx context.Context) (*index.Scope, error) {
	ix, project := p.s.searchIndex(domain.ContextSpace), p.s.readProject(p.req.Project)
	if p.s.Hurried {
		return ix.ScopeOf(ctx, project, p.q.Terms)
	}
	return ix.Scope(ctx, project, nil)
}

// weigh learns how rare the telling words are, and reports whether there is a context
// that has enough of them.
func (p *prompting) weigh(ctx context.Context, scope *index.Scope) (enough bool, err error) {
	stats, err := scope.Stats(ctx, p.telling)
	if err != nil {
		return false, err
	}
	p.weights, p.mass = map[string]float64{}, 0
	var known []recall.Weighted
	for i, t := range p.telling {
		weight := math.Log1p(float64(stats.Docs) / float64(stats.DF[i]+1))
		p.weights[t] = weight
		p.mass += weight
		if stats.DF[i] > 0 {
			known = append(known, recall.Weighted{Term: t, Weight: weight, Even: true})
		}
	}
	if len(known) < min(fewestCommon, len(p.telling)) {
		return false, nil
	}
	top, err := scope.Top(ctx, known, 1)
	return len(top) > 0 && top[0].Score >= clearEnough*p.mass, err
}

// chances makes candidates of what was ranked. The ranking is trained by the softmax of
// its scores, which therefore are chances.
func chances(ranked []recall.Ranked) []candidate {
	found, sum := make([]candidate, len(ranked)), 0.0
	for i, r := range ranked {
		found[i] = candidate{document: r.Doc.N, score: math.Exp(r.Score - ranked[0].Score)}
		sum += found[i].score
	}
	for i := range found {
		found[i].score /= sum
	}
	return found
}

// clearlyRelevant takes from what was opened the contexts that hold, and that the
// session does not have, as far as they clearly belong to the prompt. What it would be
// told of each stands for its summary.
func (p *prompting) clearlyRelevant(session string) (clear []domain.ContextSnapshot) {
	for i, h := range p.hits {
		if h.SupersededBy == "" && (h.SessionID == "" || h.SessionID != session) && p.belongs(h) {
			c := p.contexts[i]
			c.Summary = cmp.Or(h.Snippet, h.Summary)
			clear = append(clear, c)
		}
	}
	return clear
}

// belongs reports whether a hit clearly belongs to the prompt, by what would be told
// of it.
func (p *prompting) belongs(h domain.Hit) bool {
	has := recall.Analyze(h.Snippet + "\n" + h.Summary + "\n" + strings.Join(h.Tags, " "))
	common, weight := 0, 0.0
	for _, t := range p.telling {
		if slices.Contains(has, t) {
			common++
			weight += p.weights[t]
		}
	}
	share := weight / p.mass
	if common == len(p.telling) && h.Score > mostly {
		return true
	}
	return common >= fewestCommon && (common > fewestCommon || share > mostly) && h.Score*share >= clearEnough
}
