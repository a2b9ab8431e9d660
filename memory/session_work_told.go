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

// How much of the work is told.
const (
	workFiles   = 20
	workCalls   = 10
	workSince   = 3
	workAnswers = 5 // ends of earlier turns, and texts amid the last one
)

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

// label says what open operations are about.
func (w *work) label(open []domain.Op) {
	for i, op := range open {
		open[i].Name, open[i].Label = PlainText(op.Name), PlainText(op.Label)
		if at := slices.IndexFunc(w.calls, func(c placedCall) bool { return c.call.ID == op.ID }); at >= 0 {
			open[i].Label = w.subjectOf(w.calls[at].call)
		}
	}
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
