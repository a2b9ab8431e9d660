package memory

import (
	"context"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

// rewind takes out of force what the user dropped in the client by going back in the
// conversation, or puts back what they had only seemed to drop. Like a restore it appends
// one event with the state from then on, and removes nothing from the log.
func (s *Service) rewind(ctx context.Context, req AppendRequest, to transcript.Rewound) error {
	w := &rewinding{s.appending(req), to}
	return w.commit(ctx, w.run)
}

// rewinding is one rewind in its transaction.
type rewinding struct {
	appending
	to transcript.Rewound
}

func (w *rewinding) run(ctx context.Context, tx repository.Tx) error {
	if err := w.lock(ctx, tx); err != nil {
		return err
	}
	key := domain.RowKey("rewound", w.to.Row)
	held, err := tx.EventPlaces(ctx, w.session.ID, []domain.Key{key, titleKey(key)})
	if err != nil {
		return err
	}
	if there, known := held[key]; known {
		if _, named := held[titleKey(key)]; named {
			return nil
		}
		return w.rename(ctx, tx, key, there.Seq)
	}
	now, err := stateAt(ctx, tx, w.session, w.session.LastSeq)
	if err != nil {
		return err
	}
	timeline, dropped, err := w.timeline(ctx, tx, &now.State)
	if err != nil || timeline == nil {
		return err
	}
	then, err := stateOn(ctx, tx, w.session, now.Timeline, timeline)
	if err != nil {
		return err
	}
	payload, err := session.DropEvent(&then.State, dropped)
	if err != nil {
		return err
	}
	events, err := w.events(ctx, tx, key, payload)
	if err != nil {
		return err
	}
	return w.append(ctx, tx, events)
}

// timeline returns the ranges of the log that are in force from now on, and which one is
// dropped; nil if nothing changes.
func (w *rewinding) timeline(ctx context.Context, tx repository.Tx, now *session.State) ([]session.Span, session.Span, error) {
	if w.to.From == "" && w.to.Removed == nil {
		back, err := w.droppedInEpoch(ctx, tx, now)
		if err != nil || len(back) == 0 {
			return nil, session.Span{}, err
		}
		return now.With(back), session.Span{}, nil
	}
	find := w.dropped
	switch {
	case w.to.Behind:
		find = w.droppedBehind
	case w.to.Removed != nil:
		find = w.removed
	}
	dropped, err := find(ctx, tx, now)
	if err != nil || dropped.From == 0 {
		return nil, dropped, err
	}
	return now.Without(dropped), dropped, nil
}

// dropped returns the range from the first message that the user dropped to the one before
// that in its place. It is empty if they are not known or if no person spoke in between.
func (w *rewinding) dropped(ctx context.Context, tx repository.Tx, now *session.State) (session.Span, error) {
	var out session.Span
	spoken := false
	log := []session.Span{{From: 1, To: w.session.LastSeq}}
	messages := domain.EventQuery{SessionID: w.session.ID, Types: []domain.EventType{domain.EventMessage}, Limit: foldPage, Light: true}
	err := backwards(ctx, tx, messages, log, func(e domain.Event) bool {
		switch {
		case e.Source.ID == w.to.Row:
			out.To = e.Seq - 1
		case out.To > 0:
			spoken = spoken || e.Human && now.Covers(e.Seq)
		}
		if e.Source.ID == w.to.From {
			out.From = e.Seq
		}
		return out.From == 0
	})
	if err != nil || !spoken || out.From == 0 {
		return session.Span{}, err
	}
	return out, nil
}

// droppedBehind is dropped where the source names the row to which the user went back, and
// only one window at a time can have written to the session, so all that was said since
// then was dropped. It is empty if the times deny that: then the files were read in another
// order than they were written.
func (w *rewinding) droppedBehind(ctx context.Context, tx repository.Tx, now *session.State) (session.Span, error) {
	said, to, err := w.saidBehind(ctx, tx)
	if err != nil || len(said) == 0 {
		return session.Span{}, err
	}
	first, spoken := said[len(said)-1], false
	for _, e := range said {
		if e.At.Before(first.At) || e.At.After(w.to.At) {
			return session.Span{}, nil
		}
		spoken = spoken || now.Covers(e.Seq)
	}
	if !spoken {
		return session.Span{}, nil
	}
	return session.Span{From: first.Seq, To: to}, nil
}

// saidBehind returns what people said between the two rows, newest first, and which event
// is the last before the second.
func (w *rewinding) saidBehind(ctx context.Context, tx repository.Tx) (said []domain.Event, to int64, err error) {
	known := 0 // up to the earliest one that stands behind the first row for certain
	log := []session.Span{{From: 1, To: w.session.LastSeq}}
	entries := domain.EventQuery{SessionID: w.session.ID, Types: []domain.EventType{domain.EventMessage, domain.EventNote}, Limit: foldPage, Light: true}
	err = backwards(ctx, tx, entries, log, func(e domain.Event) bool {
		if e.Source.ID == w.to.Row {
			to = e.Seq - 1
		}
		if to == 0 || !e.Human {
			return true
		}
		order, same := transcript.CompareRows(e.Source.ID, w.to.From)
		if same && order < 0 {
			return false
		}
		if said = append(said, e); same {
			known = len(said)
		}
		return true
	})
	return said[:known], to, err
}

// removed returns the range of the turns whose messages were removed, up to the user's next
// message. The client removes the last turns, just before that message. So where others
// spoke after them, it is empty.
func (w *rewinding) removed(ctx context.Context, tx repository.Tx, now *session.State) (out session.Span, err error) {
	log := []session.Span{{From: 1, To: w.session.LastSeq}}
	said := domain.EventQuery{SessionID: w.session.ID, Human: true, Limit: foldPage, Light: true}
	after, next := 0, w.session.LastSeq+1
	err = backwards(ctx, tx, said, log, func(e domain.Event) bool {
		switch {
		case !now.Covers(e.Seq): // it was dropped before
		case e.Source.ID != "" && slices.Contains(w.to.Removed, e.Source.ID):
			if out.To == 0 {
				out.To = next - 1
			}
			out.From = e.Seq
		case out.To > 0:
			return false
		default:
			after, next = after+1, e.Seq
		}
		return after <= 1
	})
	return out, err
}

// droppedInEpoch returns the ranges that the user seemed to drop in the present epoch of
// the client's window.
func (w *rewinding) droppedInEpoch(ctx context.Context, tx repository.Tx, now *session.State) ([]session.Span, error) {
	events, err := tx.Events(ctx, domain.EventQuery{SessionID: w.session.ID, After: now.EpochFrom, Types: []domain.EventType{domain.EventRestored}, Light: true})
	var out []session.Span
	for _, e := range events {
		if r, err := domain.PayloadAs[domain.Restored](e); err == nil && r.ByUser() && r.DroppedTo > 0 {
			out = append(out, session.Span{From: r.DroppedFrom, To: r.DroppedTo})
		}
	}
	return out, err
}

// events are the event with the new state and, where the session is named after a message
// that was dropped, one with its new name.
func (w *rewinding) events(ctx context.Context, tx repository.Tx, key domain.Key, payload domain.Restored) ([]domain.Event, error) {
	at := w.to.At
	if at.IsZero() || at.After(w.s.now()) {
		at = w.session.UpdatedAt
	}
	e, err := domain.NewEvent(at, key, payload)
	if err != nil {
		return nil, err
	}
	events := []domain.Event{e}
	about, err := w.name(ctx, tx, key, at, payload)
	if err != nil {
		return nil, err
	}
	events = append(events, about...)
	return events, w.s.prepare(events)
}

// titleKey is the key of the event with the new name of a session, by that of the rewind.
func titleKey(key domain.Key) domain.Key { return key + ":title" }

// rename gives the session its new name where nobody had spoken again when the rewind was
// stored.
func (w *rewinding) rename(ctx context.Context, tx repository.Tx, key domain.Key, at int64) error {
	was, err := eventAt(ctx, tx, w.session.ID, at)
	if err != nil || was == nil {
		return err
	}
	r, err := domain.PayloadAs[domain.Restored](*was)
	if err != nil {
		return err
	}
	about, err := w.name(ctx, tx, key, was.At, r)
	if err != nil || len(about) == 0 {
		return err
	}
	if err := w.s.prepare(about); err != nil {
		return err
	}
	return w.append(ctx, tx, about)
}

// name makes the event with the session's new name, if it gets one.
func (w *rewinding) name(ctx context.Context, tx repository.Tx, key domain.Key, at time.Time, r domain.Restored) ([]domain.Event, error) {
	named, err := w.renamed(ctx, tx, r)
	if err != nil || named == "" {
		return nil, err
	}
	e, err := domain.NewEvent(at, titleKey(key), domain.About{Title: named})
	return []domain.Event{e}, err
}

// renamed returns the new name of a session that was named after a message which is
// dropped: that of the first one in force. It is "" if the session keeps its name.
func (w *rewinding) renamed(ctx context.Context, tx repository.Tx, r domain.Restored) (string, error) {
	if r.DroppedTo == 0 {
		return "", nil
	}
	before, err := stateAt(ctx, tx, w.session, r.Seq)
	if err != nil {
		return "", err
	}
	was, err := w.firstSaid(ctx, tx, before.Timeline)
	if err != nil || was.title != w.session.Title || was.seq < r.DroppedFrom || was.seq > r.DroppedTo {
		return "", err
	}
	now, err := stateAt(ctx, tx, w.session, w.session.LastSeq)
	if err != nil {
		return "", err
	}
	is, err := w.firstSaid(ctx, tx, now.Without(session.Span{From: r.DroppedFrom, To: r.DroppedTo}))
	if is.title == w.session.Title {
		return "", err
	}
	return is.title, err
}

// naming is a message after which a session is named.
type naming struct {
	seq   int64
	title string
}

// firstSaid returns the first message of a person on a timeline, zero if there is none.
func (w *rewinding) firstSaid(ctx context.Context, tx repository.Tx, timeline []session.Span) (naming, error) {
	for _, span := range timeline {
		said, err := tx.Events(ctx, domain.EventQuery{SessionID: w.session.ID, After: span.From - 1, Until: span.To, Human: true, Limit: 1})
		if err != nil {
			return naming{}, err
		}
		if len(said) > 0 {
			m, _ := said[0].Message()
			return naming{said[0].Seq, session.TitleOf(m.Content)}, nil
		}
	}
	return naming{}, nil
}

// stateOn folds a session over a timeline instead of the one in force.
func stateOn(ctx context.Context, r repository.Reader, owner domain.Session, inForce, timeline []session.Span) (folded, error) {
	f, err := stateAt(ctx, r, owner, min(beginning(inForce, owner.LastSeq), beginning(timeline, owner.LastSeq)))
	if err != nil {
		return f, err
	}
	f.fixed = true
	for _, span := range timeline {
		if span.To == 0 {
			span.To = owner.LastSeq
		}
		session.Skip(&f.State, max(f.LastSeq, span.From-1))
		if err := f.follow(ctx, r, owner.ID, span.To); err != nil {
			return f, err
		}
	}
	f.Timeline = timeline
	return f, nil
}

// beginning is up to which event a timeline has the whole log, of at most last events.
func beginning(timeline []session.Span, last int64) int64 {
	switch first := timeline[0]; {
	case first.From > 1:
		return 0
	case first.To == 0:
		return last
	default:
		return first.To
	}
}
