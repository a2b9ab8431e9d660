package memory

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"wake/domain"
	"wake/recall"
)

// A prompt brings back relatedMost contexts at most, of the relatedDepth that have
// most in common with it.
const (
	relatedMost  = 5
	relatedDepth = 8
)

// Related brings back, in at most budget characters, contexts that clearly
// belong to a prompt; "" where none does. What session already knows of, because
// it was saved or handed out there, is left out. A client waits for it: where so
// many words must be the same anyway, nothing is ranked by its likeness.
func (s *Service) Related(ctx context.Context, by Caller, project, prompt string, budget int) (string, error) {
	q := recall.Understand(headOf(prompt, domain.MaxQuery))
	telling := tellingTerms(q.Terms)
	if len(telling) < fewestCommon {
		return "", nil
	}
	found, err := s.inCommon(ctx, project, telling)
	if err != nil || len(found) == 0 {
		return "", err
	}
	f := finding{s: s, q: q, now: s.now(), found: found}
	if err := f.open(ctx, 0, relatedDepth); err != nil {
		return "", err
	}
	clear, err := s.untold(ctx, by.SessionID, f.clearlyRelevant(by.SessionID, telling))
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

// fewestCommon is how many words, beside everyday ones, a context must have in
// common with a prompt that it clearly belongs to.
const fewestCommon = 3

// inCommon finds the contexts of a project that have most of some terms, rare ones
// above all; none where the project does not know enough of them for one to be
// clearly relevant.
func (s *Service) inCommon(ctx context.Context, project string, terms []string) (found []candidate, err error) {
	for range rankTries {
		if found, err = s.topInCommon(ctx, project, terms); domain.KindOf(err) != domain.KindConflict {
			break
		}
	}
	return found, err
}

func (s *Service) topInCommon(ctx context.Context, project string, terms []string) ([]candidate, error) {
	scope, err := s.searchIndex(domain.ContextSpace).ScopeOf(ctx, s.readProject(project), terms)
	if err != nil {
		return nil, err
	}
	stats, err := scope.Stats(ctx, terms)
	if err != nil {
		return nil, err
	}
	var known []recall.Weighted
	for i, t := range terms {
		if df := stats.DF[i]; df > 0 {
			known = append(known, recall.Weighted{Term: t, Weight: math.Log1p(float64(stats.Docs) / float64(df))})
		}
	}
	if len(known) < fewestCommon {
		return nil, nil
	}
	top, err := scope.Top(ctx, known, relatedDepth)
	found := make([]candidate, len(top))
	for i, t := range top {
		found[i].document = t.N
	}
	return found, err
}

// clearlyRelevant takes from what was opened the contexts that hold, and that the
// session does not have, as far as they clearly belong to the question. What it
// would be told of each stands for its summary.
func (f *finding) clearlyRelevant(session string, telling []string) (clear []domain.ContextSnapshot) {
	for i, h := range f.hits {
		if h.SupersededBy == "" && (h.SessionID == "" || h.SessionID != session) && belongs(f.q.Terms, telling, h) {
			c := f.contexts[i]
			c.Summary, c.SavedAt = orElse(h.Snippet, h.Summary), h.Timestamp
			clear = append(clear, c)
		}
	}
	return clear
}

// belongs reports whether a hit has words in common with what was asked, beside
// everyday ones, that make up half of the shorter side: a prompt that merely touches a
// subject brings nothing back.
func belongs(asked, telling []string, h domain.Hit) bool {
	const share = 0.5
	has := recall.Analyze(h.Snippet + "\n" + h.Summary + "\n" + strings.Join(h.Tags, " "))
	common := 0
	for _, t := range telling {
		if slices.Contains(has, t) {
			common++
		}
	}
	return common >= fewestCommon && float64(common) >= share*float64(min(len(asked), len(distinct(has))))
}
