package memory

import (
	"context"

	"wake/domain"
	"wake/repository"
)

// storeContexts commits the waiting contexts with their links. An unknown id in
// them stays as a lost parent: the past is taken as it was told.
func (im *importing) storeContexts(ctx context.Context) error {
	if len(im.contexts)+len(im.links)+len(im.accesses)+len(im.outcomes) == 0 {
		return nil
	}
	before := im.answer
	err := im.s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		im.answer = before // a transaction may be tried again
		links := im.links
		for i := range im.contexts {
			fresh, err := im.storeContext(ctx, tx, &im.contexts[i])
			if err != nil {
				return err
			}
			if fresh {
				links = append(links, ownLinks(im.contexts[i])...)
			}
		}
		if err := im.storeLinks(ctx, tx, links); err != nil {
			return err
		}
		if err := tx.RecordAccesses(ctx, im.accesses); err != nil {
			return err
		}
		im.answer.Others.Taken += len(im.accesses) + len(im.outcomes)
		return tx.RecordPredictions(ctx, im.outcomes)
	})
	im.contexts, im.links, im.accesses, im.outcomes = nil, nil, nil, nil
	return err
}

// storeContext inserts one context unless it is there, and reports whether it is
// new.
func (im *importing) storeContext(ctx context.Context, tx repository.Tx, c *domain.ContextSnapshot) (bool, error) {
	known, err := tx.ContextsByID(ctx, []string{c.ID}, false)
	if err != nil {
		return false, err
	}
	if len(known) > 0 {
		im.answer.Contexts.Known++
		return false, nil
	}
	if why := im.complete(c); why != nil {
		im.answer.Skipped++
		im.answer.Notes = append(im.answer.Notes, "a context was left out: "+why.Error())
		return false, nil
	}
	err = tx.InsertContext(ctx, c, domain.Document{})
	if domain.KindOf(err) == domain.KindConflict { // forgotten here, or purged: it stays so
		im.answer.Contexts.Known++
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := im.s.indexContext(ctx, tx, c); err != nil {
		return false, err
	}
	im.answer.Contexts.Taken++
	return true, im.s.queueSummary(ctx, tx, c)
}

// complete gives an imported context what its source did not have.
func (im *importing) complete(c *domain.ContextSnapshot) error {
	if err := domain.CheckText("content", c.Content, domain.MaxContent); err != nil {
		return err
	}
	now := im.s.now()
	c.Project = orElse(im.req.Project, orElse(c.Project, im.s.DefaultProject))
	if err := domain.CheckName("project", c.Project); err != nil {
		return err
	}
	c.Source, c.Origin = orElse(c.Source, string(im.req.Format)), orElse(c.Origin, domain.FromImport)
	if c.SavedAt.IsZero() {
		c.SavedAt = now
	}
	if c.Timestamp.IsZero() || c.Timestamp.After(now.Add(domain.MaxLead)) {
		c.Timestamp = now
	}
	c.Timestamp = domain.Moment(c.Timestamp)
	c.ContentHash = contentHash(c.Content)
	if c.Causality != nil && c.Causality.ActionType == "" {
		c.Causality.ActionType = domain.Conversation
	}
	c.Kind = orElse(c.Kind, kindOf(c))
	c.Memory.Tier = im.s.Windows.Of(c.Touched(), now)
	if c.SummaryBy == "" || c.Summary == "" {
		im.s.summarize(c, SaveRequest{Summary: c.Summary, Tags: c.Tags})
	}
	return nil
}

func kindOf(c *domain.ContextSnapshot) domain.Kind {
	if c.Causality == nil {
		return domain.KindFor("", c.Pinned)
	}
	return domain.KindFor(c.Causality.ActionType, c.Pinned)
}

// ownLinks are the links that a context names in itself.
func ownLinks(c domain.ContextSnapshot) []domain.Link {
	if c.Causality == nil {
		return nil
	}
	var links []domain.Link
	draw := func(to string, kind domain.LinkKind) {
		links = append(links, domain.Link{From: c.ID, To: to, Kind: kind, Origin: domain.Explicit, Confidence: 1, AddedAt: c.SavedAt})
	}
	if c.Causality.CausedBy != "" {
		draw(c.Causality.CausedBy, domain.Cause)
	}
	for _, id := range c.Causality.Dependencies {
		draw(id, domain.Dependency)
	}
	return links
}

// storeLinks draws the links that are not there yet.
func (im *importing) storeLinks(ctx context.Context, tx repository.Tx, links []domain.Link) error {
	for _, l := range links {
		there, err := tx.Links(ctx, []string{l.From}, l.RemovedAt)
		if err != nil {
			return err
		}
		if holds(there, l) {
			im.answer.Links.Known++
			continue
		}
		if l.AddedAt.IsZero() {
			l.AddedAt = im.s.now()
		}
		if err := tx.AddLinks(ctx, []domain.Link{l}); err != nil {
			return err
		}
		im.answer.Links.Taken++
		if l.RemovedAt.IsZero() {
			continue
		}
		if err := tx.RemoveLinks(ctx, []domain.Link{l}, l.RemovedAt); err != nil {
			return err
		}
	}
	return nil
}

func holds(links []domain.Link, l domain.Link) bool {
	for _, have := range links {
		if have.From == l.From && have.To == l.To && have.Kind == l.Kind {
			return true
		}
	}
	return false
}
