package memory

import (
	"context"
	"slices"
	"strings"

	"wake/distil"
	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// How much of the log is searched for the assistant's work: the newest messages, of these so
// many whose long texts have to be read by themselves, and so many that change files.
const (
	workBack    = 300
	workWholes  = 12
	workChanges = 50
)

// work is what an assistant's calls of tools and their answers tell, gathered from the log
// backwards.
type work struct {
	view    *view
	wholes  int // read so far
	changes int // calls so far that change files
	spoken  bool
	calls   []placedCall // newest first
	answers map[string]domain.Event
	todos   transcript.LatestTodos
	told    []domain.Event // answers since the user's last message that may tell what the user told the client, newest first
	texts   []domain.Event // of the assistant since the user's last message, newest first
	ends    []domain.Event // the assistant's last text before each message of the user, newest first
	ending  bool           // the next text is one
}

// placedCall is a call of a tool, the event that has it, and the files that it changes.
type placedCall struct {
	seq   int64
	call  domain.ToolCall
	files []transcript.ChangedFile
}

// work adds to a story what the assistant did and has to do, by the newest messages.
func (v *view) work(ctx context.Context, out *session.Story, messages int) error {
	w := &work{view: v, answers: map[string]domain.Event{}}
	if err := w.gather(ctx, messages); err != nil {
		return err
	}
	ops, err := w.ops(ctx)
	if err != nil {
		return err
	}
	if out.Since, err = w.since(ctx, ops); err != nil {
		return err
	}
	out.Todos, out.TodosSeq = w.todos.List(), w.todos.Seq
	for i := range out.Todos {
		out.Todos[i].Text = PlainText(out.Todos[i].Text)
	}
	out.Files = w.files(ops)
	w.label(out.OpenOps)
	if out.Calls, err = w.latest(ctx, ops); err != nil {
		return err
	}
	if out.Progress, err = w.said(ctx, w.texts, out.Reply); err != nil {
		return err
	}
	out.Answers, err = w.said(ctx, w.ends, out.Asked)
	return err
}

// wholeMessage reads all of a message; an empty one stands for what cannot be read.
func (w *work) wholeMessage(ctx context.Context, light domain.Event) (domain.Message, error) {
	whole, err := w.view.whole(ctx, light)
	if err != nil || whole == nil {
		return domain.Message{}, err
	}
	m, err := whole.Message()
	if err != nil {
		return domain.Message{}, nil
	}
	return m, nil
}

// gather reads the newest messages of the log.
func (w *work) gather(ctx context.Context, messages int) error {
	v := w.view
	latest, err := v.r.Events(ctx, domain.EventQuery{SessionID: v.owner.ID, Until: v.owner.LastSeq, Types: []domain.EventType{domain.EventMessage},
		Backward: true, Limit: messages, Light: true})
	if err != nil {
		return err
	}
	first := true
	for _, light := range latest {
		if light.Erased || light.Damaged != "" || !v.state.Covers(light.Seq) {
			continue
		}
		m, err := w.message(ctx, light)
		if err != nil {
			return err
		}
		if m.AgentID != "" { // of a sub-agent
			continue
		}
		if first && (m.Role == domain.RoleAssistant || m.Role == domain.RoleTool) {
			first, w.spoken = false, says(light, m)
		}
		w.take(light, m)
	}
	return nil
}

// says reports whether an event without its long texts is a text of the assistant.
func says(light domain.Event, m domain.Message) bool {
	return m.Role == domain.RoleAssistant && m.Kind == domain.PlainMessage && len(m.ToolCalls) == 0 &&
		(strings.TrimSpace(m.Content) != "" || light.Size > domain.InlinePayload)
}

// message returns a message, with its long texts if it calls tools.
func (w *work) message(ctx context.Context, light domain.Event) (domain.Message, error) {
	m, err := light.Message()
	if err != nil || len(m.ToolCalls) == 0 || light.Size <= domain.InlinePayload || w.wholes >= workWholes {
		return m, nil // what cannot be read tells nothing
	}
	w.wholes++
	whole, err := w.view.event(ctx, light.Seq)
	if err != nil || whole == nil {
		return m, err
	}
	if all, err := whole.Message(); err == nil {
		m = all
	}
	return m, nil
}

// take takes in a message that is older than all before it.
func (w *work) take(e domain.Event, m domain.Message) {
	for _, call := range slices.Backward(m.ToolCalls) {
		c := placedCall{seq: e.Seq, call: call}
		if w.changes < workChanges {
			c.files = transcript.ChangedFiles(call)
			w.changes += min(1, len(c.files))
		}
		w.calls = append(w.calls, c)
		w.todos.Called(e.Seq, call)
	}
	switch {
	case e.Human:
		w.ending = true
	case w.ending && says(e, m):
		w.ends, w.ending = append(w.ends, e), false
	case e.Seq > w.asked() && says(e, m) && len(w.texts) <= workAnswers:
		w.texts = append(w.texts, e)
	}
	if m.Role != domain.RoleTool {
		return
	}
	w.answers[m.ToolCallID] = e
	w.todos.Answered(e.Seq, m)
	if e.Seq > w.asked() && (distil.ToldClient(m) != "" || e.Size > domain.InlinePayload) {
		w.told = append(w.told, e)
	}
}

// asked is the event of the user's last message, 0 if there is none.
func (w *work) asked() int64 {
	if last := w.view.state.LastUser; last != nil {
		return last.Seq
	}
	return 0
}

// ops returns the operations of the calls that may be told, by their ids.
func (w *work) ops(ctx context.Context) (map[string]domain.Op, error) {
	var ids []string
	for i, c := range w.calls {
		if i < workCalls || len(c.files) > 0 {
			ids = append(ids, c.call.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := w.view.r.Ops(ctx, w.view.owner.ID, ids)
	ops := map[string]domain.Op{}
	for _, op := range list {
		ops[op.ID] = op
	}
	return ops, err
}
