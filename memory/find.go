package memory

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"wake/domain"
	"wake/recall"
	"wake/recall/index"
)

// searching is a search in progress.
type searching struct {
	s       *Service
	req     SearchRequest
	project string         // "" means all
	filters domain.Filters // those of the request
	q       recall.Question
	now     time.Time
	depth   int // how many candidates are wanted

	found []candidate // best first
	notes []string

	phrase recall.Phrase // what listed candidates have word for word; zero if they are listed for their time

	page     []text // of the answer, and the first one after it with Explain
	more     bool   // there are texts after the page
	snippets map[domain.SearchSpace]*recall.Snippets

	meaning  []float32 // embedding of the question
	embedded bool      // the model was asked for it
}

// candidate is a document that may be in the answer, with the reasons for its rank.
type candidate struct {
	space    domain.SearchSpace
	document int64                 // its number in the index; 0 if it was listed
	of       domain.DocumentSource // of a message once it is loaded, and of what was listed
	ranked   *recall.Ranked        // why it ranks there; nil if it was listed, or ranked for a prompt
	because  string                // why it was listed
	score    float64               // 0 to 1; the best is about 1
}

// listed reports whether the candidate was taken for its time or a phrase, unranked.
func (c candidate) listed() bool { return c.document == 0 }

// spokenWeight is the weight of messages relative to saved contexts: people's words
// count most, output of tools least.
var spokenWeight = map[recall.Role]float64{recall.User: 0.9, recall.Assistant: 0.6, recall.Program: 0.3}

// askedWeight is the weight of a question that was asked before, relative to other messages:
// the answer stands elsewhere. Who searches messages alone may look for the question.
const askedWeight = 0.1

// faintest is the score, relative to the best one, below which a text is no answer.
const faintest = 0.001

// find ranks the candidates of all spaces to be searched.
func (f *searching) find(ctx context.Context) error {
	spaces, ok := searched[f.req.In]
	if !ok {
		return domain.Invalid("in %q is unknown; use all, contexts or messages", f.req.In)
	}
	if f.req.In == InMessages && onlyContexts(f.filters) {
		f.notes = append(f.notes, "messages have no tiers, action types or tags: these filters let none pass")
	}
	if len(f.q.Terms) == 0 {
		return f.newest(ctx)
	}
	for _, space := range spaces {
		listed, err := f.listThen(ctx, space)
		if err == nil && !listed {
			err = f.rank(ctx, space)
		}
		if err != nil {
			return err
		}
	}
	if len(f.found) == 0 {
		err := f.listVerbatim(ctx, f.filters, "nothing was found by whole words; these contexts have the question as it stands, the newest first")
		if len(f.found) == 0 {
			f.noteTimes()
		}
		return err
	}
	if len(f.notes) == 0 {
		f.noteTimes()
	}
	f.scale()
	f.found = f.found[:min(f.depth, len(f.found))] // beyond that depth, one space may have more
	return nil
}

// searched maps the argument in to the spaces to be searched.
var searched = map[string][]domain.SearchSpace{
	InAll:      {domain.ContextSpace, domain.MessageSpace},
	InContexts: {domain.ContextSpace},
	InMessages: {domain.MessageSpace},
}

// asked is the time of the question in local time: "today" begins at local midnight.
func (f *searching) asked() time.Time { return f.now.In(f.s.Now().Location()) }

// rank adds the candidates of one space.
func (f *searching) rank(ctx context.Context, space domain.SearchSpace) error {
	a, err := f.allowed(ctx, space)
	if err != nil || a.none {
		return err
	}
	ranked, err := f.rankWithin(ctx, space, a)
	if errors.Is(err, index.ErrFewPass) {
		if a, err = f.listAllowed(ctx, space, 0); err == nil {
			ranked, err = f.rankWithin(ctx, space, a)
		}
	}
	if err != nil {
		return err
	}
	f.found = slices.Grow(f.found, len(ranked))
	for i := range ranked {
		f.found = append(f.found, candidate{space: space, document: ranked[i].Doc.N, ranked: &ranked[i], score: ranked[i].Score})
	}
	return nil
}

// rankTries is how often a question is tried while another process replaces the index
// segments that it reads. Replacing takes long enough for the next try to succeed.
const rankTries = 3

func (f *searching) rankWithin(ctx context.Context, space domain.SearchSpace, a allowed) (ranked []recall.Ranked, err error) {
	model, err := f.s.rankingModel()
	if err != nil {
		return nil, err
	}
	o := recall.Options{Now: f.asked()}
	if f.depth > searchDepth {
		o.Beyond = f.depth
	}
	if space == domain.ContextSpace {
		o.Cosines, o.Between, o.Decisions = f.cosines(ctx, a.only), f.savedBetween, f.decisions
	} else {
		o.Between = f.saidBetween
	}
	for range rankTries {
		if ranked, err = f.ask(ctx, space, model, a, o); domain.KindOf(err) != domain.KindConflict {
			return ranked, err
		}
	}
	return nil, recall.ErrIndex // a segment that is gone each time is missing
}

func (f *searching) ask(ctx context.Context, space domain.SearchSpace, model *recall.Model, a allowed, o recall.Options) ([]recall.Ranked, error) {
	scope, err := f.scope(ctx, space, a)
	if err != nil {
		return nil, err
	}
	return recall.Rank(ctx, scope, model, f.q, o)
}

// scope is the part of a space that is searched. As of a past time, it includes what
// was forgotten since then.
func (f *searching) scope(ctx context.Context, space domain.SearchSpace, a allowed) (scope *index.Scope, err error) {
	ix := f.s.searchIndex(space)
	if a.sieve != nil {
		scope, err = ix.ScopeWhere(ctx, f.project, a.sieve)
	} else {
		scope, err = ix.Scope(ctx, f.project, a.only)
	}
	if err != nil {
		return nil, err
	}
	if space == domain.ContextSpace && !f.filters.AsOf.IsZero() {
		scope.AsThen()
	}
	if f.q.Order == recall.Oldest {
		scope.OldestFirst()
	}
	return scope, nil
}

// allowed is what the filters leave of a space: everything, a list of documents, those
// that pass a sieve, or nothing.
type allowed struct {
	only  []int64
	sieve index.Sieve
	none  bool
}

// mostListed is how many documents that pass the filters are listed before the search.
// If there are more, the filters are applied to what the search finds.
var mostListed = 20_000

// allowed works out what passes the request's filters.
func (f *searching) allowed(ctx context.Context, space domain.SearchSpace) (allowed, error) {
	if f.filters.Empty() {
		return allowed{}, nil
	}
	if space == domain.MessageSpace && onlyContexts(f.filters) {
		return allowed{none: true}, nil
	}
	few, err := f.fewPass(ctx, space)
	if err != nil {
		return allowed{}, err
	}
	if few {
		if a, err := f.listAllowed(ctx, space, mostListed); err != nil || len(a.only) < mostListed {
			return a, err
		}
	}
	return allowed{sieve: func(ctx context.Context, ns []int64) ([]int64, error) {
		return f.s.Store.DocumentsWhere(ctx, domain.DocumentQuery{Filters: f.filters, Space: space, Among: ns})
	}}, nil
}

// fewPass reports whether what passes the filters may be so little that listing it is worth
// a try. No index has the times of messages, so they are listed session by session.
func (f *searching) fewPass(ctx context.Context, space domain.SearchSpace) (bool, error) {
	if space == domain.ContextSpace {
		return true, nil
	}
	if f.filters.Since.IsZero() {
		return false, nil
	}
	n, err := f.s.Store.EventsOfActive(ctx, f.project, f.filters.Since)
	return n < int64(mostListed), err
}

// listAllowed lists the documents that pass the filters, at most most of them; 0 means all.
func (f *searching) listAllowed(ctx context.Context, space domain.SearchSpace, most int) (allowed, error) {
	only, err := f.s.Store.DocumentsWhere(ctx, domain.DocumentQuery{Filters: f.filters, Space: space, Project: f.project, Limit: most})
	return allowed{only: only, none: len(only) == 0}, err
}

// mostBetween is how many texts of a span of time are considered just for their time.
// If there are more, they must match the question's words.
const mostBetween = 4096

// savedBetween lists the documents of the contexts of a span of time.
func (f *searching) savedBetween(ctx context.Context, from, to time.Time) ([]int64, error) {
	return fewBetween(f.s.Store.DocumentsWhere(ctx, domain.DocumentQuery{Filters: within(f.filters, from, to),
		Space: domain.ContextSpace, Project: f.project, Limit: mostBetween}))
}

// saidBetween lists the documents of the people's messages of a span of time.
func (f *searching) saidBetween(ctx context.Context, from, to time.Time) ([]int64, error) {
	return fewBetween(f.s.Store.SaidBetween(ctx, f.project, from, to, mostBetween))
}

// decisions returns those of the documents of contexts that record a decision.
func (f *searching) decisions(ctx context.Context, ns []int64) ([]int64, error) {
	return f.s.Store.DocumentsWhere(ctx, domain.DocumentQuery{Space: domain.ContextSpace, Among: ns,
		Filters: domain.Filters{ActionTypes: []domain.ActionType{domain.Decision}, AsOf: f.filters.AsOf}})
}

func fewBetween(ns []int64, err error) ([]int64, error) {
	if len(ns) == mostBetween {
		return nil, err
	}
	return ns, err
}

// scale brings the scores to 0–1, weights messages, and sorts.
func (f *searching) scale() {
	best := math.Inf(-1)
	for _, c := range f.found {
		if !c.listed() && !c.ranked.Beyond {
			best = max(best, c.score)
		}
	}
	for i := range f.found {
		c := &f.found[i]
		if c.listed() {
			continue
		}
		c.score = math.Exp(c.score - best)
		if c.space == domain.MessageSpace {
			c.score *= spokenWeight[c.ranked.Doc.Role]
			if c.ranked.Doc.Asks && f.req.In != InMessages {
				c.score *= askedWeight
			}
		}
	}
	f.found = slices.DeleteFunc(f.found, func(c candidate) bool { return !c.listed() && c.score < faintest })
	f.putBehind()
	slices.SortStableFunc(f.found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
}

// putBehind lowers the scores of what the index found beyond the candidates, so that it
// follows them in the index's order, and all pages belong to one list. If fewer than
// searchDepth candidates are answers, what lies beyond them is dropped.
func (f *searching) putBehind() {
	beyond := func(c candidate) bool { return !c.listed() && c.ranked.Beyond }
	answers, worst := 0, 1.0
	for _, c := range f.found {
		if !beyond(c) {
			answers, worst = answers+1, min(worst, c.score)
		}
	}
	if answers < searchDepth {
		f.found = slices.DeleteFunc(f.found, beyond)
		return
	}
	worst = math.Nextafter(worst, 0)
	lowest := map[domain.SearchSpace]float64{domain.ContextSpace: worst, domain.MessageSpace: worst}
	for i := range f.found {
		if c := &f.found[i]; beyond(*c) {
			c.score = min(c.score, lowest[c.space])
			lowest[c.space] = c.score
		}
	}
}

// rankingModel returns the model that recall ships, which is read once.
func (s *Service) rankingModel() (*recall.Model, error) {
	s.ranking.once.Do(func() { s.ranking.model, s.ranking.err = recall.DefaultModel() })
	return s.ranking.model, s.ranking.err
}
