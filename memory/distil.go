package memory

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"wake/distil"
	"wake/domain"
	"wake/recall"
	"wake/repository"
	"wake/transcript"
)

// Distil makes contexts of what was decided and learnt in a session, by rules; each
// names the session and event that it came from. A model may improve their summaries
// later. Their ids follow from their source, so nothing is stored twice and nothing
// forgotten comes back. Distil returns the number of new contexts.
func (s *Service) Distil(ctx context.Context, sessionID string) (int, error) {
	owner, err := s.Store.Session(ctx, sessionID)
	if err != nil {
		return 0, err
	}
	return s.distil(ctx, owner, distilling{safe: repository.Durable})
}

// distilling says how a session is distilled.
type distilling struct {
	by      Caller
	safe    repository.Durability
	midTurn bool // the last turn goes on, so what it has found so far may prove wrong: it is left out
}

func (s *Service) distil(ctx context.Context, owner domain.Session, how distilling) (int, error) {
	if !owner.DeletedAt.IsZero() {
		return 0, nil
	}
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventMessage, domain.EventFinding}})
	if err != nil {
		return 0, err
	}
	if events, err = s.inForce(ctx, owner, events); err != nil {
		return 0, err
	}
	if how.midTurn {
		events = slices.DeleteFunc(events, func(e domain.Event) bool { return e.Turn >= owner.Turn })
	}
	made := distil.Session(owner, events, distil.Cap)
	kept := alreadyKept{}
	if err := s.keptInSession(ctx, owner.ID, events, made.Contexts, kept); err != nil {
		return 0, err
	}
	if err := s.keptElsewhere(ctx, owner.Project, made.Contexts, kept); err != nil {
		return 0, err
	}
	kept.leaveOut(&made)
	im := &importing{s: s, req: ImportRequest{By: how.by, Format: "distilled", Project: owner.Project}}
	st := &importStep{importing: im, links: made.Links, safe: how.safe, ready: map[*domain.ContextSnapshot]readyContext{}}
	for i := range made.Contexts {
		c := &made.Contexts[i]
		c.SessionID, c.Kind = owner.ID, domain.Semantic
		st.contexts, st.ready[c] = append(st.contexts, c), im.makeReady(c)
	}
	if err := st.storeContexts(ctx); err != nil {
		return 0, err
	}
	if err := s.unsayPurged(ctx, owner.ID, made.Contexts); err != nil {
		return 0, err
	}
	return im.answer.Contexts.Taken, s.markDistilled(ctx, owner)
}

// unsayPurged erases contexts that quote events which were purged while they were
// being made. (Later purges find these contexts themselves.) It goes on after a
// failure, because nothing else would erase the others.
func (s *Service) unsayPurged(ctx context.Context, sessionID string, made []domain.ContextSnapshot) (all error) {
	for _, c := range made {
		with, _ := c.Metadata["distilled_with"].([]int64)
		for _, seq := range append([]int64{c.Seq}, with...) {
			e, err := eventAt(ctx, s.Store, sessionID, seq)
			if err == nil && e != nil && e.Erased {
				_, err = s.Purge(ctx, c.ID)
			}
			if domain.KindOf(err) != domain.KindNotFound {
				all = errors.Join(all, err)
			}
		}
	}
	return all
}

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

// keptInSession adds to kept what contexts of the session already say. One that an
// earlier wake distilled from the same event, in fewer words, stands in for it; those
// that the assistant saved do not, because they may say other things as well.
func (s *Service) keptInSession(ctx context.Context, sessionID string, events []domain.Event, made []domain.ContextSnapshot, kept alreadyKept) error {
	if len(made) == 0 {
		return nil
	}
	saved, err := s.savedIn(ctx, sessionID, events)
	if err != nil {
		return err
	}
	said := make([][]string, len(saved)) // analysed once for all: a client may be waiting
	for i, have := range saved {
		said[i] = termsOf(have)
	}
	for _, c := range made {
		own := distinct(recall.Analyze(c.Content))
		from, to := turnsAround(events, c.Seq)
		var soon []string // the words of what was saved soon
		for i, have := range saved {
			if from <= have.Seq && have.Seq <= to && !have.IsDistilled() && !slices.Contains(c.Tags, "reversal") {
				soon = append(soon, said[i]...)
			}
			switch {
			case have.ID == c.ID:
			case have.Seq == c.Seq && have.Content != "" && strings.Contains(c.Content, have.Content):
				kept[c.ID] = have.ID
			case covered(own, said[i]) >= saidAgain:
				kept[c.ID] = ""
			}
		}
		if covered(own, soon) >= saidSoon {
			kept[c.ID] = ""
		}
	}
	return nil
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

func (s *Service) markDistilled(ctx context.Context, owner domain.Session) error {
	return s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		return tx.PutCursor(ctx, domain.IngestCursor{Source: distilCursor(owner.ID), SessionID: owner.ID, Offset: owner.LastSeq, UpdatedAt: s.now()})
	})
}

// distilCursor names the cursor that records how far a session was distilled. A
// session that goes on is distilled again.
func distilCursor(sessionID string) string { return "distilled:" + sessionID }

// A server distils sessions that ended or have been quiet for a while, but not old
// ones.
const (
	distilQuiet = 30 * time.Minute
	distilPast  = 7 * 24 * time.Hour
	distilMost  = 20 // sessions in one round
)

// distilDue distils the sessions that ended or fell quiet since they were last
// distilled. It goes on after a session that fails.
func (s *Service) distilDue(ctx context.Context) error {
	if s.NoDistil {
		return nil
	}
	now := s.now()
	recent, err := s.Store.Sessions(ctx, domain.SessionQuery{Since: now.Add(-distilPast), Limit: 200})
	if err != nil {
		return err
	}
	done := 0
	for _, owner := range recent {
		if done == distilMost || ctx.Err() != nil {
			break
		}
		distilled, failed := s.distilOnce(ctx, owner, now)
		if err = errors.Join(err, failed); distilled {
			done++
		}
	}
	return err
}

// distilOnce distils a session if it is due, and reports whether it was.
func (s *Service) distilOnce(ctx context.Context, owner domain.Session, now time.Time) (bool, error) {
	if owner.Status == domain.SessionActive && now.Sub(owner.UpdatedAt) < distilQuiet {
		return false, nil
	}
	mark, err := s.Store.Cursor(ctx, distilCursor(owner.ID))
	if err != nil || mark.Offset >= owner.LastSeq {
		return false, err
	}
	_, err = s.Distil(ctx, owner.ID)
	return err == nil, err
}
