package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// Surplus returns the checkpoints of one session that are to be removed. The last keep
// of each class stay (000-09), by place in the log. Pinned ones and emergencies
// younger than a day do not count. The session's newest checkpoint always stays, and
// so does undoID, the pre_restore checkpoint that undoes the last restore (I7). A keep
// below 1 keeps all. Checkpoints of other sessions in the list are ignored.
func Surplus(checkpoints []domain.Checkpoint, sessionID string, keep int, undoID string, now time.Time) []domain.Checkpoint {
	if keep < 1 {
		return nil
	}
	own := slices.Clone(checkpoints)
	own = slices.DeleteFunc(own, func(c domain.Checkpoint) bool {
		return c.SessionID != sessionID || !c.DeletedAt.IsZero()
	})
	slices.SortStableFunc(own, newerFirst)
	counted := map[domain.CheckpointClass]int{}
	var out []domain.Checkpoint
	for i, c := range own {
		if outsideCount(c, now) {
			continue
		}
		counted[c.Class]++
		if counted[c.Class] > keep && i > 0 && c.ID != undoID {
			out = append(out, c)
		}
	}
	return out
}

func outsideCount(c domain.Checkpoint, now time.Time) bool {
	young := now.Sub(c.CreatedAt) < domain.EmergencyGrace
	return c.Pinned || c.Trigger == domain.TriggerEmergency && young
}

// newerFirst sorts by place in the log, because clocks may go backwards (I16).
func newerFirst(a, b domain.Checkpoint) int {
	return cmp.Or(cmp.Compare(b.Seq, a.Seq), b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID))
}
