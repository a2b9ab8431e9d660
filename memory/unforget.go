package memory

import (
	"context"
	"slices"

	"wake/domain"
	"wake/repository"
)

// unforget brings forgotten contexts back, the named ones or all of a project, and
// their causes.
func (s *Service) unforget(ctx context.Context, req ForgetRequest) (ForgetAnswer, error) {
	a := ForgetAnswer{DryRun: req.DryRun, Forgotten: []ForgetItem{}, Protected: []ForgetItem{}}
	var back []domain.ContextSnapshot
	err := s.inTurn(ctx, req.DryRun, func(r repository.Reader, tx repository.Tx) error {
		forgotten, err := r.Contexts(ctx, domain.ContextQuery{Forgotten: true, Order: domain.Newest})
		if err != nil {
			return err
		}
		back, a.Restored = comingBack(forgotten, s.askedBack(req))
		if len(back) == 0 {
			return nothingBack(req)
		}
		if err := sayWhichStayed(ctx, r, missing(distinct(req.IDs), back), &a); err != nil {
			return err
		}
		if tx == nil {
			return nil
		}
		return s.restore(ctx, tx, req.By, back)
	})
	if err == nil && !req.DryRun {
		s.changes.tell(ContextChanged, back)
	}
	return a, err
}

// sayWhichStayed tells in the answer which of the ids asked back are unknown, and which
// were never forgotten.
func sayWhichStayed(ctx context.Context, r repository.Reader, ids []string, a *ForgetAnswer) error {
	there, err := r.ContextsByID(ctx, ids, false)
	a.Missing = missing(ids, there)
	if len(there) > 0 {
		a.Notes = append(a.Notes, "not forgotten, so there is nothing to bring back of "+quoteList(idsOf(there)))
	}
	return err
}

func nothingBack(req ForgetRequest) error {
	if len(req.IDs) == 0 {
		return domain.NotFound("nothing to bring back: nothing was forgotten here in the last 30 days")
	}
	return domain.NotFound("nothing to bring back: it was never forgotten, or more than 30 days ago")
}

// askedBack returns a test of whether the request asks to bring a context back.
func (s *Service) askedBack(req ForgetRequest) func(domain.ContextSnapshot) bool {
	if len(req.IDs) > 0 {
		return func(c domain.ContextSnapshot) bool { return slices.Contains(req.IDs, c.ID) }
	}
	project := s.readProject(req.Project)
	return func(c domain.ContextSnapshot) bool { return project == "" || c.Project == project }
}

// comingBack returns the forgotten contexts that are asked for, followed by their
// causes, since what is kept keeps its causes.
func comingBack(forgotten []domain.ContextSnapshot, asked func(domain.ContextSnapshot) bool) (back []domain.ContextSnapshot, items []ForgetItem) {
	left := map[string]domain.ContextSnapshot{}
	for _, c := range forgotten {
		if asked(c) {
			back, items = append(back, c), append(items, forgetItem(c, ""))
			continue
		}
		left[c.ID] = c
	}
	for i := 0; i < len(back); i++ {
		if back[i].Causality == nil {
			continue
		}
		if cause, ok := left[back[i].Causality.CausedBy]; ok {
			delete(left, cause.ID)
			back, items = append(back, cause), append(items, forgetItem(cause, "cause of "+back[i].ID))
		}
	}
	return back, items
}

// restore brings contexts back and records it in the access log, so that prediction
// learns of it.
func (s *Service) restore(ctx context.Context, tx repository.Tx, by Caller, gone []domain.ContextSnapshot) error {
	for _, c := range gone {
		if err := tx.RestoreContext(ctx, c.ID); err != nil {
			return err
		}
	}
	return tx.RecordAccesses(ctx, accessesOf(by, domain.Back, gone, s.now()))
}
