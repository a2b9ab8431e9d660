package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// importStep stores a stretch of the source in one or more commits. Events wait for
// them in their sessions, everything else here.
type importStep struct {
	*importing
	contexts []*domain.ContextSnapshot
	ready    map[*domain.ContextSnapshot]readyContext
	history  map[string]domain.ContextHistory // of the contexts
	links    []domain.Link
	accesses []domain.Access
	outcomes []domain.Outcome
	erased   []domain.Tombstone
	points   []transcript.Item // checkpoints, hand-offs, thresholds
	rewinds  []transcript.Rewound
	names    []transcript.Named
	distant  []transcript.Distant
	said     analysed

	cursor *domain.IngestCursor  // the place reached, until it is stored
	last   bool                  // the current commit is the last one
	safe   repository.Durability // only the last step must be durable: after a power cut the rest is read again
}

// each stores the source stretch by stretch, including what was read before an error.
func (im *importing) each(ctx context.Context, parts <-chan sourceStretch) error {
	for part := range parts {
		st := &importStep{importing: im, ready: part.ready, said: part.said, cursor: part.cursor,
			history: map[string]domain.ContextHistory{}, safe: repository.Durability(part.last && !im.req.Relaxed)}
		for _, item := range part.items {
			st.take(item)
		}
		im.answer.Offset = part.offset
		if err := st.run(ctx); err != nil {
			return err
		}
		if part.err != nil {
			return part.err
		}
	}
	return ctx.Err()
}

// take queues one item.
func (st *importStep) take(item transcript.Item) {
	switch {
	case item.Skipped != nil:
		st.skip(*item.Skipped)
		return
	case item.Session != nil && st.req.Format == transcript.Wake:
		st.session(item.Session.ID).adopt = item.Session
	case item.Session != nil:
		st.session(item.Session.ClientSessionID).learn(*item.Session)
	case item.Event != nil:
		if item.Event.At.IsZero() {
			item.Event.At = st.req.At
		}
		from := st.session(item.Event.SessionID)
		if from.events == nil {
			from.events, st.room = st.room, nil
		}
		from.events = append(from.events, *item.Event)
	case item.Rewound != nil:
		st.rewinds = append(st.rewinds, *item.Rewound)
	case item.Named != nil:
		st.names = append(st.names, *item.Named)
	case item.Distant != nil:
		st.distant = append(st.distant, *item.Distant)
	case item.Context != nil:
		if item.History != nil {
			st.history[item.Context.ID] = *item.History
		}
		st.contexts = append(st.contexts, item.Context)
	case item.Link != nil:
		st.links = append(st.links, *item.Link)
	case item.Access != nil:
		st.accesses = append(st.accesses, *item.Access)
	case item.Outcome != nil:
		st.outcomes = append(st.outcomes, *item.Outcome)
	case item.Tombstone != nil:
		st.erased = append(st.erased, *item.Tombstone)
	case item.Checkpoint != nil, item.Handoff != nil, item.Firing != nil:
		st.points = append(st.points, item)
	}
}

// run commits the queued items: contexts and links first, then the events of each
// session, the last commit with the place reached. If a step is interrupted, the next
// import repeats it, and keys prevent duplicates.
func (st *importStep) run(ctx context.Context) error {
	before := st.answer
	st.whole = nil
	if err := st.storeContexts(ctx); err != nil {
		return err
	}
	if err := st.storeEvents(ctx); err != nil {
		return err
	}
	if err := st.storePoints(ctx); err != nil {
		return err
	}
	if err := st.storeRewinds(ctx); err != nil {
		return err
	}
	if err := st.storeNames(ctx); err != nil {
		return err
	}
	if err := st.remember(ctx); err != nil {
		return err
	}
	if !st.req.Live { // otherwise a client is waiting, and a server maintains the index
		st.s.indexGrew(ctx, st.answer.Contexts.Taken-before.Contexts.Taken+st.answer.Events.Taken-before.Events.Taken)
	}
	if st.req.Progress != nil {
		st.req.Progress(st.answer)
	}
	return nil
}

// remember stores the place reached, unless another commit has, with the session that is
// still to be distilled.
func (st *importStep) remember(ctx context.Context) error {
	if st.cursor == nil {
		return nil
	}
	cursor := *st.cursor
	st.cursor, cursor.SessionID = nil, st.earlier
	unsayTitles(&cursor, st.purged)
	if touched := st.answer.Sessions; len(touched) > 0 {
		cursor.SessionID = touched[len(touched)-1]
	}
	return st.s.Store.Write(ctx, st.safe, func(tx repository.Tx) error { return tx.PutCursor(ctx, cursor) })
}
