package session

import (
	"cmp"
	"time"

	"wake/domain"
)

// Handed is what a hand-off is made from, beside the state.
type Handed struct {
	FromMode, ToMode string
	MessageSeqs      []int64 // the newest spoken messages, oldest first
	Findings         []domain.Finding
	Reasoning        []domain.Reasoning
	Mode             domain.Mode // the event that makes it: skills, tools and task
	Before           *State      // what was in force before, where Mode names none
	Important        bool
}

// NewHandoff makes a hand-off (000-15). Where the mode event names no skills,
// tools or task, those in force before are carried on.
func NewHandoff(id, sessionID string, seq int64, h Handed, now time.Time) domain.Handoff {
	out := domain.Handoff{
		ID: id, SessionID: sessionID, Seq: seq, FromMode: h.FromMode, ToMode: h.ToMode,
		CreatedAt: domain.Moment(now), Important: h.Important,
		MessageSeqs: newest(h.MessageSeqs, domain.HandoffMessages),
		Skills:      h.Mode.Skills, Tools: h.Mode.Tools, Task: h.Mode.Task,
		Findings: GroupFindings(h.Findings), Reasoning: h.Reasoning,
	}
	if h.Before != nil {
		out.Skills = orList(out.Skills, h.Before.Skills)
		out.Tools = orList(out.Tools, h.Before.Tools)
		out.Task = cmp.Or(out.Task, h.Before.Task)
	}
	out.ExpiresAt = Expiry(out)
	return out
}

// Expiry is when a hand-off stops being given out: an hour after it was made,
// seven days when it is important.
func Expiry(h domain.Handoff) time.Time {
	if h.Important {
		return h.CreatedAt.Add(domain.ImportantTTL)
	}
	return h.CreatedAt.Add(domain.HandoffTTL)
}

// Alive reports whether a hand-off may still be given out at now (I8).
func Alive(h domain.Handoff, now time.Time) bool { return now.Before(h.ExpiresAt) }

// GroupFindings sorts findings by mode, each text once, in their order; the last
// root cause of a mode counts.
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
