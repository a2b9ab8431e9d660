package memory

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"wake/distil"
	"wake/domain"
	"wake/recall"
	"wake/transcript"
)

// alreadyKept holds the ids of distilled contexts that are left out because others say
// the same, each with the id of the context that stands in for it, or "" for none.
type alreadyKept map[string]string

// A saved context says the same as a distilled one if it has the share saidAgain of its
// words. If it was saved in the turn that the distilled one is made from, or in the next,
// all that was saved there needs only saidSoon of them: a twin would live on when the
// saved context is superseded. A reversal is different, as it repeats what it takes back.
const (
	saidAgain = 0.7
	saidSoon  = 0.3
)

// leaveOutKept leaves out of what was made of a session what contexts already say.
func (s *Service) leaveOutKept(ctx context.Context, owner domain.Session, events []domain.Event, made *distil.Kept) error {
	if len(made.Contexts) == 0 {
		return nil
	}
	kept := alreadyKept{}
	if err := s.keptInSession(ctx, owner.ID, events, made.Contexts, kept); err != nil {
		return err
	}
	if err := s.keptElsewhere(ctx, owner.Project, made.Contexts, kept); err != nil {
		return err
	}
	kept.leaveOut(made)
	return nil
}

// keptInSession adds to kept what contexts of the session already say.
func (s *Service) keptInSession(ctx context.Context, sessionID string, events []domain.Event, made []domain.ContextSnapshot, kept alreadyKept) error {
	saved, err := s.savedIn(ctx, sessionID, events)
	if err != nil {
		return err
	}
	known := make([]keptText, len(saved)) // analysed once for all: a client may be waiting
	for i, c := range saved {
		known[i] = keptText{c, termsOf(c)}
	}
	gone, err := s.Store.Contexts(ctx, domain.ContextQuery{SessionID: sessionID, Forgotten: true, Order: domain.Newest, Limit: domain.MaxList, WithContent: true})
	if err != nil {
		return err
	}
	for _, c := range made {
		if by, out := alreadySaid(c, known, events); out {
			kept[c.ID] = by
		} else if slices.ContainsFunc(gone, func(have domain.ContextSnapshot) bool { return have.IsDistilled() && saysOf(have, c) }) {
			kept[c.ID] = ""
		}
	}
	return nil
}

// keptText is a context of a session, with its terms.
type keptText struct {
	domain.ContextSnapshot
	terms []string
}

// alreadySaid reports whether contexts of the session already say what a distilled one does,
// and which of them stands in for it. One that an earlier wake distilled from the same
// event, in fewer words or beside another question, does; those that the assistant saved do
// not, because they may say other things as well.
func alreadySaid(c domain.ContextSnapshot, known []keptText, events []domain.Event) (by string, said bool) {
	if slices.ContainsFunc(known, func(have keptText) bool { return have.ID == c.ID }) {
		return "", false // it is one of them, like another answer to its event
	}
	own := distinct(recall.Analyze(c.Content))
	from, to := turnsAround(events, c.Seq)
	var soon []string // the words of what was saved soon
	for _, have := range known {
		if from <= have.Seq && have.Seq <= to && !have.IsDistilled() {
			soon = append(soon, have.terms...)
		}
		switch {
		case saysOf(have.ContextSnapshot, c), foretells(have.ContextSnapshot, c):
			by, said = have.ID, true
		case covered(own, have.terms) >= saidAgain:
			by, said = "", true
		}
	}
	if !slices.Contains(c.Tags, "reversal") && covered(own, soon) >= saidSoon {
		return "", true
	}
	return by, said
}

// saysOf reports whether a context says of an event what another one does, in fewer words or
// beside a question, where the other one has another or none.
func saysOf(have, c domain.ContextSnapshot) bool {
	said := wordsOf(have)
	return have.Seq == c.Seq && have.Content != "" && have.ID != c.ID &&
		(strings.Contains(c.Content, have.Content) || said != have.Content && said == wordsOf(c))
}

// foretells reports whether a context was distilled of what an assistant said before a person
// decided nearly the same, which would have taken its place.
func foretells(have, c domain.ContextSnapshot) bool {
	return have.IsDistilled() && have.Origin == domain.FromAssistant && c.Origin == domain.FromUser && have.Seq < c.Seq && distil.Alike(wordsOf(have), wordsOf(c))
}

// wordsOf returns the content of a context without the question that it answers.
func wordsOf(c domain.ContextSnapshot) string {
	const answers = " → "
	if at := strings.LastIndex(c.Content, answers); at >= 0 {
		return c.Content[at+len(answers):]
	}
	return c.Content
}

// termsOf returns the terms of a context and of its reason.
func termsOf(c domain.ContextSnapshot) []string {
	terms := recall.Analyze(domain.Head(c.Content, relateBytes))
	if c.Causality != nil {
		terms = append(terms, recall.Analyze(domain.Head(c.Causality.Rationale, relateBytes))...)
	}
	return terms
}

// savedIn returns the contexts of a session, and those that the assistant saved in it
// according to its log. The latter are needed for an imported session, whose contexts no
// hook has joined to it.
func (s *Service) savedIn(ctx context.Context, sessionID string, events []domain.Event) ([]domain.ContextSnapshot, error) {
	saved, err := s.Store.Contexts(ctx, domain.ContextQuery{SessionID: sessionID, Order: domain.Newest, Limit: domain.MaxList, WithContent: true})
	if err != nil {
		return nil, err
	}
	at := map[string]int64{}
	for _, e := range events {
		if m, err := e.Message(); err == nil && m.Role == domain.RoleTool {
			at[transcript.HookTool{Name: m.ToolName, Response: m.Content, Failed: m.Error != ""}.SavedContext()] = e.Seq
		}
	}
	for _, c := range saved {
		delete(at, c.ID)
	}
	delete(at, "")
	for named := range slices.Chunk(slices.Sorted(maps.Keys(at)), domain.MaxList) {
		found, err := s.Store.Contexts(ctx, domain.ContextQuery{IDs: named, WithContent: true})
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			c.Seq = at[c.ID]
			saved = append(saved, c)
		}
	}
	return saved, nil
}

// turnsAround returns where the turn of an event begins and where the next one ends. An
// assistant saves in between what was decided.
func turnsAround(events []domain.Event, seq int64) (from, to int64) {
	i := slices.IndexFunc(events, func(e domain.Event) bool { return e.Seq == seq })
	if i < 0 {
		return seq, seq
	}
	turn := events[i].Turn
	for ; i > 0 && events[i-1].Turn == turn; i-- {
	}
	from = events[i].Seq
	for _, e := range events[i:] {
		if e.Turn > turn+1 {
			return from, e.Seq
		}
	}
	return from, math.MaxInt64
}

// keptElsewhere adds to kept what a context of the project already says, word for word:
// a fork begins with the messages of its origin.
func (s *Service) keptElsewhere(ctx context.Context, project string, made []domain.ContextSnapshot, kept alreadyKept) error {
	for _, c := range made {
		have, err := s.Store.ContextByHash(ctx, project, domain.HashText(c.Content))
		switch {
		case err == nil && have.ID != c.ID:
			kept[c.ID] = have.ID
		case err != nil && domain.KindOf(err) != domain.KindNotFound:
			return err
		}
	}
	return nil
}

// leaveOut drops the contexts that are already kept, and makes links to them point to
// those that stand in for them.
func (kept alreadyKept) leaveOut(made *distil.Kept) {
	isOut := func(id string) bool { _, out := kept[id]; return out }
	made.Contexts = slices.DeleteFunc(made.Contexts, func(c domain.ContextSnapshot) bool { return isOut(c.ID) })
	for _, c := range made.Contexts {
		if isOut(c.Causality.CausedBy) {
			c.Causality.CausedBy = kept[c.Causality.CausedBy]
		}
	}
	for i, l := range made.Links {
		if isOut(l.To) {
			made.Links[i].To = kept[l.To]
		}
	}
	made.Links = slices.DeleteFunc(made.Links, func(l domain.Link) bool { return isOut(l.From) || l.To == "" })
}

// covered is the share of terms that are also in others.
func covered(terms, others []string) float64 {
	return float64(common(terms, others)) / float64(max(1, len(terms)))
}
