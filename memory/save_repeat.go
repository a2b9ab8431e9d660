package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"
)

// repeating completes a context whose content is saved again: it gets the action type, the
// rationale, the cause and the dependencies that the request names and it lacks, and
// replaces what the request says. Otherwise, whoever explains a decision only the second
// time would be told that it is stored, and the explanation would be lost.
func (w *saving) repeating(ctx context.Context, tx repository.Tx) error {
	named, known := cmp.Or(w.c.Causality, &domain.Causality{}), cmp.Or(w.stored.Causality, &domain.Causality{})
	change := UpdateRequest{ID: w.stored.ID}
	change.AddDependencies = slices.DeleteFunc(slices.Clone(named.Dependencies), func(id string) bool { return slices.Contains(known.Dependencies, id) })
	switch {
	case named.CausedBy == "" || named.CausedBy == known.CausedBy:
	case known.CausedBy == "":
		change.CausedBy = &named.CausedBy
	default:
		w.otherCause = known.CausedBy
	}
	var more domain.Causality
	if known.Rationale == "" {
		more.Rationale = named.Rationale
	}
	if w.stored.Causality == nil {
		more.ActionType = w.req.ActionType
	}
	old, err := w.toSupersede(ctx, tx)
	if err != nil || change.empty() && more.Rationale == "" && more.ActionType == "" && old == "" {
		return err
	}
	if err := change.relink(ctx, tx, w.c.SavedAt); err != nil {
		return err
	}
	if err := w.supersede(ctx, tx, old); err != nil {
		return err
	}
	return w.explain(ctx, tx, more)
}

// toSupersede returns the context that the request says the stored one replaces; "" if
// there is none, or it does so already.
func (w *saving) toSupersede(ctx context.Context, tx repository.Tx) (string, error) {
	if w.req.Supersedes == "" {
		return "", nil
	}
	live, err := tx.Links(ctx, []string{w.stored.ID}, time.Time{})
	if slices.ContainsFunc(live, func(l domain.Link) bool {
		return l.Kind == domain.Supersedes && l.From == w.stored.ID && l.To == w.req.Supersedes
	}) {
		return "", err
	}
	return w.req.Supersedes, err
}

// supersede says that the stored context replaces another one, if there is one. If that one
// had replaced the stored context, somebody goes back to what was given up, and it holds
// again.
func (w *saving) supersede(ctx context.Context, tx repository.Tx, old string) error {
	id := w.stored.ID
	switch old {
	case "":
		return nil
	case id:
		return domain.Invalid("this text is stored already, as %s, and a context cannot supersede itself; supersedes takes the id of the one that it replaces", id)
	}
	if _, err := mustKnow(ctx, tx, []string{old}); err != nil {
		return err
	}
	holds, err := lastSuccessor(ctx, tx, old)
	if err != nil {
		return err
	}
	if holds != id {
		w.holds = holds
	}
	back, err := succeeds(ctx, tx, old, id)
	if err != nil {
		return err
	}
	if back {
		if err := setSuperseded(ctx, tx, id, "", w.c.SavedAt); err != nil {
			return err
		}
	}
	return setSuperseded(ctx, tx, old, id, w.c.SavedAt)
}

// explain gives the stored context an action type and a rationale, as far as there are any,
// and reads it again: its links may have changed, too.
func (w *saving) explain(ctx context.Context, tx repository.Tx, more domain.Causality) error {
	changed, err := tx.UpdateContext(ctx, w.stored.ID, w.c.SavedAt, func(c *domain.ContextSnapshot) error {
		if more.ActionType == "" && more.Rationale == "" {
			return nil
		}
		if c.Causality == nil {
			c.Causality = &domain.Causality{ActionType: domain.Conversation, Dependencies: []string{}}
		}
		if more.ActionType != "" {
			c.Causality.ActionType = more.ActionType
			c.Kind = cmp.Or(w.req.Kind, domain.KindFor(more.ActionType, c.Pinned))
		}
		c.Causality.Rationale = cmp.Or(more.Rationale, c.Causality.Rationale)
		return nil
	})
	if err != nil {
		return err
	}
	w.stored, w.completed = &changed, true
	if more.Rationale == "" {
		return nil
	}
	return w.s.reindexContext(ctx, tx, &changed)
}

// repeat says that nothing was saved, and what is stored already.
func (w *saving) repeat() SaveAnswer {
	a := w.answerOn(w.stored)
	a.Existing, a.Superseded = true, w.req.Supersedes
	note := "the same content is stored already; nothing was added"
	if w.completed {
		note = "the same content is stored already; only what it lacked was added"
	}
	if w.otherCause != "" {
		note += fmt.Sprintf("; it has another cause already, %s", w.otherCause)
	}
	if by := w.stored.SupersededBy; by != "" {
		note += fmt.Sprintf(", and it no longer holds, because %s replaced it", by)
	}
	a.Notes = append([]string{w.s.Words.Behind(note, domain.ChangeContext, a.ID)}, w.noteHeld()...)
	return a
}
