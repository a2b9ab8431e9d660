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

// atStart returns the restore text where a session goes on, and a short brief of the
// project where one begins. A client that resumes has kept its window, with the text it
// was given before in this epoch; so that resuming again and again does not fill the
// window, the text is then as short as a brief.
func (h *hooking) atStart(ctx context.Context) (string, error) {
	if !h.goesOn(ctx) {
		project, err := h.project(ctx)
		if err != nil {
			return "", err
		}
		return h.s.Brief(ctx, h.asked(), project, briefChars)
	}
	back, err := h.wentBack(ctx)
	if err != nil {
		return "", err
	}
	key, told, err := h.told(ctx, restoreTold)
	if err != nil {
		return "", err
	}
	most := restoreChars
	switch {
	case h.hook.Source == "resume" && (back || told):
		most = briefChars
	case h.hook.Source == "compact" && told:
		if now, err := h.toldNow(ctx); now || err != nil {
			return "", err
		}
	}
	if told || h.hook.Client == transcript.ClientOpencode { // it has the text in its system prompt, until a message takes it along
		return h.restoreText(ctx, 0, most)
	}
	text, err := h.deliver(ctx, key, 0, most)
	if text == "" && err == nil && h.heard() { // another hook was faster, so this one comes later
		return h.atStart(ctx)
	}
	return text, err
}

// goesOn reports whether a session that starts has something to go on with.
func (h *hooking) goesOn(ctx context.Context) bool {
	if h.hook.Source == "clear" || h.hook.Source == "startup" {
		return false
	}
	known, err := h.s.Store.SessionByClient(ctx, h.hook.Client, h.hook.SessionID)
	if h.hook.Source == startedByFork && known.HumanMsgs == 0 { // it may have its client's rules, but no history
		return false
	}
	return err == nil && known.Messages > 0
}

// toldNow reports whether the restore text was handed out just now: Codex, which
// compacts before the first prompt of a session that it resumes, reports two starts
// after the compaction.
func (h *hooking) toldNow(ctx context.Context) (bool, error) {
	latest, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventNote}, Backward: true, Limit: 1})
	if err != nil || len(latest) == 0 {
		return false, err
	}
	note, err := domain.PayloadAs[domain.Note](latest[0])
	return note.Kind == restoreNote && h.s.now().Sub(latest[0].At).Abs() < onePrompt, err
}

// Kinds of the notes that the restore text, and the brief, was handed out.
const (
	restoreNote = "restore_text"
	briefNote   = "brief"
)

// How the keys of these notes begin, before the number of the epoch.
const (
	restoreTold = "restored to the model, epoch"
	briefTold   = "told of the project, epoch"
)

// owed returns the restore text after a compaction that no start followed, once, and again
// with the next prompt if the person has gone back to before that one. It tells what was
// before the compaction: the model sees the rest.
func (h *hooking) owed(ctx context.Context) (string, error) {
	if h.after.compactions == 0 {
		return "", nil
	}
	key, told, err := h.told(ctx, restoreTold)
	if err != nil || told {
		return "", err
	}
	compaction, err := h.untold(ctx)
	if err != nil || compaction == 0 {
		return "", err
	}
	return h.deliver(ctx, key, compaction, restoreChars)
}

// untold returns the sequence number of the last compaction in force if no restore text that
// is in force was handed out since, otherwise 0.
func (h *hooking) untold(ctx context.Context) (compaction int64, err error) {
	err = h.inForce(ctx, func(e domain.Event) bool {
		if e.Type == domain.EventCompaction {
			compaction = e.Seq
		}
		return compaction == 0 && noteKind(e) != restoreNote
	}, domain.EventCompaction, domain.EventNote)
	return compaction, err
}

// begun returns the brief of the project where a session's start is not heard: with the first
// prompt that is, and again with the next if the person has gone back to before that one.
func (h *hooking) begun(ctx context.Context) (string, error) {
	if h.hook.Client != transcript.ClientGemini && h.hook.Client != transcript.ClientOpencode || h.id == "" {
		return "", nil
	}
	key, told, err := h.told(ctx, briefTold)
	if err != nil || told {
		return "", err
	}
	if briefed, err := h.briefed(ctx); err != nil || briefed {
		return "", err
	}
	project, err := h.project(ctx)
	if err != nil {
		return "", err
	}
	text, err := h.s.Brief(ctx, h.asked(), project, briefChars)
	if err != nil {
		return "", err
	}
	return h.handOut(ctx, key, briefNote, text) // also if it is "": what the session saves itself is no news to it
}

// briefed reports whether the brief was handed out in what is in force of the session.
func (h *hooking) briefed(ctx context.Context) (briefed bool, err error) {
	err = h.inForce(ctx, func(e domain.Event) bool {
		briefed = noteKind(e) == briefNote
		return !briefed
	}, domain.EventNote)
	return briefed, err
}

// inForce visits what is in force of the session, of some types and newest first.
func (h *hooking) inForce(ctx context.Context, visit func(domain.Event) bool, types ...domain.EventType) error {
	now, err := h.s.Store.Session(ctx, h.id)
	if err != nil {
		return err
	}
	state, err := stateAt(ctx, h.s.Store, now, now.LastSeq)
	if err != nil {
		return err
	}
	q := domain.EventQuery{SessionID: h.id, Types: types, Limit: foldPage, Light: true}
	return backwards(ctx, h.s.Store, q, state.Spans(), visit)
}

// noteKind is the kind of a note, "" of other events.
func noteKind(e domain.Event) string {
	note, _ := domain.PayloadAs[domain.Note](e) // one that cannot be read is none of wake's own
	return note.Kind
}

// wentBack reports whether the present epoch began because the user went back in the
// client, which has kept what it was told before.
func (h *hooking) wentBack(ctx context.Context) (bool, error) {
	began, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventCompaction, domain.EventRestored},
		Backward: true, Limit: 1, Light: true})
	if err != nil || len(began) == 0 {
		return false, err
	}
	r, err := domain.PayloadAs[domain.Restored](began[0])
	return err == nil && r.ByUser(), nil
}

// told reports whether the restore text, or the brief, of the current epoch was handed out, and
// returns the key of the event that records it, which a session accepts once.
func (h *hooking) told(ctx context.Context, what string) (key domain.Key, told bool, err error) {
	now, err := h.s.Store.Session(ctx, h.id)
	if err != nil {
		return "", false, err
	}
	key = domain.RowKey(what, strconv.FormatInt(now.Epoch, 10))
	held, err := h.s.Store.EventPlaces(ctx, h.id, []domain.Key{key})
	return key, len(held) > 0, err
}

// deliver returns the restore text and records under key that it is handed out. The record
// comes last: if a hook fails or its client is gone before, the next one tells the text. It
// returns "" if another hook was faster, which has told it.
func (h *hooking) deliver(ctx context.Context, key domain.Key, until int64, most int) (string, error) {
	text, err := h.restoreText(ctx, until, most)
	if err != nil {
		return "", err
	}
	return h.handOut(ctx, key, restoreNote, text)
}

// handOut returns the text and records under key that it is handed out, as deliver does.
func (h *hooking) handOut(ctx context.Context, key domain.Key, kind, text string) (string, error) {
	if !h.heard() {
		return "", nil
	}
	e, err := domain.NewEvent(h.s.now(), key, domain.Note{Kind: kind})
	if err != nil {
		return "", err
	}
	if first, err := h.appendTo(ctx, h.id, e); err != nil || !first {
		return "", err
	}
	return text, nil
}

// codexBytes is how much of a hook's text Codex takes; it cuts the middle out of a
// longer one.
const codexBytes = 10_000

// restoreText is the session's restore text as a quotation of at most `most` characters,
// short enough for the client to take all of it. It covers the events up to until; 0
// means all.
func (h *hooking) restoreText(ctx context.Context, until int64, most int) (string, error) {
	quoted := func(text string) string {
		return QuoteNotice + "\n" + Quote(h.id, "session", h.last.UpdatedAt, text)
	}
	size := utf8.RuneCountInString
	for budget := most - size(quoted("")); ; {
		told, err := h.s.RestoreText(ctx, h.id, until, budget)
		if err != nil {
			return "", err
		}
		text := quoted(strings.TrimSpace(told))
		if size(text) <= most && h.hook.Client == transcript.ClientCodex {
			most, size = max(most, codexBytes), func(s string) int { return len(s) }
		}
		if size(text) <= most {
			return text, nil
		}
		budget = budget * most / size(text)
	}
}

// RestoreText tells, in at most budget characters, what a session was about and where
// it stood after event until (0 means the last one), for a model that has lost its
// context.
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
	v := &view{s: s, logAt: logAt{s.Store, owner.ID, &state.State}, owner: owner}
	story, err := v.story(ctx, budget)
	if err != nil {
		return "", err
	}
	story.Source, story.Notes = sourceInWords(state.source), alertNotes(state.alerts)
	story.Summary = nil // the client has given it to its model
	said, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Until: owner.LastSeq, Types: []domain.EventType{domain.EventMessage}, Backward: true, Limit: 1, Light: true})
	if err != nil {
		return "", err
	}
	if len(said) > 0 { // the hook itself is no activity
		story.Session.UpdatedAt = said[0].At
	}
	s.raise(ctx, owner.ID, state.alerts)
	return session.Tell(story, budget), nil
}
