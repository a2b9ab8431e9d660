package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"wake/domain"
	"wake/repository"
	"wake/secret"
	"wake/session"
	"wake/transcript"
)

// How much a brief looks at. Its budget decides how much of that it tells.
const (
	BriefLikely    = 5 // predictions, most likely first
	briefDecisions = 5
	briefShare     = 3   // one part in so many of the room is kept for decisions
	briefLasting   = 600 // characters at most for what was noted for every session
)

// Brief tells, in at most budget characters, what matters in a project now: what was noted
// for every session, where its last one stands, what will probably be needed next,
// and the latest decisions. It returns "" for an empty project. The contexts in it count
// as handed out.
func (s *Service) Brief(ctx context.Context, by Caller, project string, budget int) (string, error) {
	likely, err := s.loadList(ctx, LoadRequest{By: by, Project: project, Mode: ModeLikely, Limit: BriefLikely})
	if err != nil {
		return "", err
	}
	last, err := s.lastSession(ctx, by, project)
	if err != nil {
		return "", err
	}
	decided, err := s.decided(ctx, project)
	if err != nil {
		return "", err
	}
	noted, err := lasting(ctx, s.Store, s.readProject(project))
	if err != nil {
		return "", err
	}
	told := newTelling(budget, fmt.Sprintf("wake remembers %s. %s", s.Scope(project), QuoteNotice),
		"More: search_context with a question, causal_chain with an id for the why.")
	for i := range noted {
		noted[i].Causality = nil // it holds without its reason, and there is little room
	}
	told.within(briefLasting, "Noted for every session:", noted)
	if last != "" {
		told.item("Last session here; resume with its id tells the rest:", last)
	}
	told.within(told.left-told.left/briefShare, "Probably needed next:", likely.Contexts)
	told.section("Latest decisions:", decided)
	told.section("Perhaps needed, too:", likely.Contexts) // if the decisions left room
	s.touch(by, domain.Handed, told.contexts)
	return told.String(), s.markTold(ctx, by.SessionID, told.contexts)
}

// At most mostLasting contexts are told as noted for every session. Preferences are those
// with the tag that distilling gives them, and models as well.
const (
	mostLasting   = 10
	preferenceTag = "preference"
)

// lasting returns what the user asked for once and for all: pinned contexts, then noted
// preferences, as far as they still hold. The oldest come first, as the newest are among
// the latest anyway.
func lasting(ctx context.Context, r repository.Reader, project string) ([]domain.ContextSnapshot, error) {
	pinned, err := r.Contexts(ctx, domain.ContextQuery{Project: project, Pinned: true, Order: domain.Oldest, Limit: mostLasting})
	if err != nil {
		return nil, err
	}
	preferred, err := r.Contexts(ctx, domain.ContextQuery{Project: project, Filters: domain.Filters{Tags: []string{preferenceTag}},
		Order: domain.Oldest, Limit: mostLasting})
	preferred = slices.DeleteFunc(preferred, func(c domain.ContextSnapshot) bool { return c.Pinned })
	list := slices.DeleteFunc(append(pinned, preferred...), replaced)
	return list[:min(mostLasting, len(list))], err
}

// LatestDecisions returns the newest decisions of a project that still hold. They
// count as handed out.
func (s *Service) LatestDecisions(ctx context.Context, by Caller, project string) ([]domain.ContextSnapshot, error) {
	decided, err := s.decided(ctx, project)
	s.touch(by, domain.Handed, decided)
	return decided, err
}

// decided returns the newest decisions that still hold. Of these, what somebody saved
// comes before what was distilled, of which about a third says little or is wrong
// (bench/distil.md).
func (s *Service) decided(ctx context.Context, project string) ([]domain.ContextSnapshot, error) {
	list, err := s.loadList(ctx, LoadRequest{Project: project, Limit: 2 * briefDecisions,
		Filter: Filter{ActionTypes: []domain.ActionType{domain.Decision}}})
	if err != nil {
		return nil, err
	}
	var saved, distilled []domain.ContextSnapshot
	for _, c := range list.Contexts {
		switch {
		case replaced(c):
		case c.IsDistilled():
			distilled = append(distilled, c)
		default:
			saved = append(saved, c)
		}
	}
	hold := append(saved, distilled...)
	return hold[:min(briefDecisions, len(hold))], nil
}

// replaced reports whether a later context superseded this one.
func replaced(c domain.ContextSnapshot) bool { return c.SupersededBy != "" }

// lastSession quotes the project's latest session with a human message, other than the
// caller's own. It returns "" if there is none.
func (s *Service) lastSession(ctx context.Context, by Caller, project string) (string, error) {
	recent, err := s.ownFirst(ctx, s.Store, domain.SessionQuery{Project: s.readProject(project), Limit: 20})
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(recent, func(o domain.Session) bool { return o.ID != by.SessionID && o.ParentID == "" && o.HumanMsgs > 0 })
	if i < 0 {
		return "", nil
	}
	owner := recent[i]
	said, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Human: true, Backward: true, Limit: 10})
	if err == nil {
		said, err = s.inForce(ctx, owner, said)
	}
	if err != nil || len(said) == 0 {
		return "", err
	}
	m, err := said[0].Message()
	if err != nil || said[0].Erased {
		return "", nil // it is no longer readable
	}
	const length = 200
	// Secrets are masked before the text is cut. It is put on one line first:
	// PlainText would write out form feeds.
	text := session.BothEnds(PlainText(strings.Join(strings.Fields(session.Request(transcript.Typed(owner.Client, m.Content))), " ")), length)
	if title := owner.Title; title != "" && title != session.TitleOf(m.Content) {
		text = session.OneLine(PlainText(title), length/2) + "\nthe user's last message: " + text
	}
	return QuotePlain(owner.ID, domain.FromUser, owner.UpdatedAt, session.Ago(s.now().Sub(owner.UpdatedAt))+s.whose(owner)+": "+text), nil
}

// telling is a text being written within a budget of characters.
type telling struct {
	b    strings.Builder
	left int
	end  string
	told bool            // whether an item was written
	ids  map[string]bool // of the contexts written so far
	said []string        // their texts

	contexts []domain.ContextSnapshot // the contexts written so far, in order
}

func newTelling(budget int, head, end string) *telling {
	t := &telling{left: budget - utf8.RuneCountInString(end), end: end, ids: map[string]bool{}}
	t.line(head)
	return t
}

// line writes a line if it fits and reports whether it did.
func (t *telling) line(text string) bool {
	n := utf8.RuneCountInString(text) + 1
	if n > t.left {
		return false
	}
	t.left -= n
	t.b.WriteString(text + "\n")
	return true
}

// within is section with at most `most` characters of the room.
func (t *telling) within(most int, heading string, contexts []domain.ContextSnapshot) {
	rest := max(t.left-most, 0)
	t.left -= rest
	t.section(heading, contexts)
	t.left += rest
}

// section writes the contexts that fit under a heading, if need be without their
// reasons, skipping those written before.
func (t *telling) section(heading string, contexts []domain.ContextSnapshot) {
	for _, c := range contexts {
		text, why := inBrief(c)
		switch {
		case t.ids[c.ID]:
			continue
		case why == "" && t.says(text):
		case t.item(heading, quoteContext(c, text+why)), t.item(heading, quoteContext(c, text)):
			heading = ""
			t.said = append(t.said, text)
		default:
			continue
		}
		t.ids[c.ID], t.contexts = true, append(t.contexts, c)
	}
}

// says reports whether a context written before has all of the text: a fix repeats its cause.
func (t *telling) says(text string) bool {
	return slices.ContainsFunc(t.said, func(s string) bool { return strings.Contains(s, text) })
}

// item writes a quoted item, under the heading unless that is "", if both fit.
func (t *telling) item(heading, text string) bool {
	if heading != "" {
		text = heading + "\n" + text
	}
	fits := t.line(text)
	t.told = t.told || fits
	return fits
}

// inBrief puts a context into a line, and its reason into another, which may be "".
func inBrief(c domain.ContextSnapshot) (text, why string) {
	const length = 300
	text = domain.Clip(c.Summary, length)
	if why = whyBesides(c, text); why != "" {
		why = "\nwhy: " + domain.Clip(secret.Mask(why), length) // masked first: half of a secret is not recognized
	}
	return text, why
}

// whyBesides returns the reason of a context. That of a distilled one is often part of
// its text, and is not told again.
func whyBesides(c domain.ContextSnapshot, text string) string {
	if c.Causality == nil || strings.Contains(text, c.Causality.Rationale) {
		return ""
	}
	return c.Causality.Rationale
}

// String returns "" if no item was written.
func (t *telling) String() string {
	if !t.told {
		return ""
	}
	return t.b.String() + t.end
}
