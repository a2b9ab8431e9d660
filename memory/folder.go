package memory

import (
	"context"
	"time"

	"wake/domain"
	"wake/repository"
)

// Folder is where a project lives.
type Folder struct {
	Name string // that its project takes, unless another folder has it; "" is no folder
	Path string // absolute; "" where it is not on this machine, or no longer: then it claims no name
	// Machine is the one that it is on; a database may have several.
	Machine string
	// TakesFrom reports whether its project may have the name that the folder at path
	// claimed, which is there no longer; nil means none is gone.
	TakesFrom func(path string) bool
}

func (f Folder) place() domain.Place { return domain.Place{Machine: f.Machine, Path: f.Path} }

// NameIn is the name that the folder's project has in a store.
func (f Folder) NameIn(ctx context.Context, r repository.ContextReader) (string, error) {
	return r.ProjectName(ctx, f.Name, f.place(), f.TakesFrom)
}

// claim keeps a project's name for the folder, if it is one of this machine, so that
// another folder of the same name gets one of its own.
func (f Folder) claim(ctx context.Context, tx repository.Tx, project string, at time.Time) error {
	if f.Path == "" {
		return nil
	}
	return tx.ClaimProject(ctx, project, f.place(), f.TakesFrom, at)
}

// WorkIn makes the project of a folder the one of requests that name none, from now on.
func (s *Service) WorkIn(f Folder, project string) {
	s.placing.Lock()
	defer s.placing.Unlock()
	s.Folder, s.DefaultProject = f, project
}

// place is the project of requests that name none, and the folder that it stands for.
func (s *Service) place() (project string, f Folder) {
	s.placing.RLock()
	defer s.placing.RUnlock()
	return s.DefaultProject, s.Folder
}

// ownProject is the project of requests that name none.
func (s *Service) ownProject() string {
	project, _ := s.place()
	return project
}

// claim keeps the name of the service's own project for its folder.
func (s *Service) claim(ctx context.Context, tx repository.Tx, project string, at time.Time) error {
	own, f := s.place()
	if project != own {
		return nil
	}
	return f.claim(ctx, tx, project, at)
}

// claimSession keeps the name of the project of a session that is opened. Where another
// folder claimed it meanwhile, the session is worth more than the name.
func (s *Service) claimSession(ctx context.Context, tx repository.Tx, opened domain.Session) error {
	return unlessTaken(s.claim(ctx, tx, opened.Project, opened.StartedAt))
}

// unlessTaken passes over the error of a name that another folder has.
func unlessTaken(err error) error {
	if domain.KindOf(err) == domain.KindConflict {
		return nil
	}
	return err
}

// projectIn is the name of a folder's project, which is the folder's from now on.
func projectIn(ctx context.Context, tx repository.Tx, f Folder, at time.Time) (string, error) {
	name, err := f.NameIn(ctx, tx)
	if err != nil {
		return "", err
	}
	return name, f.claim(ctx, tx, name, at)
}
