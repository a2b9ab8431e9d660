package memory

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"wake/domain"
	"wake/transcript"
)

// Files of one source may be read in any order. So what one of them says of a memory that
// has not been read is kept as a cursor, until another file has that memory.

// storeDistant takes in what the source says of memories that others of its files have.
func (w *contextStep) storeDistant(ctx context.Context) error {
	for _, d := range w.distant {
		store := w.link
		if d.Deleted {
			store = w.delete
		}
		if err := store(ctx, d); err != nil {
			return err
		}
	}
	return w.keepAwaited(ctx)
}

// sharedID returns a memory's id by its source if that is the same in all of its files, as
// engram's are, else "". Early versions of engram had only the numbers of rows.
func (w *contextStep) sharedID(c *domain.ContextSnapshot) string {
	if w.req.Format != transcript.Engram {
		return ""
	}
	id, _ := c.Metadata["source_id"].(string)
	if _, err := strconv.Atoi(id); err == nil {
		return ""
	}
	return id
}

// sourceCursor names the cursor that keeps something of a memory by its source's id.
func (w *contextStep) sourceCursor(what, id string) string {
	return what + ":" + string(w.req.Format) + ":" + id
}

// keep sets such a cursor.
func (w *contextStep) keep(ctx context.Context, what, id string, state []byte) error {
	return w.tx.PutCursor(ctx, domain.IngestCursor{Source: w.sourceCursor(what, id), State: state, UpdatedAt: w.s.now()})
}

// kept returns what such a cursor keeps: of "memory", the context of the latest version.
func (w *contextStep) kept(ctx context.Context, what, id string) ([]byte, error) {
	cursor, err := w.tx.Cursor(ctx, w.sourceCursor(what, id))
	return cursor.State, err
}

// link adds a link between two memories, or keeps it for the one that has not been read.
func (w *contextStep) link(ctx context.Context, d transcript.Distant) error {
	l := d.Link
	for _, end := range []struct {
		memory  string
		context *string
	}{{d.From, &l.From}, {d.To, &l.To}} {
		latest, err := w.kept(ctx, "memory", end.memory)
		if err != nil {
			return err
		}
		if len(latest) == 0 {
			// A purge of the other memory would not find its words here.
			d.Link.Reason = ""
			w.awaited[end.memory] = append(w.awaited[end.memory], d)
			return nil
		}
		*end.context = string(latest)
	}
	w.left = append(w.left, l)
	return nil
}

// keepAwaited keeps the links for memories that have not been read.
func (w *contextStep) keepAwaited(ctx context.Context) error {
	for id, links := range w.awaited {
		before, err := w.awaitedBefore(ctx, id)
		if err != nil {
			return err
		}
		state, err := json.Marshal(distinct(append(before, links...)))
		if err != nil {
			return err
		}
		if err := w.keep(ctx, "awaited", id, state); err != nil {
			return err
		}
	}
	return nil
}

// awaitedBefore returns the links that earlier steps kept for a memory.
func (w *contextStep) awaitedBefore(ctx context.Context, id string) (list []transcript.Distant, err error) {
	state, err := w.kept(ctx, "awaited", id)
	if err == nil && len(state) > 0 {
		err = json.Unmarshal(state, &list)
	}
	return list, err
}

// linkAwaited adds the links that were kept for a memory.
func (w *contextStep) linkAwaited(ctx context.Context, c *domain.ContextSnapshot) error {
	id := w.sharedID(c)
	if id == "" {
		return nil
	}
	before, err := w.awaitedBefore(ctx, id)
	if err != nil {
		return err
	}
	for _, d := range append(before, w.awaited[id]...) {
		if err := w.link(ctx, d); err != nil {
			return err
		}
	}
	delete(w.awaited, id)
	if len(before) == 0 {
		return nil
	}
	return w.keep(ctx, "awaited", id, []byte{})
}

// delete forgets what the source deleted, once: what was brought back here stays.
func (w *contextStep) delete(ctx context.Context, d transcript.Distant) error {
	source := w.sourceCursor("deleted", d.From)
	had, err := w.tx.Cursor(ctx, source)
	if err != nil {
		return err
	}
	state := domain.FormatTime(d.At)
	if string(had.State) >= state { // of two deletions the later one counts, whichever was read first
		w.answer.Others.Known++
		return nil
	}
	w.answer.Others.Taken++
	versions, err := w.versions(ctx, d.From)
	if err != nil {
		return err
	}
	now := w.s.now()
	since := now
	if len(versions) == 0 && len(had.State) > 0 {
		since = had.UpdatedAt // when the earlier deletion made it forgotten
	}
	if err := w.tx.PutCursor(ctx, domain.IngestCursor{Source: source, State: []byte(state), UpdatedAt: since}); err != nil {
		return err
	}
	if len(versions) == 0 {
		return nil
	}
	if at, err := w.lastSet(ctx, &versions[0]); err != nil || isAfter(at, d.At) {
		return err
	}
	if err := w.tx.RecordAccesses(ctx, accessesOf(w.req.By, domain.Gone, versions, now)); err != nil {
		return err
	}
	return w.tx.ForgetContexts(ctx, idsOf(versions), now)
}

// setAgain remembers that the source set a version of a memory again, with the same words
// and later than the one that is known.
func (w *contextStep) setAgain(ctx context.Context, c *domain.ContextSnapshot, known domain.ContextSnapshot) error {
	if w.sharedID(c) == "" || !isAfter(changedAt(c), changedAt(&known)) {
		return nil
	}
	if at, err := w.lastSet(ctx, &known); err != nil || !isAfter(changedAt(c), at) {
		return err
	}
	return w.keep(ctx, "set", c.ID, []byte(domain.FormatTime(changedAt(c))))
}

// lastSet returns when the source set a version of a memory last.
func (w *contextStep) lastSet(ctx context.Context, c *domain.ContextSnapshot) (time.Time, error) {
	state, err := w.kept(ctx, "set", c.ID)
	if err != nil || len(state) == 0 {
		return changedAt(c), err
	}
	return domain.ParseTime(string(state))
}

// bringBack brings a forgotten memory back that the source deleted and has set again
// since. One that was forgotten here stays so.
func (w *contextStep) bringBack(ctx context.Context, c *domain.ContextSnapshot) error {
	id := w.sharedID(c)
	if id == "" {
		return nil
	}
	deleted, err := w.tx.Cursor(ctx, w.sourceCursor("deleted", id))
	if err != nil || len(deleted.State) == 0 {
		return err
	}
	at, err := domain.ParseTime(string(deleted.State))
	if err != nil || !isAfter(changedAt(c), at) {
		return nil
	}
	forgotten, err := w.tx.Contexts(ctx, domain.ContextQuery{IDs: []string{c.ID}, Forgotten: true})
	for _, f := range forgotten {
		if f.DeletedAt.Equal(domain.Moment(deleted.UpdatedAt)) {
			if err := w.s.restore(ctx, w.tx, w.req.By, []domain.ContextSnapshot{f}); err != nil {
				return err
			}
			return w.setAgain(ctx, c, f)
		}
	}
	return err
}

// versions returns the versions of a memory that are stored, the latest first.
func (w *contextStep) versions(ctx context.Context, id string) (all []domain.ContextSnapshot, err error) {
	latest, err := w.kept(ctx, "memory", id)
	if err != nil || len(latest) == 0 {
		return nil, err
	}
	ids := []string{string(latest)}
	for seen := map[string]bool{}; len(ids) > 0; {
		found, err := w.tx.ContextsByID(ctx, ids, false)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if c.Metadata["source_id"] == id {
				all = append(all, c)
			}
		}
		if ids, err = w.earlier(ctx, ids, seen); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// earlier returns what the given contexts supersede and is not seen yet.
func (w *contextStep) earlier(ctx context.Context, ids []string, seen map[string]bool) (before []string, err error) {
	links, err := w.tx.LinkHistory(ctx, ids)
	for _, l := range append(links, w.left...) {
		if l.Kind == domain.Supersedes && slices.Contains(ids, l.From) && !seen[l.To] {
			seen[l.To] = true
			before = append(before, l.To)
		}
	}
	return before, err
}

// deletedElsewhere reports whether the source deleted a memory after this version of it.
func (w *contextStep) deletedElsewhere(ctx context.Context, c *domain.ContextSnapshot) (bool, error) {
	id := w.sharedID(c)
	if id == "" {
		return false, nil
	}
	state, err := w.kept(ctx, "deleted", id)
	if err != nil || len(state) == 0 {
		return false, err
	}
	at, err := domain.ParseTime(string(state))
	return err == nil && !isAfter(changedAt(c), at), nil
}

// isAfter reports whether a time is after another one; none is after an unknown one.
func isAfter(t, at time.Time) bool { return !at.IsZero() && t.After(at) }
