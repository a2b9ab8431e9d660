package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/recall"
	"wake/secret"
)

// newest answers a question without any word to look for: it lists the newest
// contexts, of the time that the question names if any. Messages are not listed.
func (f *searching) newest(ctx context.Context) error {
	if f.req.In == InMessages {
		f.notes = append(f.notes, "the question has no word to look for; messages are found by words that are in them")
		return nil
	}
	filters, of := f.filters, ""
	if from, to, ok := f.q.Span(f.asked()); ok {
		filters, of = within(filters, from, to), " of "+spanned(from, to)
	}
	err := f.listVerbatim(ctx, filters, "the question has no word to look for; these contexts have it as it stands, the newest first")
	if err != nil || len(f.found) > 0 {
		return err
	}
	f.notes = append(f.notes, "the question has no word to look for; these are the newest contexts"+of)
	return f.list(ctx, filters, domain.Newest, candidate{})
}

// Limits of looking for a phrase. There is no index for it, so the newest contexts are
// read: in few steps, each larger than the last, because the database may be far away.
const (
	phraseMost  = 2000    // contexts
	phraseFirst = 100     // contexts of the first step
	phraseMore  = 5       // how many times larger a step may be than the last
	phraseBytes = 8 << 20 // of content, by the average of what was read so far
)

// listVerbatim lists those of the newest contexts that have the question word for word,
// and adds the note if there are any.
func (f *searching) listVerbatim(ctx context.Context, filters domain.Filters, note string) error {
	phrase := f.q.Phrase()
	if f.req.In == InMessages || phrase == (recall.Phrase{}) {
		return nil
	}
	query := domain.ContextQuery{Project: f.project, Filters: filters, Order: domain.Newest, Limit: phraseFirst, WithContent: true}
	for read, size := 0, 0; query.Limit > 0 && len(f.found) < f.depth; {
		list, err := f.s.Store.Contexts(ctx, query)
		if err != nil {
			return err
		}
		for _, c := range list {
			size += len(c.Content)
			if phrase.In(c.Content) && phrase.In(secret.Mask(c.Content)) { // parts of secrets are not found
				f.found = append(f.found, candidate{of: domain.DocumentSource{ContextN: c.N}, because: "has it as it stands", score: 1})
			}
		}
		if len(list) < query.Limit {
			break
		}
		after := position(list[len(list)-1], domain.Newest)
		read += len(list)
		fit := (phraseBytes - size) / (size/read + 1)
		query.After, query.Limit = &after, min(phraseMore*query.Limit, phraseMost-read, fit)
	}
	if len(f.found) > 0 {
		f.phrase, f.notes = phrase, append(f.notes, note)
	}
	return nil
}

// listThen answers a question that names a time and nothing else: it lists the contexts of
// that time, or of the week before one that is counted back from now. It returns false if the
// question asks for more, or there are none.
func (f *searching) listThen(ctx context.Context, space domain.SearchSpace) (bool, error) {
	from, to, ok := f.q.Span(f.asked())
	if !ok || space != domain.ContextSpace {
		return false, nil
	}
	date := f.q.OnlyDate()
	if !date && !f.q.OnlyTime() {
		return false, nil
	}
	err := f.listOf(ctx, from, to, "the question names a time and nothing else to look for; these are the contexts of")
	if whole, end, ok := f.q.DaysSpan(f.asked()); ok && err == nil && len(f.found) == 0 {
		from, to = whole, end
		err = f.listOf(ctx, from, to, "no context is of the hours that the question names; these are the contexts of")
	}
	switch {
	case err != nil:
	case len(f.found) > 0:
		if date {
			err = f.addTelling(ctx, from, to)
		}
	case !date:
		err = f.listWeekBefore(ctx, from, to)
	}
	return err == nil && len(f.found) > 0, err
}

// listOf lists the contexts of a span of time, the newest first unless the first are asked for.
func (f *searching) listOf(ctx context.Context, from, to time.Time, note string) error {
	order := domain.Newest
	if f.q.Order == recall.Oldest {
		order = domain.Oldest
	}
	err := f.list(ctx, within(f.filters, from, to), order, candidate{because: "from the time you name", score: 1})
	if len(f.found) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s %s, the %s first", note, spanned(from, to), order))
	}
	return err
}

// noteTimes says how the times in the question were read.
func (f *searching) noteTimes() {
	var read []string
	for _, span := range f.q.Spans(f.asked()) {
		read = append(read, spanned(span[0], span[1]))
	}
	if len(read) > 0 {
		f.notes = append(f.notes, "the question's time is read as "+strings.Join(read, " and "))
	}
}

// spanned writes a span of time in words, in days if it is of whole ones, so that who asked
// sees how the question was read.
func spanned(from, to time.Time) string {
	first, last := from.Format("2006-01-02 15:04"), to.Format("2006-01-02 15:04")
	if domain.BeginsDay(from) && domain.BeginsDay(to) {
		first, last = from.Format(time.DateOnly), to.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	switch {
	case first == last:
		return first + from.Format(" (-07:00)")
	case !from.After(to.AddDate(-recall.YearsBefore, 0, 1)):
		return "the time until " + last + to.Format(" (-07:00)")
	}
	return first + " to " + last + to.Format(" (-07:00)")
}

// addTelling adds the contexts of other times that tell of the date in question. The best one
// comes before the contexts of that date.
func (f *searching) addTelling(ctx context.Context, from, to time.Time) error {
	then := f.found
	f.found = nil
	if err := f.rank(ctx, domain.ContextSpace); err != nil {
		return err
	}
	f.found = slices.DeleteFunc(f.found, func(c candidate) bool {
		at := time.Unix(c.ranked.Doc.Time, 0)
		return !at.Before(from) && at.Before(to) || !f.q.TellsOf(c.ranked.Doc)
	})
	if len(f.found) > 0 {
		f.notes = append(f.notes, "contexts of other times that tell of this date are among them")
	}
	f.found = append(f.found, then...)
	return nil
}

// listWeekBefore lists the contexts of the week before a span of time that has none. They
// come after messages of that time, if there are any.
func (f *searching) listWeekBefore(ctx context.Context, from, to time.Time) error {
	said, err := f.saidThen(ctx, from, to)
	if err != nil {
		return err
	}
	none := "no context is of the time that the question names, " + spanned(from, to) + "; "
	score, note := 1.0, none+"these are of the week before it, the newest first"
	if said {
		score, note = faintest, none+"what was said then comes first, contexts of the week before it behind that"
	}
	err = f.list(ctx, within(f.filters, from.AddDate(0, 0, -7), from), domain.Newest, candidate{because: "from before the time you name", score: score})
	if len(f.found) > 0 {
		f.notes = append(f.notes, note)
	}
	return err
}

// saidThen reports whether the answer may include messages of a span of time.
func (f *searching) saidThen(ctx context.Context, from, to time.Time) (bool, error) {
	if f.req.In == InContexts || onlyContexts(f.filters) {
		return false, nil
	}
	ns, err := f.s.Store.SaidBetween(ctx, f.project, from, to, 1)
	return len(ns) > 0, err
}

// list takes the first contexts in an order that pass the filters, with the reason and the
// score of as.
func (f *searching) list(ctx context.Context, filters domain.Filters, order domain.Order, as candidate) error {
	list, err := f.s.Store.Contexts(ctx, domain.ContextQuery{Project: f.project, Filters: filters,
		Order: order, Limit: f.depth})
	for i := range list {
		as.of = domain.DocumentSource{ContextN: list[i].N}
		f.found = append(f.found, as)
	}
	return err
}
