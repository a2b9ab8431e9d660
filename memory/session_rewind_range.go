package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

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

// lastTurns returns the range of the last turns before the row. It is empty if there are not
// so many, or if the times say that the row was read later than what people said after it.
func (w *rewinding) lastTurns(ctx context.Context, tx repository.Tx, now *session.State) (out session.Span, err error) {
	to, left := int64(0), w.to.Turns
	log := []session.Span{{From: 1, To: w.session.LastSeq}}
	entries := domain.EventQuery{SessionID: w.session.ID, Types: []domain.EventType{domain.EventMessage, domain.EventNote}, Limit: foldPage, Light: true}
	err = backwards(ctx, tx, entries, log, func(e domain.Event) bool {
		switch {
		case e.Source.ID == w.to.Row:
			to = e.Seq - 1
		case to == 0 || !e.Human || !now.Covers(e.Seq):
		case e.At.After(w.to.At):
			return false
		default:
			if left--; left == 0 {
				out = session.Span{From: e.Seq, To: to}
			}
		}
		return left > 0
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
