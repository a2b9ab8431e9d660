package memory

import (
	"context"
	"fmt"
	"time"

	"wake/domain"
)

// An export takes along all that can be read: who exports a damaged database has no
// other way left. Each thing below is read in larger pieces as long as that goes well,
// in single rows around what is damaged, and what cannot be read is told of.

// unread notes what is missing in the export.
func (ex *exporting) unread(format string, args ...any) {
	ex.answer.Unread = append(ex.answer.Unread, fmt.Sprintf(format, args...))
}

// spared passes on a result, an empty one where that is damaged.
func spared[T any](ex *exporting, what string, v T, err error) (T, error) {
	if !domain.IsDamaged(err) {
		return v, err
	}
	ex.unread("%s", what)
	var none T
	return none, nil
}

// readableHistory is what can be read of what belongs to a context.
func (ex *exporting) readableHistory(ctx context.Context, c domain.ContextSnapshot) (past histories, err error) {
	id := []string{c.ID}
	links, err := ex.s.Store.LinkHistory(ctx, id)
	if links, err = spared(ex, "the links of context "+c.ID, links, err); err != nil {
		return past, err
	}
	past.links = linksFrom(links)
	past.tags, err = ex.s.Store.TagHistory(ctx, id)
	if past.tags, err = spared(ex, "when context "+c.ID+" got its tags", past.tags, err); err != nil {
		return past, err
	}
	past.vectors, err = ex.s.Store.VectorsOf(ctx, id)
	past.vectors, err = spared(ex, "the embeddings of context "+c.ID, past.vectors, err)
	return past, err
}

// rowReader reads rows in the order of their numbers, pages of most rows at most.
type rowReader[Row any] struct {
	read   func(ctx context.Context, after int64, limit int) ([]Row, error)
	number func(*Row) int64
	most   int
	page   int                       // rows to ask for next; 0 is most
	gap    func(after, before int64) // told what cannot be read; before is 0 where that goes on to the end
}

// farthest is beyond the numbers of all rows.
const farthest = 1 << 53

// next returns the next rows behind a number that can be read, none at the end.
func (r *rowReader[Row]) next(ctx context.Context, after int64) ([]Row, error) {
	if r.page == 0 {
		r.page = r.most
	}
	for ; ; r.page = 1 {
		rows, err := r.read(ctx, after, r.page)
		switch {
		case err == nil:
			r.page = min(2*r.page, r.most)
			return rows, nil
		case !domain.IsDamaged(err):
			return nil, err
		case r.page == 1:
			return r.beyond(ctx, after)
		}
	}
}

// beyond reads the first row behind what cannot be read at a number. It looks ever
// farther, then for the nearest place in between from which there is a way on.
func (r *rowReader[Row]) beyond(ctx context.Context, after int64) ([]Row, error) {
	var rows []Row
	bad, good := after, int64(0)
	for step := int64(1); good == 0; step *= 2 {
		if bad+step > farthest {
			r.gap(after, 0)
			return nil, nil
		}
		found, err := r.read(ctx, bad+step, 1)
		switch {
		case err == nil:
			rows, good = found, bad+step
		case domain.IsDamaged(err):
			bad += step
		default:
			return nil, err
		}
	}
	for good-bad > 1 {
		middle := bad + (good-bad)/2
		found, err := r.read(ctx, middle, 1)
		switch {
		case err == nil:
			rows, good = found, middle
		case domain.IsDamaged(err):
			bad = middle
		default:
			return nil, err
		}
	}
	before := int64(0)
	if len(rows) > 0 {
		before = r.number(&rows[0])
	}
	r.gap(after, before)
	return rows, nil
}

// gapIn tells of rows of a log that cannot be read, by their numbers. Some of these
// may never have been given.
func (ex *exporting) gapIn(part ExportPart) func(after, before int64) {
	return func(after, before int64) {
		if before == 0 {
			ex.unread("%s from number %d on", part, after+1)
		} else {
			ex.unread("%s numbered %d to %d", part, after+1, before-1)
		}
	}
}

// lostEvents stand for events that cannot be read: the log has a place for each, and
// what points into it must go on pointing at the same events.
func (ex *exporting) lostEvents(owner domain.Session, after, before int64) []domain.Event {
	if before == 0 {
		before = owner.LastSeq + 1
	}
	ex.unread("events %d to %d of session %s", after+1, before-1, owner.ID)
	lost := make([]domain.Event, 0, before-after-1)
	for seq := after + 1; seq < before; seq++ {
		lost = append(lost, domain.Event{SessionID: owner.ID, Seq: seq, ID: ex.s.newEventID(), Type: domain.EventNote,
			At: owner.StartedAt, RecordedAt: owner.StartedAt, Damaged: "the database could not read it"})
	}
	return lost
}

// spansAsked is how many spans of time are asked for sessions at most.
const spansAsked = 5000

// readableSessions lists sessions where the list of all cannot be read.
func (ex *exporting) readableSessions(ctx context.Context) ([]domain.Session, error) {
	asked := 0
	var within func(from, until time.Time) ([]domain.Session, error)
	within = func(from, until time.Time) ([]domain.Session, error) {
		asked++
		list, err := ex.s.Store.Sessions(ctx, domain.SessionQuery{Project: ex.project, Forgotten: true, Since: from, Until: until})
		half := until.Sub(from) / 2
		switch {
		case !domain.IsDamaged(err):
			return list, err
		case half < time.Millisecond || asked > spansAsked:
			ex.unread("sessions last at work between %s and %s", domain.FormatTime(from), domain.FormatTime(until))
			return nil, nil
		}
		early, err := within(from, from.Add(half))
		if err != nil {
			return nil, err
		}
		late, err := within(from.Add(half), until)
		return append(early, late...), err
	}
	return within(time.Unix(0, 0), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
}
