package memory

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"wake/domain"
	"wake/recall"
)

// The values of the argument in of a search.
const (
	InAll      = "all"
	InContexts = "contexts"
	InMessages = "messages"
)

// searchDepth is the least number of candidates that a search ranks.
const searchDepth = 100

// Search answers a question in plain words from contexts and messages, best hits
// first. Hits are logged as shown, which does not count as access. For a question
// without any content word it returns the newest contexts, with a note.
func (s *Service) Search(ctx context.Context, req SearchRequest) (SearchAnswer, error) {
	a, contexts, err := s.search(ctx, req)
	if err == nil {
		s.touch(req.By, domain.Shown, contexts)
	}
	return a, err
}

// search is [Service.Search] without logging the hits as shown. It also returns the
// contexts of the hits.
func (s *Service) search(ctx context.Context, req SearchRequest) (a SearchAnswer, contexts []domain.ContextSnapshot, err error) {
	limit, err := bounded("limit", req.Limit, domain.DefaultList, domain.MaxList)
	if err != nil {
		return a, nil, err
	}
	if err := req.Filter.check(); err != nil {
		return a, nil, err
	}
	if _, err := budgetOf(req.TokenBudget, 0); err != nil {
		return a, nil, err
	}
	query, notes, err := checkQuery(req.Query)
	if err != nil {
		return a, nil, err
	}
	req.In = cmp.Or(req.In, InAll)
	project := s.readProject(req.Project)
	hits := pagesOf("hits", query, project, req.In, req.Filter.words())
	var before given
	if err := before.read(hits, req.Cursor); err != nil {
		return a, nil, err
	}
	depth := max(searchDepth, 2*(before.Hits+limit+block)/block*block) // up to half of the texts may have to make room
	f := searching{s: s, req: req, project: project, filters: s.filters(req.Filter), q: recall.Understand(query), now: s.now(), depth: depth, notes: notes}
	if err := f.find(ctx); err != nil {
		return a, nil, err
	}
	if err := f.open(ctx, before, limit); err != nil {
		return a, nil, err
	}
	f.noteWhyFew(ctx)
	a = f.answer(hits, before, limit)
	return a, contextsIn(f.page[:len(a.Hits)]), nil
}

// noteWhyFew says why nothing was found, or not everything, if that is more than that
// nothing fits.
func (f *searching) noteWhyFew(ctx context.Context) {
	none := len(f.page) == 0
	if none {
		f.notes = append(f.notes, f.s.NoteUnknown(ctx, f.req.Project)...)
	}
	by, err := f.s.Store.IndexedBy(ctx)
	if err == nil && strings.HasPrefix(by, indexUnderWay) { // or whoever built it was killed
		f.notes = append(f.notes, "the search index is being built anew, and until then a search does not find everything: a running server completes it within minutes, wake doctor --repair at once")
		return
	}
	if !none && f.phrase == (recall.Phrase{}) {
		return
	}
	if missing, err := f.s.indexMissing(ctx); err == nil && missing {
		f.notes = append(f.notes, "this database has no search index yet: a running server builds one within minutes, wake doctor --repair at once")
	}
}

// contextsIn returns the contexts among texts.
func contextsIn(texts []text) (contexts []domain.ContextSnapshot) {
	for _, t := range texts {
		if t.context != nil {
			contexts = append(contexts, *t.context)
		}
	}
	return contexts
}

// answer turns the page into hits, cuts it to the budget and says where the list
// continues.
func (f *searching) answer(list pages, before given, limit int) SearchAnswer {
	hits := make([]domain.Hit, len(f.page))
	for i, t := range f.page {
		hits[i] = f.hit(t)
	}
	page := hits[:min(limit, len(hits))]
	a := SearchAnswer{Hits: page, Notes: f.notes, list: list, before: before}
	a.fit(f.req.TokenBudget)
	if f.req.Explain {
		a.Searched = len(f.found)
		if next := hits[len(a.Hits):]; len(next) > 0 {
			a.Notes = append(a.Notes, fmt.Sprintf("next would have been %s (score %.2g): %s", next[0].ID, next[0].Score, next[0].Why))
		}
	}
	if !f.more && len(a.Hits) == len(page) {
		return a
	}
	if a.NextCursor = a.CursorBehind(len(a.Hits)); a.NextCursor == "" {
		a.Notes = append(a.Notes, f.s.Words.Behind(fmt.Sprintf("a search ends after %d hits", maxOffset), domain.ListNewest, ""))
	}
	return a
}

// CursorBehind returns the cursor to what follows the first n hits, for a caller that has
// no room for the others; "" if a search ends there.
func (a SearchAnswer) CursorBehind(n int) string {
	next := a.before.and(a.Hits[:n])
	if next.Hits > maxOffset {
		return ""
	}
	return a.list.cursor(next)
}

// checkQuery refuses an empty question and cuts one that is longer than 8 KB.
func checkQuery(q string) (string, []string, error) {
	q = strings.ToValidUTF8(q, " ")
	if strings.TrimSpace(q) == "" {
		return "", nil, domain.Advise(domain.Invalid("query is empty; ask as you would ask a person"), domain.ListNewest)
	}
	if len(q) > domain.MaxQuery {
		return domain.Head(q, domain.MaxQuery), []string{fmt.Sprintf("the query has %d bytes; only its first %d were searched for", len(q), domain.MaxQuery)}, nil
	}
	return q, nil, nil
}

// maxOffset is how far a search can be paged. Each page ranks all hits before it
// again.
const maxOffset = 10_000

// given is what the earlier pages of a search have given. What is saved or forgotten in
// between changes the ranking, so the cursor names the hits.
type given struct {
	Hits  int    `json:"n"`
	Names []byte `json:"h"` // short hashes of their ids, those of the last mostNamed
}

const (
	mostNamed  = 150 // a model has to copy the cursor
	nameLength = 3   // bytes; of a hundred hits, one in 100,000 is taken for another
)

// read decodes a cursor. Without one, nothing was given.
func (g *given) read(p pages, cursor string) error {
	if cursor == "" {
		return nil
	}
	err := p.read(cursor, g)
	if err == nil && (g.Hits < len(g.Names)/nameLength || g.Hits > maxOffset) {
		err = domain.Invalid("that cursor is past all hits; leave it out to start again")
	}
	return err
}

// and adds a page.
func (g given) and(page []domain.Hit) given {
	names := slices.Clone(g.Names)
	for _, h := range page {
		names = append(names, nameOf(h.ID)...)
	}
	return given{g.Hits + len(page), names[max(0, len(names)-mostNamed*nameLength):]}
}

// rest leaves out of the texts from the first one on what was given.
func (g given) rest(texts []text) []text {
	unnamed := min(g.Hits-len(g.Names)/nameLength, len(texts))
	names := map[string]bool{}
	for name := range slices.Chunk(g.Names, nameLength) {
		names[string(name)] = true
	}
	return slices.DeleteFunc(texts[unnamed:], func(t text) bool { return names[string(nameOf(t.id()))] })
}

func nameOf(id string) []byte {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum(nil)[:nameLength]
}
