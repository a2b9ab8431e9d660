package memory

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wake/domain"
	"wake/repository"
)

// An id may be shortened to its first characters, at least shortID of them. A whole id
// has wholeID.
const (
	shortID = 8
	wholeID = len("00000000-0000-4000-8000-000000000000")
)

// contextID completes shortened ids of contexts in place; nil ones are left alone. A
// shortened id that fits several is an Invalid error; one that fits none stays as it is.
func (s *Service) contextID(ctx context.Context, ids ...*string) error {
	for _, id := range ids {
		if id == nil {
			continue
		}
		if err := completeID(ctx, id, s.Store.ContextIDsUnder); err != nil {
			return err
		}
	}
	return nil
}

// contextIDs returns ids of contexts, shortened ones completed as by contextID.
func (s *Service) contextIDs(ctx context.Context, ids []string) ([]string, error) {
	ids = slices.Clone(ids)
	for i := range ids {
		if err := s.contextID(ctx, &ids[i]); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// sessionByID returns the session with an id, which may be shortened.
func sessionByID(ctx context.Context, r repository.Reader, id string) (domain.Session, error) {
	if err := completeID(ctx, &id, r.SessionIDsUnder); err != nil {
		return domain.Session{}, err
	}
	return r.Session(ctx, id)
}

// completeID completes a shortened id in place, in whatever case it is typed, and takes
// away what a model has put around a whole one. Other products' ids may be short: if
// one is equal to *id, under lists it first, and it is the one meant.
func completeID(ctx context.Context, id *string, under func(ctx context.Context, prefix string, limit int) ([]string, error)) error {
	const told = 5
	bare := bareID(*id)
	if len(*id) < shortID || len(*id) >= wholeID && bare == *id {
		return nil
	}
	found, err := under(ctx, *id, told+1)
	if lower := strings.ToLower(*id); err == nil && len(found) == 0 && lower != *id {
		found, err = under(ctx, lower, told+1)
	}
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		*id = bare
		return nil
	case len(found) == 1 || found[0] == *id:
		*id = found[0]
		return nil
	}
	candidates := quoteList(found[:min(told, len(found))])
	if len(found) > told {
		candidates += " and others"
	}
	return domain.Invalid("more than one id begins with %q; give one of them whole: %s", *id, candidates)
}

// bareID returns the one UUID in an id, such as context:… or wake://contexts/…, as it is
// stored; else the id itself. The id of a message goes on behind its session's.
func bareID(id string) string {
	if len(id) < wholeID || len(id) == wholeID && strings.ToLower(id) == id {
		return id
	}
	found := uuids().FindAllStringIndex(id, 2)
	if len(found) != 1 || strings.HasPrefix(id[found[0][1]:], "/") {
		return id
	}
	return strings.ToLower(id[found[0][0]:found[0][1]])
}

var uuids = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
})

// idsLooked is how many of the newest contexts are looked through for an id.
const idsLooked = 1000

// ContextsByPrefix lists a project's newest contexts whose ids begin with prefix, for
// completion. It does not count as access.
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

// CheckpointIDs lists ids of any session's checkpoints that begin with prefix, without
// deleted ones, for completion.
func (s *Service) CheckpointIDs(ctx context.Context, prefix string, limit int) ([]string, error) {
	ids, err := s.Store.CheckpointIDsUnder(ctx, strings.ToLower(prefix), limit)
	return slices.DeleteFunc(ids, func(id string) bool {
		p, err := s.Store.Checkpoint(ctx, id)
		return err != nil || !p.DeletedAt.IsZero()
	}), err
}

// HandoffIDs lists ids of any session's hand-offs that begin with prefix and have not
// expired, for completion.
func (s *Service) HandoffIDs(ctx context.Context, prefix string, limit int) ([]string, error) {
	ids, err := s.Store.HandoffIDsUnder(ctx, strings.ToLower(prefix), limit)
	return slices.DeleteFunc(ids, func(id string) bool {
		_, err := s.handoffByID(ctx, id)
		return err != nil
	}), err
}
