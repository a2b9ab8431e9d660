package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/session"
)

// What a rebuilt working context contains (004-10).
const (
	rebuildEpisodic  = 3    // contexts
	rebuildSemantic  = 20   // contexts
	rebuildTurns     = 4    // last turns of the log
	rebuildItemChars = 2000 // characters of each item
	rebuildFrame     = 40   // tokens that a message takes beside its text
)

// kept is what was saved in the session's project, newest first.
type kept struct{ episodic, semantic []domain.ContextSnapshot }

// kept loads the contexts for a rebuild.
func (v *view) kept(ctx context.Context) (k kept, err error) {
	if k.episodic, err = v.remembered(ctx, domain.Episodic, rebuildEpisodic); err != nil {
		return k, err
	}
	k.semantic, err = v.remembered(ctx, domain.Semantic, rebuildSemantic)
	return k, err
}

// besides returns summaries of the contexts that are not in told, semantic ones first.
func (k kept) besides(told []session.Said) []session.Said {
	var out []session.Said
	for _, c := range slices.Concat(k.semantic, k.episodic) {
		if !isTold(told, c.ID) {
			out = append(out, session.Said{ID: c.ID, Text: PlainText(c.Summary), Distilled: c.IsDistilled()})
		}
	}
	return out
}

// newest is the time of the latest context.
func (k kept) newest() (at time.Time) {
	for _, c := range slices.Concat(k.semantic, k.episodic) {
		if c.Timestamp.After(at) {
			at = c.Timestamp
		}
	}
	return at
}

// rebuild makes a working context from contexts of the project and the last turns of
// the log, with half of the budget for each, for a session without messages in its epoch.
func (v *view) rebuild(ctx context.Context, a *ResumeAnswer, k kept, budget int64) error {
	half := budget / 2
	tail, err := v.tail(ctx, half)
	if err != nil {
		return err
	}
	var items []string
	if len(k.episodic)+len(k.semantic) > 0 {
		items = append(items, QuoteNotice)
	}
	items = append(items, section("[MEMORY:EPISODIC]", k.episodic)...)
	items = append(items, section("[MEMORY:SEMANTIC]", k.semantic)...)
	var b strings.Builder
	for _, item := range items {
		if domain.Tokens(b.String())+domain.Tokens(item)+rebuildFrame > half {
			break
		}
		b.WriteString(item + "\n")
	}
	if b.Len() > 0 {
		a.Messages = append(a.Messages, ContextMessage{At: k.newest(), Message: domain.Message{Role: domain.RoleSystem, Kind: domain.SummaryMessage, Content: strings.TrimSpace(b.String())}})
	}
	a.Messages = append(a.Messages, contextMessages(v.pack(tail, nil, half))...)
	return nil
}

// section quotes contexts under a heading.
func section(name string, list []domain.ContextSnapshot) []string {
	if len(list) == 0 {
		return nil
	}
	out := []string{name}
	for _, c := range list {
		out = append(out, quoteContext(c, session.OneLine(c.Summary, rebuildItemChars)))
	}
	return out
}

// remembered returns the newest contexts of a kind in the session's project that still
// hold. They count as handed out.
func (v *view) remembered(ctx context.Context, kind domain.Kind, limit int) ([]domain.ContextSnapshot, error) {
	list, err := holding(ctx, v.r, domain.ContextQuery{Project: v.owner.Project, Kind: kind, Order: domain.Newest}, limit)
	if err == nil {
		v.handed(list)
	}
	return list, err
}

// handed records that contexts are handed out, each once per answer.
func (v *view) handed(list []domain.ContextSnapshot) {
	var fresh []domain.ContextSnapshot
	for _, c := range list {
		if !slices.Contains(v.counted, c.ID) {
			fresh, v.counted = append(fresh, c), append(v.counted, c.ID)
		}
	}
	v.s.touch(v.by, domain.Handed, fresh)
}

// tail returns the messages of the last turns in force, whatever their epoch, newest
// first.
func (v *view) tail(ctx context.Context, budget int64) ([]session.Placed, error) {
	last, read := int64(-1), v.reading(budget)
	q := domain.EventQuery{Types: []domain.EventType{domain.EventMessage}, Limit: messagePage}
	err := v.backwards(ctx, q, func(e domain.Event) bool {
		last = max(last, e.Turn)
		return e.Turn > last-rebuildTurns && read.take(e)
	})
	v.alert(read.alerts...)
	return read.newestFirst, err
}
