package transcript

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"wake/domain"
	"wake/secret"
)

// WriteMarkdown writes a session for people to read: who said what when, with tools
// folded away. Secrets are masked.
func WriteMarkdown(w io.Writer, s domain.Session, events []domain.Event) error {
	m := &markdown{w: bufio.NewWriter(w)}
	m.linef("# %s\n", markdownName(cmp.Or(s.Title, "Session "+cmp.Or(s.ClientSessionID, s.ID))))
	for _, field := range []struct{ name, value string }{
		{"Project", s.Project}, {"Client", s.Client}, {"Session", cmp.Or(s.ID, s.ClientSessionID)}, {"Model", s.Model},
		{"Started", domain.FormatTime(s.StartedAt)}, {"Ended", domain.FormatTime(s.EndedAt)},
	} {
		if field.value != "" {
			m.linef("- %s: %s", field.name, markdownName(field.value))
		}
	}
	for _, e := range events {
		m.event(e)
	}
	return m.w.Flush()
}

// WriteContextsMarkdown writes contexts for people to read, including why they exist.
// Secrets are masked.
func WriteContextsMarkdown(w io.Writer, contexts []domain.ContextSnapshot) error {
	m := &markdown{w: bufio.NewWriter(w)}
	m.linef("# Contexts")
	for _, c := range contexts {
		m.context(c)
	}
	return m.w.Flush()
}

type markdown struct {
	w *bufio.Writer
}

func (m *markdown) context(c domain.ContextSnapshot) {
	m.linef("\n## %s\n", markdownName(firstLine(secret.Mask(cmp.Or(c.Summary, c.Content)), 120)))
	m.linef("- id: `%s`\n- project: %s\n- time: %s\n- source: %s", markdownName(c.ID), markdownName(c.Project), domain.FormatTime(c.Timestamp), markdownName(c.Source))
	if len(c.Tags) > 0 {
		m.linef("- tags: %s", markdownName(strings.Join(c.Tags, ", ")))
	}
	if c.Causality != nil {
		m.causality(*c.Causality)
	}
	if c.SupersededBy != "" {
		m.linef("- superseded by: `%s`", markdownName(c.SupersededBy))
	}
	m.linef("\n%s", markdownText(c.Content))
}

func (m *markdown) causality(why domain.Causality) {
	m.linef("- action: %s", markdownName(string(why.ActionType)))
	if why.CausedBy != "" {
		m.linef("- caused by: `%s`", markdownName(why.CausedBy))
	}
	if len(why.Dependencies) > 0 {
		ids := make([]string, len(why.Dependencies))
		for i, id := range why.Dependencies {
			ids[i] = markdownName(id)
		}
		m.linef("- depends on: `%s`", strings.Join(ids, "`, `"))
	}
	if why.Rationale != "" {
		m.linef("- why: %s", markdownName(firstLine(secret.Mask(why.Rationale), 500)))
	}
}

func (m *markdown) linef(format string, args ...any) { fmt.Fprintf(m.w, format+"\n", args...) }

// block writes a text between fences that do not occur in it.
func (m *markdown) block(text string) {
	ticks := 3
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		ticks = max(ticks, len(run)+1)
	}
	fence := strings.Repeat("`", ticks)
	m.linef("%s\n%s\n%s", fence, text, fence)
}

func (m *markdown) event(e domain.Event) {
	when := e.At.UTC().Format(time.DateTime)
	if e.Erased {
		m.linef("\n*%s: a %s was here and has been erased.*", when, e.Type)
		return
	}
	switch e.Type {
	case domain.EventMessage:
		withPayload(e, func(msg domain.Message) { m.message(when, msg) })
	case domain.EventReasoning:
		withPayload(e, func(r domain.Reasoning) { m.folded(when+" thinking", r.Content) })
	case domain.EventCompaction:
		withPayload(e, func(c domain.Compaction) { m.compaction(when, c) })
	case domain.EventRestored:
		withPayload(e, func(r domain.Restored) { m.restored(when, r) })
	default:
		m.aside(when, e)
	}
}

// withPayload passes on the payload of an event, if it can be read.
func withPayload[P domain.Payload](e domain.Event, use func(P)) {
	if p, err := domain.PayloadAs[P](e); err == nil {
		use(p)
	}
}

// restored writes what no longer holds.
func (m *markdown) restored(when string, r domain.Restored) {
	switch {
	case !r.ByUser():
		m.linef("\n---\n\n*%s: the session was set back to where it stood after event %d; what was said between that and here no longer holds.*", when, r.Seq)
	case r.DroppedTo > 0:
		m.linef("\n---\n\n*%s: the user had gone back; what was said from event %d to event %d no longer holds.*", when, r.DroppedFrom, r.DroppedTo)
	default:
		m.linef("\n---\n\n*%s: two windows continue the session; what the user seemed to have dropped holds.*", when)
	}
}

// compaction writes what replaced everything before it.
func (m *markdown) compaction(when string, c domain.Compaction) {
	before := ""
	if c.TokensBefore > 0 {
		before = fmt.Sprintf(", %d tokens before", c.TokensBefore)
	}
	m.linef("\n---\n\n*%s: the conversation was compacted (%s%s).*", when, markdownName(cmp.Or(c.Trigger, "unknown trigger")), before)
	if c.Summary != "" {
		m.folded(when+" summary", c.Summary)
	}
}

// aside writes an event beside the conversation as one line.
func (m *markdown) aside(when string, e domain.Event) {
	text := ""
	switch e.Type {
	case domain.EventGoal:
		withPayload(e, func(g domain.Goal) {
			text = fmt.Sprintf("goal %s: %s", g.Status, firstLine(secret.Mask(cmp.Or(g.Text, g.ID)), 300))
		})
	case domain.EventMode:
		withPayload(e, func(mode domain.Mode) { text = "mode " + mode.To })
	case domain.EventFinding:
		withPayload(e, func(f domain.Finding) { text = strings.ReplaceAll(string(f.Kind), "_", " ") + ": " + f.Text })
	case domain.EventStep:
		withPayload(e, func(step domain.Step) { text = fmt.Sprintf("step %s %s", step.ID, step.Status) })
	case domain.EventSignal:
		withPayload(e, func(sig domain.Signal) { text = fmt.Sprintf("signal %s %s", sig.Name, sig.Status) })
	}
	if text != "" {
		m.linef("\n*%s: %s*", when, markdownName(text))
	}
}

func (m *markdown) message(when string, msg domain.Message) {
	if msg.Reasoning != "" {
		m.folded(when+" thinking", msg.Reasoning)
	}
	switch {
	case msg.Human():
		m.linef("\n## User · %s\n\n%s", when, markdownText(msg.Content))
	case msg.Kind != domain.PlainMessage:
		m.folded(when+" "+string(msg.Kind), msg.Content)
	case msg.Role == domain.RoleTool:
		m.folded(when+" answer of "+cmp.Or(msg.ToolName, "tool"), cmp.Or(msg.Content, msg.Error))
	case msg.Content != "":
		m.linef("\n## %s · %s\n\n%s", markdownName(domain.Capitalised(string(cmp.Or(msg.Role, domain.RoleSystem)))), when, markdownText(msg.Content))
	}
	for _, media := range msg.Media {
		m.linef("\n*[%s]*", markdownName(fmt.Sprintf("%s %s %s", media.Type, media.Mime, media.Name)))
	}
	for _, call := range msg.ToolCalls {
		m.folded(when+" "+call.Name, string(call.Arguments))
	}
}

// folded writes a text that the reader can unfold.
func (m *markdown) folded(title, text string) {
	m.linef("\n<details><summary>%s</summary>\n", markdownName(title))
	m.block(domain.ShowHidden(secret.Mask(text)))
	m.linef("\n</details>")
}

// WriteJSON writes a session with its events as one readable JSON document.
func WriteJSON(w io.Writer, s domain.Session, events []domain.Event) error {
	type event struct {
		domain.Event
		Payload json.RawMessage `json:"payload,omitempty"`
	}
	doc := struct {
		Session domain.Session `json:"session"`
		Events  []event        `json:"events"`
	}{s, []event{}}
	for _, e := range events {
		out := event{Event: e}
		if json.Valid(e.Payload) {
			out.Payload = e.Payload
		}
		doc.Events = append(doc.Events, out)
	}
	return writeDocument(w, doc)
}

// WriteContextsJSON writes contexts as one readable JSON document.
func WriteContextsJSON(w io.Writer, contexts []domain.ContextSnapshot) error {
	if contexts == nil {
		contexts = []domain.ContextSnapshot{}
	}
	return writeDocument(w, map[string]any{"contexts": contexts})
}

// writeDocument writes v as indented JSON.
func writeDocument(w io.Writer, v any) error {
	enc := newEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// newEncoder returns an encoder that writes <, > and & as they are.
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}
