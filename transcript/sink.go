package transcript

import (
	"fmt"
	"strings"
	"time"

	"wake/domain"
)

// sink collects items until it is flushed.
type sink struct {
	source string
	line   int
	block  int64
	last   time.Time // time of the latest line, for lines without one
	copied string    // the session that a fork copied the line from, "" for the session's own lines
	items  []Item
}

// begin starts the next line.
func (s *sink) begin(line int) {
	s.line, s.block, s.copied = line, 0, ""
}

// at parses a time; a row without a valid one gets the time of the previous row.
func (s *sink) at(row rowTime) time.Time {
	if t := row.time(); !t.IsZero() {
		s.last = t
	}
	return s.last
}

func (s *sink) add(item Item) { s.items = append(s.items, item) }

// flush yields the items, and reports whether to go on.
func (s *sink) flush(yield func(Item, error) bool) bool {
	for i, item := range s.items {
		item.Whole = i == len(s.items)-1
		if !yield(item, nil) {
			return false
		}
	}
	s.items = s.items[:0]
	return true
}

func (s *sink) skip(reason string) {
	s.add(Item{Skipped: &Skipped{Source: s.source, Line: s.line, Reason: reason}})
}

// fault reports what is wrong with no line in particular.
func (s *sink) fault(reason string) {
	s.begin(0)
	s.skip(reason)
}

func (s *sink) skipUnfinished() {
	s.leave("the last line is unfinished; it is left for the next read")
}

// leave reports what is not written yet.
func (s *sink) leave(reason string) {
	s.skip(reason)
	s.items[len(s.items)-1].Skipped.Unfinished = true
}

// session adds data about a session beside its events.
func (s *sink) session(of *domain.Session) {
	s.add(Item{Session: of})
}

// rowRef is the source's own name of a row and of the row that it answers.
type rowRef struct{ id, parent string }

// event adds an event. A payload above the limit is reported rather than stored, except
// a message that is too large because of its images: it is stored without them.
func (s *sink) event(session string, at time.Time, key domain.Key, row rowRef, p domain.Payload) {
	key, p = withShortIDs(key, p)
	e, err := domain.NewEvent(at, key, p)
	if m, ok := p.(domain.Message); ok && err == nil && len(e.Payload) > domain.MaxPayload && len(m.Media) > 0 {
		s.skip(fmt.Sprintf("the pictures or files of the message are left out: with them it has %d bytes, and the limit is %d", len(e.Payload), domain.MaxPayload))
		p = withoutMedia(m)
		e, err = domain.NewEvent(at, key, p)
	}
	if err == nil && len(e.Payload) > domain.MaxPayload {
		err = domain.Invalid("the %s has %d bytes; the limit of one event is %d", p.EventType(), len(e.Payload), domain.MaxPayload)
	}
	if err != nil {
		s.skip(err.Error())
		return
	}
	if !key.Valid() { // a foreign id of any length and kind
		e.Key = domain.RowKey("hash", domain.HashText(string(key)))
	}
	e.SessionID = session
	e.Source = domain.SourcePos{Name: s.source, Pos: int64(s.line)*blocksOfLine + min(s.block, blocksOfLine-1), ID: row.id, Parent: row.parent}
	if s.copied != "" {
		e.Source.Name = domain.CopiedFrom(s.copied)
	}
	s.block++
	s.add(Item{Event: &e})
}

// blocksOfLine is how many places a line has in the order of a source.
const blocksOfLine = 1000

// LineOf returns the line of a source that an event came from.
func LineOf(at domain.SourcePos) int { return int(at.Pos / blocksOfLine) }

// modelCall returns the event of a call of a model that went well, with its key.
func modelCall(opID, provider, model string, usage domain.TokenUsage) (domain.Key, domain.OpReport) {
	return domain.OpKey(opID, domain.OpOK, usage.Total()),
		domain.OpReport{OpID: opID, Kind: domain.OpLLM, Status: domain.OpOK, Usage: &usage, Provider: provider, Model: model}
}

// rewound says that a person went back in a conversation.
func (s *sink) rewound(r Rewound) { s.add(Item{Rewound: &r}) }

// named adds the name of a session.
func (s *sink) named(n Named) { s.add(Item{Named: &n}) }

// context adds a memory. One that is empty or above the limit is reported instead.
func (s *sink) context(c *domain.ContextSnapshot) {
	switch {
	case len(c.Content) > domain.MaxContent:
		s.skip("the memory has more than 1 MiB")
	case strings.TrimSpace(c.Content) == "":
		s.skip("the memory is empty")
	default:
		s.add(Item{Context: c})
	}
}

// link adds a dependency between two contexts if both are known.
func (s *sink) link(from, to, reason string) {
	if from == "" || to == "" || from == to {
		return
	}
	l := domain.NewLink(from, to, domain.Dependency, time.Time{})
	l.Reason = reason
	s.add(Item{Link: &l})
}

// says reports whether a message says or does anything; one that does not is left out. An
// answer that only calls tools has an empty text of its own.
func says(m domain.Message) bool {
	return m.Content != "" || m.Reasoning != "" || len(m.Media) > 0 || m.ToolCalls != nil || m.ToolCallID != "" || m.Error != ""
}

// setAttributes sets the name-value pairs whose value is not empty.
func setAttributes(attributes map[string]string, pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			attributes[pairs[i]] = pairs[i+1]
		}
	}
}
