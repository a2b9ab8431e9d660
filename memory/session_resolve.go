package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// newEventID is an id of an event, session, checkpoint or hand-off: a UUID that
// sorts by time (v7).
func (s *Service) newEventID() string {
	id, err := uuid.NewV7()
	if err != nil { // the system has no randomness to give: fall back to what contexts use
		return s.NewID()
	}
	return id.String()
}

// writeSession resolves the session of a writing request. It never guesses: what
// names no session is answered with the candidates.
func (s *Service) writeSession(ctx context.Context, r repository.Reader, ref SessionRef, by Caller) (domain.Session, error) {
	found, err := namedSession(ctx, r, ref, by)
	if err != nil || found != nil {
		return live(found, err)
	}
	return domain.Session{}, s.whichSession(ctx, r, ref)
}

// readSession resolves the session of a reading request; note says so where it
// took the newest one.
func (s *Service) readSession(ctx context.Context, r repository.Reader, ref SessionRef, by Caller) (found domain.Session, note string, err error) {
	named, err := namedSession(ctx, r, ref, by)
	if err != nil || named != nil && !s.elsewhere(ref, named) {
		found, err = live(named, err)
		return found, "", err
	}
	project := s.readProject(ref.Project)
	// A sub-agent may be the last at work, but people speak with the one that started it.
	for _, q := range []domain.SessionQuery{{Status: domain.SessionActive, OwnStart: true}, {OwnStart: true}, {}} {
		q.Project, q.StatusAt, q.Limit = project, s.now(), 1
		list, err := r.Sessions(ctx, q)
		if err != nil {
			return domain.Session{}, "", err
		}
		if len(list) > 0 {
			return list[0], fmt.Sprintf("no session was named; this is the %s one%s (%s)", strings.TrimSpace("newest "+string(q.Status)), in(project), list[0].ID), nil
		}
	}
	return domain.Session{}, "", domain.Advise(domain.NotFound("there is no session%s yet", in(project)), domain.OpenSession)
}

// elsewhere reports whether the request names a project alone, and another than
// that of the session that its connection has.
func (s *Service) elsewhere(ref SessionRef, own *domain.Session) bool {
	if ref.SessionID != "" || ref.ClientSessionID != "" || ref.Project == "" {
		return false
	}
	project := s.readProject(ref.Project)
	return project != "" && project != own.Project
}

func in(project string) string {
	if project == "" {
		return ""
	}
	return fmt.Sprintf(" in project %q", project)
}

// namedSession is the session that ref or the connection names, nil when neither does.
func namedSession(ctx context.Context, r repository.Reader, ref SessionRef, by Caller) (*domain.Session, error) {
	var found domain.Session
	var err error
	switch {
	case ref.SessionID != "":
		found, err = sessionByID(ctx, r, ref.SessionID)
	case ref.ClientSessionID != "":
		found, err = r.SessionByClient(ctx, ref.Client, ref.ClientSessionID)
	case by.SessionID != "":
		found, err = r.Session(ctx, by.SessionID)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// live refuses a forgotten session.
func live(found *domain.Session, err error) (domain.Session, error) {
	if err != nil {
		return domain.Session{}, err
	}
	if !found.DeletedAt.IsZero() {
		return domain.Session{}, domain.Advise(domain.Expired("session %s was forgotten at %s", found.ID, domain.FormatTime(found.DeletedAt)), domain.UnforgetSession)
	}
	return *found, nil
}

// whichSession is the error of a writing request that names no session. It says which
// ones may have been meant.
func (s *Service) whichSession(ctx context.Context, r repository.Reader, ref SessionRef) error {
	list, err := r.Sessions(ctx, domain.SessionQuery{Project: s.readProject(ref.Project), Status: domain.SessionActive, Limit: 5})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return domain.Advise(domain.Invalid("the session is missing, and none is active%s", in(s.readProject(ref.Project))), domain.OpenSession)
	}
	var lines []string
	for _, c := range list {
		lines = append(lines, fmt.Sprintf("%s (%s, last active %s)", c.ID, titleOf(c), shortTime(c.UpdatedAt)))
	}
	return domain.Advise(domain.Invalid("the session is missing, and writing never guesses it; name one of: %s", strings.Join(lines, "; ")), domain.NameSession)
}

// titleOf is what a session is called, as a quotation in a line: a title is stored text
// like any other.
func titleOf(c domain.Session) string {
	const length = 60
	title := domain.MaskSecrets(cmp.Or(c.Title, c.Client, "untitled"))
	return fmt.Sprintf("%q", escapeMarks(session.OneLine(title, length)))
}
