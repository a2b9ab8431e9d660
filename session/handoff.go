package session

import (
	"cmp"
	"time"

	"wake/domain"
)

// Handed is what a hand-off is made from.
type Handed struct {
	Mode        domain.Mode // the event that makes it, with skills, tools and task
	Before      *State      // what was in force before
	FromMode    string      // "" means that of Before
	MessageSeqs []int64     // of the newest spoken messages, oldest first
	Findings    []domain.Finding
	Reasoning   []domain.Reasoning
	Important   bool
}

// NewHandoff makes a hand-off (000-15). Skills, tools and task that the mode event
// does not name are those in force before.
func NewHandoff(id, sessionID string, seq int64, h Handed, now time.Time) domain.Handoff {
	out := domain.Handoff{
		ID: id, SessionID: sessionID, Seq: seq, FromMode: cmp.Or(h.FromMode, h.Before.Mode), ToMode: h.Mode.To,
		CreatedAt: domain.Moment(now), Important: h.Important,
		MessageSeqs: newest(h.MessageSeqs, domain.HandoffMessages),
		Skills:      orList(h.Mode.Skills, h.Before.Skills), Tools: orList(h.Mode.Tools, h.Before.Tools), Task: cmp.Or(h.Mode.Task, h.Before.Task),
		Findings: GroupFindings(h.Findings), Reasoning: h.Reasoning,
	}
	out.ExpiresAt = Expiry(out)
	return out
}

// Take adds skills, tools and task of an earlier hand-off, as far as the mode event names
// none, and its importance.
func (h *Handed) Take(earlier domain.Handoff) {
	h.Mode.Skills, h.Mode.Tools = orList(h.Mode.Skills, earlier.Skills), orList(h.Mode.Tools, earlier.Tools)
	h.Mode.Task, h.Important = cmp.Or(h.Mode.Task, earlier.Task), earlier.Important
}

// Expiry is when a hand-off expires: an hour after it was made, or seven days if it is
// important.
func Expiry(h domain.Handoff) time.Time {
	if h.Important {
		return h.CreatedAt.Add(domain.ImportantTTL)
	}
	return h.CreatedAt.Add(domain.HandoffTTL)
}

// Alive reports whether a hand-off has not expired at now (I8).
func Alive(h domain.Handoff, now time.Time) bool { return now.Before(h.ExpiresAt) }

// GroupFindings groups findings by mode, in order and without repeats. The last root
// cause of a mode counts.
func GroupFindings(findings []domain.Finding) map[string]domain.ModeFindings {
	if len(findings) == 0 {
		return nil
	}
	out := map[string]domain.ModeFindings{}
	told := make(map[domain.Finding]bool, len(findings))
	for _, f := range findings {
		m := out[f.Mode]
		switch {
		case f.Kind == domain.FindingRootCause:
			m.RootCause = f.Text
		case told[f]:
		case f.Kind == domain.FindingError:
			m.Errors = append(m.Errors, f.Text)
		case f.Kind == domain.FindingFix:
			m.Fixes = append(m.Fixes, f.Text)
		default:
			m.Notes = append(m.Notes, f.Text)
		}
		told[f], out[f.Mode] = true, m
	}
	return out
}

func orList(a, b []string) []string {
	if a != nil {
		return a
	}
	return b
}
