package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// importedSession is a session of a source with its queued events.
type importedSession struct {
	about  domain.Session  // what the source said of it
	adopt  *domain.Session // of another wake: the session as it was there
	merged string          // why it could not be taken over as it was; "" if it could
	events []domain.Event
	id     string // wake's id, once it is known
	filled filled
}

// session returns the session with the source's id.
func (im *importing) session(id string) *importedSession {
	if im.sessions[id] == nil {
		im.sessions[id] = &importedSession{about: domain.Session{ClientSessionID: id}}
		im.order = append(im.order, id)
	}
	return im.sessions[id]
}

// learn takes over what the source says of the session. It ignores empty fields, and
// invalid names too, because the session's events matter more.
func (is *importedSession) learn(s domain.Session) {
	for _, name := range []*string{&s.AgentID, &s.Model, &s.Provider, &s.Mode, &s.ParentID, &s.ParentOpID} {
		if !domain.ValidID(*name) {
			*name = ""
		}
	}
	a := &is.about
	a.Client, a.Project = cmp.Or(s.Client, a.Client), cmp.Or(s.Project, a.Project)
	a.AgentID, a.Title = cmp.Or(s.AgentID, a.AgentID), cmp.Or(s.Title, a.Title)
	a.Model, a.Provider, a.Mode = cmp.Or(s.Model, a.Model), cmp.Or(s.Provider, a.Provider), cmp.Or(s.Mode, a.Mode)
	a.ParentID, a.ParentOpID = cmp.Or(s.ParentID, a.ParentID), cmp.Or(s.ParentOpID, a.ParentOpID)
	if s.ContextLimit > 0 {
		a.ContextLimit = s.ContextLimit
	}
	if a.StartedAt.IsZero() {
		a.StartedAt = s.StartedAt
	}
	if len(s.Attributes) > 0 && a.Attributes == nil {
		a.Attributes = map[string]string{}
	}
	maps.Copy(a.Attributes, s.Attributes)
}

// openingOf is what is known of a session besides its events and its parent.
func openingOf(a domain.Session) SessionOpening {
	return SessionOpening{AgentID: a.AgentID, Model: a.Model, Provider: a.Provider, Mode: a.Mode, Title: a.Title,
		ContextLimit: a.ContextLimit, Attributes: a.Attributes, StartedAt: a.StartedAt}
}

// storeEvents commits each session's queued events. The last commit of a step also
// stores the cursor.
func (st *importStep) storeEvents(ctx context.Context) error {
	var due []*importedSession
	for _, id := range st.order {
		if is := st.sessions[id]; len(is.events) > 0 || is.id == "" {
			due = append(due, is)
		}
	}
	for i, is := range due {
		st.last = i == len(due)-1 && len(st.points)+len(st.rewinds)+len(st.names) == 0
		err := st.storeSession(ctx, is)
		if domain.KindOf(err) == domain.KindInvalid {
			st.refuse(is, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refuse skips the events of a session that cannot be opened, for instance because its
// id is too long. The other sessions of the source go on.
func (im *importing) refuse(is *importedSession, why error) {
	for _, e := range is.events {
		im.skip(transcript.Skipped{Source: e.Source.Name, Line: transcript.LineOf(e.Source), Reason: why.Error()})
	}
	is.events = nil
}

func (st *importStep) storeSession(ctx context.Context, is *importedSession) error {
	if is.adopt != nil {
		return st.storeAdopted(ctx, is)
	}
	a := is.about
	a.Client = cmp.Or(a.Client, string(st.req.Format))
	a.Project = cmp.Or(st.req.Project, a.Project)
	if a.StartedAt.IsZero() {
		a.StartedAt = st.req.At
	}
	open := openingOf(a)
	if a.Project == "" && st.req.FolderOf != nil {
		open.Folder = st.req.FolderOf(a.Attributes["cwd"])
	}
	open.Away = !st.req.Live && open.Folder.Path == ""
	if a.ParentID != "" {
		parent, err := st.wakeID(ctx, a, a.ParentID, SessionOpening{StartedAt: a.StartedAt, Folder: open.Folder, Away: open.Away})
		if err != nil {
			return err
		}
		open.ParentSessionID, open.ParentOpID = parent, a.ParentOpID
	}
	if err := st.nameChildren(ctx, a, open, is.events); err != nil {
		return err
	}
	if err := st.dropBilled(ctx, a, is); err != nil {
		return err
	}
	return st.append(ctx, is, AppendRequest{By: st.req.By, Ref: refOf(a), Open: open, Events: is.events, Import: st.past})
}

// dropBilled drops what repeats the costs of a session.
func (st *importStep) dropBilled(ctx context.Context, a domain.Session, is *importedSession) error {
	if !slices.ContainsFunc(is.events, transcript.OnlyBills) {
		return nil
	}
	known, err := st.s.Store.SessionByClient(ctx, a.Client, a.ClientSessionID)
	if domain.KindOf(err) == domain.KindNotFound {
		return nil
	}
	if err != nil || !transcript.Billed(known) {
		return err
	}
	before := len(is.events)
	is.events = slices.DeleteFunc(is.events, transcript.OnlyBills)
	st.answer.Events.Known += before - len(is.events)
	return nil
}

func refOf(a domain.Session) SessionRef {
	return SessionRef{Client: a.Client, ClientSessionID: a.ClientSessionID, Project: a.Project}
}

// append commits events of a session and counts them. A session that was forgotten
// here stays forgotten.
func (st *importStep) append(ctx context.Context, is *importedSession, req AppendRequest) error {
	req.Relaxed, req.filled, req.said, req.purged = !bool(st.safe), &is.filled, st.said, st.purged
	if st.last {
		req.Cursor = st.cursor
	}
	answer, err := st.s.Append(ctx, req)
	if domain.KindOf(err) == domain.KindInvalid {
		req.Events = st.acceptable(req.Events)
		answer, err = st.s.Append(ctx, req)
	}
	if domain.KindOf(err) == domain.KindExpired {
		st.leaveOut(is, err)
		return nil
	}
	if err != nil {
		return err
	}
	if st.last {
		st.cursor = nil // kept
		st.whole = wholeOf(answer)
	}
	st.stored(is, answer)
	return nil
}

// leaveOut drops the events of a session that was forgotten here, and says so.
func (im *importing) leaveOut(is *importedSession, why error) {
	im.answer.Notes = append(im.answer.Notes, im.s.Words.Behind(why.Error(), domain.HintOf(why), ""))
	is.events = nil
}

// acceptable returns the events that a session accepts. The others are skipped with
// the reason. A time ahead of this machine's clock becomes now.
func (im *importing) acceptable(events []domain.Event) []domain.Event {
	var good []domain.Event
	now := im.s.now()
	for _, e := range events {
		if e.At.After(now.Add(domain.MaxLead)) {
			e.At = now
		}
		if err := session.Prepare(&e); err != nil {
			im.skip(transcript.Skipped{Source: e.Source.Name, Line: transcript.LineOf(e.Source), Reason: err.Error()})
			continue
		}
		good = append(good, e)
	}
	return good
}

// storeRewinds takes out of force what was dropped in the sessions of the source.
func (st *importStep) storeRewinds(ctx context.Context) error {
	for _, r := range st.rewinds {
		is := st.sessions[r.Session]
		if is == nil || is.id == "" { // it was left out
			continue
		}
		req := AppendRequest{By: st.req.By, Ref: SessionRef{SessionID: is.id}, Import: st.past, Relaxed: !bool(st.safe)}
		if err := st.s.rewind(ctx, req, r); err != nil && domain.KindOf(err) != domain.KindExpired {
			return err
		}
	}
	return nil
}

// storeNames gives sessions that are known the names that the source has for them.
func (st *importStep) storeNames(ctx context.Context) error {
	for _, n := range st.names {
		known, err := st.s.Store.SessionByClient(ctx, n.Client, n.Session)
		if domain.KindOf(err) == domain.KindNotFound || err == nil && (known.Title == n.Title || session.AllowedTitle(known, n.Title) == "") {
			continue
		}
		if err != nil {
			return err
		}
		at := n.At
		if at.IsZero() {
			at = st.req.At
		}
		earlier, err := st.s.Store.EventPlaces(ctx, known.ID, []domain.Key{domain.NameKey(domain.FormatTime(at) + " " + n.Title)})
		if err != nil {
			return err
		}
		if len(earlier) > 0 {
			continue
		}
		e, err := domain.NewEvent(at, domain.RowKey("named", domain.FormatTime(at)+" "+domain.HashText(n.Title)), domain.About{Title: n.Title})
		if err != nil {
			return err
		}
		req := AppendRequest{By: st.req.By, Ref: SessionRef{SessionID: known.ID}, Events: []domain.Event{e}, Import: st.past}
		if err := st.append(ctx, &importedSession{id: known.ID}, req); err != nil {
			return err
		}
	}
	return nil
}

func (im *importing) stored(is *importedSession, answer RecordAnswer) {
	clear(is.events)
	im.room, is.events = is.events[:0], nil
	share := im.answer.share(answer.session.Project)
	if is.id == "" {
		is.id = answer.SessionID
		im.answer.Sessions = append(im.answer.Sessions, is.id)
		share.Sessions = append(share.Sessions, is.id)
	}
	share.Events += answer.Accepted
	im.purged = distinct(append(im.purged, answer.session.PurgedTitles...))
	im.answer.Events.Taken += answer.Accepted
	im.answer.Events.Known += answer.Repeated
}
