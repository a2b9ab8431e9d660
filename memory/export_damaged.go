package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"wake/domain"
)

// An export saves whatever can be read, because from a damaged database nothing else
// can. It reads large pages while that works, and row by row around the damage. What
// it cannot read is listed in the answer.

// unread notes something that is missing from the export.
func (ex *exporting) unread(format string, args ...any) {
	ex.answer.Unread = append(ex.answer.Unread, fmt.Sprintf(format, args...))
}

// spared passes a result on, or an empty one if reading it found damage.
func spared[T any](ex *exporting, what string, v T, err error) (T, error) {
	if !domain.IsDamaged(err) {
		return v, err
	}
	ex.unread("%s", what)
	var none T
	return none, nil
}

// readableHistory reads what it can of a context's history.
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

// rowReader reads the rows of a table in the order of their numbers, around damaged
// ones.
type rowReader[Row any] struct {
	read   func(ctx context.Context, after int64, limit int) ([]Row, error)
	number func(*Row) int64
	most   int                       // rows per page
	page   int                       // rows to ask for next; 0 means most
	last   int64                     // the number of the last row, if every number up to it has one; else 0
	failed int                       // reads that failed
	gap    func(after, before int64) // called for rows that cannot be read; before is 0 if no readable row follows
}

const (
	farthest   = 1 << 53 // beyond the number of any row
	mostFailed = 3000    // failed reads of one log after which the rest is given up
	mostLost   = 1 << 20 // lost events in a row that are replaced; only a damaged session row claims more
)

// next returns the next readable rows after a number, none at the end.
func (r *rowReader[Row]) next(ctx context.Context, after int64) ([]Row, error) {
	if r.page == 0 {
		r.page = r.most
	}
	for ; ; r.page = 1 {
		rows, err := r.rising(ctx, after, r.page)
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

// rising reads rows whose numbers rise from after on. A damaged index may give others
// without an error, and following them could loop for ever, or pass over some.
func (r *rowReader[Row]) rising(ctx context.Context, after int64, limit int) ([]Row, error) {
	rows, err := r.read(ctx, after, limit)
	for i := range rows {
		n := r.number(&rows[i])
		if n <= after || n > farthest || r.last > 0 && n != after+1 {
			err = domain.Damaged("row %d follows row %d", n, after)
			break
		}
		after = n
	}
	if err == nil && len(rows) < limit && after < r.last {
		err = domain.Damaged("no row follows row %d", after)
	}
	if domain.IsDamaged(err) {
		r.failed++
	}
	return rows, err
}

// beyond finds the first readable row after an unreadable one. It probes at growing
// distances, then narrows down to the nearest place that can be read.
func (r *rowReader[Row]) beyond(ctx context.Context, after int64) ([]Row, error) {
	var rows []Row
	bad, good := after, int64(farthest)
	if r.last > 0 {
		good = r.last
	}
	for step := int64(1); good-bad > 1 && r.failed < mostFailed; step = min(2*step, farthest) {
		at := bad + min(step, (good-bad)/2)
		found, err := r.rising(ctx, at, 1)
		switch {
		case err == nil:
			rows, good = found, at
		case domain.IsDamaged(err):
			bad = at
		default:
			return nil, err
		}
	}
	if r.failed >= mostFailed {
		rows = nil
	}
	before := int64(0)
	if len(rows) > 0 {
		before = r.number(&rows[0])
	}
	r.gap(after, before)
	return rows, nil
}

// gapIn returns a function that notes unreadable rows of a log by their numbers. Not
// every number need have been in use.
func (ex *exporting) gapIn(part ExportPart) func(after, before int64) {
	return func(after, before int64) {
		if before == 0 {
			ex.unread("%s from number %d on", part, after+1)
		} else {
			ex.unread("%s numbered %d to %d", part, after+1, before-1)
		}
	}
}

// lostEvents returns the events between two that the index of the log does not lead to, as far
// as they are found without it. The others get placeholders.
func (ex *exporting) lostEvents(ctx context.Context, owner domain.Session, after, before int64) ([]domain.Event, error) {
	if before == 0 {
		before = owner.LastSeq + 1
	}
	if before-after > mostLost {
		return ex.placeholders(owner, after, before), nil
	}
	found, err := ex.s.Store.ScanEvents(ctx, owner.ID, after, before-1)
	if err != nil && !domain.IsDamaged(err) {
		return nil, err
	}
	slices.SortFunc(found, func(a, b domain.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	var all []domain.Event
	for _, e := range found {
		if e.Seq > after { // a damaged table may hold one twice
			all = append(append(all, ex.placeholders(owner, after, e.Seq)...), e)
			after = e.Seq
		}
	}
	return append(all, ex.placeholders(owner, after, before)...), nil
}

// notRead is why there is a placeholder.
const notRead = "the database could not read it"

// placeholders stand for the events between two, which cannot be read, so that pointers into
// the log still point at the same events. Their ids are the same in every export, so a
// second export can be imported too.
func (ex *exporting) placeholders(owner domain.Session, after, before int64) (lost []domain.Event) {
	if before-after <= 1 {
		return nil
	}
	ex.unread("events %d to %d of session %s", after+1, before-1, owner.ID)
	if before-after > mostLost {
		return nil
	}
	for seq := after + 1; seq < before; seq++ {
		lost = append(lost, domain.Event{SessionID: owner.ID, Seq: seq, ID: fmt.Sprint(owner.ID, " lost ", seq), Type: domain.EventNote,
			At: owner.StartedAt, RecordedAt: owner.StartedAt, Damaged: notRead})
	}
	return lost
}

// everySession lists the sessions. Two indexes lead to them: one by time, and one by id. If
// the first is damaged, reading it fails, or passes over some in silence.
func (ex *exporting) everySession(ctx context.Context) ([]domain.Session, error) {
	list, err := ex.s.Store.Sessions(ctx, domain.SessionQuery{Project: ex.project, Forgotten: true})
	damaged := domain.IsDamaged(err)
	if err != nil && !damaged || err == nil && ex.project != "" { // those of other projects would be read one by one
		return list, err
	}
	ids, err := ex.s.Store.SessionIDsUnder(ctx, "", 0)
	switch {
	case err == nil:
		return ex.addSessions(ctx, list, ids)
	case !domain.IsDamaged(err):
		return nil, err
	case damaged:
		return ex.readableSessions(ctx)
	}
	ex.unread("whether there are more sessions")
	return list, nil
}

// addSessions adds the sessions with the ids that are not in the list.
func (ex *exporting) addSessions(ctx context.Context, list []domain.Session, ids []string) ([]domain.Session, error) {
	known := make(map[string]bool, len(list))
	for _, o := range list {
		known[o.ID] = true
	}
	for _, id := range ids {
		if known[id] {
			continue
		}
		o, err := ex.s.Store.Session(ctx, id)
		switch {
		case domain.IsDamaged(err), domain.KindOf(err) == domain.KindNotFound:
			ex.unread("session %s", id)
		case err != nil:
			return nil, err
		case ex.project == "" || o.Project == ex.project:
			list = append(list, o)
		}
	}
	return list, nil
}

// spansAsked is how many spans of time readableSessions asks for at most.
const spansAsked = 5000

// readableSessions lists the sessions when neither index can be read as a whole, by halving
// the span of time until a query works.
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
