package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
)

// A session's row lists what was purged of it. Other stores and transcripts still have it,
// with what was made of it since, and none of that may bring the text back.

// notePurged notes an event in the row of its session, before its text is gone.
func notePurged(owner *domain.Session, was domain.Event) {
	owner.Purged = distinct(append(owner.Purged, was.Seq))
	refuseTitle(owner, saidIn(was))
	if about, err := domain.PayloadAs[domain.About](was); err == nil {
		refuseTitle(owner, about.Title)
	}
}

// purgeOwnTitle removes the title of a session, which it does not get again.
func purgeOwnTitle(owner *domain.Session) {
	refuseTitle(owner, owner.Title)
	refuseTitle(owner, owner.Opened.Title)
	owner.Title, owner.Opened.Title = "", ""
}

// refuseTitle notes that a session must not be named after a text.
func refuseTitle(owner *domain.Session, text string) {
	if title := session.TitleOf(text); title != "" {
		owner.PurgedTitles = distinct(append(owner.PurgedTitles, domain.HashText(title)))
	}
}

// allowName removes a purged title from an event that names the session.
func (a *appending) allowName(e *domain.Event) error {
	if e.Type != domain.EventAbout || len(a.session.PurgedTitles) == 0 || e.Erased {
		return nil
	}
	about, err := domain.PayloadAs[domain.About](*e)
	if err != nil || session.AllowedTitle(a.session, about.Title) == about.Title {
		return err
	}
	about.Title = ""
	if err := e.SetPayload(about); err != nil {
		return err
	}
	return session.Prepare(e)
}

// purgedHere returns the events of a session that were purged here, while the other store
// may still have what was made of them. there is nil if that store's row is not known.
func purgedHere(here domain.Session, there *domain.Session) []int64 {
	if there == nil {
		return here.Purged
	}
	return slices.DeleteFunc(slices.Clone(here.Purged), func(seq int64) bool { return slices.Contains(there.Purged, seq) })
}

// notePurgedEarlier notes an event that was purged by a wake that did not list it, as the
// other store still has it. Of a damaged event that came from another store nothing is left
// at all.
func (a *appending) notePurgedEarlier(ctx context.Context, tx repository.Tx, here, there domain.Event) error {
	if !here.Erased || there.Erased || string(here.Payload) == "{}" || !a.session.DeletedAt.IsZero() || slices.Contains(a.session.Purged, here.Seq) {
		return nil
	}
	notePurged(&a.session, there)
	return a.eraseDistilled(ctx, tx, here.Seq)
}

// erasePurged erases, of another store's new events, copies of what was purged here, states
// that were restored since, and names.
func (a *appending) erasePurged(ctx context.Context, tx repository.Tx, events []domain.Event) error {
	origin, err := originHere(ctx, tx, a.session)
	if err != nil {
		return err
	}
	purged := purgedHere(a.session, a.req.Adopt)
	for i := range events {
		e := &events[i]
		switch {
		case e.Erased:
			e.Key = e.Key.WithoutQuote() // an earlier wake erased it
		case e.Source.Name == domain.CopiedFrom(origin.ID) && slices.Contains(origin.Purged, e.Source.Pos):
			eraseNew(e)
			a.session.Purged = distinct(append(a.session.Purged, e.Seq))
			if err := a.eraseDistilled(ctx, tx, e.Seq); err != nil {
				return err
			}
		case e.Type == domain.EventRestored && len(purged) > 0 && slices.Min(purged) < e.Seq:
			eraseNew(e)
		case e.Type == domain.EventAbout:
			if about, err := domain.PayloadAs[domain.About](*e); err == nil && session.AllowedTitle(a.session, about.Title) != about.Title {
				eraseNew(e)
			}
		}
	}
	return nil
}

// eraseDistilled erases what the other store distilled from a copy in a fork, or from what
// an earlier wake purged: contexts are stored before their sessions.
func (a *appending) eraseDistilled(ctx context.Context, tx repository.Tx, seq int64) error {
	var gone PurgedEvent
	err := a.s.purgeDistilled(ctx, tx, place{a.session, seq}, &gone)
	if err != nil || len(gone.Contexts) == 0 {
		return err
	}
	return tx.OweRewrite(ctx)
}

// eraseNew erases an event that is not stored yet. Its facts stay, as in the store.
func eraseNew(e *domain.Event) {
	e.Payload, e.Key = bare(*e), e.Key.WithoutQuote()
	e.Source.ID, e.Source.Parent = "", ""
	e.Erased, e.Light, e.Parsed = true, e.Payload, nil
}

// originHere returns the session that another one was forked from; none if it is not here.
func originHere(ctx context.Context, r repository.Reader, fork domain.Session) (domain.Session, error) {
	if fork.ForkedFrom == "" {
		return domain.Session{}, nil
	}
	origin, err := r.Session(ctx, fork.ForkedFrom)
	if domain.KindOf(err) == domain.KindNotFound {
		return domain.Session{}, nil
	}
	return origin, err
}

// inheritPurged gives a fork from another store the titles that its origin lost here.
func inheritPurged(fork *domain.Session, origin domain.Session) {
	fork.PurgedTitles = distinct(append(fork.PurgedTitles, origin.PurgedTitles...))
	fork.Title, fork.Opened.Title = session.AllowedTitle(*fork, fork.Title), session.AllowedTitle(*fork, fork.Opened.Title)
}

// keepPurged changes a session's state in another store so that nothing comes back that was
// purged here.
func keepPurged(was *domain.Session, here domain.Session) {
	if len(purgedHere(here, was)) > 0 {
		was.Error, was.LatestStatus, was.Attributes = here.Error, here.LatestStatus, here.Attributes
	}
	was.Purged = distinct(append(was.Purged, here.Purged...))
	was.PurgedTitles = distinct(append(was.PurgedTitles, here.PurgedTitles...))
	if session.AllowedTitle(*was, was.Title) != was.Title {
		was.Title = here.Title
	}
	was.Opened.Title = session.AllowedTitle(*was, was.Opened.Title)
}
