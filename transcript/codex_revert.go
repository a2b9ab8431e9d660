package transcript

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"wake/domain"
)

// A thread that the user reverted goes on in another rollout, the revision. Its name has an
// id of its own after the thread's, and its head says which rows of which rollout go before
// its own. Older versions went on in the same rollout, after a row that says how many turns
// were dropped. Only one window at a time can write to a thread.

// codexBase is what goes before the first row of a rollout.
type codexBase struct {
	Rollout string `json:"thread_id"`             // the thread's id for its first rollout
	End     int64  `json:"end_ordinal_exclusive"` // what was reverted begins with this row
}

// reverted tells that the user has gone back, if a rollout with such a head is a revision.
// One without a base goes back to the beginning, and counts its rows from there; a fork's may
// have a base from before it began. Both drop all that the thread has.
func (r codexReading) reverted(base *codexBase) {
	if base == nil {
		base = &codexBase{}
	}
	if r.revision() == "" || r.ordinal == nil || *r.ordinal != base.End {
		return
	}
	from := codexRow(base.Rollout, base.End)
	if *base == (codexBase{}) || newerID(r.Session, base.Rollout) {
		from = ""
	}
	r.emit(r.rowKey(), r.row(), domain.Note{Kind: "reverted"})
	r.Reverted = &Rewound{Session: r.Session, At: r.at, From: from, Behind: true, Row: r.row()}
	r.out.rewound(*r.Reverted)
}

// newerID reports whether an id was made after another one, by ids that begin with their time
// (UUID version 7).
func newerID(a, b string) bool {
	idA, errA := uuid.Parse(a)
	idB, errB := uuid.Parse(b)
	return errA == nil && errB == nil && idA.Version() == 7 && idB.Version() == 7 && bytes.Compare(idA[:], idB[:]) > 0
}

// rolledBack tells that the user has gone back, in a version that counts turns. The row is
// known by its time, because copies of a rollout may have it in another line.
func (r codexReading) rolledBack(turns int) {
	r.spoke()
	if turns < 1 || r.at.IsZero() {
		return
	}
	row := r.Session + ":rolled back:" + domain.FormatTime(r.at)
	r.emit(domain.RowKey("reverted", row), row, domain.Note{Kind: "reverted"})
	r.Reverted = &Rewound{Session: r.Session, At: r.at, Turns: turns, Row: row}
	r.out.rewound(*r.Reverted)
}

// revision is the id of the rollout if it is a revision, else "".
func (r codexReading) revision() string {
	_, id, _ := strings.Cut(baseName(r.name, ".jsonl"), r.Session+"_")
	return id
}

// row is the id of the row in its thread: the rollout, and the row's place. It is "" in
// older rollouts, whose rows do not have places.
func (r codexReading) row() string {
	if r.ordinal == nil {
		return ""
	}
	return codexRow(cmp.Or(r.revision(), r.Session), *r.ordinal)
}

func codexRow(rollout string, ordinal int64) string {
	return rollout + ":" + strconv.FormatInt(ordinal, 10)
}

// CompareRows returns which of two rows comes first, as [cmp.Compare] does, if both are of
// one rollout of Codex.
func CompareRows(a, b string) (order int, same bool) {
	inA, placeA, _ := strings.Cut(a, ":")
	inB, placeB, _ := strings.Cut(b, ":")
	m, errA := strconv.ParseInt(placeA, 10, 64)
	n, errB := strconv.ParseInt(placeB, 10, 64)
	return cmp.Compare(m, n), inA == inB && errA == nil && errB == nil
}
