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
	"wake/secret"
)

// finding is a search in progress.
type finding struct {
	s        *Service
	req      SearchRequest
	q        recall.Question
	now      time.Time
	depth    int
	found    []candidate // best first
	hits     []domain.Hit
	contexts []domain.ContextSnapshot // behind the hits that are contexts
	left     []domain.Hit             // the first hit after the page, with Explain
	more     bool                     // there are hits after the page
	unasked  bool                     // the contexts are listed by time, not ranked
	before   bool                     // the listed contexts are from before the time that the question names
	phrase   recall.Phrase            // the listed contexts have it word for word; zero if they are listed for their time
	standing float64                  // the score of each listed context
	notes    []string
	snippets map[domain.SearchSpace]*recall.Snippets
	meaning  []float32 // embedding of the question
	embedded bool      // the model was asked for the embedding
}

// candidate is a document that may be in the answer, with the reasons for its rank.
type candidate struct {
	place    int // from 0
	space    domain.SearchSpace
	document int64                 // its number in the index; 0 if it was listed
	of       domain.DocumentSource // of a message once it is loaded, and of what was listed
	ranked   *recall.Ranked        // nil if it was listed
	score    float64               // 0 to 1; the best is about 1
}

// spokenWeight is the weight of messages relative to saved contexts: people's words
// count most, output of tools least.
var spokenWeight = map[recall.Role]float64{recall.User: 0.9, recall.Assistant: 0.6, recall.Program: 0.3}

// askedWeight is the weight of a question that was asked before, relative to other messages:
// the answer stands elsewhere. Who searches messages alone may look for the question.
const askedWeight = 0.1

// faintest is the score, relative to the best one, below which a text is no answer.
const faintest = 0.001

// find ranks the candidates of all spaces to be searched.
func (f *finding) find(ctx context.Context) error {
	spaces, ok := searched[cmp.Or(f.req.In, InAll)]
	if !ok {
		return domain.Invalid("in %q is unknown; use all, contexts or messages", f.req.In)
	}
	if f.req.In == InMessages && f.req.Filter.ofContexts() {
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
		return f.listVerbatim(ctx, f.s.filters(f.req.Filter), "nothing was found by whole words; these contexts have the question as it stands, the newest first")
	}
	f.scale()
	f.found = f.found[:min(f.depth, len(f.found))] // beyond that depth, one space may have more
	for i := range f.found {
		f.found[i].place = i
	}
	return nil
}

// searched maps the argument in to the spaces to be searched.
var searched = map[string][]domain.SearchSpace{
	InAll:      {domain.ContextSpace, domain.MessageSpace},
	InContexts: {domain.ContextSpace},
	InMessages: {domain.MessageSpace},
}

// newest answers a question without any word to look for: it lists the newest
// contexts, of the time that the question names if any. Messages are not listed.
func (f *finding) newest(ctx context.Context) error {
	if f.req.In == InMessages {
		f.notes = append(f.notes, "the question has no word to look for; messages are found by words that are in them")
		return nil
	}
	filters, of := f.s.filters(f.req.Filter), ""
	if from, to, ok := f.q.Span(f.asked()); ok {
		filters, of = within(filters, from, to), " of the time that it names"
	}
	err := f.listVerbatim(ctx, filters, "the question has no word to look for; these contexts have it as it stands, the newest first")
	if err != nil || len(f.found) > 0 {
		return err
	}
	f.notes = append(f.notes, "the question has no word to look for; these are the newest contexts"+of)
	return f.list(ctx, filters)
}

// Limits of looking for a phrase. There is no index for it, so the newest contexts are
// read: in few steps, each larger than the last, because the database may be far away.
const (
	phraseMost  = 2000    // contexts
	phraseFirst = 100     // contexts of the first step
	phraseMore  = 5       // how many times larger a step may be than the last
	phraseBytes = 8 << 20 // of content, by the average of what was read so far
)

// listVerbatim lists those of the newest contexts that have the question word for word,
// and adds the note if there are any.
func (f *finding) listVerbatim(ctx context.Context, filters domain.Filters, note string) error {
	phrase := f.q.Phrase()
	if f.req.In == InMessages || phrase == (recall.Phrase{}) {
		return nil
	}
	query := domain.ContextQuery{Project: f.s.readProject(f.req.Project), Filters: filters, Order: domain.Newest, Limit: phraseFirst, WithContent: true}
	for read, size := 0, 0; query.Limit > 0 && len(f.found) < f.depth; {
		list, err := f.s.Store.Contexts(ctx, query)
		if err != nil {
			return err
		}
		for _, c := range list {
			size += len(c.Content)
			if phrase.In(c.Content) && phrase.In(secret.Mask(c.Content)) { // parts of secrets are not found
				f.found = append(f.found, candidate{place: len(f.found), of: domain.DocumentSource{ContextN: c.N}, score: 1})
			}
		}
		if len(list) < query.Limit {
			break
		}
		after := position(list[len(list)-1], domain.Newest)
		read += len(list)
		fit := (phraseBytes - size) / (size/read + 1)
		query.After, query.Limit = &after, min(phraseMore*query.Limit, phraseMost-read, fit)
	}
	if len(f.found) > 0 {
		f.unasked, f.phrase = true, phrase
		f.notes = append(f.notes, note)
	}
	return nil
}

// listThen answers a question that names a time and nothing else: it lists the contexts of
// that time, or of the week before it. It returns false if the question asks for more, or
// there are none.
func (f *finding) listThen(ctx context.Context, space domain.SearchSpace) (bool, error) {
	from, to, ok := f.q.Span(f.asked())
	if !ok || space != domain.ContextSpace || !f.q.OnlyTime() {
		return false, nil
	}
	err := f.list(ctx, within(f.s.filters(f.req.Filter), from, to))
	if err == nil && len(f.found) > 0 {
		f.notes = append(f.notes, "the question names a time and nothing else to look for; these are the contexts of that time, the newest first")
		return true, nil
	}
	if err == nil {
		err = f.listWeekBefore(ctx, from, to)
	}
	listed := err == nil && len(f.found) > 0
	f.unasked = listed
	return listed, err
}

// listWeekBefore lists the contexts of the week before a span of time that has none. They
// come after messages of that time, if there are any.
func (f *finding) listWeekBefore(ctx context.Context, from, to time.Time) error {
	err := f.list(ctx, within(f.s.filters(f.req.Filter), from.AddDate(0, 0, -7), from))
	if err != nil || len(f.found) == 0 {
		return err
	}
	said, err := f.saidThen(ctx, from, to)
	note := "no context is of the time that the question names; these are of the week before it, the newest first"
	f.before, f.standing = true, 0.5
	if said {
		note = "no context is of the time that the question names; what was said then comes first, contexts of the week before it behind that"
		f.standing = faintest
	}
	f.notes = append(f.notes, note)
	return err
}

// saidThen reports whether the answer may include messages of a span of time.
func (f *finding) saidThen(ctx context.Context, from, to time.Time) (bool, error) {
	if f.req.In == InContexts || f.req.Filter.ofContexts() {
		return false, nil
	}
	ns, err := f.s.Store.SaidBetween(ctx, f.s.readProject(f.req.Project), from, to, 1)
	return len(ns) > 0, err
}

// list takes the newest contexts that pass the filters, unranked.
func (f *finding) list(ctx context.Context, filters domain.Filters) error {
	f.unasked, f.standing = true, 1
	list, err := f.s.Store.Contexts(ctx, domain.ContextQuery{Project: f.s.readProject(f.req.Project), Filters: filters,
		Order: domain.Newest, Limit: f.depth})
	for i := range list {
		f.found = append(f.found, candidate{place: i, of: domain.DocumentSource{ContextN: list[i].N}})
	}
	return err
}

// asked is the time of the question in local time: "today" begins at local midnight.
func (f *finding) asked() time.Time { return f.now.In(f.s.Now().Location()) }

// rank adds the candidates of one space.
func (f *finding) rank(ctx context.Context, space domain.SearchSpace) error {
	l, err := f.limit(ctx, space)
	if err != nil || l.none {
		return err
	}
	ranked, err := f.rankWithin(ctx, space, l)
	if errors.Is(err, index.ErrFewPass) {
		if l, err = f.listed(ctx, space, f.s.filters(f.req.Filter), 0); err == nil {
			ranked, err = f.rankWithin(ctx, space, l)
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

func (f *finding) rankWithin(ctx context.Context, space domain.SearchSpace, l limit) (ranked []recall.Ranked, err error) {
	model, err := f.s.rankingModel()
	if err != nil {
		return nil, err
	}
	o := recall.Options{Now: f.asked()}
	if f.depth > searchDepth {
		o.Beyond = f.depth
	}
	if space == domain.ContextSpace {
		o.Cosines, o.Between = f.cosines(ctx, l.only), f.savedBetween
	} else {
		o.Between = f.saidBetween
	}
	for range rankTries {
		if ranked, err = f.ask(ctx, space, model, l, o); domain.KindOf(err) != domain.KindConflict {
			return ranked, err
		}
	}
	return nil, recall.ErrIndex // a segment that is gone each time is missing
}

func (f *finding) ask(ctx context.Context, space domain.SearchSpace, model *recall.Model, l limit, o recall.Options) ([]recall.Ranked, error) {
	scope, err := f.scope(ctx, space, l)
	if err != nil {
		return nil, err
	}
	return recall.Rank(ctx, scope, model, f.q, o)
}

// scope is the part of a space that is searched. As of a past time, it includes what
// was forgotten since then.
func (f *finding) scope(ctx context.Context, space domain.SearchSpace, l limit) (scope *index.Scope, err error) {
	ix, project := f.s.searchIndex(space), f.s.readProject(f.req.Project)
	if l.sieve != nil {
		scope, err = ix.ScopeWhere(ctx, project, l.sieve)
	} else {
		scope, err = ix.Scope(ctx, project, l.only)
	}
	if err == nil && space == domain.ContextSpace && !f.req.Filter.AsOf.IsZero() {
		scope.AsThen()
	}
	return scope, err
}

// limit is what the filters leave of a space: everything, a list of documents, those
// that pass a sieve, or nothing.
type limit struct {
	only  []int64
	sieve index.Sieve
	none  bool
}

// mostListed is how many documents that pass the filters are listed before the search.
// If there are more, the filters are applied to what the search finds.
var mostListed = 20_000

// limit works out what passes the request's filters.
func (f *finding) limit(ctx context.Context, space domain.SearchSpace) (limit, error) {
	filters := f.s.filters(f.req.Filter)
	if filters.Empty() {
		return limit{}, nil
	}
	if space == domain.MessageSpace && (len(filters.ActionTypes)+len(filters.Tags)+len(filters.Touched) > 0) {
		return limit{none: true}, nil // messages have none of these
	}
	if space == domain.ContextSpace { // no index has the times of messages
		if l, err := f.listed(ctx, space, filters, mostListed); err != nil || len(l.only) < mostListed {
			return l, err
		}
	}
	return limit{sieve: func(ctx context.Context, ns []int64) ([]int64, error) {
		return f.s.Store.DocumentsWhere(ctx, domain.DocumentQuery{Filters: filters, Space: space, Among: ns})
	}}, nil
}

// listed lists the documents that pass the filters, at most most of them; 0 means all.
func (f *finding) listed(ctx context.Context, space domain.SearchSpace, filters domain.Filters, most int) (limit, error) {
	only, err := f.s.Store.DocumentsWhere(ctx, domain.DocumentQuery{
		Filters: filters, Space: space, Project: f.s.readProject(f.req.Project), Limit: most})
	return limit{only: only, none: len(only) == 0}, err
}

// mostBetween is how many texts of a span of time are considered just for their time.
// If there are more, they must match the question's words.
const mostBetween = 4096

// savedBetween lists the documents of the contexts of a span of time.
func (f *finding) savedBetween(ctx context.Context, from, to time.Time) ([]int64, error) {
	return fewBetween(f.s.Store.DocumentsWhere(ctx, domain.DocumentQuery{Filters: within(f.s.filters(f.req.Filter), from, to),
		Space: domain.ContextSpace, Project: f.s.readProject(f.req.Project), Limit: mostBetween}))
}

// saidBetween lists the documents of the people's messages of a span of time.
func (f *finding) saidBetween(ctx context.Context, from, to time.Time) ([]int64, error) {
	return fewBetween(f.s.Store.SaidBetween(ctx, f.s.readProject(f.req.Project), from, to, mostBetween))
}

func fewBetween(ns []int64, err error) ([]int64, error) {
	if len(ns) == mostBetween {
		return nil, err
	}
	return ns, err
}

// scale brings the scores to 0–1, weights messages, and sorts.
func (f *finding) scale() {
	best := math.Inf(-1)
	for _, c := range f.found {
		if c.ranked != nil && !c.ranked.Beyond {
			best = max(best, c.score)
		}
	}
	for i := range f.found {
		c := &f.found[i]
		if c.ranked == nil { // it was listed for its time
			c.score = f.standing
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
	f.found = slices.DeleteFunc(f.found, func(c candidate) bool { return c.ranked != nil && c.score < faintest })
	f.putBehind()
	slices.SortStableFunc(f.found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
}

// putBehind lowers the scores of what the index found beyond the candidates, so that it
// follows them in the index's order, and all pages belong to one list. If fewer than
// searchDepth candidates are answers, what lies beyond them is dropped.
func (f *finding) putBehind() {
	beyond := func(c candidate) bool { return c.ranked != nil && c.ranked.Beyond }
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
