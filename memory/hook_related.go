package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"wake/domain"
	"wake/recall"
	"wake/recall/index"
)

// Of the relatedDepth likeliest contexts, at most relatedMost are handed to the model
// with a prompt.
const (
	relatedMost  = 5
	relatedDepth = 8
)

// Related tells, in at most budget characters, of contexts that clearly belong to a
// prompt. It returns "" if there are none. What was saved in the caller's session, or
// told there before, is left out.
func (s *Service) Related(ctx context.Context, by Caller, project, prompt string, budget int) (string, error) {
	p, err := s.belonging(ctx, project, prompt)
	if err != nil {
		return "", err
	}
	return p.tell(ctx, by, budget)
}

// belonging looks for the contexts that may belong to a prompt.
func (s *Service) belonging(ctx context.Context, project, prompt string) (*prompting, error) {
	p := &prompting{searching: searching{s: s, now: s.now(), project: s.readProject(project), q: recall.Understand(domain.Head(prompt, domain.MaxQuery))}}
	if p.telling = p.q.Telling(); len(p.telling) == 0 {
		return p, nil
	}
	if !p.q.Asks { // "now fix the test" asks for nothing that is new
		p.q.Order = recall.AnyTime
	}
	if err := p.likely(ctx); err != nil || len(p.found) == 0 {
		return p, err
	}
	return p, p.open(ctx, given{}, relatedDepth)
}

// tell tells of those that clearly belong to the prompt and that the session's model was
// not told of.
func (p *prompting) tell(ctx context.Context, by Caller, budget int) (string, error) {
	clear, err := p.s.untold(ctx, by.SessionID, p.clearlyRelevant(by.SessionID))
	if err != nil || len(clear) == 0 {
		return "", err
	}
	told := newTelling(budget, "wake remembers what may belong to this. "+QuoteNotice, "")
	told.section("", clear[:min(relatedMost, len(clear))])
	p.s.touch(by, domain.Shown, told.contexts)
	return told.String(), p.s.markTold(ctx, by.SessionID, told.contexts)
}

// A context clearly belongs to a prompt
//   - if it has all of the prompt's telling words, and the ranking gives it more than an
//     even chance of being the answer; or
//   - if that chance times its share of the telling words, by weight, is at least
//     clearEnough, and it has more than fewestCommon of these words, or just as many that
//     make up more than half of the weight.
//
// For questions to chats and to a history of code, two to four times as much of the
// result is right as with words in common alone (bench/recall/README.md).
const (
	clearEnough  = 0.12
	fewestCommon = 2
	mostly       = 0.5
)

// prompting is the search for contexts that belong to a prompt.
type prompting struct {
	searching
	telling []string
	weights map[string]float64 // of the telling terms; rare ones weigh more
	mass    float64            // sum of the weights
}

// likely finds the project's contexts for the prompt, likeliest first, with their
// chances as scores. Since a client waits, nothing is ranked if no context has enough
// of the telling words.
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

// scope is the project's part of the index. A short-lived process loads only the
// prompt's words; a server loads and keeps everything.
func (p *prompting) scope(ctx context.Context) (*index.Scope, error) {
	ix := p.s.searchIndex(domain.ContextSpace)
	if p.s.Hurried {
		return ix.ScopeOf(ctx, p.project, p.q.Terms)
	}
	return ix.Scope(ctx, p.project, nil)
}

// weigh finds out how rare the telling words are, and reports whether a context has
// enough of them.
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

// chances turns ranked documents into candidates. The ranking was trained with the
// softmax of its scores, so this gives probabilities.
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

// clearlyRelevant selects the opened contexts that still hold, are not from the
// session, and clearly belong to the prompt, or replaced what does. The snippet replaces
// summary and reason, because it is what the model is told.
func (p *prompting) clearlyRelevant(session string) (clear []domain.ContextSnapshot) {
	instead := map[string]bool{}                // ids of what holds instead of what belongs to the prompt
	for _, t := range slices.Backward(p.page) { // a successor comes first
		h, c := p.hit(t), *t.context
		switch {
		case !instead[c.ID] && !p.belongs(h):
		case c.SupersededBy != "":
			instead[c.SupersededBy] = true
		case c.SessionID == "" || c.SessionID != session:
			c.Summary, c.Causality = cmp.Or(h.Snippet, h.Summary), nil
			clear = append(clear, c)
		}
	}
	slices.Reverse(clear)
	return clear
}

// belongs reports whether a hit clearly belongs to the prompt, judged by what would be
// told of it, and says more than the prompt does.
func (p *prompting) belongs(h domain.Hit) bool {
	if !slices.ContainsFunc(recall.Analyze(h.Snippet), func(t string) bool { return !slices.Contains(p.q.Terms, t) }) {
		return false
	}
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
