package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wake/domain"
)

// NoteUnknown notes that a named project does not exist, with a similar name, or else
// with the existing names.
func (s *Service) NoteUnknown(ctx context.Context, project string) []string {
	if project == "" || project == AllProjects {
		return nil
	}
	projects, err := s.Store.Projects(ctx)
	if err != nil || len(projects) == 0 {
		return nil
	}
	names, folded := make([]string, len(projects)), make([]string, len(projects))
	for i, p := range projects {
		names[i], folded[i] = p.Name, strings.ToLower(p.Name)
	}
	if slices.Contains(names, project) {
		return nil
	}
	if near, ok := domain.Nearest(strings.ToLower(project), folded); ok {
		names = []string{names[slices.Index(folded, near)]}
	}
	others := "there is "
	if len(names) > 1 {
		others = "there are "
	}
	return []string{fmt.Sprintf("there is no project %q; ", project) + others + quoteList(names)}
}
