package memory

import (
	"context"
	"slices"
	"strings"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// beforeRow visits what the log has of some types before the row that shows the rewind, in
// force or not, newest first and without long texts. It returns the last event before the
// row, 0 if the row is not known. If nobody has spoken since, that is the last of all.
func (w *rewinding) beforeRow(ctx context.Context, visit func(domain.Event) bool, types ...domain.EventType) (last int64, err error) {
	if w.to.Row == "" {
		last = w.session.LastSeq
	}
	q := domain.EventQuery{SessionID: w.session.ID, Types: types, Limit: foldPage, Light: true}
	err = backwards(ctx, w.tx, q, []session.Span{{From: 1, To: w.session.LastSeq}}, func(e domain.Event) bool {
		if w.to.Row != "" && e.Source.ID == w.to.Row {
			last, w.shown = e.Seq-1, e
			return true
		}
		return last == 0 || visit(e)
	})
	return last, err
}

// The functions below find the range of the log that was dropped. It begins at 0 if there
// is none.

// dropped returns the range from the first message that the user dropped to the one before
// that in its place. There is none if no person spoke in between, or if the source says what
// was cut and that was dropped before: then what was said since is another window's.
func (w *rewinding) dropped(ctx context.Context) (out session.Span, err error) {
	first, next, spoken := int64(0), int64(0), false
	out.To, err = w.beforeRow(ctx, func(e domain.Event) bool {
		if !spoken && w.toldEarly(e) {
			next = e.Seq
			return true
		}
		named := e.Source.ID == w.to.From
		if first > 0 && !named { // the row's own words may stand before what the client added to them
			return !spokenBy(e)
		}
		spoken = spoken || spokenBy(e) && w.now.Covers(e.Seq)
		if _, media := mediaOf(e); named && !media {
			first = e.Seq
		}
		return first == 0 || !spokenBy(e)
	}, domain.EventMessage, domain.EventNote)
	if next > 0 {
		out.To = next - 1
	}
	if spoken && (w.shown.Type != domain.EventNote || w.now.Covers(first)) {
		out.From = first
	}
	return out, err
}

// spokenBy reports whether an event is a person's message, or one that the client stored
// again behind a compaction.
func spokenBy(e domain.Event) bool {
	return e.Human || strings.HasPrefix(string(e.Key), string(domain.HumanKeys))
}

// toldEarly reports whether an event before the row is a message that was sent after it: a
// hook told of it before the row was read, which is no message itself.
func (w *rewinding) toldEarly(e domain.Event) bool {
	is, row := e.Source, w.shown.Source
	return w.shown.Type == domain.EventNote && e.Human && (is.Name == "" || is.Name == row.Name && is.Pos > row.Pos)
}

// droppedBehind is dropped where the source names the row to which the user went back, and
// only one window at a time can have written to the session, so all that was said since
// then was dropped. There is none if the times deny that: then the files were read in
// another order than they were written.
func (w *rewinding) droppedBehind(ctx context.Context) (out session.Span, err error) {
	var said []domain.Event // newest first
	known := 0              // up to the earliest one that stands behind the named row for certain
	out.To, err = w.beforeRow(ctx, func(e domain.Event) bool {
		if !e.Human {
			return true
		}
		order, same := transcript.CompareRows(e.Source.ID, w.to.From)
		if same && order < 0 {
			return false
		}
		if said = append(said, e); same || w.to.From == "" {
			known = len(said)
		}
		return true
	}, domain.EventMessage, domain.EventNote)
	spoken := false
	for _, e := range said[:known] {
		if e.At.Before(said[known-1].At) || e.At.After(w.to.At) {
			return out, err
		}
		spoken = spoken || w.now.Covers(e.Seq)
	}
	if spoken {
		out.From = said[known-1].Seq
	}
	return out, err
}

// lastTurns returns the range of the last turns before the row. There is none if there are
// not so many, or if the times say that the row was read later than what people said after
// it.
func (w *rewinding) lastTurns(ctx context.Context) (out session.Span, err error) {
	left := w.to.Turns
	out.To, err = w.beforeRow(ctx, func(e domain.Event) bool {
		switch {
		case !e.Human || !w.now.Covers(e.Seq):
			return true
		case e.At.After(w.to.At):
			return false
		}
		if left--; left == 0 {
			out.From = e.Seq
		}
		return left > 0
	}, domain.EventMessage, domain.EventNote)
	return out, err
}

// removed returns the range of the turns whose messages were removed, up to the user's next
// message. The client removes the last turns, just before that message. So where others
// spoke after them, there is none.
func (w *rewinding) removed(ctx context.Context) (out session.Span, err error) {
	said := domain.EventQuery{SessionID: w.session.ID, Human: true, Limit: foldPage, Light: true}
	after, next := 0, w.session.LastSeq+1
	err = backwards(ctx, w.tx, said, w.now.Spans(), func(e domain.Event) bool {
		switch {
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

// refused returns the place of the last prompt before the row, of which only a hook told.
// There is none if the source has that prompt: then it was sent.
func (w *rewinding) refused(ctx context.Context) (out session.Span, err error) {
	var last domain.Event
	_, err = w.beforeRow(ctx, func(e domain.Event) bool {
		last = e
		return !e.Human
	}, domain.EventMessage, domain.EventNote)
	if err != nil || !last.Human || last.Source.Name != "" || !w.now.Covers(last.Seq) {
		return out, err
	}
	return w.unsent(ctx, last.Seq, w.to.Row)
}

// withdrawn returns the place of the prompt in the words named, of which only a hook told
// before they were taken back. If they were sent after all, the source has the later of two
// such prompts.
func (w *rewinding) withdrawn(ctx context.Context) (session.Span, error) {
	known, err := w.tx.EventPlacesUnder(ctx, w.session.ID, []domain.Key{domain.HumanKeyPrefix(w.to.Words)})
	first := int64(0)
	for _, p := range known {
		if p.Source.Name == "" && w.now.Covers(p.Seq) && (first == 0 || p.Seq < first) {
			first = p.Seq
		}
	}
	if err != nil || first == 0 {
		return session.Span{}, err
	}
	told, err := eventAt(ctx, w.tx, w.session.ID, first)
	if err != nil || told == nil || told.At.After(w.to.At.Add(oneCall)) { // the hook may have taken its time
		return session.Span{}, err
	}
	return w.unsent(ctx, first, w.to.ID)
}

// unsent is the range of a prompt that was not sent, as a row shows. Otherwise the row of
// the same words, when they are sent later, would become its own.
func (w *rewinding) unsent(ctx context.Context, seq int64, row string) (session.Span, error) {
	err := w.tx.PlaceEvent(ctx, w.session.ID, seq, domain.SourcePos{Name: w.session.Client, ID: row})
	return session.Span{From: seq, To: seq}, err
}

// droppedInEpoch returns the ranges that the user seemed to drop in the present epoch of
// the client's window, by one rewind if the source names it.
func (w *rewinding) droppedInEpoch(ctx context.Context) ([]session.Span, error) {
	events, err := w.tx.Events(ctx, domain.EventQuery{SessionID: w.session.ID, After: w.now.EpochFrom, Types: []domain.EventType{domain.EventRestored}, Light: true})
	var out []session.Span
	for _, e := range events {
		if w.to.Undone != "" && e.Key != domain.RowKey("rewound", w.to.Undone) {
			continue
		}
		if r, err := domain.PayloadAs[domain.Restored](e); err == nil && r.ByUser() && r.DroppedTo > 0 {
			out = append(out, session.Span{From: r.DroppedFrom, To: r.DroppedTo})
		}
	}
	return out, err
}
