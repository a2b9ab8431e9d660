package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/recall/index"
	"wake/repository"
)

// Check looks for damage in every table and index. Each finding names its remedy. It
// changes nothing.
func (s *Service) Check(ctx context.Context, progress func(done, total int)) ([]repository.Finding, error) {
	said := func(e domain.Event) bool {
		_, ok := messageEntry(domain.Session{ID: e.SessionID}, e)
		return ok
	}
	found, err := s.Store.Check(ctx, said, progress)
	if err != nil {
		return nil, err
	}
	flaws, err := s.checkIndex(ctx)
	if err != nil {
		return nil, err
	}
	unfinished, err := s.checkPurges(ctx)
	return slices.Concat(found, flaws, unfinished), err
}

func (s *Service) checkPurges(ctx context.Context) ([]repository.Finding, error) {
	owed, err := s.Store.RewriteOwed(ctx)
	if err != nil || owed == 0 {
		return nil, err
	}
	return []repository.Finding{{
		Subject: "purge",
		Detail:  "what was purged may still be readable in the database's files, because the purge was not finished",
		Remedy:  "wake doctor --repair finishes it",
		Count:   1,
	}}, nil
}

// checkIndex looks for parts of the index that searches cannot read.
func (s *Service) checkIndex(ctx context.Context) (found []repository.Finding, err error) {
	all, err := s.indexFlaws(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range []repository.Finding{
		{Subject: "index", Detail: "texts whose entry in the index is damaged or of another version of wake", Count: all.Documents},
		{Subject: "index", Detail: "parts of the index that are damaged", Count: all.Segments},
	} {
		if f.Count > 0 {
			f.Remedy = "wake doctor --repair builds the index anew"
			found = append(found, f)
		}
	}
	return found, nil
}

func (s *Service) indexFlaws(ctx context.Context) (all index.Flaws, err error) {
	for _, space := range []domain.SearchSpace{domain.ContextSpace, domain.MessageSpace} {
		f, err := s.searchIndex(space).Check(ctx)
		if err != nil {
			return all, err
		}
		all.Documents, all.Segments = all.Documents+f.Documents, all.Segments+f.Segments
	}
	return all, nil
}

// Repair rebuilds what is derived: link rows, tags and the search index. It never
// changes contexts and events. It also finishes purges.
func (s *Service) Repair(ctx context.Context, progress func(done, total int)) error {
	if err := s.Store.Repair(ctx, progress); err != nil {
		return err
	}
	if err := s.Reindex(ctx, progress); err != nil {
		return err
	}
	return s.finishPurges(ctx)
}
