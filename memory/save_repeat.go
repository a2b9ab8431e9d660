package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/repository"
)

// completion is what a repeated save adds to the stored context.
type completion struct {
	UpdateRequest
	action    domain.ActionType
	kind      domain.Kind
	rationale string
	summary   string
}

// repeating completes a context whose content is saved again with what the request says
// and it lacks, gives it the request's kind, and replaces what the request says. Otherwise,
// whoever explains a decision only the second time would be told that it is stored, and the
// explanation would be lost.
func (w *saving) repeating(ctx context.Context, tx repository.Tx) error {
	more := w.missing()
	old, err := w.toSupersede(ctx, tx)
	w.lacked = !more.empty() || old != ""
	if kind := w.req.Kind; kind != "" && (kind != w.stored.Kind || more.action != "") { // nothing else can change it
		more.kind, w.kindWas = kind, w.stored.Kind
	}
	if err != nil || more.empty() && old == "" {
		return err
	}
	if err := more.relink(ctx, tx, w.c.SavedAt); err != nil {
		return err
	}
	if err := w.supersede(ctx, tx, old); err != nil {
		return err
	}
	return w.complete(ctx, tx, more)
}

// missing compares the request with the stored context. What it names and the stored one
// has otherwise goes into w.others.
func (w *saving) missing() completion {
	named, known := cmp.Or(w.c.Causality, &domain.Causality{}), cmp.Or(w.stored.Causality, &domain.Causality{})
	more := completion{UpdateRequest: UpdateRequest{
		ID:              w.stored.ID,
		AddDependencies: lacking(known.Dependencies, named.Dependencies),
		AddTags:         lacking(w.stored.Tags, cleanTags(w.req.Tags)),
	}}
	if room := domain.MaxTags - len(w.stored.Tags); len(more.AddTags) > room {
		more.AddTags, w.others = more.AddTags[:max(0, room)], append(w.others, fmt.Sprintf("%d tags", domain.MaxTags))
	}
	if cause := w.add("cause ("+known.CausedBy+")", known.CausedBy, named.CausedBy); cause != "" {
		more.CausedBy = &cause
	}
	more.rationale = w.add("rationale", known.Rationale, named.Rationale)
	if w.req.Summary != "" {
		said := w.stored.Summary
		if w.stored.SummaryBy != domain.ByCaller {
			said = ""
		}
		more.summary = w.add("summary", said, w.c.Summary)
	}
	if action := w.req.ActionType; action != known.ActionType {
		said := known.ActionType
		if said == domain.Conversation { // it is that for want of another word
			said = ""
		}
		more.action = domain.ActionType(w.add("action type ("+string(said)+")", string(said), string(action)))
	}
	if w.req.Pinned && !w.stored.Pinned {
		more.Pinned = &w.req.Pinned
	}
	if w.saysMoreInMetadata() {
		w.others = append(w.others, "other metadata")
	}
	return more
}

// saysMoreInMetadata reports whether the request has metadata that the stored context has
// not. Those are kept as they were saved.
func (w *saving) saysMoreInMetadata() bool {
	for key, value := range w.req.Metadata {
		said, _ := json.Marshal(value) // the request was checked
		if known, err := json.Marshal(w.stored.Metadata[key]); err != nil || string(known) != string(said) {
			return true
		}
	}
	return false
}

// add returns the named value if none is known. Another one that is known stays.
func (w *saving) add(what, known, named string) string {
	switch {
	case known == "":
		return named
	case named != "" && named != known:
		w.others = append(w.others, "another "+what)
	}
	return ""
}

func lacking(known, named []string) []string {
	return slices.DeleteFunc(slices.Clone(named), func(s string) bool { return slices.Contains(known, s) })
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

// complete changes the stored context and reads it again: its links may have changed, too.
func (w *saving) complete(ctx context.Context, tx repository.Tx, more completion) error {
	changed, err := tx.UpdateContext(ctx, w.stored.ID, w.c.SavedAt, more.apply)
	if err != nil {
		return err
	}
	w.stored, w.completed = &changed, true
	if len(more.AddTags) == 0 && more.rationale == "" && more.summary == "" {
		return nil
	}
	return w.s.reindexContext(ctx, tx, &changed)
}

func (m completion) empty() bool {
	return m.UpdateRequest.empty() && m.action == "" && m.kind == "" && m.rationale == "" && m.summary == ""
}

func (m completion) apply(c *domain.ContextSnapshot) error {
	if err := m.UpdateRequest.apply(c); err != nil {
		return err
	}
	if m.action != "" || m.rationale != "" {
		if c.Causality == nil {
			c.Causality = &domain.Causality{ActionType: domain.Conversation, Dependencies: []string{}}
		}
		c.Causality.Rationale = cmp.Or(m.rationale, c.Causality.Rationale)
	}
	if m.action != "" {
		c.Causality.ActionType, c.Kind = m.action, domain.KindFor(m.action, c.Pinned)
	}
	if m.summary != "" {
		c.Summary, c.SummaryBy = m.summary, domain.ByCaller
	}
	c.Kind = cmp.Or(m.kind, c.Kind)
	return nil
}

// becameOfIt says what the request changed.
func (w *saving) becameOfIt() string {
	added := "nothing was added"
	if w.lacked {
		added = "only what it lacked was added"
	}
	if w.kindWas == "" || w.kindWas == w.stored.Kind {
		return added
	}
	kind := fmt.Sprintf("its kind is %s now instead of %s", w.stored.Kind, w.kindWas)
	if !w.lacked {
		return kind
	}
	return added + ", and " + kind
}

// repeat says that nothing was saved, and what is stored already.
func (w *saving) repeat() SaveAnswer {
	a := w.answerOn(w.stored)
	a.Existing, a.Superseded = true, w.req.Supersedes
	note := "the same content is stored already; " + w.becameOfIt()
	if len(w.others) > 0 {
		note += fmt.Sprintf("; it has %s already", strings.Join(w.others, " and "))
	}
	if by := w.stored.SupersededBy; by != "" {
		note += fmt.Sprintf(", and it no longer holds, because %s replaced it", by)
	}
	if !w.completed && len(w.others) == 0 { // neither a rationale nor a summary can be exchanged
		note = w.s.Words.Behind(note, domain.ChangeContext, a.ID)
	}
	a.Notes = append([]string{note}, w.noteHeld()...)
	return a
}
