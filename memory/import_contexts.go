package memory

import (
	"context"
	"slices"
	"time"

	"wake/domain"
	"wake/recall"
	"wake/repository"
	"wake/transcript"
)

// storeContexts commits the queued contexts with their links. A link to an unknown id
// is kept, as a lost parent.
func (st *importStep) storeContexts(ctx context.Context) error {
	if len(st.contexts)+len(st.links)+len(st.accesses)+len(st.outcomes)+len(st.erased)+len(st.distant) == 0 {
		return nil
	}
	return st.s.Store.Write(ctx, st.safe, func(tx repository.Tx) error {
		links, err := st.storeEach(ctx, tx)
		if err != nil {
			return err
		}
		if err := st.storeLinks(ctx, tx, links); err != nil {
			return err
		}
		return st.storeUse(ctx, tx)
	})
}

// storeEach stores the contexts and returns the links that are still to be added.
func (st *importStep) storeEach(ctx context.Context, tx repository.Tx) ([]domain.Link, error) {
	var ids []string
	for _, c := range st.contexts {
		ids = append(ids, c.ID)
		if c.SupersededBy != "" {
			ids = append(ids, c.SupersededBy)
		}
	}
	gone, err := erasedAmong(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	w := &contextStep{importStep: st, tx: tx, gone: gone, adopted: map[string]bool{}, awaited: map[string][]transcript.Distant{}, lost: map[string][]int64{}}
	if st.req.Format == transcript.Wake {
		err = w.adoptAll(ctx)
	} else {
		err = w.storeAll(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, l := range st.links {
		if !w.adopted[l.From] && !w.leftOut[l.From] && !w.leftOut[l.To] {
			w.left = append(w.left, l)
		}
	}
	return w.left, nil
}

// storeAll stores contexts of another product.
func (w *contextStep) storeAll(ctx context.Context) error {
	for _, c := range w.contexts {
		if err := w.store(ctx, c); err != nil {
			return err
		}
	}
	return w.storeDistant(ctx)
}

// contextStep stores the contexts of one step.
type contextStep struct {
	*importStep
	tx      repository.Tx
	gone    map[string]bool                 // erased for good: they do not come back
	adopted map[string]bool                 // stored together with their links
	claimed bool                            // the project of contexts that name none has been claimed
	left    []domain.Link                   // to be added after the contexts
	awaited map[string][]transcript.Distant // links to memories that have not been read, by these
	lost    map[string][]int64              // events that were purged here, by session, of those looked at
}

// store inserts one context, unless it is known, or was erased or forgotten here.
func (w *contextStep) store(ctx context.Context, c *domain.ContextSnapshot) error {
	known, err := w.tx.ContextsByID(ctx, []string{c.ID}, false)
	if err != nil {
		return err
	}
	if w.gone[c.ID] {
		w.answer.Contexts.Known++
		return nil
	}
	if len(known) > 0 {
		w.answer.Contexts.Known++
		if err := w.setBack(ctx, c, known[0]); err != nil {
			return err
		}
		return w.setAgain(ctx, c, known[0])
	}
	if !w.sound(c) {
		return nil
	}
	if deleted, err := w.deletedElsewhere(ctx, c); deleted || err != nil {
		w.leftOut[c.ID] = deleted
		return err
	}
	if err := w.claim(ctx, c.Project); err != nil {
		return err
	}
	err = w.insert(ctx, c)
	if domain.KindOf(err) == domain.KindConflict {
		w.answer.Contexts.Known++
		return w.bringBack(ctx, c)
	}
	if err == nil {
		w.took(c)
	}
	return err
}

// erasedAmong returns those of ids that were erased here for good.
func erasedAmong(ctx context.Context, tx repository.Tx, ids []string) (map[string]bool, error) {
	erased, err := tx.ErasedContexts(ctx, ids)
	gone := make(map[string]bool, len(erased))
	for _, id := range erased {
		gone[id] = true
	}
	return gone, err
}

// claim registers the folder of contexts that name no project for its name, as a save
// does.
func (w *contextStep) claim(ctx context.Context, project string) error {
	if w.claimed || project != w.project {
		return nil
	}
	w.claimed = true
	return w.folder.claim(ctx, w.tx, project, w.s.now())
}

// took counts a new context.
func (w *contextStep) took(c *domain.ContextSnapshot) {
	w.answer.Contexts.Taken++
	w.answer.share(c.Project).Contexts++
}

// sound reports whether a context can be stored. If not, the answer says why.
func (w *contextStep) sound(c *domain.ContextSnapshot) bool {
	why := w.ready[c].wrong
	if why != nil {
		w.answer.Skipped++
		w.answer.Notes = append(w.answer.Notes, "a context was left out: "+why.Error())
	}
	return why == nil
}

// adoptAll stores contexts exactly as another wake stored them, with their histories,
// unless they are known, or were erased or forgotten here.
func (w *contextStep) adoptAll(ctx context.Context) error {
	var list []*domain.ContextSnapshot
	links := linksFrom(w.links)
	for _, c := range w.contexts {
		purged, err := w.quotesPurged(ctx, c)
		if err != nil {
			return err
		}
		if w.leftOut[c.ID] = purged; purged || w.gone[c.ID] {
			w.answer.Contexts.Known++
		} else if w.sound(c) {
			if w.gone[c.SupersededBy] {
				c.SupersededBy, c.SupersededAt = "", time.Time{}
			}
			list = append(list, c)
			past := w.history[c.ID]
			past.Links = links[c.ID]
			w.history[c.ID] = past
		}
	}
	if err := w.tx.AdoptContexts(ctx, list, w.history); err != nil {
		return err
	}
	fresh := list[:0]
	for _, c := range list {
		if c.N == 0 { // known here, or forgotten
			w.answer.Contexts.Known++
			continue
		}
		w.took(c)
		w.answer.Links.Taken += len(links[c.ID])
		w.adopted[c.ID] = true
		fresh = append(fresh, c)
	}
	return w.followAdopted(ctx, fresh)
}

// quotesPurged reports whether another wake distilled a context from what was purged here.
func (w *contextStep) quotesPurged(ctx context.Context, c *domain.ContextSnapshot) (bool, error) {
	if !c.IsDistilled() {
		return false, nil
	}
	purged, known := w.lost[c.SessionID]
	if !known {
		owner, err := w.tx.Session(ctx, c.SessionID)
		if err != nil && domain.KindOf(err) != domain.KindNotFound {
			return false, err
		}
		purged = owner.Purged
		w.lost[c.SessionID] = purged
	}
	return slices.ContainsFunc(c.DistilledFrom(), func(seq int64) bool { return slices.Contains(purged, seq) }), nil
}

// followAdopted makes the new contexts searchable and queues the model's work on them.
func (w *contextStep) followAdopted(ctx context.Context, fresh []*domain.ContextSnapshot) error {
	documents := make([]*recall.Document, len(fresh))
	for i, c := range fresh {
		documents[i] = w.ready[c].document
	}
	if err := indexContexts(ctx, w.tx, fresh, documents); err != nil {
		return err
	}
	for _, c := range fresh {
		var err error
		switch {
		case !c.DeletedAt.IsZero():
			err = w.tx.HideDocuments(ctx, domain.DocumentSource{ContextN: c.N}, true)
		case !w.s.polished(c, w.history[c.ID].Embeddings):
			err = w.s.queueSummary(ctx, w.tx, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// polished reports whether the models have already done their work on a context.
func (s *Service) polished(c *domain.ContextSnapshot, vectors []domain.Embedding) bool {
	return s.Model != nil && c.SummaryBy != domain.ByExtract && (s.Model.EmbedName() == "" ||
		slices.ContainsFunc(vectors, func(e domain.Embedding) bool { return e.Model == s.Model.EmbedName() }))
}

// insert stores a context of another product. If it was changed in its source, it
// supersedes its earlier version.
func (w *contextStep) insert(ctx context.Context, c *domain.ContextSnapshot) error {
	if err := w.tx.InsertContext(ctx, c); err != nil {
		return err
	}
	if err := indexContexts(ctx, w.tx, []*domain.ContextSnapshot{c}, []*recall.Document{w.ready[c].document}); err != nil {
		return err
	}
	if err := recordSaved(ctx, w.tx, w.req.By, *c); err != nil {
		return err
	}
	w.answer.Links.Taken += len(c.NamedLinks(c.SavedAt)) // they are stored with it
	if err := w.replaceEarlier(ctx, c); err != nil {
		return err
	}
	if err := w.linkAwaited(ctx, c); err != nil {
		return err
	}
	return w.s.queueSummary(ctx, w.tx, c)
}

// storeUse stores accesses, shown predictions, and what was erased.
func (st *importStep) storeUse(ctx context.Context, tx repository.Tx) error {
	fresh, err := tx.AppendAccesses(ctx, st.accesses)
	if err != nil {
		return err
	}
	told, err := tx.AppendOutcomes(ctx, st.outcomes)
	if err != nil {
		return err
	}
	gone, err := tx.AppendTombstones(ctx, st.erased)
	taken := fresh + told + gone
	st.answer.Others.Taken += taken
	st.answer.Others.Known += len(st.accesses) + len(st.outcomes) + len(st.erased) - taken
	return err
}
