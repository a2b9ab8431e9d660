package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/transcript"
)

// words returns the person's own words in the prompt.
func (h *hooking) words() string { return transcript.Words(h.hook.Client, h.hook.Prompt) }

// prompted records the prompt, unless it is stored already.
func (h *hooking) prompted(ctx context.Context) error {
	if strings.TrimSpace(h.hook.Prompt) == "" && len(h.hook.Media) == 0 {
		return nil
	}
	held, err := h.holdsPrompt(ctx)
	if err != nil || held {
		return err
	}
	m := domain.Message{Role: domain.RoleUser, Content: h.hook.Prompt, Media: h.hook.Media}
	if h.hook.Client == transcript.ClientGemini {
		m.Content = h.words() // it puts in front what hooks have told at the start, and files behind
	}
	m.Kind = h.hook.PromptKind()
	switch {
	case h.hook.IsTask():
		m.AgentID = h.hook.SessionID
		return h.said(ctx, m)
	case m.Kind == domain.CommandMessage:
		return h.commanded(ctx, m)
	case m.Kind == domain.MetaMessage:
		return nil // written by the client; the transcript has it as such
	}
	if !h.transcribed() { // so no count distinguishes equal prompts, but the id of the call does
		return h.said(ctx, m)
	}
	early, err := h.foretold(ctx)
	if err != nil || early.nobodys {
		return err
	}
	if held, err := h.holdBack(ctx); held || err != nil {
		return err
	}
	// The transcript will give the prompt the same key, so it is stored once,
	// whichever comes first.
	if err := h.append(ctx, domain.HumanKey(h.words(), int(h.after.prompts)+1), m); err != nil || early.blocked == "" {
		return err
	}
	return h.s.rewind(ctx, AppendRequest{By: h.by, Ref: SessionRef{SessionID: h.id}},
		transcript.Rewound{At: h.at(), Refused: true, Words: h.words(), ID: early.blocked})
}

// foretold is what Claude Code's transcript says of a prompt before wake's hook does.
type foretold struct {
	nobodys bool   // the client itself said it
	blocked string // the row that says that a faster hook blocked it
}

// foretoldBehind is how far behind its prompt a hook looks that has waited: about a hundred turns.
const foretoldBehind = 500

// foretold looks for a schedule that came due, and for rows of the prompt that name no person
// or say that it was not sent. If a person said the prompt after all, their row will say so.
func (h *hooking) foretold(ctx context.Context) (foretold, error) {
	if h.hook.Client != transcript.ClientClaudeCode || h.id == "" {
		return foretold{}, nil
	}
	q := domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventMessage, domain.EventNote}, Backward: true, Limit: addedBehind}
	if h.req.Again {
		q.Limit = foretoldBehind
	}
	newest, err := h.s.Store.Events(ctx, q)
	for _, e := range newest {
		found, over := h.tells(e)
		if over || found != (foretold{}) {
			return found, nil
		}
	}
	return foretold{}, err
}

// tells returns what an event says of the prompt, and whether those before it say nothing: what
// stands before an answer, or before another prompt, is not of this one. Where a hook has
// waited, the session went on behind its prompt, and only the times say what belongs to it.
func (h *hooking) tells(e domain.Event) (found foretold, over bool) {
	if note, err := domain.PayloadAs[domain.Note](e); e.Type == domain.EventNote && err == nil {
		if transcript.Blocks(note.Text, h.hook.Prompt) {
			found.blocked = e.Source.ID
		}
		found.nobodys = note.Kind == transcript.ScheduledNote && !h.req.Again && h.isRecent(e)
		return found, false
	}
	m, err := e.Message()
	if err != nil || m.Kind != domain.MetaMessage {
		return foretold{}, !h.req.Again
	}
	recent := h.isRecent(e)
	if h.req.Again {
		recent = e.At.Sub(h.at()).Abs() < onePrompt
	}
	return foretold{nobodys: recent && h.isPrompt(e)}, false
}

// commandNote is the kind of the note that holds a command until a transcript has it.
const commandNote = "command"

// commanded records a command. A transcript will have it too, in other words and under a
// key of its own, or as a person's message: Claude Code takes "/usr is full" for one.
func (h *hooking) commanded(ctx context.Context, m domain.Message) error {
	if h.transcribed() {
		return h.append(ctx, "", domain.Note{Kind: commandNote, Text: m.Content})
	}
	return h.append(ctx, "", m)
}

// said records a prompt that no transcript will have. If the client has an id for it, that
// is its key, because wake's hook may be set up twice.
func (h *hooking) said(ctx context.Context, m domain.Message) error {
	if h.hook.MessageID == "" {
		return h.append(ctx, "", m)
	}
	e, err := h.event(domain.RowKey(h.hook.Client, h.hook.MessageID), m)
	if err != nil {
		return err
	}
	e.Source = domain.SourcePos{Name: h.hook.Client, ID: h.hook.MessageID}
	return h.record(ctx, e)
}

// takeBack takes out of force what the user undid in the client since it was last told.
func (h *hooking) takeBack(ctx context.Context) error {
	if len(h.hook.Removed) == 0 {
		return nil
	}
	known, there, err := h.session(ctx, h.hook.SessionID)
	if err != nil || !there {
		return err
	}
	req := AppendRequest{By: h.by, Ref: SessionRef{SessionID: known.ID}}
	return h.s.rewind(ctx, req, transcript.Rewound{At: h.at(), Removed: h.hook.Removed, Row: h.hook.Removed[0]})
}

// forkPrompt is the kind of the note that holds the first prompt of a fork.
const forkPrompt = "fork_prompt"

// awaitsHistory reports whether a session is a fork whose history its transcript has yet
// to bring.
func (h *hooking) awaitsHistory(o domain.Session) bool {
	return o.Attributes["source"] == startedByFork && o.Messages == 0 && h.transcribed()
}

// holdBack notes the first prompt of a fork that awaits its history, and reports whether
// it did. As a message it would stand before that history. The transcript will have both
// in order. If it has none by the next prompt, there is none to wait for.
func (h *hooking) holdBack(ctx context.Context) (bool, error) {
	if !h.awaitsHistory(h.last) {
		return false, nil
	}
	e, err := domain.NewEvent(h.at(), domain.RowKey("hook", "first prompt of a fork"), domain.Note{Kind: forkPrompt, Text: h.hook.Prompt})
	if err != nil {
		return false, err
	}
	if fresh, err := h.appendTo(ctx, h.id, e); fresh || err != nil {
		return fresh, err
	}
	return false, h.release(ctx, h.id)
}

// release makes a message of the prompt that a session holds back.
func (h *hooking) release(ctx context.Context, sessionID string) error {
	notes, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: sessionID, Types: []domain.EventType{domain.EventNote}})
	if err != nil {
		return err
	}
	for _, e := range notes {
		held, err := domain.PayloadAs[domain.Note](e)
		if err != nil || held.Kind != forkPrompt || e.Erased {
			continue
		}
		said, err := domain.NewEvent(e.At, domain.HumanKey(transcript.Words(h.hook.Client, held.Text), 1), domain.Message{Role: domain.RoleUser, Content: held.Text})
		if err != nil {
			return err
		}
		if _, err := h.appendTo(ctx, sessionID, said); err != nil {
			return err
		}
	}
	return nil
}

// Within onePrompt, two equal prompts count as one that arrived in two ways; within
// oneCall, as one of which a client told twice, because wake's hook is set up twice.
const (
	onePrompt = 10 * time.Second
	oneCall   = 2 * time.Second
)

// holdsPrompt reports whether the prompt is stored already. The same words may be a prompt
// that the user gave again, which is to be stored too.
func (h *hooking) holdsPrompt(ctx context.Context) (bool, error) {
	switch {
	case h.after.prompts > h.before.prompts:
		return true, nil // the transcript's new part had it
	case h.after.prompts == 0:
		return false, nil
	case !h.transcribed():
		return false, nil // if it is the same call again, it has the same key
	case h.req.Again:
		return h.storedInTime(ctx)
	}
	return h.storedJustNow(ctx)
}

// storedInTime reports whether the prompt was stored at the first try, or its row was read
// before it: of several hooks that waited, the first reads the transcript to its end.
func (h *hooking) storedInTime(ctx context.Context) (bool, error) {
	same, err := h.s.Store.EventPlacesUnder(ctx, h.id, []domain.Key{domain.HumanKeyPrefix(h.words())})
	if err != nil {
		return false, err
	}
	for _, place := range same {
		e, err := eventAt(ctx, h.s.Store, h.id, place.Seq)
		if err != nil {
			return false, err
		}
		if e != nil && e.At.Sub(h.at()).Abs() < onePrompt {
			return true, nil
		}
	}
	return false, nil
}

// addedBehind is more than the messages that a client adds behind a prompt, such as where a
// picture in it is from.
const addedBehind = 5

// storedJustNow reports whether the newest message of the session is the prompt: its row
// of the transcript, read by another hook, which had waited for the database or runs in
// another process; or what a second hook was told of it. Either could also be an earlier
// prompt in the same words; then the transcript will soon have this one too.
func (h *hooking) storedJustNow(ctx context.Context) (bool, error) {
	newest, err := h.s.Store.Events(ctx, domain.EventQuery{SessionID: h.id, Types: []domain.EventType{domain.EventMessage}, Backward: true, Limit: addedBehind})
	said := slices.IndexFunc(newest, func(e domain.Event) bool {
		m, err := e.Message()
		return err != nil || m.Kind != domain.MetaMessage
	})
	if err != nil || said < 0 {
		return false, err
	}
	return newest[said].Human && h.isRecent(newest[said]) && h.isPrompt(newest[said]), nil
}

// isRecent reports whether an event may be the prompt by its times. Two hooks of one call begin
// together, however long each takes.
func (h *hooking) isRecent(e domain.Event) bool {
	apart := e.At.Sub(h.at()).Abs()
	if e.Source.Name == "" {
		return apart < oneCall
	}
	return min(apart, h.s.now().Sub(e.RecordedAt).Abs()) < onePrompt
}

// isPrompt reports whether an event has the words of the prompt. Claude Code tells of some
// prompts without the blanks around them.
func (h *hooking) isPrompt(e domain.Event) bool {
	m, err := e.Message()
	return err == nil && slices.ContainsFunc([]string{m.Content, strings.TrimSpace(m.Content)}, func(text string) bool {
		return transcript.Words(h.hook.Client, text) == h.words()
	})
}
