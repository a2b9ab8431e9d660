package memory

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// compacted records a compaction of which the client tells by one hook or two, and
// its transcript sooner or later: it is known where the tail brought it just now,
// or where nothing was said since the last one.
func (h *hooking) compacted(ctx context.Context, before, after counted) error {
	if after.compactions > before.compactions {
		return nil
	}
	if after.compactions > 0 {
		said, err := h.saidSinceCompaction(ctx)
		if err != nil || !said {
			return err
		}
	}
	return h.append(ctx, transcript.CompactionKey(int(after.compactions)+1), domain.Compaction{Trigger: h.hook.Trigger, Summary: h.hook.Summary})
}

// saidSinceCompaction reports whether anybody spoke since the last compaction. Its
// summary and what a command leaves are the client's own.
func (h *hooking) saidSinceCompaction(ctx context.Context) (bool, error) {
	latest, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventMessage, domain.EventCompaction},
		Backward: true, Limit: 20, Light: true})
	for _, e := range latest {
		if e.Type == domain.EventCompaction {
			return false, err
		}
		if e.Human || e.Role == domain.RoleAssistant || e.Role == domain.RoleTool {
			return true, err
		}
	}
	return len(latest) > 0, err
}

// atStart hands back the session where it goes on, and a short brief of the
// project where something new begins.
func (h *hooking) atStart(ctx context.Context) (string, error) {
	known, err := h.s.Store.SessionByClient(ctx, h.hook.Client, h.hook.SessionID)
	goesOn := err == nil && known.Messages > 0
	if h.hook.Source == "clear" || h.hook.Source == "startup" || !goesOn {
		project, err := h.project(ctx)
		if err != nil {
			return "", err
		}
		return h.s.Brief(ctx, h.asked(), project, briefChars)
	}
	if _, err := h.deliver(ctx); err != nil {
		return "", err
	}
	return h.restoreText(ctx, 0)
}

// owed is the restore text of a compaction after which no start came.
func (h *hooking) owed(ctx context.Context, seen counted) (string, error) {
	if seen.compactions == 0 {
		return "", nil
	}
	first, err := h.deliver(ctx)
	if err != nil || !first {
		return "", err
	}
	until, err := h.beforePrompt(ctx)
	if err != nil {
		return "", err
	}
	return h.restoreText(ctx, until)
}

// beforePrompt is the place of the session's last event before the prompt, which the model
// sees by itself; 0 where there is none.
func (h *hooking) beforePrompt(ctx context.Context) (int64, error) {
	said, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Human: true, Backward: true, Limit: 1})
	if err != nil || len(said) == 0 || !h.isPrompt(said[0]) {
		return 0, err
	}
	return said[0].Seq - 1, nil
}

// deliver marks that the restore text of the present epoch was handed out, and
// reports whether this was the first time: the mark is an event whose key the
// session takes once.
func (h *hooking) deliver(ctx context.Context) (bool, error) {
	now, err := h.s.Store.Session(ctx, h.id)
	if err != nil {
		return false, err
	}
	e, err := domain.NewEvent(h.s.now(), domain.RowKey("restored to the model, epoch", strconv.FormatInt(now.Epoch, 10)), domain.Note{Kind: "restore_text"})
	if err != nil {
		return false, err
	}
	a, err := h.s.Append(ctx, AppendRequest{By: h.by, Ref: SessionRef{SessionID: h.id}, Events: []domain.Event{e}})
	return a.Accepted > 0, err
}

// codexBytes is what Codex takes of a hook's text: of a longer one it leaves the middle out.
const codexBytes = 10_000

// restoreText is the session's restore text as quoted memory, no longer than the client
// takes it whole. It tells of the events up to until; 0 is all.
func (h *hooking) restoreText(ctx context.Context, until int64) (string, error) {
	quoted := func(text string) string {
		return QuoteNotice + "\n" + Quote(h.id, "session", h.last.UpdatedAt, text)
	}
	most, size := restoreChars, utf8.RuneCountInString
	for budget := most - size(quoted("")); ; {
		told, err := h.s.RestoreText(ctx, h.id, until, budget)
		if err != nil {
			return "", err
		}
		text := quoted(strings.TrimSpace(told))
		if size(text) <= most && h.hook.Client == transcript.ClientCodex {
			most, size = codexBytes, func(s string) int { return len(s) }
		}
		if size(text) <= most {
			return text, nil
		}
		budget = budget * most / size(text)
	}
}

// RestoreText tells, in at most budget characters, what a session was about and
// where it stands after its event until (0 is its last), for a model that lost it.
func (s *Service) RestoreText(ctx context.Context, sessionID string, until int64, budget int) (string, error) {
	owner, err := s.Store.Session(ctx, sessionID)
	if err != nil {
		return "", err
	}
	if until > 0 {
		owner.LastSeq = until
	}
	state, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil {
		return "", err
	}
	v := &view{s: s, r: s.Store, owner: owner, state: &state.State}
	story, err := v.story(ctx, budget)
	if err != nil {
		return "", err
	}
	story.Source, story.Notes = sourceInWords(state.source), alertNotes(state.alerts)
	s.raise(ctx, owner.ID, state.alerts)
	return session.Tell(story, budget), nil
}
