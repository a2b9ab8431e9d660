package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// adopt appends events exactly as another wake stored them, with their ids, places and
// times, to the same session here (I18). It makes no checkpoint or hand-off and fires
// no threshold. It returns a Conflict error if the client's session is known here
// under another id, or if the log here has other events at those places.
func (s *Service) adopt(ctx context.Context, req AppendRequest) (RecordAnswer, error) {
	for i := range req.Events {
		if err := prepareAdopted(&req.Events[i]); err != nil {
			return RecordAnswer{}, err
		}
	}
	a := s.appending(req)
	err := s.Store.Write(ctx, repository.Durability(!req.Relaxed), func(tx repository.Tx) error { return a.runAdopt(ctx, tx) })
	if err != nil {
		return RecordAnswer{}, err
	}
	req.filled.keep(a.session, a.fresh, a.ops)
	if len(a.fresh) > 0 || a.answer.Opened {
		s.changes.publish(Change{Kind: SessionChanged, ID: a.session.ID, Project: a.session.Project})
	}
	return a.answer, nil
}

// prepareAdopted checks an event, once. Its costs are counted anew, except those of an
// erased event: only its facts are left.
func prepareAdopted(e *domain.Event) error {
	if e.ID == "" || e.Seq < 1 {
		return domain.Invalid("event %d of session %s has no id or no place", e.Seq, e.SessionID)
	}
	if err := domain.CheckID("its id", e.ID); err != nil {
		return fmt.Errorf("event %d of session %s: %w", e.Seq, e.SessionID, err)
	}
	e.At, e.RecordedAt = domain.Moment(e.At), domain.Moment(e.RecordedAt)
	if e.Light != nil {
		return nil // prepared while the import read on
	}
	if e.Damaged != "" { // its content is lost, but its place stays
		e.Damaged, e.Erased, e.Payload = "", true, []byte("{}")
	}
	if e.Erased {
		e.Light = e.Payload
		return nil
	}
	e.Spent = domain.Totals{}
	if err := session.Prepare(e); err != nil {
		return domain.Invalid("event %d of session %s: %v", e.Seq, e.SessionID, err)
	}
	return nil
}

func (a *appending) runAdopt(ctx context.Context, tx repository.Tx) error {
	if err := a.lockAdopted(ctx, tx); err != nil {
		return err
	}
	events, err := a.unheldAdopted(ctx, tx)
	if err != nil {
		return err
	}
	if err := a.forgottenHere(events); err != nil {
		return err
	}
	if err := a.erasePurged(ctx, tx, events); err != nil {
		return err
	}
	if err := a.placeAdopted(ctx, tx, events); err != nil {
		return err
	}
	if err := a.indexAdopted(ctx, tx); err != nil {
		return err
	}
	if err := a.putProjections(ctx, tx); err != nil {
		return err
	}
	if len(a.fresh) > 0 {
		if err := a.snapshot(ctx, tx); err != nil {
			return err
		}
	}
	a.finish()
	a.becomeAdopted()
	return a.save(ctx, tx)
}

// lockAdopted finds the session by its own id, or opens it in its state before the
// first event.
func (a *appending) lockAdopted(ctx context.Context, tx repository.Tx) error {
	id := a.req.Adopt.ID
	origin, err := originHere(ctx, tx, *a.req.Adopt)
	if err != nil {
		return err
	}
	_, err = tx.Session(ctx, id)
	if domain.KindOf(err) == domain.KindNotFound {
		a.answer.Opened = true
		opened := session.AsOpened(*a.req.Adopt)
		inheritPurged(&opened, origin)
		if err = tx.OpenSession(ctx, opened); err == nil {
			// The folder must find its project here, too.
			err = unlessTaken(a.req.Open.Folder.claim(ctx, tx, a.req.Adopt.Project, a.s.now()))
		}
	}
	if err != nil {
		return err
	}
	if a.session, err = tx.Session(ctx, id); err != nil {
		return err
	}
	a.before, a.answer.SessionID = a.session, id
	a.req.filled.meet(a.session)
	inheritPurged(&a.session, origin)
	return nil
}

// unheldAdopted returns the events that the log here does not have. They must follow it
// without a gap.
func (a *appending) unheldAdopted(ctx context.Context, tx repository.Tx) ([]domain.Event, error) {
	events := a.req.Events
	held := map[int64]domain.Event{}
	if len(events) > 0 && events[0].Seq <= a.session.LastSeq {
		there, err := tx.Events(ctx, domain.EventQuery{SessionID: a.session.ID, After: events[0].Seq - 1, Until: events[len(events)-1].Seq, Light: true})
		if err != nil {
			return nil, err
		}
		for _, e := range there {
			held[e.Seq] = e
		}
	}
	var fresh []domain.Event
	next := a.session.LastSeq
	for _, e := range events {
		if here := held[e.Seq]; e.Seq <= a.session.LastSeq && here.ID == e.ID {
			if err := a.notePurgedEarlier(ctx, tx, here, e); err != nil {
				return nil, err
			}
			a.answer.Repeated++
			continue
		}
		if next++; e.Seq != next {
			return nil, domain.Conflict("session %s continues differently here from event %d on", a.session.ID, e.Seq)
		}
		fresh = append(fresh, e)
	}
	a.answer.Accepted = len(fresh)
	return fresh, nil
}

// forgottenHere refuses new events if the session was forgotten here but not in the
// other store.
func (a *appending) forgottenHere(events []domain.Event) error {
	if len(events) == 0 || a.session.DeletedAt.Equal(a.req.Adopt.DeletedAt) {
		return nil
	}
	_, err := live(&a.session, nil)
	return err
}

// indexAdopted makes the messages searchable; those of a forgotten session are hidden
// until it is brought back.
func (a *appending) indexAdopted(ctx context.Context, tx repository.Tx) error {
	err := a.s.indexMessages(ctx, tx, a.session, a.fresh, a.req.said)
	if err != nil || a.session.DeletedAt.IsZero() {
		return err
	}
	return tx.HideDocuments(ctx, domain.DocumentSource{SessionID: a.session.ID}, true)
}

// placeAdopted stores the events with their original costs.
func (a *appending) placeAdopted(ctx context.Context, tx repository.Tx, events []domain.Event) error {
	costs := make([]domain.Totals, len(events))
	for i := range events {
		e := &events[i]
		costs[i], e.Spent = e.Spent, domain.Totals{}
		session.Place(&a.session, e)
		if err := a.remember(*e); err != nil && !e.Erased {
			return err
		}
	}
	if err := a.charge(ctx, tx, events); err != nil {
		return err
	}
	for i := range events {
		if events[i].Erased {
			events[i].Spent = costs[i]
		}
		a.session.Totals = a.session.Totals.Plus(events[i].Spent)
	}
	a.fresh = events
	return tx.AppendEvents(ctx, events)
}

// becomeAdopted gives the session's row its state in the other store once its last
// event is in. A session that is not forgotten here stays so.
func (a *appending) becomeAdopted() {
	if len(a.fresh) == 0 && !a.answer.Opened {
		return
	}
	was := *a.req.Adopt
	a.session.UpdatedAt = was.UpdatedAt
	if a.session.LastSeq == was.LastSeq {
		was.SnapshotSeq = a.session.SnapshotSeq
		if a.session.DeletedAt.IsZero() && !was.DeletedAt.IsZero() {
			bringBack(&was)
		}
		keepPurged(&was, a.session)
		a.session = was
	}
}

// storeAdopted commits the queued events of a session from another wake. If the
// session cannot be taken over as it was, its events are merged into the one that is
// here.
func (st *importStep) storeAdopted(ctx context.Context, is *importedSession) error {
	if is.merged == "" {
		answer, err := st.s.Append(ctx, AppendRequest{By: st.req.By, Events: is.events, Adopt: is.adopt, Open: SessionOpening{Folder: st.folderOf(*is.adopt)},
			Import: true, Relaxed: !bool(st.safe), filled: &is.filled, said: st.said})
		if err == nil {
			st.stored(is, answer)
			return nil
		}
		if domain.KindOf(err) == domain.KindExpired {
			st.leaveOut(is, err)
			return nil
		}
		if domain.KindOf(err) != domain.KindConflict && domain.KindOf(err) != domain.KindInvalid {
			return err
		}
		is.merged = fmt.Sprintf("session %s could not be taken over as it was (%v); what is new in it was added to the one that is here", is.adopt.ID, err)
		st.answer.Notes = append(st.answer.Notes, is.merged)
	}
	return st.mergeSession(ctx, is)
}

// folderOf returns the folder on this machine in which a session worked and from which
// its project has its name; without a path if there is none.
func (im *importing) folderOf(o domain.Session) Folder {
	cwd := o.Attributes["cwd"]
	if im.req.FolderOf == nil || cwd == "" {
		return Folder{}
	}
	f := im.req.FolderOf(cwd)
	if base, _, _ := strings.Cut(o.Project, "~"); base != f.Name && o.Project != f.Name {
		return Folder{}
	}
	return f
}

// mergeSession appends the events that the session here lacks, by their keys. A state that
// was restored there is none of this log.
func (st *importStep) mergeSession(ctx context.Context, is *importedSession) error {
	var events []domain.Event
	for _, e := range is.events {
		if e.Erased || e.Damaged != "" || e.Type == domain.EventRestored {
			st.answer.Skipped++
			continue
		}
		if e.Key == "" {
			e.Key = domain.RowKey("wake", e.ID)
		}
		e.ID, e.Facts, e.Light = "", domain.Facts{}, nil
		events = append(events, e)
	}
	is.events = events
	ref, err := st.sessionHere(ctx, *is.adopt)
	if err != nil {
		return err
	}
	return st.append(ctx, is, AppendRequest{By: st.req.By, Ref: ref, Open: openingOf(*is.adopt), Events: events, Import: true})
}

// sessionHere names the session here into which another wake's events are merged.
func (im *importing) sessionHere(ctx context.Context, was domain.Session) (SessionRef, error) {
	_, err := im.s.Store.Session(ctx, was.ID)
	if domain.KindOf(err) == domain.KindNotFound {
		return SessionRef{Client: cmp.Or(was.Client, "wake"), ClientSessionID: cmp.Or(was.ClientSessionID, was.ID), Project: was.Project}, nil
	}
	return SessionRef{SessionID: was.ID}, err
}
