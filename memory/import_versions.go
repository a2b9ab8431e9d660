package memory

import (
	"context"
	"slices"
	"time"

	"wake/domain"
)

// replaceEarlier lets a memory that was changed in its source supersede the version
// imported earlier from the same file, or be superseded by it: the files of a clone, and
// exports kept for long, are not read in the order in which they were written. The id of
// the latest version is kept as a cursor.
func (w *contextStep) replaceEarlier(ctx context.Context, c *domain.ContextSnapshot) error {
	source := w.latestCursor(c)
	if source == "" {
		return nil
	}
	earlier, err := w.tx.Cursor(ctx, source)
	if err != nil {
		return err
	}
	latest, other := c.ID, string(earlier.State)
	if other != "" && other != latest {
		late, err := w.changedBefore(ctx, c, other)
		if err != nil {
			return err
		}
		if late {
			latest, other = other, latest
		}
		w.replace(latest, other)
	}
	return w.tx.PutCursor(ctx, domain.IngestCursor{Source: source, State: []byte(latest), UpdatedAt: w.s.now()})
}

// latestCursor names the cursor that keeps the latest version of a memory; "" if the source
// gives it no id.
func (w *contextStep) latestCursor(c *domain.ContextSnapshot) string {
	id, _ := c.Metadata["source_id"].(string)
	switch {
	case id == "":
		return ""
	case w.sharedID(c) == "":
		return w.sourceCursor("memory", id) + ":" + w.req.Name
	}
	return w.sourceCursor("memory", id)
}

// changedInSource is why one version of a memory replaces another.
const changedInSource = "it was changed in its source"

// replace lets one version of a memory supersede another.
func (w *contextStep) replace(latest, other string) {
	l := domain.NewLink(latest, other, domain.Supersedes, w.s.now())
	l.Reason = changedInSource
	w.left = append(w.left, l)
}

// setBack makes a replaced version of a memory the latest one again if the source has set
// it back to those words.
func (w *contextStep) setBack(ctx context.Context, c *domain.ContextSnapshot, known domain.ContextSnapshot) error {
	source := w.latestCursor(c)
	if source == "" || known.SupersededBy == "" {
		return nil
	}
	latest, err := w.tx.Cursor(ctx, source)
	other := string(latest.State)
	if err != nil || other == "" || other == c.ID {
		return err
	}
	if isLater, err := w.setAfter(ctx, c, other); err != nil || !isLater {
		return err
	}
	links, err := w.tx.Links(ctx, []string{c.ID}, time.Time{})
	if err != nil {
		return err
	}
	links = slices.DeleteFunc(links, func(l domain.Link) bool {
		return l.Kind != domain.Supersedes || l.To != c.ID || l.Reason != changedInSource
	})
	if err := w.tx.RemoveLinks(ctx, links, w.s.now()); err != nil {
		return err
	}
	w.replace(c.ID, other)
	return w.tx.PutCursor(ctx, domain.IngestCursor{Source: source, State: []byte(c.ID), UpdatedAt: w.s.now()})
}

// setAfter reports whether the source set c after another version that is stored. A file
// without times that is not one of many holds what is set now.
func (w *contextStep) setAfter(ctx context.Context, c *domain.ContextSnapshot, version string) (bool, error) {
	if changedAt(c).IsZero() {
		return w.sharedID(c) == "", nil
	}
	stored, err := w.tx.ContextsByID(ctx, []string{version}, false)
	if err != nil || len(stored) == 0 {
		return len(stored) == 0, err
	}
	at, err := w.lastSet(ctx, &stored[0])
	return isAfter(changedAt(c), at), err
}

// changedBefore reports whether the source says that it changed c before another version
// that is stored.
func (w *contextStep) changedBefore(ctx context.Context, c *domain.ContextSnapshot, version string) (bool, error) {
	at := changedAt(c)
	if at.IsZero() {
		return false, nil
	}
	stored, err := w.tx.ContextsByID(ctx, []string{version}, false)
	return len(stored) > 0 && at.Before(changedAt(&stored[0])), err
}

// changedAt returns when the source changed a memory; zero if it does not tell.
func changedAt(c *domain.ContextSnapshot) time.Time {
	text, _ := c.Metadata["updated_at"].(string)
	at, _ := domain.ParseTime(text)
	return at
}
