package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
)

// importedSession is a session of a source with its events that wait.
type importedSession struct {
	about  domain.Session // as far as the source told
	events []domain.Event
	id     string // wake's id, once it is known
}

// session returns the waiting session with the client's id.
func (im *importing) session(clientID string) *importedSession {
	if im.sessions[clientID] == nil {
		im.sessions[clientID] = &importedSession{about: domain.Session{ClientSessionID: clientID}}
		im.order = append(im.order, clientID)
	}
	return im.sessions[clientID]
}

// learn takes over what the source says of the session; empty fields say nothing.
func (is *importedSession) learn(s domain.Session) {
	a := &is.about
	a.Client, a.Project = orElse(s.Client, a.Client), orElse(s.Project, a.Project)
	a.AgentID, a.Title = orElse(s.AgentID, a.AgentID), orElse(s.Title, a.Title)
	a.Model, a.Provider, a.Mode = orElse(s.Model, a.Model), orElse(s.Provider, a.Provider), orElse(s.Mode, a.Mode)
	a.ParentID, a.ParentOpID = orElse(s.ParentID, a.ParentID), orElse(s.ParentOpID, a.ParentOpID)
	if s.ContextLimit > 0 {
		a.ContextLimit = s.ContextLimit
	}
	if a.StartedAt.IsZero() {
		a.StartedAt = s.StartedAt
	}
	if len(s.Attributes) > 0 {
		a.Attributes = s.Attributes
	}
}

// storeEvents commits each session's waiting events, parents before children as
// the source named them.
func (im *importing) storeEvents(ctx context.Context) error {
	for _, clientID := range im.order {
		is := im.sessions[clientID]
		if len(is.events) == 0 && is.id != "" {
			continue
		}
		if err := im.storeSession(ctx, is); err != nil {
			return err
		}
	}
	return nil
}

func (im *importing) storeSession(ctx context.Context, is *importedSession) error {
	a := is.about
	parent, err := im.parentOf(ctx, is)
	if err != nil {
		return err
	}
	answer, err := im.s.Append(ctx, AppendRequest{
		By:  im.req.By,
		Ref: SessionRef{Client: orElse(a.Client, string(im.req.Format)), ClientSessionID: a.ClientSessionID, Project: orElse(im.req.Project, a.Project)},
		Open: SessionOpening{
			AgentID: a.AgentID, Model: a.Model, Provider: a.Provider, Mode: a.Mode, Title: a.Title, ParentSessionID: parent,
			ParentOpID: a.ParentOpID, ContextLimit: a.ContextLimit, Attributes: a.Attributes, StartedAt: a.StartedAt,
		},
		Events: is.events, Import: true,
	})
	if domain.KindOf(err) == domain.KindExpired { // forgotten here: it stays so
		im.answer.Notes = append(im.answer.Notes, err.Error())
		is.events = nil
		return nil
	}
	if err != nil {
		return err
	}
	is.events = nil
	if is.id == "" {
		is.id = answer.SessionID
		im.answer.Sessions = append(im.answer.Sessions, is.id)
	}
	im.answer.Events.Taken += answer.Accepted
	im.answer.Events.Known += answer.Repeated
	return nil
}

// parentOf finds wake's id of the session's parent; "" when it is not there.
func (im *importing) parentOf(ctx context.Context, is *importedSession) (string, error) {
	if is.about.ParentID == "" {
		return "", nil
	}
	if p := im.sessions[is.about.ParentID]; p != nil && p.id != "" {
		return p.id, nil
	}
	parent, err := im.s.Store.SessionByClient(ctx, orElse(is.about.Client, string(im.req.Format)), is.about.ParentID)
	if domain.KindOf(err) == domain.KindNotFound {
		return "", nil
	}
	return parent.ID, err
}

// storePoints commits the waiting checkpoints and hand-offs.
func (im *importing) storePoints(ctx context.Context) error {
	if len(im.points) == 0 {
		return nil
	}
	err := im.s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		for _, p := range im.points {
			if p.Checkpoint != nil {
				if err := tx.PutCheckpoint(ctx, *p.Checkpoint); err != nil {
					return err
				}
				continue
			}
			if err := tx.PutHandoff(ctx, *p.Handoff); err != nil {
				return err
			}
		}
		return nil
	})
	im.answer.Others.Taken += len(im.points)
	im.points = nil
	return err
}
