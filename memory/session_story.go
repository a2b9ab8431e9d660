package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/domain"
	"wake/session"
	"wake/transcript"
)

// story collects the material for a restore text of chars characters.
func (v *view) story(ctx context.Context, chars int) (out session.Story, err error) {
	out = session.Story{Session: v.owner, Now: v.s.now(), Mode: v.state.Mode, UserCount: v.state.Users.Count,
		Waiting: v.state.Waiting, TakenBack: v.state.TakenBack()}
	out.Session.Title = PlainText(out.Session.Title)
	if out.Task, out.Next, err = v.tasks(ctx); err != nil {
		return out, err
	}
	if out.Given, err = v.given(ctx); err != nil {
		return out, err
	}
	if err = v.lastTurn(ctx, &out); err != nil {
		return out, err
	}
	if out.Command, err = v.command(ctx); err != nil {
		return out, err
	}
	if out.Users, err = v.users(ctx, chars); err != nil {
		return out, err
	}
	if out.Goals, err = v.goals(ctx); err != nil {
		return out, err
	}
	if out.Findings, err = v.findings(ctx); err != nil {
		return out, err
	}
	if out.OpenOps, err = v.openOps(ctx); err != nil {
		return out, err
	}
	if err = v.work(ctx, &out, workBack); err != nil {
		return out, err
	}
	if out.Summary, err = v.summary(ctx); err != nil {
		return out, err
	}
	if out.Done, err = v.completedSteps(ctx); err != nil {
		return out, err
	}
	out.UnderWay = pending(v.state.UnderWay, out.Done)
	if out.Decisions, err = v.decisions(ctx); err != nil {
		return out, err
	}
	if out.Lasting, err = v.lasting(ctx, out.Decisions); err != nil {
		return out, err
	}
	out.Origin, err = v.origin(ctx, chars)
	return out, err
}

// given returns what a sub-agent was last asked to do, nil in other sessions. Its client may say
// more in the same way, such as the summary of a compaction and reminders, but only behind the
// first task.
func (v *view) given(ctx context.Context) (*session.Said, error) {
	if v.owner.ParentID == "" {
		return nil, nil
	}
	var asked []int64 // newest first
	err := v.backwards(ctx, domain.EventQuery{Types: []domain.EventType{domain.EventMessage}, Limit: foldPage, Light: true}, func(e domain.Event) bool {
		if m, err := e.Message(); err == nil && session.IsTask(m) && m.Kind == domain.MetaMessage && !e.Erased {
			asked = append(asked, e.Seq)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	for i, seq := range asked {
		whole, err := v.event(ctx, seq)
		if err != nil || whole == nil {
			return nil, err
		}
		m, err := whole.Message()
		byClient := transcript.Hook{Client: v.owner.Client, Prompt: m.Content}.PromptKind() != domain.PlainMessage
		if err != nil || !byClient || i == len(asked)-1 {
			return &session.Said{Seq: seq, Text: saidBy(m)}, err
		}
	}
	return nil, nil
}

// lastTurn adds the user's last message to a story, with what it answers and what answered it.
func (v *view) lastTurn(ctx context.Context, out *session.Story) (err error) {
	if out.LastUser, err = v.lastSaid(ctx); err != nil {
		return err
	}
	if out.Asked, err = v.asked(ctx, out.LastUser); err != nil {
		return err
	}
	out.Reply, err = v.reply(ctx)
	return err
}

// handoffDepth is how many of the newest hand-offs are searched for one in force.
const handoffDepth = 20

// tasks returns the task of the present mode and what was handed over to the next one. A
// hand-off made since the mode began knows the task better than the event that began it.
func (v *view) tasks(ctx context.Context) (task string, next *session.Said, err error) {
	list, err := v.r.Handoffs(ctx, domain.HandoffQuery{SessionID: v.owner.ID, Limit: handoffDepth})
	for _, h := range list {
		prepared, err := v.prepared(ctx, h)
		switch {
		case err != nil:
			return "", nil, err
		case !prepared || h.Task == "":
		case h.ToMode == v.state.Mode:
			return PlainText(h.Task), next, nil
		case next == nil:
			next = &session.Said{ID: PlainText(h.ToMode), Text: PlainText(h.Task)}
		}
	}
	return PlainText(v.state.Task), next, err
}

// lastSaid returns the user's last message.
func (v *view) lastSaid(ctx context.Context) (*session.Said, error) {
	last, err := v.lastUser(ctx)
	if err != nil || last == nil {
		return nil, err
	}
	return &session.Said{Seq: last.Seq, Text: saidBy(last.Message)}, nil
}

// saidBy is the text of a person's message as it is told; in place of words, that there are
// pictures or files.
func saidBy(m domain.Message) string {
	return cmp.Or(session.Wordless(m), PlainText(m.Content))
}

func (v *view) goals(ctx context.Context) ([]domain.Goal, error) {
	list, err := v.logAt.goals(ctx)
	for i := range list {
		list[i].Text = PlainText(list[i].Text)
	}
	return list, err
}

// findings returns the findings in force, newest first.
func (v *view) findings(ctx context.Context) ([]domain.Finding, error) {
	list, err := v.logAt.findings(ctx)
	slices.Reverse(list)
	for i := range list {
		list[i].Text = PlainText(list[i].Text)
	}
	return list, err
}

// pending returns the steps under way without completed ones, even if they were begun
// again: a completed step is never handed out again (I14).
func pending(underWay []session.StepRef, done []domain.Step) []session.StepRef {
	completed := map[string]bool{}
	for _, step := range done {
		completed[step.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(underWay), func(s session.StepRef) bool { return completed[s.ID] })
}

// lookBack is how many of the newest messages are searched for a text of the assistant or a
// command. Dozens of calls of tools may follow it.
const lookBack = 200

// reply returns the assistant's last text, nil if it is older than the user's last
// message. The summary of a compaction is none, even if the model wrote it as a message.
func (v *view) reply(ctx context.Context) (*session.Said, error) {
	latest, err := v.sinceLastUser(ctx, domain.EventMessage, domain.EventCompaction)
	if err != nil {
		return nil, err
	}
	return v.assistantText(ctx, latest)
}

// assistantText returns the first text of the assistant among events without their long
// texts, newest first; nil if there is none.
func (v *view) assistantText(ctx context.Context, latest []domain.Event) (*session.Said, error) {
	var summary string
	for _, light := range latest {
		compacted := light.Type == domain.EventCompaction
		if !compacted && light.Role != domain.RoleAssistant || light.Erased || !v.state.Covers(light.Seq) {
			continue
		}
		whole, err := v.whole(ctx, light)
		if err != nil || whole == nil {
			return nil, err
		}
		if compacted {
			c, _ := domain.PayloadAs[domain.Compaction](*whole)
			summary = strings.TrimSpace(c.Summary)
			continue
		}
		m, err := whole.Message()
		said := strings.TrimSpace(m.Content)
		if err == nil && m.Kind == domain.PlainMessage && said != "" && !strings.HasSuffix(summary, said) {
			return &session.Said{Seq: light.Seq, Text: PlainText(m.Content)}, nil
		}
	}
	return nil, nil
}

// answerLength is how long a message may be that hardly makes sense without the one that
// it answers.
const answerLength = 300

// asked returns what the assistant had said before the user's last message, nil if that
// is long enough to be understood by itself, or if the user had spoken last before, too.
func (v *view) asked(ctx context.Context, last *session.Said) (*session.Said, error) {
	if last == nil || last.Seq == 1 || utf8.RuneCountInString(last.Text) > answerLength {
		return nil, nil
	}
	before, err := v.r.Events(ctx, domain.EventQuery{SessionID: v.owner.ID, Until: last.Seq - 1, Backward: true, Limit: lookBack, Light: true,
		Types: []domain.EventType{domain.EventMessage, domain.EventCompaction}})
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(before, func(e domain.Event) bool { return e.Human && v.state.Covers(e.Seq) }); i >= 0 {
		before = before[:i]
	}
	return v.assistantText(ctx, before)
}

// command returns the last command that the user gave the assistant, nil if the user's
// last message is newer. Commands such as /cost are the client's: their output follows.
func (v *view) command(ctx context.Context) (*session.Said, error) {
	latest, err := v.sinceLastUser(ctx, domain.EventMessage, domain.EventNote)
	printed := false
	for _, light := range latest {
		printed = printed && light.Role != domain.RoleAssistant
		if _, is := commandText(light); !is || light.Erased || !v.state.Covers(light.Seq) {
			continue
		}
		whole, err := v.whole(ctx, light)
		if err != nil || whole == nil {
			return nil, err
		}
		text, _ := commandText(*whole)
		switch typed := transcript.Command(text); {
		case typed == "":
			printed = true
		case printed:
			printed = false
		default:
			return &session.Said{Seq: light.Seq, Text: PlainText(typed)}, nil
		}
	}
	return nil, err
}

// commandText returns the text of a command or of its output, and whether the event is
// one: of a transcript, or of a hook that told of a command before its transcript had it.
func commandText(e domain.Event) (text string, is bool) {
	if note, err := domain.PayloadAs[domain.Note](e); err == nil {
		return note.Text, note.Kind == commandNote
	}
	m, err := e.Message()
	return m.Content, err == nil && m.Kind == domain.CommandMessage
}

// summary returns the client's summary at its last compaction, nil if it made none.
func (v *view) summary(ctx context.Context) (*session.Said, error) {
	var out *session.Said
	err := v.backwards(ctx, domain.EventQuery{Types: []domain.EventType{domain.EventCompaction}, Limit: 1}, func(e domain.Event) bool {
		if c, err := domain.PayloadAs[domain.Compaction](e); err == nil && !e.Erased && strings.TrimSpace(c.Summary) != "" {
			out = &session.Said{Seq: e.Seq, Text: PlainText(c.Summary)}
		}
		return false
	})
	return out, err
}

// sinceLastUser returns at most lookBack events behind the user's last message, newest
// first, without their long texts.
func (v *view) sinceLastUser(ctx context.Context, types ...domain.EventType) ([]domain.Event, error) {
	q := domain.EventQuery{SessionID: v.owner.ID, Until: v.owner.LastSeq, Types: types, Backward: true, Limit: lookBack, Light: true}
	if v.state.LastUser != nil {
		q.After = v.state.LastUser.Seq
	}
	return v.r.Events(ctx, q)
}

// users returns the user's messages before the last one, newest first, about as many
// as fit into chars characters.
func (v *view) users(ctx context.Context, chars int) ([]session.Said, error) {
	var out []session.Said
	if v.state.LastUser == nil {
		return nil, nil
	}
	q := domain.EventQuery{Human: true, Limit: 32}
	err := v.backwards(ctx, q, func(e domain.Event) bool {
		if m, err := e.Message(); err == nil && !e.Erased && e.Seq < v.state.LastUser.Seq {
			out = append(out, session.Said{Seq: e.Seq, Text: saidBy(m)})
			chars -= len("- (event 1) ") + min(len(m.Content), 100)
		}
		return chars > 0
	})
	return out, err
}

// openOps returns the operations that never ended. For the state, one of which a client
// tells the beginning after the end is open.
func (v *view) openOps(ctx context.Context) ([]domain.Op, error) {
	if len(v.state.Open) == 0 {
		return nil, nil
	}
	ops, err := v.r.Ops(ctx, v.owner.ID, each(v.state.Open, func(o session.OpRef) string { return o.ID }))
	return slices.DeleteFunc(ops, func(op domain.Op) bool { return op.Status.Done() }), err
}
