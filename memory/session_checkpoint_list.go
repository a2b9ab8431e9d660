package memory

import (
	"context"
	"fmt"
	"slices"

	"wake/domain"
	"wake/session"
)

func (s *Service) listCheckpoints(ctx context.Context, req CheckpointRequest) (CheckpointAnswer, error) {
	if err := checkTime(req.Since, req.Until); err != nil {
		return CheckpointAnswer{}, err
	}
	limit, err := bounded("limit", req.Limit, sessionList, domain.MaxList)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	if req.Trigger != "" && !slices.Contains(domain.Triggers, req.Trigger) {
		return CheckpointAnswer{}, domain.Invalid("trigger %q is unknown; use manual, threshold, warning, emergency, pre_compaction or pre_restore", req.Trigger)
	}
	owner, note, err := s.readSession(ctx, req.Ref, req.By)
	if err != nil {
		return CheckpointAnswer{}, err
	}
	a := CheckpointAnswer{SessionID: owner.ID, Notes: notes(note)}
	if err := s.readCheckpoints(ctx, req, limit, &a); err != nil {
		return CheckpointAnswer{}, err
	}
	a.Text = fmt.Sprintf("Checkpoints of session %s: %s\n", owner.ID, howMany(len(a.Checkpoints), a.NextCursor != ""))
	for _, c := range a.Checkpoints {
		a.Text += "- " + tellCheckpoint(c) + "\n"
	}
	return a, nil
}

// readCheckpoints adds the page that a request asks for to the answer of a list.
func (s *Service) readCheckpoints(ctx context.Context, req CheckpointRequest, limit int, a *CheckpointAnswer) error {
	q := domain.CheckpointQuery{SessionID: a.SessionID, Trigger: req.Trigger, Since: req.Since, Until: req.Until, MinTokens: req.MinTokens,
		MaxTokens: req.MaxTokens, OldestFirst: req.OldestFirst, Deleted: req.Deleted, Limit: limit + 1}
	pages := pagesOf("checkpoints", a.SessionID, req.Trigger, req.MinTokens, req.MaxTokens, req.OldestFirst, req.Deleted)
	if req.Cursor != "" {
		q.After = &domain.Position{}
		if err := pages.read(req.Cursor, q.After); err != nil {
			return err
		}
	}
	list, err := s.Store.Checkpoints(ctx, q)
	if err != nil {
		return err
	}
	a.behind = func(c domain.Checkpoint) string {
		return pages.cursor(domain.Position{Key: domain.FormatTime(c.CreatedAt) + " " + c.ID, N: c.Seq})
	}
	a.Checkpoints = append([]domain.Checkpoint{}, list...)
	if len(list) == q.Limit {
		a.Checkpoints = list[:limit]
		a.NextCursor = a.CursorBehind(limit)
	}
	return nil
}

// CursorBehind returns the cursor to what follows the first n checkpoints of a list, at
// least one, for a caller that has no room for the others.
func (a CheckpointAnswer) CursorBehind(n int) string { return a.behind(a.Checkpoints[n-1]) }

// tellCheckpoint describes a checkpoint in one line.
func tellCheckpoint(c domain.Checkpoint) string {
	m := c.Manifest
	text := fmt.Sprintf("%s %s at event %d, turn %d, %s: %s, %s", c.ID, c.Trigger, c.Seq, m.Turn, shortTime(c.CreatedAt),
		domain.Many(m.Messages, "message"), domain.Many(m.TokenCount, "token"))
	if m.WindowTokens > 0 && m.WindowLimit > 0 {
		text += fmt.Sprintf(", window %d of %d", m.WindowTokens, m.WindowLimit)
	}
	for _, part := range []struct{ name, value string }{{"label", c.Label}, {"mode", m.Mode}, {"model", m.Model}, {"last said", m.LastUserText}} {
		if part.value != "" {
			text += fmt.Sprintf(", %s %q", part.name, session.OneLine(PlainText(part.value), 80))
		}
	}
	if c.Pinned {
		text += ", pinned"
	}
	if !c.DeletedAt.IsZero() {
		text += ", deleted"
	}
	return text
}
