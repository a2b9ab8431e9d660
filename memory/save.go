package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"wake/domain"
	"wake/repository"
	"wake/secret"
)

// Save stores a context. When it returns without an error, content, summary and tags
// are on disk; it does not wait for a model. If the project already has a context with
// the same content, and the request has no timestamp, the answer is that context, completed
// with what the request says of it.
//
// It returns Invalid for what cannot be stored, and NotFound for causes, dependencies
// or superseded contexts that do not exist.
func (s *Service) Save(ctx context.Context, req SaveRequest) (SaveAnswer, error) {
	notes := honourMetadata(&req)
	if err := s.completeSave(ctx, &req); err != nil {
		return SaveAnswer{}, err
	}
	c, err := s.draft(req)
	if err != nil {
		return SaveAnswer{}, err
	}
	kin, err := s.relate(ctx, &c)
	if err != nil {
		return SaveAnswer{}, err
	}
	w := &saving{s: s, req: req, c: &c, kin: kin}
	err = s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return w.run(ctx, tx) })
	if err != nil {
		return SaveAnswer{}, err
	}
	switch {
	case w.stored == nil:
		s.keepPlace(c.Project)
		s.changes.publish(Change{Kind: ContextSaved, ID: c.ID, Project: c.Project})
	case w.completed:
		s.changes.publish(Change{Kind: ContextChanged, ID: w.stored.ID, Project: w.stored.Project})
	}
	a := w.answer()
	a.Notes = append(notes, a.Notes...)
	return a, nil
}

// completeSave completes shortened ids in a request.
func (s *Service) completeSave(ctx context.Context, req *SaveRequest) (err error) {
	if err := s.contextID(ctx, &req.CausedBy, &req.Supersedes); err != nil {
		return err
	}
	req.Dependencies, err = s.contextIDs(ctx, req.Dependencies)
	return err
}

// draft makes the context of a request, checked as far as possible without the store.
func (s *Service) draft(req SaveRequest) (domain.ContextSnapshot, error) {
	project, err := s.writeProject(req.Project)
	if err != nil {
		return domain.ContextSnapshot{}, err
	}
	now := s.now()
	if err := checkSave(req, now); err != nil {
		return domain.ContextSnapshot{}, err
	}
	c := domain.ContextSnapshot{
		ID: s.NewID(), Project: project, Content: req.Content,
		Source: cmp.Or(req.Source, "unknown"), Timestamp: domain.Moment(req.Timestamp), SavedAt: now,
		Metadata: req.Metadata, SessionID: req.SessionID, Pinned: req.Pinned,
		Origin: cmp.Or(req.Origin, domain.FromAssistant), Causality: causalityOf(req),
		ContentHash: domain.HashText(req.Content),
	}
	if c.Timestamp.IsZero() {
		c.Timestamp = now
	}
	c.Kind = cmp.Or(req.Kind, domain.KindFor(req.ActionType, req.Pinned))
	c.Memory.Tier = s.Windows.Of(c.Timestamp, now)
	s.summarize(&c, req)
	return c, nil
}

// summarize fills in summary and tags: those of the caller, or else extracted ones.
func (s *Service) summarize(c *domain.ContextSnapshot, req SaveRequest) {
	c.Summary, c.Tags, c.SummaryBy = secret.Mask(req.Summary), cleanTags(req.Tags), domain.ByCaller
	if req.Summary != "" && len(req.Tags) > 0 {
		return
	}
	made := s.Extract.Summarize(c.Content)
	if req.Summary == "" {
		c.Summary, c.SummaryBy = secret.Mask(made.Text), domain.ByExtract
	}
	if len(req.Tags) == 0 {
		c.Tags = cleanTags(made.Tags)
	}
}

// causalityOf returns nil if the caller said nothing about why. The default action
// type is conversation.
func causalityOf(req SaveRequest) *domain.Causality {
	if req.ActionType == "" && req.Rationale == "" && req.CausedBy == "" && len(req.Dependencies) == 0 {
		return nil
	}
	return &domain.Causality{
		ActionType: cmp.Or(req.ActionType, domain.Conversation), CausedBy: req.CausedBy,
		Rationale: req.Rationale, Dependencies: distinct(req.Dependencies),
	}
}

// saving is one save in its transaction.
type saving struct {
	s      *Service
	req    SaveRequest
	c      *domain.ContextSnapshot
	kin    kinship
	named  []domain.ContextSnapshot // by the request
	holds  string                   // id of the context that already superseded the superseded one and still holds; or ""
	stored *domain.ContextSnapshot  // the context that has the same content already; nil if there is none

	completed bool        // the stored one was changed
	lacked    bool        // it got what it lacked
	kindWas   domain.Kind // before the request named one; "" if it named none
	others    []string    // what the stored one has otherwise than the request says
}

func (w *saving) run(ctx context.Context, tx repository.Tx) error {
	if err := w.findStored(ctx, tx); err != nil {
		return err
	}
	if w.stored != nil {
		return w.repeating(ctx, tx)
	}
	if err := w.findNamed(ctx, tx); err != nil {
		return err
	}
	var err error
	if w.holds, err = lastSuccessor(ctx, tx, w.req.Supersedes); err != nil {
		return err
	}
	if err := w.s.joinSession(ctx, tx, w.c, w.req.By); err != nil {
		return err
	}
	if err := w.s.claim(ctx, tx, w.c.Project, w.c.SavedAt); err != nil {
		return err
	}
	if err := tx.InsertContext(ctx, w.c); err != nil {
		return err
	}
	if err := w.s.indexContext(ctx, tx, w.c); err != nil {
		return err
	}
	if err := tx.AddLinks(ctx, w.links()); err != nil {
		return err
	}
	if err := recordNamed(ctx, tx, w.req.By, w.named, w.c.SavedAt); err != nil {
		return err
	}
	if err := recordSaved(ctx, tx, w.req.By, *w.c); err != nil {
		return err
	}
	return w.s.queueSummary(ctx, tx, w.c)
}

// findStored looks for a context with the same content, and records its use. A save that
// names its own time never repeats another.
func (w *saving) findStored(ctx context.Context, tx repository.Tx) error {
	if !w.req.Timestamp.IsZero() {
		return nil
	}
	old, err := tx.ContextByHash(ctx, w.c.Project, w.c.ContentHash)
	if domain.KindOf(err) == domain.KindNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	w.stored = &old
	return recordNamed(ctx, tx, w.req.By, []domain.ContextSnapshot{old}, w.c.SavedAt)
}

// findNamed loads the contexts that the request names. All of them must exist.
func (w *saving) findNamed(ctx context.Context, tx repository.Tx) (err error) {
	var ids []string
	if cz := w.c.Causality; cz != nil {
		ids = append(ids, cz.Dependencies...)
		if cz.CausedBy != "" {
			ids = append(ids, cz.CausedBy)
		}
	}
	if w.req.Supersedes != "" {
		ids = append(ids, w.req.Supersedes)
	}
	w.named, err = mustKnow(ctx, tx, distinct(ids))
	return err
}

// foreign returns the other projects on whose contexts the new one builds, that of its cause
// first. That is allowed, but noted.
func (w *saving) foreign() (projects []string) {
	if w.c.Causality == nil {
		return nil
	}
	for _, id := range append([]string{w.c.Causality.CausedBy}, w.c.Causality.Dependencies...) {
		for _, n := range w.named {
			if n.ID == id && n.Project != w.c.Project {
				projects = append(projects, n.Project)
			}
		}
	}
	return distinct(projects)
}

// links lists the links of the new context: the caller's first, then those found by
// wake that the caller has not named.
func (w *saving) links() []domain.Link {
	links := w.c.NamedLinks(w.c.SavedAt)
	if w.req.Supersedes != "" {
		links = append(links, domain.NewLink(w.c.ID, w.req.Supersedes, domain.Supersedes, w.c.SavedAt))
	}
	said := len(links)
	for _, l := range w.kin.links {
		if !slices.ContainsFunc(links[:said], func(s domain.Link) bool { return s.To == l.To }) {
			links = append(links, l)
		}
	}
	return links
}

func (w *saving) answer() SaveAnswer {
	if w.stored != nil {
		return w.repeat()
	}
	a := w.answerOn(w.c)
	a.Superseded = w.req.Supersedes
	for _, l := range w.links() {
		if l.Origin == domain.Auto {
			a.Links = append(a.Links, l)
		}
	}
	a.Notes = w.noteHeld()
	if len(w.kin.twins) > 0 {
		a.NearDuplicates = w.kin.twins
		a.Notes = append(a.Notes, w.s.Words.Behind("something stored says nearly the same", domain.Supersede, a.ID))
	}
	if others := w.foreign(); len(others) > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("it is in project %q and builds on contexts of %s", a.Project, quoteList(others)))
	}
	return a
}

// noteHeld tells of what had replaced the superseded context before and still holds.
func (w *saving) noteHeld() []string {
	if w.holds == "" {
		return nil
	}
	return []string{w.s.Words.Behind(fmt.Sprintf("%s was replaced before, by %s, which holds beside this one", w.req.Supersedes, w.holds), domain.Supersede, cmp.Or(w.stored, w.c).ID)}
}

// answerOn is an answer with what there is to say of any context.
func (w *saving) answerOn(c *domain.ContextSnapshot) SaveAnswer {
	return SaveAnswer{
		ID: c.ID, Project: c.Project, Summary: c.Summary, Tags: c.Tags, Timestamp: c.Timestamp,
		Tier: w.s.Windows.Of(c.Touched(), w.s.now()), Causality: c.Causality, SessionID: c.SessionID, Seq: c.Seq,
		Origin: c.Origin, SavedAt: c.SavedAt, Links: []domain.Link{}, NearDuplicates: []domain.Hit{},
	}
}

// mustKnow loads the contexts with the ids. It returns a NotFound error that names the
// ids without a context.
func mustKnow(ctx context.Context, r repository.Reader, ids []string) ([]domain.ContextSnapshot, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := r.ContextsByID(ctx, ids, false)
	if err != nil || len(found) == len(ids) {
		return found, err
	}
	return nil, noContext(ctx, r, missing(ids, found))
}

// noContext is the error for ids without a context. It tells of one that can be brought
// back.
func noContext(ctx context.Context, r repository.Reader, ids []string) error {
	gone, err := r.Contexts(ctx, domain.ContextQuery{IDs: ids, Forgotten: true, Order: domain.Newest, Limit: len(ids)})
	if err != nil || len(gone) == 0 {
		return domain.NoContext(quoteList(ids), ids...)
	}
	others := ""
	if len(gone) > 1 {
		others = ", forgotten too: " + quoteList(idsOf(gone[1:]))
	}
	if rest := missing(ids, gone); len(rest) > 0 {
		others += ", and no context has the id " + quoteList(rest)
	}
	return domain.Advise(domain.NotFound("context %s was forgotten at %s%s", gone[0].ID, shortTime(gone[0].DeletedAt), others), domain.UnforgetContext)
}
