package memory

import (
	"cmp"
	"context"
	"maps"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// find returns the session to append to, and opens it if it is named by the client's own
// id and not known yet.
func (a *appending) find(ctx context.Context, tx repository.Tx) (domain.Session, error) {
	ref := a.req.Ref
	if ref.SessionID != "" || ref.ClientSessionID == "" {
		return a.findOpen(ctx, tx)
	}
	if ref.Client == "" {
		return domain.Session{}, domain.Invalid("client is missing; it names the program that gave the client_session_id, such as claude-code")
	}
	found, err := live(namedSession(ctx, tx, ref, a.req.By))
	if domain.KindOf(err) != domain.KindNotFound {
		return found, err
	}
	id, err := a.open(ctx, tx)
	if err != nil {
		return domain.Session{}, err
	}
	return tx.Session(ctx, id)
}

// findOpen returns the session that is named by its id, or the one of the connection. A
// client that is named alone must be that session's.
func (a *appending) findOpen(ctx context.Context, tx repository.Tx) (domain.Session, error) {
	ref := a.req.Ref
	found, err := a.s.writeSession(ctx, tx, ref, a.req.By)
	if err == nil && ref.SessionID == "" && ref.Client != "" && ref.Client != found.Client {
		return found, domain.Invalid("client_session_id is missing; with client, it names or opens a session. This connection's session %s is of the client %q", found.ID, found.Client)
	}
	return found, err
}

// sessionOf returns wake's id of a client's session. A session not known yet is opened
// without events. That commit need not be durable: those that depend on it come later
// and make it so.
func (s *Service) sessionOf(ctx context.Context, by Caller, ref SessionRef, open SessionOpening) (string, error) {
	known, err := s.Store.SessionByClient(ctx, ref.Client, ref.ClientSessionID)
	if domain.KindOf(err) != domain.KindNotFound {
		return known.ID, err
	}
	a, err := s.Append(ctx, AppendRequest{By: by, Ref: ref, Open: open, Import: true, Relaxed: true})
	return a.SessionID, err
}

// open stores a new session.
func (a *appending) open(ctx context.Context, tx repository.Tx) (string, error) {
	fresh, err := a.s.newSession(a.req.Ref, a.req.Open)
	if err != nil {
		return "", err
	}
	if fresh.ParentID != "" {
		parent, err := tx.Session(ctx, fresh.ParentID)
		if err != nil {
			return "", err
		}
		fresh.OriginID = parent.OriginID
		fresh.Project = cmp.Or(a.req.Ref.Project, parent.Project)
	}
	if fresh.Project, err = a.settle(ctx, tx, fresh); err != nil {
		return "", err
	}
	a.answer.Opened = true
	return fresh.ID, tx.OpenSession(ctx, fresh)
}

// settle returns the project of a session that has no events yet: the named one, else
// that of the folder it works in.
func (a *appending) settle(ctx context.Context, tx repository.Tx, s domain.Session) (string, error) {
	if a.req.Ref.Project == "" && a.req.Open.Folder.Name != "" {
		return projectIn(ctx, tx, a.req.Open.Folder, s.StartedAt)
	}
	return s.Project, unlessTaken(a.s.claim(ctx, tx, s.Project, s.StartedAt))
}

// newSession makes a session as it is before its first event.
func (s *Service) newSession(ref SessionRef, o SessionOpening) (domain.Session, error) {
	for _, f := range []struct{ name, value string }{{"client", ref.Client}, {"client_session_id", ref.ClientSessionID},
		{"agent_id", o.AgentID}, {"model", o.Model}, {"provider", o.Provider}, {"mode", o.Mode}} {
		if err := domain.CheckID(f.name, f.value); err != nil {
			return domain.Session{}, err
		}
	}
	project := cmp.Or(ref.Project, s.ownProject())
	if project == AllProjects {
		return domain.Session{}, domain.Invalid("project \"*\" means all projects and is for reading only; name one project to record in")
	}
	now, started := s.now(), domain.Moment(o.StartedAt)
	if started.IsZero() {
		started = now
	}
	out := domain.Session{
		ID: s.newEventID(), Project: project, Client: ref.Client, ClientSessionID: ref.ClientSessionID,
		AgentID: o.AgentID, Title: o.Title, Model: o.Model, Provider: o.Provider, Mode: o.Mode, Attributes: signed(o.Attributes, s.signature(o)),
		ParentID: o.ParentSessionID, ParentOpID: o.ParentOpID, Status: domain.SessionActive, StartedAt: started, UpdatedAt: now,
		Epoch: 1, ContextLimit: max(0, o.ContextLimit), Totals: domain.Totals{AgentsRun: 1},
		Opened: domain.Opening{Mode: o.Mode, Model: o.Model, Provider: o.Provider, Title: o.Title},
	}
	out.OriginID = out.ID
	return out, nil
}

// signature is whose session is opened; "" if not known.
func (s *Service) signature(o SessionOpening) string {
	if o.Away {
		return ""
	}
	return s.Person
}

// signed adds to attributes whose session it is, unless they say so.
func signed(attributes map[string]string, person string) map[string]string {
	if person == "" {
		return attributes
	}
	return merged(map[string]string{domain.RecordedBy: person}, attributes)
}

// merged returns the attributes of both; where both have one, that of over.
func merged(under, over map[string]string) map[string]string {
	if len(under) == 0 {
		return over
	}
	out := maps.Clone(under)
	maps.Copy(out, over)
	return out
}

// describe applies what the caller says about a session that is already open. It must
// run before the events are placed, because usage is measured against the limit.
func (a *appending) describe() {
	o := a.req.Open
	if a.answer.Opened {
		return
	}
	a.session.Title = cmp.Or(session.AllowedTitle(a.session, o.Title), a.session.Title)
	a.session.AgentID = cmp.Or(o.AgentID, a.session.AgentID)
	if o.ContextLimit > 0 {
		a.session.ContextLimit = o.ContextLimit
	}
	a.session.Attributes = filledIn(a.session.Attributes, o.Attributes)
}

// filledIn returns attributes with those of more that they lack: hooks do not tell the
// branch, but the transcript does. Later changes of what is known are events.
func filledIn(attributes, more map[string]string) map[string]string {
	more = maps.Clone(more)
	delete(more, domain.RecordedBy)
	return merged(more, attributes)
}

// beginEmpty completes a session that was opened only because another one named it, when
// the first caller with events describes it.
func (a *appending) beginEmpty(ctx context.Context, tx repository.Tx) (err error) {
	o, s := a.req.Open, &a.session
	if a.answer.Opened || s.LastSeq > 0 {
		return nil
	}
	if s.Project, err = a.settle(ctx, tx, *s); err != nil {
		return err
	}
	if err := a.openAs(ctx, tx, o); err != nil {
		return err
	}
	by := cmp.Or(s.Attributes[domain.RecordedBy], a.s.signature(o))
	s.Attributes = signed(merged(s.Attributes, o.Attributes), by) // a transcript's head may have been read before it had a row
	if at := domain.Moment(o.StartedAt); at != (time.Time{}) && at.Before(s.StartedAt) {
		s.StartedAt = at
	}
	return nil
}

// attach gives a session without a parent the one that the caller names: a source that
// names none, such as a ledger of costs, may have been read first.
func (a *appending) attach(ctx context.Context, tx repository.Tx) error {
	o, s := a.req.Open, &a.session
	if s.ParentID != "" || o.ParentSessionID == "" {
		return nil
	}
	parent, err := tx.Session(ctx, o.ParentSessionID)
	if err != nil || parent.OriginID == s.ID { // the session itself or a descendant
		return err
	}
	if below, err := isBelow(ctx, tx, parent, s.ID); err != nil || below {
		return err
	}
	s.ParentID, s.ParentOpID, s.OriginID = parent.ID, o.ParentOpID, parent.OriginID
	return passOrigin(ctx, tx, *s)
}

// isBelow reports whether a session is the one with an id or a descendant of it. A fork and
// its descendants have the origin of what it was forked from.
func isBelow(ctx context.Context, tx repository.Tx, of domain.Session, id string) (bool, error) {
	for of.ID != id && of.ParentID != "" {
		above, err := tx.Session(ctx, of.ParentID)
		if domain.KindOf(err) == domain.KindNotFound { // it is only in the store that the session is from
			return false, nil
		}
		if err != nil {
			return false, err
		}
		of = above
	}
	return of.ID == id, nil
}

// passOrigin gives the descendants of a session its origin.
func passOrigin(ctx context.Context, tx repository.Tx, of domain.Session) error {
	children, err := tx.Sessions(ctx, domain.SessionQuery{ParentID: of.ID, Forgotten: true})
	if err != nil {
		return err
	}
	for _, child := range children {
		child.OriginID = of.OriginID
		if err := tx.SaveSession(ctx, child); err != nil {
			return err
		}
		if err := passOrigin(ctx, tx, child); err != nil {
			return err
		}
	}
	return nil
}

// openAs changes an empty session as if it had been opened with o. But if it has a
// checkpoint, its opening stays, and o counts as a later change.
func (a *appending) openAs(ctx context.Context, tx repository.Tx, o SessionOpening) error {
	s := &a.session
	marked, err := tx.Checkpoints(ctx, domain.CheckpointQuery{SessionID: s.ID, Deleted: true, Limit: 1})
	if err != nil || len(marked) > 0 {
		return err
	}
	s.Title, s.Model, s.Provider, s.Mode = cmp.Or(session.AllowedTitle(*s, o.Title), s.Title), cmp.Or(o.Model, s.Model), cmp.Or(o.Provider, s.Provider), cmp.Or(o.Mode, s.Mode)
	s.Opened = domain.Opening{Mode: s.Mode, Model: s.Model, Provider: s.Provider, Title: s.Title}
	return nil
}
