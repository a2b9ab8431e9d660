package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"wake/domain"
	"wake/session"
)

// An answer's text gets at most a third of its budget, and its lists a sixth. The rest is
// for messages, and what these leave, for the lists again.
const (
	textShare  = 3
	listsShare = 6
	storyChars = 8_000 // the longest text beside messages
)

// pointerWeight is the room in tokens for the pointer to messages that are left out.
const pointerWeight = 64

// view tells what is in force at a state of a session. budget is in tokens, for the
// whole answer.
type view struct {
	s *Service
	logAt
	owner  domain.Session
	by     Caller
	budget int64
	alone  bool // only the text of the answer is used
	cached *cachedMessages
	source string // named in the text; "" means the words for the source
	alerts []domain.Alert
	forks  int      // that the answer is about, before this session
	notes  []string // in addition to the alerts

	counted []string // ids of the contexts recorded as handed out
}

// tell makes the answer: first the text, which says most in least room, then the
// lists, then as many messages as fit.
func (v *view) tell(ctx context.Context, source ResumeSource) (ResumeAnswer, error) {
	a := v.answer(source)
	chars, tokens := min(v.budget, storyChars), v.budget/textShare // a token has about four characters
	if v.alone {
		chars, tokens = 4*v.budget, v.budget
	}
	story, err := v.story(ctx, int(chars))
	if err != nil {
		return a, err
	}
	var k kept
	if source == FromRebuild {
		if k, err = v.kept(ctx); err != nil {
			return a, err
		}
		story.Kept = k.besides(slices.Concat(story.Decisions, story.Lasting))
	}
	story.Source = cmp.Or(v.source, sourceInWords(source))
	story.Notes = append(alertNotes(v.alerts), v.notes...)
	a.Text = tellWithin(story, int(chars), tokens)
	if v.alone {
		a.Notes = story.Notes
		return a, nil
	}
	bare := v.left(a)
	v.lists(&a, story, v.budget/listsShare)
	room := v.left(a)
	listed := bare - room
	if source == FromRebuild {
		err = v.rebuild(ctx, &a, k, room)
	} else {
		err = v.messages(ctx, &a, room)
	}
	if rest := v.left(a); rest > 0 {
		v.lists(&a, story, listed+rest)
	}
	return a, err
}

// alert notes damage, each once: the answer may be told again with a smaller budget.
func (v *view) alert(found ...domain.Alert) {
	for _, a := range found {
		if !slices.Contains(v.alerts, a) {
			v.alerts = append(v.alerts, a)
		}
	}
}

// answer is an answer without content.
func (v *view) answer(source ResumeSource) ResumeAnswer {
	return ResumeAnswer{SessionID: v.owner.ID, Source: source, Epoch: v.state.Epoch, LastSeq: v.owner.LastSeq, NextSeq: v.owner.LastSeq + 1,
		Mode: v.state.Mode, Messages: []ContextMessage{}, Goals: []domain.Goal{}, Findings: []domain.Finding{}, OpenOps: []domain.Op{}}
}

// earlier points to n messages that are left out; nil for none.
func (v *view) earlier(n int64) *MorePointer {
	if n <= 0 {
		return nil
	}
	return &MorePointer{Count: n, URI: "wake://sessions/" + v.owner.ID + "/working-context"}
}

// left is how much of the budget an answer leaves.
func (v *view) left(a ResumeAnswer) int64 {
	return v.budget - tokensOf(a) - domain.Tokens(a.Text) - pointerWeight // a door sends the text twice: as data and as words
}

// sourceInWords describes the source of a working context.
func sourceInWords(source ResumeSource) string {
	switch source {
	case FromCache:
		return "the cached working context and the events since"
	case FromSnapshot:
		return "the state snapshot and the events since"
	case FromReplay:
		return "the whole log of events"
	}
	return "what was saved in the project, and the last turns"
}

// tellWithin tells a story in at most chars characters and about tokens tokens.
func tellWithin(story session.Story, chars int, tokens int64) string {
	text := session.Tell(story, chars)
	for range 4 {
		n := domain.Tokens(text)
		if n <= tokens {
			break
		}
		chars = int(int64(chars) * tokens / n)
		text = session.Tell(story, chars)
	}
	return text
}

// fill appends the items that fit, and returns what is left of the budget.
func fill[T any](dst *[]T, items []T, budget int64) int64 {
	for _, item := range items {
		w := tokensOf(item)
		if w > budget {
			continue
		}
		*dst = append(*dst, item)
		budget -= w
	}
	return budget
}

// lists adds goals, open operations, steps and findings to the answer.
func (v *view) lists(a *ResumeAnswer, story session.Story, budget int64) {
	a.Goals, a.OpenOps, a.Findings = []domain.Goal{}, []domain.Op{}, []domain.Finding{}
	a.PendingSteps, a.Waiting, a.Steps, a.Notes = nil, nil, nil, slices.Clone(story.Notes)
	goals := slices.Clone(story.Goals)
	slices.SortStableFunc(goals, activeFirst)
	budget = fill(&a.Goals, goals, budget)
	budget = fill(&a.OpenOps, story.OpenOps, budget)
	for _, step := range story.UnderWay {
		budget = fill(&a.PendingSteps, []domain.Step{{ID: step.ID, Status: step.Status}}, budget)
	}
	for _, sig := range story.Waiting {
		budget = fill(&a.Waiting, []domain.Signal{{Name: sig.Name, Status: domain.SignalWaiting}}, budget)
	}
	done := story.Done
	for i := len(done) - 1; i >= 0; i-- {
		budget = fill(&a.Steps, []domain.Step{shortStep(done[i], budget)}, budget)
	}
	slices.Reverse(a.Steps)
	fill(&a.Findings, story.Findings, budget)
	v.noteMore(a, "goal", len(goals)-len(a.Goals))
	v.noteMore(a, "open operation", len(story.OpenOps)-len(a.OpenOps))
	v.noteMore(a, "completed step", len(done)-len(a.Steps))
	v.noteMore(a, "finding", len(story.Findings)-len(a.Findings))
}

// noteMore notes how many items of a list had no room.
func (v *view) noteMore(a *ResumeAnswer, what string, n int) {
	if n > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("%s more: wake://sessions/%s/events", domain.Many(n, what), v.owner.ID))
	}
}

// shortStep drops an output that is too long. That the step is completed must be told
// in any case.
func shortStep(step domain.Step, budget int64) domain.Step {
	if tokensOf(step) > budget/2 {
		step.Output = nil
	}
	return step
}

// activeFirst orders active goals before the others.
func activeFirst(a, b domain.Goal) int {
	switch active := a.Status == domain.GoalActive; {
	case active == (b.Status == domain.GoalActive):
		return 0
	case active:
		return -1
	}
	return 1
}

// messages adds the messages of the epoch that fit into budget.
func (v *view) messages(ctx context.Context, a *ResumeAnswer, budget int64) error {
	newest, err := v.read(ctx, budget)
	if err != nil {
		return err
	}
	must, err := v.lastUser(ctx)
	if err != nil {
		return err
	}
	if must != nil && must.Seq < v.state.EpochFrom {
		must = nil // it was compacted away; the text has it
	}
	packed := v.pack(newest, must, budget)
	a.Messages = contextMessages(packed)
	a.Earlier = v.earlier(v.leftOut(newest, packed, must))
	return nil
}

// pack turns messages, newest first, into a list that can be given to a model.
func (v *view) pack(newest []session.Placed, must *session.Placed, budget int64) []session.Placed {
	whole := slices.Clone(newest)
	slices.Reverse(whole)
	whole = session.CloseCalls(session.Join(whole))
	slices.Reverse(whole)
	return session.CloseCalls(session.Pack(whole, must, budget, v.pointer))
}

// leftOut counts the messages of the epoch before the first packed one.
func (v *view) leftOut(newest, packed []session.Placed, must *session.Placed) int64 {
	in := int64(0)
	if len(packed) > 1 && must != nil && packed[0].Seq == must.Seq {
		in, packed = 1, packed[1:] // it may be far from the others
	}
	for _, m := range newest {
		if len(packed) > 0 && m.Seq >= packed[0].Seq {
			in++
		}
	}
	return v.state.Messages.Count - in
}

// read reads the newest messages of the epoch: those in the cache from there, the
// older and newer ones from the log.
func (v *view) read(ctx context.Context, budget int64) ([]session.Placed, error) {
	all := v.reading(budget)
	if v.cached == nil {
		return v.readStretch(ctx, stretch{}, all)
	}
	if _, err := v.readStretch(ctx, stretch{from: v.cached.seq}, all); err != nil {
		return nil, err
	}
	for _, m := range v.cached.newestFirst {
		all.newestFirst = append(all.newestFirst, m)
		all.budget -= all.cost(m)
	}
	if all.budget < 0 || v.cached.earlier == 0 {
		return all.newestFirst, nil
	}
	return v.readStretch(ctx, stretch{to: v.cached.from()}, all)
}

// reading collects messages for a budget. A message that is too long for it only costs
// its pointer, so that it does not keep older ones out.
func (v *view) reading(budget int64) *reading {
	return &reading{budget: budget, cost: func(m session.Placed) int64 { return session.Weight(session.Fit(m, budget, v.pointer)) }}
}

// pointer is the URI of a whole message.
func (v *view) pointer(seq int64) string { return session.MessageURI(v.owner.ID, seq) }

func (v *view) readStretch(ctx context.Context, in stretch, into *reading) ([]session.Placed, error) {
	err := v.epochMessages(ctx, in, into)
	v.alert(into.alerts...)
	return into.newestFirst, err
}
