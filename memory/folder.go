package memory

import (
	"context"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"

	"golang.org/x/text/unicode/norm"
)

// Folder is where a project is on disk.
type Folder struct {
	Name string // the name that its project takes unless another folder has it; "" if there is no folder
	Path string // absolute; "" if it does not exist on this machine: then it claims no name
	// Machine is the name of the machine. A database may serve several.
	Machine string
	// TakesFrom reports whether the project may take over the name of the folder at
	// path, because that no longer exists. Nil means it never may.
	TakesFrom func(path string) bool
}

func (f Folder) place() domain.Place { return domain.Place{Machine: f.Machine, Path: f.Path} }

// NameIn returns the name that the folder's project has in a store.
func (f Folder) NameIn(ctx context.Context, r repository.ContextReader) (string, error) {
	return r.ProjectName(ctx, f.Name, f.place(), f.TakesFrom)
}

// claim registers a project's name for the folder, if that is on this machine. Another
// folder of the same name then gets a name of its own.
func (f Folder) claim(ctx context.Context, tx repository.Tx, project string, at time.Time) error {
	if f.Path == "" {
		return nil
	}
	return tx.ClaimProject(ctx, project, f.place(), f.TakesFrom, at)
}

// WorkIn sets the folder and project of requests that name none, from now on.
func (s *Service) WorkIn(f Folder, project string) {
	s.placing.Lock()
	defer s.placing.Unlock()
	s.Folder, s.DefaultProject = f, project
}

// place returns the project of requests that name none, and its folder.
func (s *Service) place() (project string, f Folder) {
	s.placing.RLock()
	defer s.placing.RUnlock()
	return s.DefaultProject, s.Folder
}

// ownProject returns the project of requests that name none.
func (s *Service) ownProject() string {
	project, _ := s.place()
	return project
}

// claim registers the name of the service's own project for its folder.
func (s *Service) claim(ctx context.Context, tx repository.Tx, project string, at time.Time) error {
	own, f := s.place()
	if project != own {
		return nil
	}
	return f.claim(ctx, tx, project, at)
}

// unlessTaken drops the error of a name that another folder has claimed meanwhile: a
// session is opened all the same.
func unlessTaken(err error) error {
	if domain.KindOf(err) == domain.KindConflict {
		return nil
	}
	return err
}

// sameName reports whether two names have the same letters. macOS has those of folders
// decomposed, keyboards and models write them composed.
func sameName(a, b string) bool { return a == b || norm.NFC.String(a) == norm.NFC.String(b) }

// isOwn reports whether a name means the own project. If there is a project whose name is
// written just so, that is meant: a model that named the own one so once made it.
func (s *Service) isOwn(name string) bool {
	own := s.ownProject()
	if name == own || !sameName(name, own) {
		return name == own
	}
	// Hardly ever, so no caller has to pass a context. Where the only connection is in use, the
	// own project is meant.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	projects, err := s.Store.Projects(ctx)
	return err != nil || !slices.ContainsFunc(projects, func(p domain.Project) bool { return p.Name == name })
}

// Spelled returns the name of a project as it is stored, if one has the same letters, else
// the name as it is.
func (s *Service) Spelled(ctx context.Context, name string) (string, error) {
	if norm.NFC.String(name) == norm.NFD.String(name) {
		return name, nil
	}
	projects, err := s.Store.Projects(ctx)
	same := func(p domain.Project) bool { return sameName(p.Name, name) }
	if i := slices.IndexFunc(projects, same); i >= 0 && !slices.ContainsFunc(projects, func(p domain.Project) bool { return p.Name == name }) {
		name = projects[i].Name
	}
	return name, err
}

// projectIn returns the name of a folder's project and claims it for the folder.
func projectIn(ctx context.Context, tx repository.Tx, f Folder, at time.Time) (string, error) {
	name, err := f.NameIn(ctx, tx)
	if err != nil {
		return "", err
	}
	return name, f.claim(ctx, tx, name, at)
}
