package memory

import (
	"context"
	"strings"

	"wake/domain"
)

// idsLooked is how many of the newest contexts are looked through for an id.
const idsLooked = 1000

// ContextIDs lists ids of a project's newest contexts that begin with prefix, for
// completion: it counts as no access.
func (s *Service) ContextIDs(ctx context.Context, project, prefix string, limit int) ([]string, error) {
	newest, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: s.readProject(project), Order: domain.Newest, Limit: idsLooked})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range newest {
		if len(ids) < limit && strings.HasPrefix(strings.ToLower(c.ID), strings.ToLower(prefix)) {
			ids = append(ids, c.ID)
		}
	}
	return ids, nil
}
