package memory

import (
	"context"
	"time"

	"wake/domain"
)

// replaceEarlier lets a memory that was changed in its source supersede the version
// imported earlier from the same file, or be superseded by it: the files of a clone, and
// exports kept for long, are not read in the order in which they were written. The id of
// the latest version is kept as a cursor.
func (w *contextStep) replaceEarlier(ctx context.Context, c *domain.ContextSnapshot) error {
	id, _ := c.Metadata["source_id"].(string)
	if id == "" {
		return nil
	}
	source := w.sourceCursor("memory", id)
	if w.sharedID(c) == "" {
		source += ":" + w.req.Name
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
		l := domain.NewLink(latest, other, domain.Supersedes, w.s.now())
		l.Reason = "it was changed in its source"
		w.left = append(w.left, l)
	}
	return w.tx.PutCursor(ctx, domain.IngestCursor{Source: source, State: []byte(latest), UpdatedAt: w.s.now()})
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
