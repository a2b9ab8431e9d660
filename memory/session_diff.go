package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"wake/domain"
	"wake/session"
)

// diffTexts is how many user messages a diff quotes.
const diffTexts = 20

// diffCheckpoints tells what changed between two checkpoints, or between one and the
// present state.
func (s *Service) diffCheckpoints(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	from, owner, err := checkpointOf(ctx, s.Store, req.ID, req.Ref)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	toSeq, toName := owner.LastSeq, "now"
	if req.OtherID != "" {
		other, _, err := checkpointOf(ctx, s.Store, req.OtherID, SessionRef{SessionID: owner.ID})
		if err != nil {
			return CheckpointAnswer{}, err
		}
		toSeq, toName = other.Seq, other.ID
	}
	fromSeq, fromName := from.Seq, from.ID
	if fromSeq > toSeq {
		fromSeq, toSeq, fromName, toName = toSeq, fromSeq, toName, fromName
	}
	d, err := s.diff(ctx, owner, fromSeq, toSeq)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	return CheckpointAnswer{ID: from.ID, SessionID: owner.ID, Diff: &d, Text: tellDiff(fromName, toName, d)}, nil
}

func (s *Service) diff(ctx context.Context, owner domain.Session, fromSeq, toSeq int64) (CheckpointDiffText, error) {
	a, err := stateAt(ctx, s.Store, owner, fromSeq)
	if err != nil {
		return CheckpointDiffText{}, err
	}
	b, err := stateAt(ctx, s.Store, owner, toSeq)
	if err != nil {
		return CheckpointDiffText{}, err
	}
	d := session.Diff(&a.State, &b.State)
	out := CheckpointDiffText{
		FromSeq: fromSeq, ToSeq: toSeq, Messages: map[string]int64{}, Tokens: d.Tokens, Spent: d.Spent, OtherTimeline: d.Diverged,
		GoalsAdded: goalsOf(d.GoalsAdded), GoalsChanged: goalsOf(d.GoalsChanged),
	}
	if d.ModeFrom != d.ModeTo {
		out.ModeFrom, out.ModeTo = d.ModeFrom, d.ModeTo
	}
	if d.ModelFrom != d.ModelTo {
		out.ModelFrom, out.ModelTo = d.ModelFrom, d.ModelTo
	}
	for i := len(d.Ranges) - 1; i >= 0; i-- {
		if err := s.diffRange(ctx, owner.ID, d.Ranges[i], &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func goalsOf(refs []session.GoalRef) []domain.Goal {
	var out []domain.Goal
	for _, r := range refs {
		out = append(out, domain.Goal{ID: r.ID, Text: r.Brief, Status: r.Status})
	}
	return out
}

func (s *Service) diffRange(ctx context.Context, sessionID string, span session.Span, out *CheckpointDiffText) error {
	light, err := s.Store.Events(ctx, domain.EventQuery{SessionID: sessionID, After: span.From - 1, Until: span.To, Light: true})
	if err != nil {
		return err
	}
	for _, e := range light {
		if e.Type == domain.EventMessage {
			out.Messages[string(e.Role)]++
		}
		if step, err := domain.PayloadAs[domain.Step](e); err == nil && step.Status == domain.StepCompleted {
			out.Steps = append(out.Steps, step.ID)
		}
	}
	texts, err := s.Store.Events(ctx, domain.EventQuery{SessionID: sessionID, After: span.From - 1, Until: span.To,
		Types: []domain.EventType{domain.EventFinding}})
	if err != nil {
		return err
	}
	texts = slices.DeleteFunc(texts, func(e domain.Event) bool { return e.Erased })
	out.Findings = append(out.Findings, payloads[domain.Finding](texts)...)
	said, err := s.Store.Events(ctx, domain.EventQuery{SessionID: sessionID, After: span.From - 1, Until: span.To, Human: true,
		Limit: diffTexts - len(out.UserMessages) + 1})
	for _, e := range said {
		if m, err := e.Message(); err == nil && !e.Erased && len(out.UserMessages) < diffTexts {
			out.UserMessages = append(out.UserMessages, NumberedText{Seq: e.Seq, Text: cmp.Or(session.Wordless(m), m.Content)})
		}
	}
	return err
}

func tellDiff(from, to string, d CheckpointDiffText) string {
	var b strings.Builder
	fmt.Fprintf(&b, "From %s (event %d) to %s (event %d):\n", from, d.FromSeq, to, d.ToSeq)
	if d.OtherTimeline {
		fmt.Fprintln(&b, "- the first of them was rolled back since: they are not on one line")
	}
	roles := make([]string, 0, len(d.Messages))
	for role, n := range d.Messages {
		roles = append(roles, fmt.Sprintf("%d %s", n, role))
	}
	slices.Sort(roles)
	if len(roles) > 0 {
		fmt.Fprintf(&b, "- messages added: %s\n", strings.Join(roles, ", "))
	}
	fmt.Fprintf(&b, "- tokens in the window's messages: %+d; spent: %s\n", d.Tokens, session.TellTotals(d.Spent))
	if d.ModeFrom != d.ModeTo {
		fmt.Fprintf(&b, "- mode %q → %q\n", d.ModeFrom, d.ModeTo)
	}
	if d.ModelFrom != d.ModelTo {
		fmt.Fprintf(&b, "- model %q → %q\n", d.ModelFrom, d.ModelTo)
	}
	for _, g := range d.GoalsAdded {
		fmt.Fprintf(&b, "- goal added (%s): %s\n", g.Status, session.OneLine(PlainText(cmp.Or(g.Text, g.ID)), 200))
	}
	for _, g := range d.GoalsChanged {
		fmt.Fprintf(&b, "- goal now %s: %s\n", g.Status, session.OneLine(PlainText(cmp.Or(g.Text, g.ID)), 200))
	}
	for _, f := range d.Findings {
		fmt.Fprintf(&b, "- found (%s): %s\n", f.Kind, session.OneLine(PlainText(f.Text), 200))
	}
	if len(d.Steps) > 0 {
		fmt.Fprintf(&b, "- steps completed: %s\n", strings.Join(d.Steps, ", "))
	}
	for _, m := range d.UserMessages {
		fmt.Fprintf(&b, "- the user said (event %d): %s\n", m.Seq, session.OneLine(PlainText(m.Text), 200))
	}
	return b.String()
}
