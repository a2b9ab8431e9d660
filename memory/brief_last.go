package memory

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// lastSaid returns a person's last message in a session that was not taken back, nil if
// there is none.
func (s *Service) lastSaid(ctx context.Context, owner domain.Session) (*domain.Event, error) {
	last, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Human: true, Backward: true, Limit: 1})
	if err != nil || len(last) == 0 {
		return nil, err
	}
	inForce, err := s.inForce(ctx, owner, last)
	if err != nil || len(inForce) > 0 {
		return &last[0], err
	}
	now, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil || now.LastUser == nil {
		return nil, err
	}
	return eventAt(ctx, s.Store, owner.ID, now.LastUser.Seq)
}

// How much a brief tells of the last session, in characters, and how many of its messages it
// looks at.
const (
	lastAsked   = 300 // of the user's last message
	lastAskedAt = 200 // of the same, at least
	lastTitle   = 100
	lastWords   = 250 // of the assistant's
	lastWork    = 150
	lastBack    = 100
	lastEarlier = 150 // of an earlier message of the user
	lastUsers   = 2   // so many of these
)

// lastSession quotes the project's latest session with a human message, other than the
// caller's own, in several lengths, the longest first. There are none if there is no session.
// The first of them, counted by more, are for room that nothing else needs.
func (s *Service) lastSession(ctx context.Context, by Caller, project string) (forms []string, more int, err error) {
	recent, err := s.ownFirst(ctx, s.Store, domain.SessionQuery{Project: s.readProject(project), OwnStart: true, Limit: 20})
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(recent, func(o domain.Session) bool { return o.ID != by.SessionID && o.HumanMsgs > 0 })
	if i < 0 {
		return nil, 0, nil
	}
	owner := recent[i]
	said, err := s.lastSaid(ctx, owner)
	if err != nil || said == nil {
		return nil, 0, err
	}
	m, err := said.Message()
	if err != nil || said.Erased {
		return nil, 0, nil // it is no longer readable
	}
	told, err := s.standing(ctx, owner)
	if err != nil {
		return nil, 0, err
	}
	stands, earlier := standingLines(told), earlierLines(told)
	quote := func(length int, stands []string) string {
		text := session.Ago(s.now().Sub(owner.UpdatedAt)) + s.whose(owner) + ": " + askedLast(owner, m, length)
		return QuotePlain(owner.ID, "session", owner.UpdatedAt, strings.Join(append([]string{text}, stands...), "\n"))
	}
	for n := len(earlier); n > 0; n-- {
		forms = append(forms, quote(lastAsked, slices.Concat(stands, earlier[:n])))
	}
	for n := len(stands); n > 0; n-- {
		forms = append(forms, quote(lastAsked, stands[:n]))
	}
	return append(forms, quote(lastAsked, nil), quote(lastAskedAt, nil)), len(earlier), nil
}

// askedLast tells a session's title and the user's last message in at most length characters.
func askedLast(owner domain.Session, m domain.Message, length int) string {
	// Secrets are masked before the text is cut. It is put on one line first:
	// PlainText would write out form feeds.
	words := m
	words.Content = strings.Join(strings.Fields(session.Request(transcript.Words(owner.Client, m.Content))), " ")
	text := session.BothEnds(saidBy(words), length)
	if title := owner.Title; title != "" && title != session.TitleOf(m.Content) {
		text = session.OneLine(PlainText(title), lastTitle) + "\nthe user's last message: " + text
	}
	return text
}

// standing tells where a session stands.
func (s *Service) standing(ctx context.Context, owner domain.Session) (told session.Story, err error) {
	state, err := stateAt(ctx, s.Store, owner, owner.LastSeq)
	if err != nil {
		return told, err
	}
	v := &view{s: s, logAt: logAt{s.Store, owner.ID, &state.State}, owner: owner}
	told.Session = owner
	if err = v.lastTurn(ctx, &told); err != nil {
		return told, err
	}
	if told.Users, err = v.users(ctx, lastUsers*lastEarlier); err != nil {
		return told, err
	}
	if told.OpenOps, err = v.openOps(ctx); err != nil {
		return told, err
	}
	return told, v.work(ctx, &told, lastBack)
}

// standingLines tells where a session stands, a line each, what matters most first: the
// assistant's last words, if the user has said nothing since, what a short last message of
// the user answers, what the assistant was at, what was still to be done, and which files were
// changed.
func standingLines(told session.Story) (lines []string) {
	tell := func(what, text string) {
		if text != "" {
			lines = append(lines, what+": "+text)
		}
	}
	if told.Reply != nil {
		tell("the assistant's last words", session.BothEnds(told.Reply.Text, lastWords))
	}
	if told.Asked != nil && utf8.RuneCountInString(told.LastUser.Text) <= session.TellsAll {
		tell("what the assistant had said before that message", session.BothEnds(told.Asked.Text, lastWords))
	}
	tell(lastCall(told))
	var open []string
	for _, todo := range told.Todos {
		if todo.Status != domain.TodoDone {
			open = append(open, todo.Text)
		}
	}
	list := "still on its list"
	if told.LastUser != nil && told.TodosSeq < told.LastUser.Seq {
		list = "on its list before that message"
	}
	tell(list, session.OneLine(strings.Join(open, "; "), lastWork))
	tell("files changed, latest first", session.OneLine(strings.Join(told.Files, ", "), lastWork))
	return lines
}

// lastCall tells the call of a tool that the assistant was at when the session ended, or the
// last one if it has said nothing since. A call that the user has spoken after is over, though
// some clients tell no end of it.
func lastCall(told session.Story) (what, text string) {
	if n := len(told.OpenOps); n > 0 && (told.LastUser == nil || told.OpenOps[n-1].FirstSeq > told.LastUser.Seq) {
		op := told.OpenOps[n-1]
		return "a call never answered", session.OneLine(strings.Trim(op.Name+": "+op.Label, ": "), lastWork)
	}
	if n := len(told.Calls); n > 0 {
		c := told.Calls[n-1]
		text = session.OneLine(strings.Trim(c.Tool+": "+c.Subject, ": "), lastWork)
		if c.Failure != "" {
			text += " — failed: " + session.BothEnds(c.Failure, lastWork)
		}
		return "the assistant's last call", text
	}
	return "", ""
}

// earlierLines tells what the user had said before the last message, the newest first.
func earlierLines(told session.Story) (lines []string) {
	for _, u := range told.Users[:min(lastUsers, len(told.Users))] {
		if text := session.BothEnds(session.Request(u.Text), lastEarlier); text != "" {
			lines = append(lines, "the user had said before: "+text)
		}
	}
	return lines
}
