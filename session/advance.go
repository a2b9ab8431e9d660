package session

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"wake/domain"
	"wake/secret"
)

// titleLength is the longest title made from a message, in characters.
const titleLength = 80

// AsOpened returns a session as it was opened, without what its events added.
func AsOpened(s domain.Session) domain.Session {
	o := s.Opened
	s.Mode, s.Model, s.Provider, s.Title, s.LatestStatus = o.Mode, o.Model, o.Provider, o.Title, ""
	if s.DeletedAt.IsZero() {
		s.Status = domain.SessionActive
	}
	s.EndedAt, s.Success, s.Error = time.Time{}, nil, ""
	s.LastSeq, s.Epoch, s.Turn, s.Messages, s.HumanMsgs, s.Tokens, s.Bytes = 0, 1, 0, 0, 0, 0, 0
	s.LearnedLimit, s.SnapshotSeq, s.Totals = 0, 0, domain.Totals{AgentsRun: 1}
	return s
}

// Place gives an event its place in the session: the next sequence number, and its
// turn. A human message begins a turn.
func Place(s *domain.Session, e *domain.Event) {
	s.LastSeq++
	e.SessionID, e.Seq = s.ID, s.LastSeq
	if e.Human {
		s.Turn++
	}
	e.Turn = s.Turn
}

// Advance applies a placed event to the session's row, as [Fold] applies it to the
// state.
func Advance(s *domain.Session, e domain.Event) error {
	p, err := decode(e)
	if err != nil {
		return err
	}
	s.Bytes += e.Size
	s.Totals = s.Totals.Plus(e.Spent)
	if e.Type != domain.EventEnd && s.Status == domain.SessionEnded { // it goes on
		s.Status, s.EndedAt, s.Success, s.Error = domain.SessionActive, time.Time{}, nil, ""
	}
	switch p := p.(type) {
	case domain.Message:
		advanceMessage(s, e, p)
	case domain.Window:
		s.Tokens = p.Tokens
		if p.Limit > 0 {
			s.ContextLimit = p.Limit
		}
		if outgrown(s.LearnedLimit, p.Tokens) {
			s.LearnedLimit = 0
		}
	case domain.Mode:
		s.Mode = p.To
	case domain.Compaction:
		advanceCompaction(s, p)
	case domain.End:
		advanceEnd(s, e, p)
	case domain.About:
		advanceAbout(s, p)
	case domain.Restored:
		return advanceRestored(s, p)
	}
	return nil
}

// outgrown reports whether a window is a third beyond the limit at which the client has
// compacted: it now has another model, or another setting. Clients compact at three
// quarters of a window or later, so the same one never gets there. The model's name does
// not tell: hooks and transcripts write it differently, and the size may be in neither.
func outgrown(limit, tokens int64) bool { return tokens > limit+limit/3 }

// advanceEnd ends the session. A second end adds what the first did not say.
func advanceEnd(s *domain.Session, e domain.Event, p domain.End) {
	s.Status, s.EndedAt, s.Error = domain.SessionEnded, e.At, cmp.Or(p.Error, s.Error)
	if p.Success != nil {
		s.Success = p.Success
	}
}

func advanceMessage(s *domain.Session, e domain.Event, m domain.Message) {
	s.Messages++
	if e.Human {
		s.HumanMsgs++
	}
	if s.Title == "" && (e.Human || IsTask(m)) && utf8.ValidString(m.Content) {
		s.Title = AllowedTitle(*s, TitleOf(m.Content))
	}
	if m.Model != "" && m.Role == domain.RoleAssistant {
		s.Model = m.Model
	}
}

// IsTask reports whether a message tells a sub-agent what to do. It names the session of
// the sub-agent, in which no person says anything.
func IsTask(m domain.Message) bool { return m.AgentID != "" && m.Role == domain.RoleUser }

// TitleOf makes a title from a user's message: one line of at most 80 characters,
// secrets masked, without what the client has put before the user's words.
func TitleOf(message string) string {
	return OneLine(secret.Mask(Request(message)), titleLength)
}

// AllowedTitle returns a title, or "" if the session lost it in a purge.
func AllowedTitle(s domain.Session, title string) string {
	if IsPurgedTitle(s.PurgedTitles, title) {
		return ""
	}
	return title
}

// IsPurgedTitle reports whether a text makes a title with one of the hashes.
func IsPurgedTitle(purged []string, text string) bool {
	return len(purged) > 0 && text != "" && slices.Contains(purged, domain.HashText(TitleOf(text)))
}

// Request returns what a message asks for, without what the client has put before it:
// elements, such as <ide_opened_file>…</ide_opened_file>, and the files that Codex's app
// and its extensions for editors list before the heading of the request.
func Request(message string) string {
	text := behindElements(message)
	listed := strings.HasPrefix(text, "# Context from my IDE setup:") || strings.HasPrefix(text, "# Files mentioned by the user:")
	for _, heading := range []string{"## My request for Codex:\n", "## My request:\n"} {
		before, request, found := strings.Cut(text, heading)
		if found && strings.TrimSpace(request) != "" && (before == "" || listed && strings.HasSuffix(before, "\n")) {
			return strings.TrimSpace(request)
		}
	}
	return text
}

// behindElements removes the elements that a text begins with, unless nothing follows
// them.
func behindElements(text string) string {
	rest := strings.TrimSpace(text)
	for strings.HasPrefix(rest, "<") {
		tag, _, _ := strings.Cut(rest[1:], ">")
		name, _, _ := strings.Cut(tag, " ")
		_, behind, closed := strings.Cut(rest, "</"+name+">")
		if !closed {
			break
		}
		rest = strings.TrimSpace(behind)
	}
	if rest == "" {
		return text
	}
	return rest
}

// advanceCompaction learns at how many tokens the client compacts automatically.
func advanceCompaction(s *domain.Session, c domain.Compaction) {
	s.Epoch++
	s.Tokens = c.TokensAfter
	if c.Trigger == "auto" && c.TokensBefore > 0 {
		s.LearnedLimit = c.TokensBefore
	}
}

func advanceAbout(s *domain.Session, a domain.About) {
	s.Title = cmp.Or(AllowedTitle(*s, a.Title), s.Title)
	s.Model = cmp.Or(a.Model, s.Model)
	s.Provider = cmp.Or(a.Provider, s.Provider)
	s.AgentID = cmp.Or(a.AgentID, s.AgentID)
	s.LatestStatus = cmp.Or(a.Status, s.LatestStatus)
	if a.ContextLimit > 0 {
		s.ContextLimit = a.ContextLimit
	}
	for name, value := range a.Attributes {
		if s.Attributes == nil {
			s.Attributes = map[string]string{}
		}
		s.Attributes[name] = value
	}
}

func advanceRestored(s *domain.Session, r domain.Restored) error {
	old, err := stateIn(r)
	if err != nil {
		return err
	}
	s.Epoch++
	s.Mode = old.Mode
	s.Tokens = old.Messages.Tokens
	return nil
}
