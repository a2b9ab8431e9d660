package memory

import (
	"context"
	"strings"

	"wake/domain"
)

// idsLooked is how many of the newest contexts are looked through for an id.
const idsLooked = 1000

// ContextsByPrefix lists a project's newest contexts whose ids begin with prefix, for
// completion: it counts as no access.
func (s *Service) ContextsByPrefix(ctx context.Context, project, prefix string, limit int) ([]domain.ContextSnapshot, error) {
	looked := idsLooked
	if prefix == "" {
		looked = limit
	}
	newest, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: s.readProject(project), Order: domain.Newest, Limit: looked})
	if err != nil {
		return nil, err
	}
	var found []domain.ContextSnapshot
	for _, c := range newest {
		if len(found) < limit && strings.HasPrefix(strings.ToLower(c.ID), strings.ToLower(prefix)) {
			found = append(found, c)
		}
	}
	return found, nil
}
