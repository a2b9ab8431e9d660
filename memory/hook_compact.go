package memory

import (
	"cmp"
	"context"
	"slices"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// preCompact makes a checkpoint of what the client is about to condense, and contexts of
// what was decided, for the text that is told after the compaction. It does neither if the
// last checkpoint is at the same place: a call is repeated, or a compaction was given up.
func (h *hooking) preCompact(ctx context.Context) error {
	if h.id == "" || h.maybeCompacts() {
		return nil
	}
	if h.s.SessionConfig().Enabled {
		if made, err := h.checkpoint(ctx); !made || err != nil {
			return err
		}
	}
	return h.distil(ctx, distilAtCompaction, h.hook.Trigger == "auto") // which comes in the middle of a turn
}

// checkpoint makes a checkpoint before a compaction, unless the last one is at the same
// place, and reports whether it did.
func (h *hooking) checkpoint(ctx context.Context) (made bool, err error) {
	trigger := session.TriggerBeforeCompaction(domain.Compaction{Trigger: h.hook.Trigger})
	last, err := h.s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: h.id, Trigger: trigger, Limit: 1})
	if err != nil || len(last) > 0 && last[0].Seq == h.last.LastSeq {
		return false, err
	}
	_, err = h.s.Checkpoint(ctx, CheckpointRequest{By: h.by, Action: CheckpointCreate, Ref: SessionRef{SessionID: h.id}, Trigger: trigger,
		Label: "before the client's compaction"})
	return err == nil, err
}

// maybeCompacts reports whether a compaction may not follow. Gemini CLI says before each
// turn that it compresses by itself, and only then looks whether it needs to. A
// checkpoint each time would push the useful ones out. If it did compress, the
// transcript says so, and the checkpoint is made at that place.
func (h *hooking) maybeCompacts() bool {
	return h.hook.Client == transcript.ClientGemini && h.hook.Trigger == "auto"
}

// compacted records a compaction, unless it is stored. Clients report one by one hook
// or two, and in the transcript sooner or later. It is stored if the transcript's new
// part had it, or if nobody spoke since the last one.
func (h *hooking) compacted(ctx context.Context) error {
	if held, err := h.holdsCompaction(ctx); held || err != nil {
		return err
	}
	return h.recordCompaction(ctx)
}

// compacts does what a hook before a compaction does, and takes it to have happened, of
// which no other will tell.
func (h *hooking) compacts(ctx context.Context) error {
	if h.id == "" {
		return nil
	}
	if held, err := h.holdsCompaction(ctx); held || err != nil {
		return err
	}
	if err := h.preCompact(ctx); err != nil {
		return err
	}
	return h.recordCompaction(ctx)
}

func (h *hooking) recordCompaction(ctx context.Context) error {
	trigger, err := h.compactionTrigger(ctx)
	if err != nil {
		return err
	}
	return h.append(ctx, transcript.CompactionKey(int(h.after.compactions)+1),
		domain.Compaction{Trigger: trigger, Summary: h.hook.Summary, TokensBefore: cmp.Or(h.hook.Tokens, h.last.Tokens)})
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

// holdsCompaction reports whether the compaction is stored already.
func (h *hooking) holdsCompaction(ctx context.Context) (bool, error) {
	if h.after.compactions != h.before.compactions || h.after.compactions == 0 {
		return h.after.compactions > 0, nil
	}
	if h.req.Again { // a hook that waited before this one may have read the transcript to its end
		known, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventCompaction}, Light: true})
		held := slices.ContainsFunc(known, func(e domain.Event) bool { return e.At.Sub(h.at()).Abs() < onePrompt })
		if held || err != nil {
			return held, err
		}
	}
	said, err := h.saidSinceCompaction(ctx)
	return !said, err
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
