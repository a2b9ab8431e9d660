package memory

import (
	"cmp"
	"context"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

// rewind takes out of force what the user dropped in the client by going back in the
// conversation, or puts back what they had only seemed to drop. Like a restore it appends
// one event with the state from then on, and removes nothing from the log.
func (s *Service) rewind(ctx context.Context, req AppendRequest, to transcript.Rewound) error {
	w := &rewinding{appending: s.appending(req), to: to, key: domain.RowKey("rewound", cmp.Or(to.ID, to.Row))}
	return w.commit(ctx, w.run)
}

// rewinding is one rewind in its transaction.
type rewinding struct {
	appending
	to    transcript.Rewound
	key   domain.Key // of the event that records it
	tx    repository.Tx
	now   folded       // before it
	shown domain.Event // that has the row which shows it
}

func (w *rewinding) run(ctx context.Context, tx repository.Tx) error {
	w.tx = tx
	if err := w.lock(ctx, tx); err != nil {
		return err
	}
	held, err := tx.EventPlaces(ctx, w.session.ID, []domain.Key{w.key, w.titleKey()})
	if err != nil {
		return err
	}
	if there, known := held[w.key]; known {
		if _, named := held[w.titleKey()]; named {
			return nil
		}
		return w.rename(ctx, there.Seq)
	}
	if w.now, err = stateAt(ctx, tx, w.session, w.session.LastSeq); err != nil {
		return err
	}
	timeline, dropped, err := w.timeline(ctx)
	if err != nil || timeline == nil {
		return err
	}
	then, err := w.stateOn(ctx, timeline)
	if err != nil {
		return err
	}
	payload, err := session.DropEvent(&then.State, dropped)
	if err != nil {
		return err
	}
	events, err := w.events(ctx, payload)
	if err != nil {
		return err
	}
	return w.append(ctx, tx, events)
}

// timeline returns the ranges of the log that are in force from now on, and which one is
// dropped; nil if nothing changes.
func (w *rewinding) timeline(ctx context.Context) ([]session.Span, session.Span, error) {
	find := w.dropped
	switch {
	case w.to.Turns > 0:
		find = w.lastTurns
	case w.to.Words != "":
		find = w.withdrawn
	case w.to.Refused:
		find = w.refused
	case w.to.Removed != nil:
		find = w.removed
	case w.to.Behind:
		find = w.droppedBehind
	case w.to.From == "":
		back, err := w.droppedInEpoch(ctx)
		if err != nil || len(back) == 0 {
			return nil, session.Span{}, err
		}
		return w.now.With(back), session.Span{}, nil
	}
	dropped, err := find(ctx)
	if err != nil || dropped.From == 0 {
		return nil, dropped, err
	}
	return w.now.Without(dropped), dropped, nil
}

// events are the event with the new state and, where the session is named after a message
// that was dropped, one with its new name.
func (w *rewinding) events(ctx context.Context, payload domain.Restored) ([]domain.Event, error) {
	at := w.to.At
	if at.IsZero() || at.After(w.s.now()) {
		at = w.session.UpdatedAt
	}
	e, err := domain.NewEvent(at, w.key, payload)
	if err != nil {
		return nil, err
	}
	about, err := w.name(ctx, at, payload)
	if err != nil {
		return nil, err
	}
	events := append([]domain.Event{e}, about...)
	return events, w.s.prepare(events)
}

// stateOn folds the session over a timeline instead of the one in force.
func (w *rewinding) stateOn(ctx context.Context, timeline []session.Span) (folded, error) {
	last := w.session.LastSeq
	f, err := stateAt(ctx, w.tx, w.session, min(beginning(w.now.Timeline, last), beginning(timeline, last)))
	if err != nil {
		return f, err
	}
	f.fixed = true
	for _, span := range timeline {
		if span.To == 0 {
			span.To = last
		}
		session.Skip(&f.State, max(f.LastSeq, span.From-1))
		if err := f.follow(ctx, w.tx, w.session.ID, span.To); err != nil {
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
