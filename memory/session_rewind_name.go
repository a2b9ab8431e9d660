package memory

import (
	"context"
	"time"

	"wake/domain"
	"wake/session"
)

// titleKey is the key of the event with the session's new name.
func (w *rewinding) titleKey() domain.Key { return w.key + ":title" }

// rename gives the session its new name where nobody had spoken again when the rewind was
// stored.
func (w *rewinding) rename(ctx context.Context, at int64) error {
	was, err := eventAt(ctx, w.tx, w.session.ID, at)
	if err != nil || was == nil {
		return err
	}
	r, err := domain.PayloadAs[domain.Restored](*was)
	if err != nil {
		return err
	}
	about, err := w.name(ctx, was.At, r)
	if err != nil || len(about) == 0 {
		return err
	}
	if err := w.s.prepare(about); err != nil {
		return err
	}
	return w.append(ctx, w.tx, about)
}

// name makes the event with the session's new name, if it gets one.
func (w *rewinding) name(ctx context.Context, at time.Time, r domain.Restored) ([]domain.Event, error) {
	named, err := w.renamed(ctx, r)
	if err != nil || named == "" {
		return nil, err
	}
	e, err := domain.NewEvent(at, w.titleKey(), domain.About{Title: named})
	return []domain.Event{e}, err
}

// renamed returns the new name of a session that was named after a message which is
// dropped: that of the first one in force. It is "" if the session keeps its name.
func (w *rewinding) renamed(ctx context.Context, r domain.Restored) (string, error) {
	if r.DroppedTo == 0 {
		return "", nil
	}
	before, err := stateAt(ctx, w.tx, w.session, r.Seq)
	if err != nil {
		return "", err
	}
	was, err := w.firstSaid(ctx, before.Timeline)
	if err != nil || was.title != w.session.Title || was.seq < r.DroppedFrom || was.seq > r.DroppedTo {
		return "", err
	}
	now, err := stateAt(ctx, w.tx, w.session, w.session.LastSeq)
	if err != nil {
		return "", err
	}
	is, err := w.firstSaid(ctx, now.Without(session.Span{From: r.DroppedFrom, To: r.DroppedTo}))
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
func (w *rewinding) firstSaid(ctx context.Context, timeline []session.Span) (naming, error) {
	for _, span := range timeline {
		said, err := w.tx.Events(ctx, domain.EventQuery{SessionID: w.session.ID, After: span.From - 1, Until: span.To, Human: true, Limit: 1})
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
