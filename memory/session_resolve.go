package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"wake/domain"
	"wake/repository"
	"wake/secret"
	"wake/session"
)

// newEventID makes an id for an event, session, checkpoint or hand-off: a UUID that
// sorts by time (v7).
func (s *Service) newEventID() string {
	id, err := uuid.NewV7()
	if err != nil { // no randomness from the system: use the same ids as contexts
		return s.NewID()
	}
	return id.String()
}

// writeSession resolves the session of a writing request. It never guesses: if no
// session is named, the error lists candidates.
func (s *Service) writeSession(ctx context.Context, r repository.Reader, ref SessionRef, by Caller) (domain.Session, error) {
	found, err := namedSession(ctx, r, ref, by)
	if err != nil || found != nil {
		return live(found, err)
	}
	return domain.Session{}, s.whichSession(ctx, r, ref)
}

// readSession resolves the session of a reading request. The note is not empty if it
// took the newest one.
func (s *Service) readSession(ctx context.Context, ref SessionRef, by Caller) (found domain.Session, note string, err error) {
	named, err := namedSession(ctx, s.Store, ref, by)
	if err != nil || named != nil && !s.elsewhere(ref, named) {
		found, err = live(named, err)
		return found, "", err
	}
	project := s.readProject(ref.Project)
	newest, how, err := s.newestSession(ctx, project, "")
	if err != nil {
		return domain.Session{}, "", err
	}
	if newest == nil {
		return domain.Session{}, "", s.noSession(ctx, ref.Project)
	}
	if s.Person == "" || isOf(*newest, s.Person) {
		return *newest, guessed(how, project, *newest), nil
	}
	own, ownHow, err := s.newestSession(ctx, project, s.Person)
	if err != nil || own == nil {
		return *newest, guessed(how, project, *newest) + s.whose(*newest), err
	}
	return *own, fmt.Sprintf("no session was named; this is your %s one%s (%s); the %s one of all is %s%s",
		ownHow, in(project), own.ID, how, newest.ID, s.whose(*newest)), nil
}

// sessionOrNewest returns the session with an id, or the start of one; the newest session
// for "".
func (s *Service) sessionOrNewest(ctx context.Context, id string) (domain.Session, error) {
	found, _, err := s.readSession(ctx, SessionRef{SessionID: id}, Caller{})
	return found, err
}

// noSession is the error that a project has no session, perhaps because the name that was
// given is misspelt.
func (s *Service) noSession(ctx context.Context, named string) error {
	if unknown := s.NoteUnknown(ctx, named); len(unknown) > 0 {
		return domain.NotFound("%s", unknown[0])
	}
	return domain.Advise(domain.NotFound("there is no session%s yet", in(s.readProject(named))), domain.OpenSession)
}

// newestSession returns the session of a project that is probably meant when none is
// named, and how it was chosen; nil if there is none. It looks at the sessions of
// person, or of everybody for "".
func (s *Service) newestSession(ctx context.Context, project, person string) (found *domain.Session, how string, err error) {
	// A sub-agent may have been active last, but people talk to the session that
	// started it.
	for _, q := range []domain.SessionQuery{{Status: domain.SessionActive, OwnStart: true}, {OwnStart: true}, {}} {
		q.Project, q.RecordedBy, q.StatusAt, q.Limit = project, person, s.now(), 1
		list, err := s.Store.Sessions(ctx, q)
		if err != nil {
			return nil, "", err
		}
		if len(list) > 0 {
			return &list[0], strings.TrimSpace("newest " + string(q.Status)), nil
		}
	}
	return nil, "", nil
}

// guessed says which session was taken when none was named.
func guessed(how, project string, taken domain.Session) string {
	return fmt.Sprintf("no session was named; this is the %s one%s (%s)", how, in(project), taken.ID)
}

// isOf reports whether a session belongs to a person.
func isOf(o domain.Session, person string) bool { return o.Attributes[domain.RecordedBy] == person }

// whose says that a session belongs to another person. It returns "" if not, or if
// that is not known.
func (s *Service) whose(o domain.Session) string {
	const length = 60
	by := o.Attributes[domain.RecordedBy]
	if by == "" || s.Person == "" || by == s.Person {
		return ""
	}
	return ", by " + escapeMarks(session.OneLine(PlainText(by), length))
}

// ownFirst lists at most q.Limit sessions, those of the service's Person first.
func (s *Service) ownFirst(ctx context.Context, r repository.Reader, q domain.SessionQuery) ([]domain.Session, error) {
	all, err := r.Sessions(ctx, q)
	if err != nil || s.Person == "" {
		return all, err
	}
	q.RecordedBy = s.Person
	own, err := r.Sessions(ctx, q)
	others := slices.DeleteFunc(all, func(o domain.Session) bool { return isOf(o, s.Person) })
	return slices.Concat(own, others)[:min(len(own)+len(others), q.Limit)], err
}

// elsewhere reports whether the request names nothing but a project, which is another
// one than that of the connection's session.
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

// namedSession returns the session named by ref or the connection, nil if neither
// names one.
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

// live returns the session, or an Expired error if it is forgotten.
func live(found *domain.Session, err error) (domain.Session, error) {
	if err != nil {
		return domain.Session{}, err
	}
	if !found.DeletedAt.IsZero() {
		return domain.Session{}, domain.Advise(domain.Expired("session %s was forgotten at %s", found.ID, shortTime(found.DeletedAt)), domain.UnforgetSession)
	}
	return *found, nil
}

// whichSession is the error of a writing request that names no session. It lists those
// that may be meant.
func (s *Service) whichSession(ctx context.Context, r repository.Reader, ref SessionRef) error {
	if ref.Client != "" {
		return domain.Invalid("client_session_id is missing; with client, it names or opens a session")
	}
	list, err := s.ownFirst(ctx, r, domain.SessionQuery{Project: s.readProject(ref.Project), Status: domain.SessionActive, Limit: 5})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return domain.Advise(domain.Invalid("the session is missing, and none is active%s", in(s.readProject(ref.Project))), domain.OpenSession)
	}
	var lines []string
	for _, c := range list {
		lines = append(lines, fmt.Sprintf("- %s (%s, last active %s)", c.ID, titleOf(c), shortTime(c.UpdatedAt)))
	}
	return domain.Advise(domain.Invalid("the session is missing, and writing never guesses it; name one of:\n%s", strings.Join(lines, "\n")), domain.NameSession)
}

// titleOf is the title of a session, or a substitute, safe to use in a line of text:
// titles are stored text too.
func titleOf(c domain.Session) string {
	const length = 60
	title := secret.Mask(cmp.Or(c.Title, c.Client, "untitled"))
	return fmt.Sprintf("%q", escapeMarks(session.OneLine(title, length)))
}
