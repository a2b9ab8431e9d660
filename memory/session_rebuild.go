package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/session"
)

// What a rebuild is made of (004-10).
const (
	rebuildEpisodic  = 3    // contexts
	rebuildSemantic  = 20   // contexts
	rebuildTurns     = 4    // last turns of the log
	rebuildItemChars = 2000 // characters of each item
)

// kept is what was saved in a session's project, newest first.
type kept struct{ episodic, semantic []domain.ContextSnapshot }

// kept loads what a rebuild is made of.
func (v *view) kept(ctx context.Context) (k kept, err error) {
	if k.episodic, err = v.remembered(ctx, domain.Episodic, rebuildEpisodic); err != nil {
		return k, err
	}
	k.semantic, err = v.remembered(ctx, domain.Semantic, rebuildSemantic)
	return k, err
}

// besides are the summaries of what is kept but not told already, lasting knowledge
// first.
func (k kept) besides(told []session.Said) []session.Said {
	var out []session.Said
	for _, c := range slices.Concat(k.semantic, k.episodic) {
		if !slices.ContainsFunc(told, func(t session.Said) bool { return t.ID == c.ID }) {
			out = append(out, session.Said{ID: c.ID, At: c.Timestamp, Text: PlainText(c.Summary)})
		}
	}
	return out
}

// newest is when the last of it happened.
func (k kept) newest() (at time.Time) {
	for _, c := range slices.Concat(k.semantic, k.episodic) {
		if c.Timestamp.After(at) {
			at = c.Timestamp
		}
	}
	return at
}

// rebuild makes a working context of what was saved in the project and of the
// last turns of the log, for a session whose log holds no messages of its epoch.
func (v *view) rebuild(ctx context.Context, a *ResumeAnswer, k kept, budget int64) error {
	tail, err := v.tail(ctx, budget/2)
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
		if domain.Tokens(b.String())+domain.Tokens(item)+40 > budget/2 {
			break
		}
		b.WriteString(item + "\n")
	}
	if b.Len() > 0 {
		a.Messages = append(a.Messages, ContextMessage{At: k.newest(), Message: domain.Message{Role: domain.RoleSystem, Kind: domain.SummaryMessage, Content: strings.TrimSpace(b.String())}})
	}
	a.Messages = append(a.Messages, contextMessages(v.pack(tail, nil, budget/2))...)
	return nil
}

// section is contexts quoted below a name.
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

// remembered are the newest contexts of a kind in the session's project. They are
// handed back, and count as such.
func (v *view) remembered(ctx context.Context, kind domain.Kind, limit int) ([]domain.ContextSnapshot, error) {
	list, err := v.r.Contexts(ctx, domain.ContextQuery{Project: v.owner.Project, Kind: kind, Order: domain.Newest, Limit: limit})
	if err == nil {
		v.handed(list)
	}
	return list, err
}

// handed counts contexts as handed back, each once in an answer.
func (v *view) handed(list []domain.ContextSnapshot) {
	var fresh []domain.ContextSnapshot
	for _, c := range list {
		if !slices.Contains(v.counted, c.ID) {
			fresh, v.counted = append(fresh, c), append(v.counted, c.ID)
		}
	}
	v.s.touch(v.by, domain.Handed, fresh)
}

// tail is the messages of the last turns in force, whatever their epoch, newest
// first.
func (v *view) tail(ctx context.Context, budget int64) ([]session.Placed, error) {
	last, read := int64(-1), v.reading(budget)
	err := backwards(ctx, v.r, v.owner.ID, v.state.Spans(), messagePage, func(e domain.Event) bool {
		last = max(last, e.Turn)
		return e.Turn > last-rebuildTurns && read.take(e)
	}, domain.EventMessage)
	v.alerts = append(v.alerts, read.alerts...)
	return read.newestFirst, err
}
