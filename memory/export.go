package memory

import (
	"cmp"
	"context"
	"io"
	"slices"

	"wake/domain"
	"wake/transcript"
)

// ExportRequest asks for an export in wake's own JSON lines. Importing these restores
// the same data (I18).
type ExportRequest struct {
	W         io.Writer
	Project   string     // "" or [AllProjects] means all
	SessionID string     // if set, only this session, its children and their contexts
	From      ExportMark // where an earlier export stopped; the zero mark begins a file
	// Step, if set, is called after each step, when W has everything up to the mark.
	// An error ends the export.
	Step func(ExportMark, ExportAnswer) error
}

// ExportMark is a place in an export, between two lines.
type ExportMark struct {
	Part    ExportPart `json:"part,omitempty"`
	N       int64      `json:"n,omitempty"`       // the last context, access or event before it
	Session string     `json:"session,omitempty"` // the session being written
}

// ExportPart is a part of an export.
type ExportPart string

// The parts, in the order of the file. A new export begins with "".
const (
	exportContexts ExportPart = "contexts"
	exportAccesses ExportPart = "accesses"
	exportOutcomes ExportPart = "outcomes"
	exportErased   ExportPart = "erased"
	exportSessions ExportPart = "sessions"
)

// ExportAnswer counts what an export wrote.
type ExportAnswer struct {
	Contexts int `json:"contexts"`
	Links    int `json:"links"`
	Accesses int `json:"accesses"`
	Outcomes int `json:"outcomes"` // predictions that were shown
	Sessions int `json:"sessions"`
	Events   int `json:"events"`
	Others   int `json:"others"` // checkpoints, hand-offs, thresholds that fired, erased contexts
	Total    int `json:"total"`  // contexts and events to write; 0 if not known

	Unread []string `json:"unread,omitempty"` // what is damaged and therefore missing
}

// Rows per step of an export. Events may be long.
const (
	exportRows   = 500
	exportEvents = 100
)

// Export writes contexts with their history and use, and sessions with everything that
// belongs to them. It works step by step in a fixed order, so that an interrupted
// export can continue after its last mark. Damaged rows are left out and listed in the
// answer.
func (s *Service) Export(ctx context.Context, req ExportRequest) (ExportAnswer, error) {
	ex := &exporting{s: s, req: req, mark: req.From, project: exportProject(req.Project)}
	if err := ex.begin(ctx); err != nil {
		return ex.answer, err
	}
	for _, part := range []struct {
		name  ExportPart
		write func(context.Context) error
	}{{exportContexts, ex.contexts}, {exportAccesses, ex.accesses}, {exportOutcomes, ex.outcomes}, {exportErased, ex.erased}, {exportSessions, ex.allSessions}} {
		if ex.mark.Part != "" && ex.mark.Part != part.name {
			continue // it was written before
		}
		ex.mark.Part = part.name
		if err := part.write(ctx); err != nil {
			return ex.answer, err
		}
		ex.mark = ExportMark{}
	}
	return ex.answer, nil
}

func exportProject(name string) string {
	if name == AllProjects {
		return ""
	}
	return name
}

// exporting is an export in progress.
type exporting struct {
	s        *Service
	req      ExportRequest
	project  string
	sessions []domain.Session // those to write, in their order
	lines    *transcript.Writer
	mark     ExportMark
	answer   ExportAnswer
}

// begin writes the header, unless the file has one, and counts what there is to write.
func (ex *exporting) begin(ctx context.Context) (err error) {
	if ex.sessions, err = ex.exportedSessions(ctx); err != nil {
		return err
	}
	ex.lines = transcript.ContinueWriter(ex.req.W)
	if ex.mark == (ExportMark{}) {
		if ex.lines, err = transcript.NewWriter(ex.req.W, ex.s.now()); err != nil {
			return err
		}
	}
	if ex.answer.Total, err = ex.countContexts(ctx); err != nil && !domain.IsDamaged(err) {
		return err
	}
	for _, owner := range ex.sessions {
		ex.answer.Total += int(owner.LastSeq)
	}
	return nil
}

func (ex *exporting) countContexts(ctx context.Context) (int, error) {
	if ex.req.SessionID != "" {
		return 0, nil // they are few
	}
	counts, err := ex.s.Store.Counts(ctx, ex.project)
	return int(counts.Contexts + counts.Forgotten), err
}

// reached reports that everything up to row n is written.
func (ex *exporting) reached(n int64) error {
	ex.mark.N = n
	if ex.req.Step == nil {
		return nil
	}
	return ex.req.Step(ex.mark, ex.answer)
}

// contexts writes the contexts in the order in which they were saved.
func (ex *exporting) contexts(ctx context.Context) error {
	if ex.req.SessionID != "" {
		return ex.sessionContexts(ctx)
	}
	rows := rowReader[domain.ContextSnapshot]{read: ex.s.Store.ContextsAfter, most: exportRows, gap: ex.gapIn(exportContexts),
		number: func(c *domain.ContextSnapshot) int64 { return c.N }}
	for {
		page, err := rows.next(ctx, ex.mark.N)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := ex.writeContexts(ctx, page); err != nil {
			return err
		}
		if err := ex.reached(page[len(page)-1].N); err != nil {
			return err
		}
	}
}

// sessionContexts writes what was saved in the sessions, in one step.
func (ex *exporting) sessionContexts(ctx context.Context) error {
	var all []domain.ContextSnapshot
	for _, owner := range ex.sessions {
		of, err := ex.s.Store.Contexts(ctx, domain.ContextQuery{SessionID: owner.ID, WithContent: true})
		if err != nil {
			return err
		}
		all = append(all, of...)
	}
	slices.SortFunc(all, func(a, b domain.ContextSnapshot) int { return cmp.Compare(a.N, b.N) })
	return ex.writeContexts(ctx, all)
}

// writeContexts writes contexts with their history. If the histories cannot be read
// together, it reads them one by one.
func (ex *exporting) writeContexts(ctx context.Context, page []domain.ContextSnapshot) error {
	past, err := ex.histories(ctx, page)
	oneByOne := domain.IsDamaged(err)
	if err != nil && !oneByOne {
		return err
	}
	for _, c := range page {
		if oneByOne {
			if past, err = ex.readableHistory(ctx, c); err != nil {
				return err
			}
		}
		if err := ex.writeContext(c, past); err != nil {
			return err
		}
	}
	return nil
}

// histories is what belongs to contexts besides their rows, by context id.
type histories struct {
	links   map[string][]domain.Link
	tags    map[string][]domain.TagSpan
	vectors map[string][]domain.Embedding
}

func (ex *exporting) histories(ctx context.Context, page []domain.ContextSnapshot) (past histories, err error) {
	ids := idsOf(page)
	links, err := ex.s.Store.LinkHistory(ctx, ids)
	if err != nil {
		return past, err
	}
	past.links = linksFrom(links)
	if past.tags, err = ex.s.Store.TagHistory(ctx, ids); err != nil {
		return past, err
	}
	past.vectors, err = ex.s.Store.VectorsOf(ctx, ids)
	return past, err
}

func (ex *exporting) writeContext(c domain.ContextSnapshot, past histories) error {
	if ex.project != "" && c.Project != ex.project {
		return nil
	}
	if domain.HashText(c.Content) != c.ContentHash {
		ex.unread("the text of context %s as it was saved; what is left of it is written", c.ID)
	}
	links := past.links[c.ID]
	if err := ex.lines.WriteContext(c, domain.ContextHistory{Links: links, Tags: changedTags(c, past.tags[c.ID]), Embeddings: past.vectors[c.ID]}); err != nil {
		return err
	}
	ex.answer.Contexts++
	ex.answer.Links += len(links)
	return nil
}

// changedTags returns the history of the tags, or nil if they have not changed since
// the context was saved: its own tags say it all then.
func changedTags(c domain.ContextSnapshot, spans []domain.TagSpan) []domain.TagSpan {
	moved := func(s domain.TagSpan) bool { return !s.AddedAt.Equal(c.SavedAt) || !s.RemovedAt.IsZero() }
	if len(spans) == len(c.Tags) && !slices.ContainsFunc(spans, moved) {
		return nil
	}
	return spans
}

// accesses writes the access log, from which prediction learns.
func (ex *exporting) accesses(ctx context.Context) error {
	return writeLog(ctx, ex, exportAccesses, ex.s.Store.AccessLog, &ex.answer.Accesses, func(a *domain.Access) (transcript.Item, int64) {
		return transcript.Item{Access: a}, a.N
	})
}

// outcomes writes the predictions that were shown, with what became of them.
func (ex *exporting) outcomes(ctx context.Context) error {
	return writeLog(ctx, ex, exportOutcomes, ex.s.Store.OutcomeLog, &ex.answer.Outcomes, func(o *domain.Outcome) (transcript.Item, int64) {
		return transcript.Item{Outcome: o}, o.N
	})
}

// erased writes the ids of the contexts that must not come back.
func (ex *exporting) erased(ctx context.Context) error {
	return writeLog(ctx, ex, exportErased, ex.s.Store.Tombstones, &ex.answer.Others, func(t *domain.Tombstone) (transcript.Item, int64) {
		return transcript.Item{Tombstone: t}, t.N
	})
}

// writeLog writes the rows of a log that follow the mark, page by page, and counts
// them in written. item returns a row in its written form, with its number. The export
// of a single session has no logs.
func writeLog[Row any](ctx context.Context, ex *exporting, part ExportPart, read func(ctx context.Context, project string, after int64, limit int) ([]Row, error),
	written *int, item func(*Row) (transcript.Item, int64)) error {
	if ex.req.SessionID != "" {
		return nil
	}
	rows := rowReader[Row]{most: exportRows, gap: ex.gapIn(part),
		read: func(ctx context.Context, after int64, limit int) ([]Row, error) {
			return read(ctx, ex.project, after, limit)
		},
		number: func(r *Row) int64 { _, n := item(r); return n }}
	for {
		page, err := rows.next(ctx, ex.mark.N)
		if err != nil || len(page) == 0 {
			return err
		}
		last := int64(0)
		for i := range page {
			var line transcript.Item
			line, last = item(&page[i])
			if err := ex.lines.Write(line); err != nil {
				return err
			}
		}
		*written += len(page)
		if err := ex.reached(last); err != nil {
			return err
		}
	}
}
