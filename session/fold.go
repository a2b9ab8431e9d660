package session

import (
	"cmp"
	"encoding/json"
	"slices"

	"wake/domain"
)

// Fold applies one event to the state. It reads only the event's facts and the light
// form of its payload. It returns a Conflict error for an event out of sequence, and
// an Invalid error for an unreadable one; in both cases the state is unchanged.
func Fold(s *State, e domain.Event) error {
	if e.Seq != s.LastSeq+1 {
		return domain.Conflict("event %d cannot follow event %d of session %s", e.Seq, s.LastSeq, e.SessionID)
	}
	if err := fold(s, e); err != nil {
		return err
	}
	s.LastSeq = e.Seq
	s.Turn = max(s.Turn, e.Turn)
	s.Totals = s.Totals.Plus(e.Spent)
	if e.Type != domain.EventEnd {
		s.Ended = false
	}
	return nil
}

// Skip advances the state over an event that was lost or is unreadable.
func Skip(s *State, seq int64) { s.LastSeq = seq }

func fold(s *State, e domain.Event) error {
	switch e.Type {
	case domain.EventMessage:
		return with(e, func(m domain.Message) { s.message(e, m) })
	case domain.EventOp:
		return with(e, func(r domain.OpReport) { s.op(e, r) })
	case domain.EventUsage:
		return with(e, func(w domain.Window) { s.window(w) })
	case domain.EventGoal:
		return with(e, func(g domain.Goal) { s.goal(e, g) })
	case domain.EventReasoning:
		s.Reasoning.add(e.Tokens, e.Hash)
	case domain.EventMode:
		return with(e, func(m domain.Mode) { s.mode(e, m) })
	case domain.EventFinding:
		s.Findings.add(0, e.Hash)
	case domain.EventSignal:
		return with(e, func(sig domain.Signal) { s.signal(e, sig) })
	case domain.EventStep:
		return with(e, func(step domain.Step) { s.step(e, step) })
	case domain.EventCompaction:
		return with(e, func(c domain.Compaction) { s.compaction(e, c) })
	case domain.EventEnd:
		s.Ended = true
	case domain.EventAbout:
		return with(e, s.about)
	case domain.EventRestored:
		return s.restored(e)
	}
	return nil
}

// with decodes the payload of e and passes it to apply.
func with[T domain.Payload](e domain.Event, apply func(T)) error {
	p, err := domain.PayloadAs[T](e)
	if err != nil {
		return err
	}
	apply(p)
	return nil
}

func (s *State) message(e domain.Event, m domain.Message) {
	ref := domain.MessageRef{Seq: e.Seq, Role: e.Role, Tokens: e.Tokens, Hash: e.Hash}
	s.Messages.add(e.Tokens, string(e.Role), e.Hash)
	s.Recent = newest(append(s.Recent, ref), keepRecent)
	if e.Human {
		s.Users.add(e.Tokens, e.Hash)
		s.LastUser = &ref
	}
	if m.Model != "" && m.Role == domain.RoleAssistant {
		s.Model = m.Model
	}
	for _, r := range messageReports(m) {
		s.op(e, r)
	}
}

// op updates the list of open operations.
func (s *State) op(e domain.Event, r domain.OpReport) {
	i := slices.IndexFunc(s.Open, func(o OpRef) bool { return o.ID == r.OpID })
	switch {
	case r.Status.Done():
		if i >= 0 {
			s.Open = slices.Delete(s.Open, i, i+1)
		}
	case i < 0:
		ref := OpRef{ID: r.OpID, Kind: r.Kind, Name: r.Name, Seq: e.Seq, Turn: e.Turn}
		s.Open = newest(append(s.Open, ref), keepOpenOps)
	}
}

func (s *State) window(w domain.Window) {
	s.Window.Tokens = w.Tokens
	if w.Limit > 0 {
		s.Window.Limit = w.Limit
	}
}

func (s *State) goal(e domain.Event, g domain.Goal) {
	i := slices.IndexFunc(s.Goals, func(old GoalRef) bool { return old.ID == g.ID })
	if i < 0 {
		s.Goals = append(s.Goals, GoalRef{ID: g.ID, Seq: e.Seq})
		i = len(s.Goals) - 1
	}
	ref := &s.Goals[i]
	ref.Status = g.Status
	if g.Text != "" {
		ref.Seq, ref.Brief, ref.Hash = e.Seq, brief(g.Text), e.Hash
	}
	s.trimGoals()
}

// trimGoals drops goals over the limit: finished ones first, in both groups the oldest
// first.
func (s *State) trimGoals() {
	for len(s.Goals) > keepGoals {
		i := slices.IndexFunc(s.Goals, func(g GoalRef) bool { return g.Status != domain.GoalActive })
		s.Goals = slices.Delete(s.Goals, max(i, 0), max(i, 0)+1)
	}
}

func (s *State) mode(e domain.Event, m domain.Mode) {
	s.Mode, s.ModeSeq = m.To, e.Seq
	if m.Skills != nil {
		s.Skills = newest(m.Skills, keepNames)
	}
	if m.Tools != nil {
		s.Tools = newest(m.Tools, keepNames)
	}
	if m.Task != "" {
		s.Task = brief(m.Task)
	}
}

func (s *State) signal(e domain.Event, sig domain.Signal) {
	s.Waiting = slices.DeleteFunc(s.Waiting, func(w SignalRef) bool { return w.Name == sig.Name })
	if sig.Status == domain.SignalWaiting {
		s.Waiting = newest(append(s.Waiting, SignalRef{Name: sig.Name, Seq: e.Seq}), keepWaiting)
	}
}

func (s *State) step(e domain.Event, step domain.Step) {
	s.UnderWay = slices.DeleteFunc(s.UnderWay, func(u StepRef) bool { return u.ID == step.ID })
	if step.Status == domain.StepCompleted {
		s.Steps.add(0, step.ID, e.Hash)
		return
	}
	ref := StepRef{ID: step.ID, Seq: e.Seq, Status: step.Status}
	s.UnderWay = newest(append(s.UnderWay, ref), keepWaiting)
}

// compaction begins an epoch, with the summary as its first message.
func (s *State) compaction(e domain.Event, c domain.Compaction) {
	s.Epoch++
	s.Compacted++
	s.EpochFrom = e.Seq
	s.Messages, s.Recent = Digest{}, nil
	if e.Tokens > 0 {
		ref := domain.MessageRef{Seq: e.Seq, Role: domain.RoleUser, Tokens: e.Tokens, Hash: e.Hash}
		s.Messages.add(e.Tokens, string(ref.Role), ref.Hash)
		s.Recent = append(s.Recent, ref)
	}
	s.Window.Tokens = c.TokensAfter
}

func (s *State) about(a domain.About) {
	s.Title = cmp.Or(brief(a.Title), s.Title)
	s.Model = cmp.Or(a.Model, s.Model)
	s.Provider = cmp.Or(a.Provider, s.Provider)
	if a.ContextLimit > 0 {
		s.Window.Limit = a.ContextLimit
	}
}

// restored sets the state back to the one in the event and begins an epoch.
func (s *State) restored(e domain.Event) error {
	r, err := domain.PayloadAs[domain.Restored](e)
	if err != nil {
		return err
	}
	old, err := stateIn(r)
	if err != nil {
		return err
	}
	if len(old.Timeline) == 0 {
		return domain.Invalid("the restored state is empty")
	}
	s.Restorable = old
	s.Timeline = append(closeAt(old.Timeline, r.Seq), Span{From: e.Seq + 1})
	s.Epoch++
	s.UndoID = r.UndoID
	s.Window.Tokens = s.Messages.Tokens
	s.Open = nil
	return nil
}

// RestoreEvent makes the event that sets a session back to a checkpoint. at is the
// state at the checkpoint.
func RestoreEvent(c domain.Checkpoint, undoID string, at *State) (domain.Restored, error) {
	state, err := json.Marshal(at.Restorable)
	return domain.Restored{CheckpointID: c.ID, UndoID: undoID, Seq: c.Seq, State: state}, err
}

// DropEvent makes the event for what the user dropped in the client; an empty range
// means that nothing is dropped any more. at is the state without it.
func DropEvent(at *State, dropped Span) (domain.Restored, error) {
	state, err := json.Marshal(at.Restorable)
	return domain.Restored{Seq: at.LastSeq, State: state, DroppedFrom: dropped.From, DroppedTo: dropped.To}, err
}

// stateIn decodes the state that such an event sets back to.
func stateIn(r domain.Restored) (state Restorable, err error) {
	if err := json.Unmarshal(r.State, &state); err != nil {
		return state, domain.Invalid("the restored state cannot be read: %v", err)
	}
	return state, nil
}

// newest keeps the last n of list.
func newest[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	return append([]T(nil), list[len(list)-n:]...)
}

// brief is the beginning of a text, cut at a character boundary.
func brief(text string) string {
	n := 0
	for i := range text {
		if n++; n > briefLength {
			return text[:i] + "…"
		}
	}
	return text
}
