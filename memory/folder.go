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
	// Was is the path of a folder that is gone, or by which earlier versions knew the project,
	// else "". A project that claimed its name for that path is the folder's.
	Was string
	// TakesFrom reports whether the project may take over the name of the folder at
	// a place, because that no longer exists here or has become a link to this one. The place
	// has no machine if that is another or not known. Nil means it never may.
	TakesFrom func(domain.Place) bool
}

func (f Folder) place() domain.Place { return domain.Place{Machine: f.Machine, Path: f.Path} }

// NameIn returns the name that the folder's project has in a store.
func (f Folder) NameIn(ctx context.Context, r repository.ContextReader) (string, error) {
	if name, err := f.known(ctx, r); err != nil || name != "" {
		return name, err
	}
	return r.ProjectName(ctx, f.Name, f.place(), f.TakesFrom)
}

// known returns the project of the path that the folder had, "" if there is none.
func (f Folder) known(ctx context.Context, r repository.ContextReader) (string, error) {
	if f.Was == "" {
		return "", nil
	}
	return r.ProjectAt(ctx, domain.Place{Machine: f.Machine, Path: f.Was})
}

// claim registers a project's name for the folder, if that is on this machine. Another
// folder of the same name then gets a name of its own.
func (f Folder) claim(ctx context.Context, tx repository.Tx, project string, at time.Time) error {
	if f.Path == "" {
		return nil
	}
	if known, err := f.known(ctx, tx); err != nil || known == project {
		return err
	}
	return tx.ClaimProject(ctx, project, f.place(), f.TakesFrom, at)
}

// WorkIn sets the folder and project of requests that name none, from now on.
func (s *Service) WorkIn(f Folder, project string) {
	s.placing.Lock()
	defer s.placing.Unlock()
	s.Folder, s.DefaultProject, s.placed = f, project, false
}

// Settle finds out again what the project of requests that name none is called. Until this
// service has saved something in it, another window, in a folder of the same name, may have
// claimed the name. Doors that stay open ask before they answer.
func (s *Service) Settle(ctx context.Context) error {
	s.placing.RLock()
	f, placed := s.Folder, s.placed
	s.placing.RUnlock()
	if placed || f.Path == "" {
		return nil
	}
	name, err := f.NameIn(ctx, s.Store)
	if err != nil {
		return err
	}
	s.placing.Lock()
	defer s.placing.Unlock()
	if s.Folder.Path == f.Path && !s.placed { // neither may have changed meanwhile
		s.DefaultProject = name
	}
	return nil
}

// keepPlace notes that a context was saved, which has claimed the project's name.
func (s *Service) keepPlace(project string) {
	s.placing.Lock()
	defer s.placing.Unlock()
	s.placed = s.placed || project == s.DefaultProject
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

// claim registers the name of the service's own project for its folder. If the folder had it
// before, it was moved meanwhile, and has the name at its new place.
func (s *Service) claim(ctx context.Context, tx repository.Tx, project string, at time.Time) error {
	s.placing.RLock()
	own, f, placed := s.DefaultProject, s.Folder, s.placed
	s.placing.RUnlock()
	if project != own {
		return nil
	}
	err := f.claim(ctx, tx, project, at)
	if placed {
		return unlessTaken(err)
	}
	return err
}

// unlessTaken drops the error of a name that another folder has claimed meanwhile: a
// session is opened all the same.
func unlessTaken(err error) error {
	if domain.KindOf(err) == domain.KindConflict {
		return nil
	}
	return err
}

// Spelled returns the name of the project that is meant by a name: the one written just so
// or, if there is none, one of the same letters. macOS has those of folders decomposed,
// keyboards and models write them composed. Where there is neither, it is the name itself.
// Doors ask for it; other methods take names as they are.
func (s *Service) Spelled(ctx context.Context, name string) (string, error) {
	letters := norm.NFC.String(name)
	if letters == norm.NFD.String(name) {
		return name, nil
	}
	projects, err := s.Store.Projects(ctx)
	if err != nil {
		return "", err
	}
	names := []string{s.ownProject()}
	for _, p := range projects {
		names = append(names, p.Name)
	}
	if slices.Contains(names, name) {
		return name, nil
	}
	if i := slices.IndexFunc(names, func(n string) bool { return norm.NFC.String(n) == letters }); i >= 0 {
		name = names[i]
	}
	return name, nil
}

// projectIn returns the name of a folder's project and claims it for the folder.
func projectIn(ctx context.Context, tx repository.Tx, f Folder, at time.Time) (string, error) {
	name, err := f.NameIn(ctx, tx)
	if err != nil {
		return "", err
	}
	return name, f.claim(ctx, tx, name, at)
}
