package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/tiers"
)

// forgetAtOnce is how many expired contexts one call forgets by default (002-08).
const forgetAtOnce = 100

// Forget hides contexts on request, except protected ones. For 30 days this can be
// undone; then the clean-up erases them and frees their space. With DryRun it only
// reports what would be forgotten.
func (s *Service) Forget(ctx context.Context, req ForgetRequest) (ForgetAnswer, error) {
	switch {
	case len(req.IDs) == 0 && !req.Expired && !req.Undo:
		return ForgetAnswer{}, domain.Invalid("say what to forget: ids, or a project with expired: true, or a session_id")
	case len(req.IDs) > 0 && req.Expired:
		return ForgetAnswer{}, domain.Invalid("ids and expired are two ways to forget; use one at a time")
	}
	var err error
	if req.IDs, err = s.contextIDs(ctx, req.IDs); err != nil {
		return ForgetAnswer{}, err
	}
	if req.Undo {
		return s.unforget(ctx, req)
	}
	s.flush() // what was shown just now is protected too
	w := forgetting{s: s, req: req, ids: distinct(req.IDs), answer: ForgetAnswer{DryRun: req.DryRun, Forgotten: []ForgetItem{}, Protected: []ForgetItem{}}}
	if req.Expired {
		if w.ids, err = s.expired(ctx, req, &w.answer); err != nil {
			return w.answer, err
		}
	}
	err = s.inTurn(ctx, req.DryRun, func(r repository.Reader, tx repository.Tx) error { return w.run(ctx, r, tx) })
	if err != nil {
		return w.answer, err
	}
	if !req.DryRun {
		s.changes.tell(ContextGone, w.going)
	}
	if len(req.IDs) > 0 {
		if err := w.noteAlike(ctx); err != nil {
			s.Log.Info("what says the same was not looked for", "error", err)
		}
	}
	return w.answer, nil
}

// forgetting is one call of [Service.Forget].
type forgetting struct {
	s      *Service
	req    ForgetRequest
	ids    []string // of the contexts to forget
	going  []domain.ContextSnapshot
	answer ForgetAnswer
}

// run separates what may go from what must stay. In a transaction it also hides the
// former.
func (w *forgetting) run(ctx context.Context, r repository.Reader, tx repository.Tx) error {
	asked, err := r.ContextsByID(ctx, w.ids, false)
	if err != nil {
		return err
	}
	named := len(w.req.IDs) > 0
	if named {
		w.answer.Missing = missing(w.ids, asked)
		if len(asked) == 0 {
			return noContext(ctx, r, w.answer.Missing)
		}
	}
	candidates, err := candidatesOf(ctx, r, asked, named)
	if err != nil {
		return err
	}
	may, stay := parted(candidates, w.s.now())
	w.answer.Protected = append(w.answer.Protected, stay...)
	for _, c := range may {
		w.going, w.answer.Forgotten = append(w.going, c.Context), append(w.answer.Forgotten, forgetItem(c.Context, ""))
	}
	if tx == nil || len(w.going) == 0 {
		return nil
	}
	w.answer.UndoUntil = w.s.now().Add(domain.UndoWindow)
	if err := tx.RecordAccesses(ctx, accessesOf(w.req.By, domain.Gone, w.going, w.s.now())); err != nil {
		return err
	}
	return tx.ForgetContexts(ctx, idsOf(w.going), w.s.now())
}

// inTurn runs fn without a transaction in a dry run, else in a durable one.
func (s *Service) inTurn(ctx context.Context, dry bool, fn func(repository.Reader, repository.Tx) error) error {
	if dry {
		return fn(s.Store, nil)
	}
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return fn(tx, tx) })
}

// candidatesOf collects what may protect the contexts.
func candidatesOf(ctx context.Context, r repository.Reader, asked []domain.ContextSnapshot, named bool) ([]tiers.Candidate, error) {
	ids := idsOf(asked)
	seen, err := r.LastSeen(ctx, ids)
	if err != nil {
		return nil, err
	}
	effects, err := effectsOf(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	list := make([]tiers.Candidate, len(asked))
	for i, c := range asked {
		list[i] = tiers.Candidate{Context: c, CauseOf: effects[c.ID], LastSeen: seen[c.ID], Named: named}
	}
	return list, nil
}

// expired returns the project's expired contexts that may go, those longest untouched
// first, at most as many as one call forgets. Protected ones are skipped and reported
// in the answer; otherwise they could fill every call, and nothing after them would
// ever go.
func (s *Service) expired(ctx context.Context, req ForgetRequest, a *ForgetAnswer) ([]string, error) {
	project, err := s.writeProject(req.Project)
	if err != nil {
		return nil, err
	}
	limit, err := bounded("limit", req.Limit, forgetAtOnce, 10_000)
	if err != nil {
		return nil, err
	}
	a.Notes = append(a.Notes, s.NoteUnknown(ctx, req.Project)...)
	q := domain.ContextQuery{Project: project, Order: domain.LeastRecent, Limit: limit + 1, // one more tells that there are more
		Filters: domain.Filters{Touched: []domain.Span{s.Windows.Spans(s.now())[domain.TierExpired]}}}
	for {
		asked, err := s.Store.Contexts(ctx, q)
		if err != nil {
			return nil, err
		}
		candidates, err := candidatesOf(ctx, s.Store, asked, false)
		if err != nil {
			return nil, err
		}
		going, stay := parted(candidates, s.now())
		if len(going) <= limit && len(asked) == q.Limit {
			q.Limit *= 4
			continue
		}
		list := atOnce(going, limit, s.now())
		if len(going) > len(list) {
			a.Notes = append(a.Notes, fmt.Sprintf("one call forgets at most %d expired contexts, longest untouched first; more of them may go, so repeat it afterwards", limit))
		}
		a.protect(stay, limit)
		return idsOf(list), nil
	}
}

// protect reports why contexts stay, for the first most of them.
func (a *ForgetAnswer) protect(stay []ForgetItem, most int) {
	if n := len(stay) - most; n > 0 {
		a.Notes = append(a.Notes, domain.Many(n, "more context")+" that expired must stay too")
		stay = stay[:most]
	}
	a.Protected = append(a.Protected, stay...)
}

// parted separates the candidates that may go from those that must stay.
func parted(candidates []tiers.Candidate, now time.Time) (going []tiers.Candidate, stay []ForgetItem) {
	why := tiers.Protections(candidates, now)
	for i, c := range candidates {
		if why[i] == "" {
			going = append(going, c)
		} else {
			stay = append(stay, forgetItem(c.Context, why[i]))
		}
	}
	return going, stay
}

// atOnce takes the first of the candidates that may go, at most most of them. If all
// of these are causes of later candidates, it takes the last ones instead.
func atOnce(going []tiers.Candidate, most int, now time.Time) (list []domain.ContextSnapshot) {
	most = min(most, len(going))
	first, _ := parted(going[:most], now)
	if len(first) == 0 {
		first, _ = parted(going[len(going)-most:], now)
	}
	for _, c := range first {
		list = append(list, c.Context)
	}
	return list
}

// effectsOf maps each id to the contexts that name it as their cause, without
// forgotten ones.
func effectsOf(ctx context.Context, r repository.Reader, ids []string) (map[string][]string, error) {
	links, err := r.Links(ctx, ids, time.Time{})
	if err != nil {
		return nil, err
	}
	links = slices.DeleteFunc(links, func(l domain.Link) bool { return l.Kind != domain.Cause })
	from := distinct(each(links, func(l domain.Link) string { return l.From }))
	there, err := r.ContextsByID(ctx, from, false)
	if err != nil {
		return nil, err
	}
	kept := idsOf(there)
	slices.Sort(kept)
	effects := map[string][]string{}
	for _, l := range links {
		if _, ok := slices.BinarySearch(kept, l.From); ok {
			effects[l.To] = append(effects[l.To], l.From)
		}
	}
	return effects, nil
}

func forgetItem(c domain.ContextSnapshot, why string) ForgetItem {
	return ForgetItem{ID: c.ID, Summary: c.Summary, Timestamp: c.Timestamp, Why: why, Origin: c.Origin, SavedAt: c.SavedAt}
}
