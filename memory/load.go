package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"wake/domain"
)

// Load returns contexts by their ids, or a project's contexts by mode. They count as
// accessed (002-03). It returns NotFound if none of the ids exists.
func (s *Service) Load(ctx context.Context, req LoadRequest) (LoadAnswer, error) {
	if err := req.Filter.check(); err != nil {
		return LoadAnswer{}, err
	}
	if _, err := budgetOf(req.TokenBudget, 0); err != nil {
		return LoadAnswer{}, err
	}
	if len(req.IDs) > 0 {
		return s.loadByID(ctx, req)
	}
	a, err := s.loadList(ctx, req)
	s.touch(req.By, domain.Handed, a.Contexts)
	return a, err
}

func (s *Service) loadByID(ctx context.Context, req LoadRequest) (LoadAnswer, error) {
	if n := len(distinct(req.IDs)); n > domain.MaxList {
		return LoadAnswer{}, domain.Invalid("%d ids are too many; load at most %d at a time", n, domain.MaxList)
	}
	ids, err := s.contextIDs(ctx, req.IDs)
	if err != nil {
		return LoadAnswer{}, err
	}
	if ids = distinct(ids); len(ids) == 0 {
		return LoadAnswer{}, domain.Advise(domain.Invalid("the ids are empty"), domain.FindContexts)
	}
	found, err := s.namedThat(ctx, ids, s.filters(req.Filter), req.withContent(true))
	if err != nil {
		return LoadAnswer{}, err
	}
	a := LoadAnswer{Contexts: found}
	if err := s.sayWhichMiss(ctx, ids, &a); err != nil {
		return LoadAnswer{}, err
	}
	s.warm(found)
	if a.fit(req.TokenBudget, s.Words) {
		left := idsOf(found[len(a.Contexts):])
		a.Notes = append(a.Notes, fmt.Sprintf("%s had no room in the token budget; load by id what is wanted of %s",
			domain.Many(len(left), "context"), quoteList(left)))
	}
	s.touch(req.By, domain.Used, a.Contexts)
	return a, nil
}

// namedThat returns those of the contexts with the ids that pass filters, in the order
// of ids.
func (s *Service) namedThat(ctx context.Context, ids []string, f domain.Filters, withContent bool) ([]domain.ContextSnapshot, error) {
	if f.Empty() {
		return s.Store.ContextsByID(ctx, ids, withContent)
	}
	found, err := s.Store.Contexts(ctx, domain.ContextQuery{IDs: ids, Filters: f, WithContent: withContent})
	slices.SortFunc(found, func(a, b domain.ContextSnapshot) int {
		return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
	})
	return found, err
}

// sayWhichMiss tells in the answer which ids are unknown, and which the filter left
// out. It returns NotFound if all are unknown.
func (s *Service) sayWhichMiss(ctx context.Context, ids []string, a *LoadAnswer) error {
	rest := missing(ids, a.Contexts)
	if len(rest) == 0 {
		return nil
	}
	sifted, err := s.Store.ContextsByID(ctx, rest, false)
	if err != nil {
		return err
	}
	a.Missing = missing(rest, sifted)
	if len(a.Missing) == len(ids) {
		return noContext(ctx, s.Store, ids)
	}
	if len(sifted) > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("the filters leave out %s", quoteList(idsOf(sifted))))
	}
	return nil
}

// NoContexts is the error for the ids that an answer has no context for, nil if there are
// none.
func (s *Service) NoContexts(ctx context.Context, missing []string) error {
	if len(missing) == 0 {
		return nil
	}
	return noContext(ctx, s.Store, missing)
}

func (s *Service) loadList(ctx context.Context, req LoadRequest) (LoadAnswer, error) {
	limit, err := bounded("limit", req.Limit, domain.DefaultList, domain.MaxList)
	if err != nil {
		return LoadAnswer{}, err
	}
	if req.Mode == ModeLikely {
		return s.loadLikely(ctx, req, limit)
	}
	q := domain.ContextQuery{
		Project: s.readProject(req.Project), Filters: s.filters(req.Filter), Order: orders[req.Mode],
		Limit: limit + 1, WithContent: req.withContent(false),
	}
	if q.Order == "" {
		return LoadAnswer{}, domain.Invalid("mode %q is unknown; use recent, likely or forgotten", req.Mode)
	}
	mark := bookmark{Began: s.now(), order: q.Order, pages: pagesOf("contexts", q.Order, q.Project, req.Filter.words())}
	if err := mark.read(req.Cursor, &q); err != nil {
		return LoadAnswer{}, err
	}
	found, err := s.Store.Contexts(ctx, q)
	if err != nil {
		return LoadAnswer{}, err
	}
	a := LoadAnswer{Contexts: found, behind: mark.behind}
	if len(found) == 0 {
		a.Notes = s.NoteUnknown(ctx, req.Project)
	}
	if len(found) > limit {
		a.Contexts = found[:limit]
		a.NextCursor = a.CursorBehind(limit)
	}
	s.finish(&a, req.TokenBudget)
	if q.Order == domain.LeastRecent { // the bookmark leaves out what was touched since, and so all of this page
		a.behind = nil
	}
	return a, nil
}

// withContent reports whether contents are wanted; unsaid is the default.
func (req LoadRequest) withContent(unsaid bool) bool {
	if req.IncludeContent == nil {
		return unsaid
	}
	return *req.IncludeContent
}

// CursorBehind returns the cursor to what follows the first n contexts, for a caller that
// has no room for the others; "" if a list cannot go on there.
func (a LoadAnswer) CursorBehind(n int) string {
	if a.behind == nil || n == 0 {
		return ""
	}
	return a.behind(a.Contexts[n-1])
}

// orders maps the modes of stored lists to sort orders.
var orders = map[Mode]domain.Order{"": domain.Newest, ModeRecent: domain.Newest, ModeForgotten: domain.LeastRecent}

// finish completes the answer of a list: it updates tiers and applies the token budget.
func (s *Service) finish(a *LoadAnswer, budget int) {
	s.warm(a.Contexts)
	if a.fit(budget, s.Words) {
		a.NextCursor = a.CursorBehind(len(a.Contexts))
	}
	if a.Contexts == nil {
		a.Contexts = []domain.ContextSnapshot{}
	}
}

// warm sets current tiers; the stored ones may be old.
func (s *Service) warm(contexts []domain.ContextSnapshot) {
	now := s.now()
	for i := range contexts {
		contexts[i].Memory.Tier = s.Windows.Of(contexts[i].Touched(), now)
	}
}
