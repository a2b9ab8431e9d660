package transcript

import (
	"cmp"
	"strconv"
	"strings"
)

// A thread that the user reverted goes on in another rollout, the revision. Its name has an
// id of its own after the thread's, and its rows go on counting where it was reverted to.

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
