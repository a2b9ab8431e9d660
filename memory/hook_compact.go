package memory

import (
	"context"

	"wake/domain"
	"wake/transcript"
)

// preCompact makes a checkpoint of what the client is about to condense.
func (h *hooking) preCompact(ctx context.Context) error {
	if h.id == "" {
		return nil
	}
	trigger, label := domain.TriggerPreCompaction, "before the client's compaction"
	switch {
	case h.hook.Trigger == "auto" && h.hook.Client == transcript.ClientGemini:
		// Gemini says so before each turn, and only then looks whether it needs to
		// compress.
		label = "before the client sees whether to compress"
	case h.hook.Trigger == "auto":
		trigger = domain.TriggerEmergency
	}
	if held, err := h.holdsCheckpoint(ctx, trigger); err != nil || held {
		return err
	}
	_, err := h.s.Checkpoint(ctx, CheckpointRequest{By: h.by, Action: CheckpointCreate, Ref: SessionRef{SessionID: h.id}, Trigger: trigger, Label: label})
	return err
}

// holdsCheckpoint reports whether a retried call already has its checkpoint: nothing
// was added to the session after the last one.
func (h *hooking) holdsCheckpoint(ctx context.Context, trigger domain.Trigger) (bool, error) {
	if !h.retried() {
		return false, nil
	}
	last, err := h.s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: h.id, Trigger: trigger, Limit: 1})
	return len(last) > 0 && last[0].Seq == h.last.LastSeq, err
}

// compacted records a compaction, unless it is stored. Clients report one by one hook
// or two, and in the transcript sooner or later. It is stored if the transcript's new
// part had it, or if nobody spoke since the last one.
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
	trigger, err := h.compactionTrigger(ctx)
	if err != nil {
		return err
	}
	return h.append(ctx, transcript.CompactionKey(int(after.compactions)+1),
		domain.Compaction{Trigger: trigger, Summary: h.hook.Summary, TokensBefore: h.last.Tokens})
}

// compactionTrigger is what began the compaction. Claude Code reports the start after
// it first, which does not say so; the hook before it did, and made a checkpoint.
func (h *hooking) compactionTrigger(ctx context.Context) (string, error) {
	if h.hook.Trigger != "" || h.id == "" {
		return h.hook.Trigger, nil
	}
	last, err := h.s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: h.id, Class: domain.ClassAutomatic, Limit: 1})
	if err != nil || len(last) == 0 || last[0].Epoch != h.last.Epoch {
		return "", err
	}
	switch last[0].Trigger {
	case domain.TriggerEmergency:
		return "auto", nil
	case domain.TriggerPreCompaction:
		return "manual", nil
	}
	return "", nil
}

// saidSinceCompaction reports whether anybody spoke since the last compaction. The
// compaction's summary and the traces of commands do not count; the client writes
// them.
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
