package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wake/domain"
)

// Prepare checks an event and computes its facts and light form, except turn and
// costs, which depend on earlier events. It returns an Invalid error if there is
// something wrong with the event.
func Prepare(e *domain.Event) error {
	if len(e.Payload) > domain.MaxPayload {
		return domain.Invalid("a %s event of %d bytes is over the limit of %d; record it in parts", e.Type, len(e.Payload), domain.MaxPayload)
	}
	if !e.Key.Valid() {
		return domain.Invalid("the key of the %s event is longer than 1024 bytes or holds a NUL; shorten it", e.Type)
	}
	p := e.Parsed
	if p == nil {
		var err error
		if p, err = decode(*e); err != nil {
			return err
		}
	}
	if err := check(p); err != nil {
		return err
	}
	e.Parsed = p
	e.Hash = domain.HashBytes(e.Payload)
	e.Size = int64(len(e.Payload))
	e.Tokens = payloadTokens(p)
	if m, ok := p.(domain.Message); ok {
		e.Role, e.Human = m.Role, m.Human()
		e.Hash = messageHash(m)
	}
	e.Light = e.Payload
	if len(e.Payload) <= domain.InlinePayload {
		return nil
	}
	var err error
	e.Light, err = domain.EncodePayload(light(p))
	return err
}

// Light returns an event with only the light form of its payload, as folds read it.
func Light(e domain.Event) domain.Event {
	e.Payload = e.Light
	if e.Parsed != nil {
		e.Parsed = light(e.Parsed)
	}
	return e
}

// decode decodes the payload of e according to its type.
func decode(e domain.Event) (domain.Payload, error) {
	switch e.Type {
	case domain.EventMessage:
		return domain.PayloadAs[domain.Message](e)
	case domain.EventOp:
		return domain.PayloadAs[domain.OpReport](e)
	case domain.EventUsage:
		return domain.PayloadAs[domain.Window](e)
	case domain.EventGoal:
		return domain.PayloadAs[domain.Goal](e)
	case domain.EventReasoning:
		return domain.PayloadAs[domain.Reasoning](e)
	case domain.EventMode:
		return domain.PayloadAs[domain.Mode](e)
	case domain.EventFinding:
		return domain.PayloadAs[domain.Finding](e)
	case domain.EventSignal:
		return domain.PayloadAs[domain.Signal](e)
	case domain.EventStep:
		return domain.PayloadAs[domain.Step](e)
	case domain.EventCompaction:
		return domain.PayloadAs[domain.Compaction](e)
	case domain.EventEnd:
		return domain.PayloadAs[domain.End](e)
	default:
		return decodeOwn(e)
	}
}

// decodeOwn is decode for the types that wake and its importers add.
func decodeOwn(e domain.Event) (domain.Payload, error) {
	switch e.Type {
	case domain.EventAbout:
		return domain.PayloadAs[domain.About](e)
	case domain.EventContextSaved:
		return domain.PayloadAs[domain.ContextSaved](e)
	case domain.EventRestored:
		return domain.PayloadAs[domain.Restored](e)
	case domain.EventNote:
		return domain.PayloadAs[domain.Note](e)
	}
	return nil, domain.Invalid("event type %q is not known; the types are %s", e.Type, typeList())
}

func typeList() string {
	var names []string
	for _, t := range domain.RecordTypes() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// check refuses unusable payloads.
func check(p domain.Payload) error {
	switch p := p.(type) {
	case domain.Message:
		return checkMessage(p)
	case domain.OpReport:
		return cmp.Or(needID("op", "op_id", p.OpID), oneOf("op", "kind", string(p.Kind), "llm", "tool", "system", "session"),
			oneOf("op", "status", string(p.Status), "started", "ok", "failed", "interrupted"), checkCounts(p))
	case domain.Window:
		if p.Tokens < 0 || p.Limit < 0 {
			return domain.Invalid("usage.tokens and usage.limit are counts from 0 up")
		}
	case domain.Goal:
		return cmp.Or(needID("goal", "id", p.ID), oneOf("goal", "status", string(p.Status), "active", "done", "dropped"))
	case domain.Compaction:
		if p.TokensBefore < 0 || p.TokensAfter < 0 {
			return domain.Invalid("compaction.tokens_before and compaction.tokens_after count from 0 up")
		}
	case domain.Mode:
		return needID("mode", "to", p.To)
	case domain.Finding:
		if p.Text == "" {
			return missing("finding", "text")
		}
		return oneOf("finding", "kind", string(p.Kind), "error", "root_cause", "fix", "note")
	case domain.Signal:
		return cmp.Or(needID("signal", "name", p.Name), oneOf("signal", "status", string(p.Status), "waiting", "received", "timeout"))
	case domain.Step:
		return cmp.Or(needID("step", "id", p.ID), oneOf("step", "status", string(p.Status), "started", "completed", "failed"))
	case domain.ContextSaved:
		return needID("context_saved", "context_id", p.ContextID)
	}
	return nil
}

func checkMessage(m domain.Message) error {
	if err := oneOf("message", "role", string(m.Role), "user", "assistant", "system", "tool"); err != nil {
		return err
	}
	for _, call := range m.ToolCalls {
		if err := cmp.Or(needID("message", "tool_calls[].id", call.ID), needID("message", "tool_calls[].name", call.Name)); err != nil {
			return err
		}
	}
	if err := domain.CheckID("message.tool_call_id", m.ToolCallID); err != nil {
		return err
	}
	if !utf8.ValidString(m.Content) {
		return domain.Invalid("message.content is not valid UTF-8; bytes go into media")
	}
	return nil
}

func checkCounts(r domain.OpReport) error {
	u := r.Usage
	if u != nil && min(u.Input, u.Output, u.CacheRead, u.CacheWrite, int64(u.Cost)) < 0 {
		return domain.Invalid("op.usage counts from 0 up; one of its numbers is below zero")
	}
	if r.LatencyMS < 0 {
		return domain.Invalid("op.latency_ms counts from 0 up")
	}
	return nil
}

// missing is the error for a field that events of a type need.
func missing(kind, field string) error {
	return domain.Invalid("%s.%s is missing; an event of type %s needs it", kind, field, kind)
}

// needID refuses an id or a name that is missing or too long.
func needID(kind, field, value string) error {
	if value == "" {
		return missing(kind, field)
	}
	return domain.CheckID(kind+"."+field, value)
}

func oneOf(kind, field, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return domain.Invalid("%s.%s is %q; it is one of %s", kind, field, value, strings.Join(allowed, ", "))
}

// messageHash is a hash of the content of a message, whatever row or stream it came
// in.
func messageHash(m domain.Message) string {
	b := make([]byte, 0, 256+len(m.Content)+len(m.Reasoning))
	part := func(s string) { b = append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...) }
	part(string(m.Role))
	part(m.Content)
	part(m.Reasoning)
	part(m.ToolCallID)
	part(m.Error)
	for _, call := range m.ToolCalls {
		part(call.ID)
		part(call.Name)
		part(string(call.Arguments))
	}
	for _, media := range m.Media {
		part(media.URL)
		part(string(media.Data))
	}
	return domain.HashBytes(b)
}

// payloadTokens estimates the size of an event in a model's window.
func payloadTokens(p domain.Payload) int64 {
	switch p := p.(type) {
	case domain.Message:
		return messageTokens(p)
	case domain.Reasoning:
		if p.TokenCount > 0 {
			return p.TokenCount
		}
		return domain.Tokens(p.Content)
	case domain.Compaction:
		return domain.Tokens(p.Summary)
	}
	return 0
}

// mediaTokens is the most that a picture takes in current models.
const mediaTokens = 1500

// messageOverhead is what a message takes in addition to its text.
const messageOverhead = 4

func messageTokens(m domain.Message) int64 {
	n := messageOverhead + domain.Tokens(m.Content) + domain.Tokens(m.Reasoning) + domain.Tokens(m.Error)
	for _, call := range m.ToolCalls {
		n += domain.Tokens(call.Name) + domain.Tokens(string(call.Arguments))
	}
	return n + mediaTokens*int64(len(m.Media))
}
