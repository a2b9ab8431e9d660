package session

import (
	"slices"
	"time"

	"wake/domain"
)

// The functions of this file are the seed's list utilities (000-23), for programs that
// hold checkpoints in a list; wake lets the database select and sort them. None of them
// changes its argument.

// Find returns the checkpoint with that id.
func Find(list []domain.Checkpoint, id string) (domain.Checkpoint, bool) {
	i := slices.IndexFunc(list, func(c domain.Checkpoint) bool { return c.ID == id })
	if i < 0 {
		return domain.Checkpoint{}, false
	}
	return list[i], true
}

// OfSession returns the checkpoints of one session.
func OfSession(list []domain.Checkpoint, sessionID string) []domain.Checkpoint {
	return filter(list, func(c domain.Checkpoint) bool { return c.SessionID == sessionID })
}

// After returns the checkpoints made after t.
func After(list []domain.Checkpoint, t time.Time) []domain.Checkpoint {
	return filter(list, func(c domain.Checkpoint) bool { return c.CreatedAt.After(t) })
}

// Before returns the checkpoints made before t.
func Before(list []domain.Checkpoint, t time.Time) []domain.Checkpoint {
	return filter(list, func(c domain.Checkpoint) bool { return c.CreatedAt.Before(t) })
}

// Between returns the checkpoints made after from and before to.
func Between(list []domain.Checkpoint, from, to time.Time) []domain.Checkpoint {
	return Before(After(list, from), to)
}

// ByAge returns the checkpoints, oldest first.
func ByAge(list []domain.Checkpoint) []domain.Checkpoint {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b domain.Checkpoint) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return out
}

// ByAgeDesc returns the checkpoints, newest first.
func ByAgeDesc(list []domain.Checkpoint) []domain.Checkpoint {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b domain.Checkpoint) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return out
}

// Recent returns the n newest, newest first.
func Recent(list []domain.Checkpoint, n int) []domain.Checkpoint { return head(ByAgeDesc(list), n) }

// Oldest returns the n oldest, oldest first.
func Oldest(list []domain.Checkpoint, n int) []domain.Checkpoint { return head(ByAge(list), n) }

// CheckMetadata refuses a checkpoint without id, session or time, or with a negative
// count.
func CheckMetadata(c domain.Checkpoint) error {
	switch {
	case c.ID == "":
		return domain.Invalid("a checkpoint needs an id")
	case c.SessionID == "":
		return domain.Invalid("checkpoint %s names no session", c.ID)
	case c.CreatedAt.IsZero():
		return domain.Invalid("checkpoint %s has no time", c.ID)
	case c.Manifest.TokenCount < 0 || c.Size < 0:
		return domain.Invalid("checkpoint %s has a token count or size below zero", c.ID)
	}
	return nil
}

// CheckWhole is CheckMetadata, and also refuses a checkpoint without a valid place, or
// whose manifest or class does not fit.
func CheckWhole(c domain.Checkpoint) error {
	if err := CheckMetadata(c); err != nil {
		return err
	}
	switch {
	case c.Seq < 0 || c.Epoch < 1 || c.StateHash == "":
		return domain.Invalid("checkpoint %s points at no state", c.ID)
	case c.Trigger.Class() != c.Class:
		return domain.Invalid("checkpoint %s of class %s cannot have the trigger %s", c.ID, c.Class, c.Trigger)
	case c.Manifest.SchemaVersion != manifestVersion:
		return domain.Invalid("the manifest of checkpoint %s has version %d", c.ID, c.Manifest.SchemaVersion)
	}
	return nil
}

// TotalTokens adds up the token counts.
func TotalTokens(list []domain.Checkpoint) int64 {
	var n int64
	for _, c := range list {
		n += c.Manifest.TokenCount
	}
	return n
}

// TotalSize adds up the bytes.
func TotalSize(list []domain.Checkpoint) int64 {
	var n int64
	for _, c := range list {
		n += c.Size
	}
	return n
}

// BySession groups the checkpoints by session, each group in the order of the list.
func BySession(list []domain.Checkpoint) map[string][]domain.Checkpoint {
	out := map[string][]domain.Checkpoint{}
	for _, c := range list {
		out[c.SessionID] = append(out[c.SessionID], c)
	}
	return out
}

// AboveTokens returns the checkpoints with more than n tokens.
func AboveTokens(list []domain.Checkpoint, n int64) []domain.Checkpoint {
	return filter(list, func(c domain.Checkpoint) bool { return c.Manifest.TokenCount > n })
}

// BelowTokens returns the checkpoints with fewer than n tokens.
func BelowTokens(list []domain.Checkpoint, n int64) []domain.Checkpoint {
	return filter(list, func(c domain.Checkpoint) bool { return c.Manifest.TokenCount < n })
}

// ForCleanup splits a list into the n newest and the rest. wake itself uses [Surplus].
func ForCleanup(list []domain.Checkpoint, n int) (keep, remove []domain.Checkpoint) {
	sorted := ByAgeDesc(list)
	keep = head(sorted, n)
	return keep, sorted[len(keep):]
}

// Exceeds reports whether there are more than n checkpoints.
func Exceeds(list []domain.Checkpoint, n int) bool { return len(list) > n }

// UserMessages returns the messages that people wrote. It accepts the seed's old
// format, one mixed list, as well as the new one (000-19).
func UserMessages(messages []domain.Message) []domain.Message {
	return filter(messages, domain.Message.Human)
}

// OtherMessages returns the messages that people did not write.
func OtherMessages(messages []domain.Message) []domain.Message {
	return filter(messages, func(m domain.Message) bool { return !m.Human() })
}

func filter[T any](list []T, keep func(T) bool) []T {
	var out []T
	for _, item := range list {
		if keep(item) {
			out = append(out, item)
		}
	}
	return out
}

func head[T any](list []T, n int) []T { return list[:min(max(n, 0), len(list))] }
