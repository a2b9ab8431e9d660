package memory

import (
	"context"
	"slices"
	"strings"
	"unicode"

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

// How much of the work is told.
const (
	workFiles   = 20
	workCalls   = 10
	workSince   = 3
	workAnswers = 5 // ends of earlier turns, and texts amid the last one
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
	for i, op := range out.OpenOps {
		out.OpenOps[i].Name, out.OpenOps[i].Label = PlainText(op.Name), PlainText(op.Label)
		if at := slices.IndexFunc(w.calls, func(c placedCall) bool { return c.call.ID == op.ID }); at >= 0 {
			out.OpenOps[i].Label = w.subjectOf(w.calls[at].call)
		}
	}
	if out.Calls, err = w.latest(ctx, ops); err != nil {
		return err
	}
	if out.Progress, err = w.said(ctx, w.texts, out.Reply); err != nil {
		return err
	}
	out.Answers, err = w.said(ctx, w.ends, out.Asked)
	return err
}

// said returns texts of the assistant, but for one that is told already.
func (w *work) said(ctx context.Context, texts []domain.Event, told *session.Said) ([]session.Said, error) {
	var out []session.Said
	for _, light := range texts {
		if len(out) == workAnswers {
			break
		}
		if told != nil && told.Seq == light.Seq {
			continue
		}
		m, err := w.wholeMessage(ctx, light)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(m.Content) != "" {
			out = append(out, session.Said{Seq: light.Seq, Text: PlainText(m.Content)})
		}
	}
	return out, nil
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

// since returns what the user told the client since the last message, oldest first. Of long
// answers, those to questions and of failed calls are looked at.
func (w *work) since(ctx context.Context, ops map[string]domain.Op) ([]session.Said, error) {
	var out []session.Said
	for _, light := range w.told {
		m, err := light.Message()
		if err != nil || light.Size > domain.InlinePayload && ops[m.ToolCallID].Status != domain.OpFailed && !distil.Asks(m.ToolName) {
			continue
		}
		if m, err = w.wholeMessage(ctx, light); err != nil {
			return nil, err
		}
		if told := distil.ToldClient(m); told != "" {
			out = append(out, session.Said{Seq: light.Seq, Text: PlainText(told)})
		}
		if len(out) == workSince {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
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

// files returns the files that were changed, the latest first, and says which are gone.
func (w *work) files(ops map[string]domain.Op) []string {
	var files []string
	var seen []string
	for _, c := range w.calls {
		if ops[c.call.ID].Status != domain.OpOK {
			continue
		}
		for _, f := range c.files {
			file := session.OneLine(w.inside(PlainText(f.Path)), fileLength)
			if slices.Contains(seen, file) || len(files) == workFiles {
				continue
			}
			seen = append(seen, file)
			if f.Removed {
				file += " (removed)"
			}
			files = append(files, file)
		}
	}
	return files
}

// latest returns the last calls since the user's last message that were answered, oldest
// first. Where the assistant has spoken since, its words tell of them.
func (w *work) latest(ctx context.Context, ops map[string]domain.Op) ([]session.Call, error) {
	if w.spoken {
		return nil, nil
	}
	var out []session.Call
	for _, c := range w.calls[:min(len(w.calls), workCalls)] {
		op := ops[c.call.ID]
		if c.seq <= w.asked() || !op.Status.Done() {
			continue
		}
		subject := w.subjectOf(c.call)
		if subject == "" { // the list of things to do is told by itself
			continue
		}
		failure, err := w.failure(ctx, op)
		if err != nil {
			return nil, err
		}
		if len(c.files) == 1 && subject == w.inside(PlainText(c.files[0].Path)) && failure == "" { // it is told whole among the changed ones
			subject = subject[strings.LastIndexAny(subject, `/\`)+1:]
		}
		out = append(out, session.Call{Tool: PlainText(c.call.Name), Subject: subject, Failure: failure})
	}
	slices.Reverse(out)
	return out, nil
}

// failure returns why a call failed, "" if it did not.
func (w *work) failure(ctx context.Context, op domain.Op) (string, error) {
	answer, there := w.answers[op.ID]
	if op.Status != domain.OpFailed || !there {
		return PlainText(op.Error), nil
	}
	whole, err := w.view.whole(ctx, answer)
	if err != nil || whole == nil {
		return PlainText(op.Error), err
	}
	switch m, err := whole.Message(); {
	case err != nil || m.Content == "":
		return PlainText(op.Error), nil
	case distil.Refused(m):
		return "the user refused it", nil
	case len(m.Content) > failureRead:
		return session.OneLine(plainHead(m.Content), failureHead), nil
	default:
		return PlainText(m.Content), nil
	}
}

// How much is read of what a call is about, of which a line is told, and of why it failed, of
// which both ends are told: in bytes. Of longer failures only so many characters at the
// beginning are told.
const (
	subjectRead = 4_000
	failureRead = 32 << 10
	failureHead = 160
	fileLength  = 300 // of a path, in characters
)

// plainHead is the beginning of a text, without a word that is cut: half of a secret is not
// recognized.
func plainHead(text string) string {
	head := domain.Head(text, subjectRead)
	if at := strings.LastIndexFunc(head, unicode.IsSpace); at > 0 && len(head) < len(text) {
		head = head[:at]
	}
	return PlainText(head)
}

// subjectOf says what a call is about.
func (w *work) subjectOf(call domain.ToolCall) string {
	return w.inside(plainHead(transcript.Subject(call)))
}

// inside returns a path within the folder that the session works in as the rest of it.
func (w *work) inside(path string) string {
	dir := strings.TrimRight(w.view.owner.Attributes["cwd"], `/\`)
	rest, ok := strings.CutPrefix(path, dir)
	if dir == "" || !ok || !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, `\`) || len(rest) == 1 {
		return path
	}
	return rest[1:]
}
