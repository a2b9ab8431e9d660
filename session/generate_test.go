package session_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"wake/domain"
	"wake/session"
)

// noon is when generated logs begin.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// history is a generated log with the states at all its places.
type history struct {
	owner  domain.Session
	events []domain.Event
	states []session.State // states[i] is the state at place i
	points []domain.Checkpoint
	ops    map[string]domain.Op
}

func newHistory() *history {
	owner := domain.Session{ID: "s", OriginID: "s", Epoch: 1, Status: domain.SessionActive, Totals: domain.Totals{AgentsRun: 1},
		Opened: domain.Opening{Mode: "plan", Model: "m0"}, Mode: "plan", Model: "m0"}
	return &history{owner: owner, states: []session.State{session.Begin(owner)}, ops: map[string]domain.Op{}}
}

// fataler is a test or a rapid check.
type fataler interface {
	Fatalf(format string, args ...any)
	Helper()
}

// add appends a payload as the service would.
func (h *history) add(t fataler, p domain.Payload, at time.Time) domain.Event {
	t.Helper()
	e, err := domain.NewEvent(at, "", p)
	if err == nil {
		err = session.Prepare(&e)
	}
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	session.Place(&h.owner, &e)
	h.charge(t, &e)
	if err := session.Advance(&h.owner, e); err != nil {
		t.Fatalf("advance: %v", err)
	}
	state := h.now().Clone()
	if err := session.Fold(&state, lightened(e)); err != nil {
		t.Fatalf("fold: %v", err)
	}
	h.events = append(h.events, e)
	h.states = append(h.states, state)
	return e
}

// lightened is an event as a store hands it to a fold.
func lightened(e domain.Event) domain.Event {
	e.Payload, e.Light = e.Light, nil
	return e
}

func (h *history) charge(t fataler, e *domain.Event) {
	reports, err := session.Reports(*e)
	if err != nil {
		t.Fatalf("reports: %v", err)
	}
	for _, r := range reports {
		var known *domain.Op
		if op, ok := h.ops[r.OpID]; ok {
			known = &op
		}
		op, spent := session.Charge(known, *e, r)
		h.ops[r.OpID] = op
		e.Spent = e.Spent.Plus(spent)
	}
}

func (h *history) now() *session.State { return &h.states[len(h.states)-1] }

func (h *history) checkpoint() domain.Checkpoint {
	c := session.NewCheckpoint(fmt.Sprint("c", len(h.points)), "s", domain.TriggerManual, "", h.now(), "", noon)
	h.points = append(h.points, c)
	return c
}

func (h *history) restore(t fataler, c domain.Checkpoint) {
	t.Helper()
	r, err := session.RestoreEvent(c, "undo", &h.states[c.Seq])
	if err != nil {
		t.Fatalf("%v", err)
	}
	h.add(t, r, noon)
}

// someHistory draws a log of up to n events of every type, with checkpoints and
// restores among them and clocks that go back.
func someHistory(t *rapid.T, n int) *history {
	h := newHistory()
	for range rapid.IntRange(0, n).Draw(t, "length") {
		at := noon.Add(time.Duration(rapid.IntRange(-1000, 1000).Draw(t, "seconds")) * time.Second)
		switch rapid.IntRange(0, 11).Draw(t, "what") {
		case 0:
			h.checkpoint()
		case 1:
			if len(h.points) > 0 {
				h.restore(t, rapid.SampledFrom(h.points).Draw(t, "point"))
			}
		default:
			h.add(t, somePayload(t), at)
		}
	}
	return h
}

// somePayload draws what a client may report. Names come from a small set, so
// that events meet.
func somePayload(t *rapid.T) domain.Payload {
	name := func(prefix string) string { return fmt.Sprint(prefix, rapid.IntRange(0, 4).Draw(t, prefix)) }
	text := rapid.StringN(0, 30, 200).Draw(t, "text")
	switch rapid.IntRange(0, 13).Draw(t, "type") {
	case 0, 1, 2:
		return domain.Message{Role: domain.RoleUser, Content: text}
	case 3:
		return domain.Message{Role: domain.RoleAssistant, Content: text, ToolCalls: []domain.ToolCall{{ID: name("call"), Name: "grep", Arguments: json.RawMessage(`{"q":1}`)}}}
	case 4:
		return domain.Message{Role: domain.RoleTool, ToolCallID: name("call"), ToolName: "grep", Content: text}
	case 5:
		return someReport(t, name("op"))
	case 6:
		return domain.Window{Tokens: rapid.Int64Range(0, 300).Draw(t, "tokens"), Limit: 200}
	case 7:
		status := rapid.SampledFrom([]domain.GoalStatus{domain.GoalActive, domain.GoalDone, domain.GoalDropped}).Draw(t, "status")
		return domain.Goal{ID: name("goal"), Text: text, Status: status}
	case 8:
		return domain.Reasoning{Content: text}
	case 9:
		return domain.Mode{To: name("mode"), Task: text, Skills: []string{name("skill")}}
	case 10:
		return domain.Finding{Kind: domain.FindingError, Mode: "debug", Text: "x" + text}
	case 11:
		return domain.Signal{Name: name("signal"), Status: rapid.SampledFrom([]domain.SignalStatus{domain.SignalWaiting, domain.SignalReceived}).Draw(t, "signal status")}
	case 12:
		status := rapid.SampledFrom([]domain.StepStatus{domain.StepStarted, domain.StepCompleted, domain.StepFailed}).Draw(t, "step status")
		return domain.Step{ID: name("step"), Status: status, Output: json.RawMessage(`{"n":1}`)}
	}
	return domain.Compaction{Trigger: "auto", Summary: text, TokensBefore: 180, TokensAfter: 20}
}

func someReport(t *rapid.T, id string) domain.OpReport {
	count := func(label string) int64 { return rapid.Int64Range(0, 50).Draw(t, label) }
	return domain.OpReport{
		OpID: id, Kind: rapid.SampledFrom([]domain.OpKind{domain.OpLLM, domain.OpTool}).Draw(t, "kind"),
		Status: rapid.SampledFrom([]domain.OpStatus{domain.OpStarted, domain.OpOK, domain.OpFailed}).Draw(t, "op status"),
		Usage:  &domain.TokenUsage{Input: count("in"), Output: count("out"), CacheRead: count("read"), Cost: domain.USD(count("cost") * 1000)},
	}
}

// talk is a history of a short conversation.
func talk(t testing.TB, payloads ...domain.Payload) *history {
	h := newHistory()
	for i, p := range payloads {
		h.add(t, p, noon.Add(time.Duration(i)*time.Minute))
	}
	return h
}

func said(text string) domain.Message { return domain.Message{Role: domain.RoleUser, Content: text} }

func replied(text string) domain.Message {
	return domain.Message{Role: domain.RoleAssistant, Content: text}
}
