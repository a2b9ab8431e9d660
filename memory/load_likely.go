package memory

import (
	"context"
	"slices"

	"wake/domain"
)

// loadLikely lists what will probably be needed next. The cursor of a further page is
// a number of contexts to skip, in the ranking as it is then.
func (s *Service) loadLikely(ctx context.Context, req LoadRequest, limit int) (LoadAnswer, error) {
	pages, skip := pagesOf("likely", s.readProject(req.Project), req.Filter.words()), 0
	if req.Cursor != "" {
		if err := pages.read(req.Cursor, &skip); err != nil {
			return LoadAnswer{}, err
		}
	}
	found, err := s.likely(ctx, req)
	if err != nil {
		return LoadAnswer{}, err
	}
	kept := passing(found[min(max(skip, 0), len(found)):], req.Filter, limit+1)
	more := len(kept) > limit
	kept = kept[:min(limit, len(kept))]
	if req.withContent(false) { // only for these: there may be hundreds of predictions
		if kept, err = s.Store.ContextsByID(ctx, idsOf(kept), true); err != nil {
			return LoadAnswer{}, err
		}
	}
	behind := func(c domain.ContextSnapshot) string {
		return pages.cursor(1 + slices.IndexFunc(found, func(f domain.ContextSnapshot) bool { return f.ID == c.ID }))
	}
	a := LoadAnswer{Contexts: kept, behind: behind}
	if more {
		a.NextCursor = a.CursorBehind(len(kept))
	}
	if !req.Filter.AsOf.IsZero() {
		a.Notes = append(a.Notes, "mode likely looks ahead from now; as_of was ignored")
	}
	s.finish(&a, req.TokenBudget)
	if a.NextCursor == "" && len(found) >= foreseenMost {
		a.Notes = append(a.Notes, "these are the last that are foreseen; mode recent lists all contexts")
	}
	return a, nil
}

// likely returns the predicted contexts, likeliest first.
func (s *Service) likely(ctx context.Context, req LoadRequest) ([]domain.ContextSnapshot, error) {
	v, err := s.foresee(ctx, PredictRequest{By: req.By, Project: req.Project, Horizon: defaultHorizon})
	if err != nil {
		return nil, err
	}
	ids := each(v.ranked, func(p Prediction) string { return p.ID })
	found, err := s.Store.ContextsByID(ctx, ids, false)
	s.warm(found)
	return found, err
}

// passing returns the first contexts that pass a filter, at most most.
func passing(list []domain.ContextSnapshot, f Filter, most int) []domain.ContextSnapshot {
	f.Tags = cleanTags(f.Tags)
	kept := make([]domain.ContextSnapshot, 0, most)
	for i := range list {
		if len(kept) < most && f.admits(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}
