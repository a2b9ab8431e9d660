package memory

import (
	"context"
	"strings"

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

// rebuild makes a working context of what was saved in the project and of the
// last turns of the log, for a session whose log holds no messages of its epoch.
func (v *view) rebuild(ctx context.Context, a *ResumeAnswer, budget int64) error {
	episodic, err := v.remembered(ctx, domain.Episodic, rebuildEpisodic)
	if err != nil {
		return err
	}
	semantic, err := v.remembered(ctx, domain.Semantic, rebuildSemantic)
	if err != nil {
		return err
	}
	tail, err := v.tail(ctx, budget/2)
	if err != nil {
		return err
	}
	var items []string
	if len(episodic)+len(semantic) > 0 {
		items = append(items, QuoteNotice)
	}
	items = append(items, section("[MEMORY:EPISODIC]", episodic)...)
	items = append(items, section("[MEMORY:SEMANTIC]", semantic)...)
	var b strings.Builder
	for _, item := range items {
		if session.Tokens(b.String())+session.Tokens(item)+40 > budget/2 {
			break
		}
		b.WriteString(item + "\n")
	}
	if b.Len() > 0 {
		a.Messages = append(a.Messages, ContextMessage{Message: domain.Message{Role: domain.RoleSystem, Kind: domain.SummaryMessage, Content: strings.TrimSpace(b.String())}})
	}
	a.Messages = append(a.Messages, contextMessages(v.pack(tail, nil, budget/2))...)
	return nil
}

func section(name string, items []string) []string {
	if len(items) == 0 {
		return nil
	}
	return append([]string{name}, items...)
}

// remembered are the newest contexts of a kind in the session's project, quoted.
func (v *view) remembered(ctx context.Context, kind domain.Kind, limit int) ([]string, error) {
	list, err := v.r.Contexts(ctx, domain.ContextQuery{Project: v.owner.Project, Kind: kind, Order: domain.Newest, Limit: limit})
	if err != nil {
		return nil, err
	}
	v.s.touch(v.by, domain.Handed, list)
	var out []string
	for _, c := range list {
		out = append(out, Quote(c.ID, c.Origin, c.SavedAt, session.OneLine(c.Summary, rebuildItemChars)))
	}
	return out, nil
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
