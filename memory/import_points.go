package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

// storePoint stores a checkpoint, a hand-off or a fired threshold of another wake,
// unless it is known or the session here is not the one it points into.
func (im *importing) storePoint(ctx context.Context, tx repository.Tx, p transcript.Item) error {
	sessionID, seq := placeOf(p)
	owner, err := tx.Session(ctx, sessionID)
	if domain.KindOf(err) == domain.KindNotFound || err == nil && (owner.LastSeq < seq || im.isMerged(sessionID)) {
		im.answer.Skipped++ // the log it points into is not here
		return nil
	}
	if err != nil {
		return err
	}
	if p.Handoff != nil && im.tellsPurged(owner, seq) {
		im.answer.Others.Known++
		return nil
	}
	if p.Checkpoint != nil {
		im.clearPurged(owner, p.Checkpoint)
	}
	fresh, err := putPoint(ctx, tx, p)
	if fresh {
		im.answer.Others.Taken++
	} else {
		im.answer.Others.Known++
	}
	return err
}

// tellsPurged reports whether another wake made something of a session at a place when it
// still had what was purged here.
func (im *importing) tellsPurged(owner domain.Session, seq int64) bool {
	var there *domain.Session
	if is := im.sessions[owner.ID]; is != nil {
		there = is.adopt
	}
	purged := purgedHere(owner, there)
	return len(purged) > 0 && slices.Min(purged) <= seq
}

// clearPurged removes from another wake's checkpoint what a purge here would have removed.
func (im *importing) clearPurged(owner domain.Session, c *domain.Checkpoint) {
	if im.tellsPurged(owner, c.Seq) {
		clearManifest(&c.Manifest)
	}
	c.Manifest.Title = session.AllowedTitle(owner, c.Manifest.Title)
}

func (im *importing) isMerged(sessionID string) bool {
	is := im.sessions[sessionID]
	return is != nil && is.merged != ""
}

func placeOf(p transcript.Item) (sessionID string, seq int64) {
	switch {
	case p.Checkpoint != nil:
		return p.Checkpoint.SessionID, p.Checkpoint.Seq
	case p.Handoff != nil:
		return p.Handoff.SessionID, p.Handoff.Seq
	}
	return p.Firing.SessionID, p.Firing.Seq
}

// putPoint stores a point unless it is known, and reports whether it was new.
func putPoint(ctx context.Context, tx repository.Tx, p transcript.Item) (bool, error) {
	switch {
	case p.Checkpoint != nil:
		_, err := tx.Checkpoint(ctx, p.Checkpoint.ID)
		if domain.KindOf(err) != domain.KindNotFound {
			return false, err
		}
		return true, tx.PutCheckpoint(ctx, *p.Checkpoint)
	case p.Handoff != nil:
		_, err := tx.Handoff(ctx, p.Handoff.ID)
		if domain.KindOf(err) != domain.KindNotFound {
			return false, err
		}
		return true, tx.PutHandoff(ctx, *p.Handoff)
	}
	return tx.PutFiring(ctx, *p.Firing)
}

// storePoints commits the queued checkpoints, hand-offs and thresholds.
func (st *importStep) storePoints(ctx context.Context) error {
	if len(st.points) == 0 {
		return nil
	}
	return st.s.Store.Write(ctx, st.safe, func(tx repository.Tx) error {
		for _, p := range st.points {
			if err := st.storePoint(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
}
