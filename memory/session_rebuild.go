package memory

import (
	"context"
	"slices"
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

// tail is the messages of the last turns of the log, whatever their epoch, newest
// first.
func (v *view) tail(ctx context.Context, budget int64) ([]session.Placed, error) {
	var out []session.Placed
	q := domain.EventQuery{SessionID: v.owner.ID, Backward: true, Limit: messagePage, Types: []domain.EventType{domain.EventMessage}}
	events, err := v.r.Events(ctx, q)
	if err != nil {
		return nil, err
	}
	events = slices.DeleteFunc(events, func(e domain.Event) bool { return e.Turn+rebuildTurns <= v.owner.Turn })
	for _, e := range events {
		m, alert := placed(e)
		if alert != nil {
			v.alerts = append(v.alerts, *alert)
		}
		if m == nil {
			continue
		}
		if budget -= session.Weight(*m); budget < 0 {
			break
		}
		out = append(out, *m)
	}
	return out, nil
}
