package memory

import (
	"context"
	"io"
	"iter"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/transcript"
)

// ImportRequest asks to take in one source of another product, or wake's own.
type ImportRequest struct {
	By      Caller
	Format  transcript.Format
	Name    string    // path of the source; it names the cursor, so that the next import goes on behind it
	Source  io.Reader // the file; unused where Items is set
	Items   iter.Seq2[transcript.Item, error]
	Project string // "" is what the source says, else that of the session's folder, else the default
	// FolderOf tells where the project lives of a session that worked in dir. dir is "" where
	// the source does not say, and for contexts. Nil is no such knowledge.
	FolderOf func(dir string) Folder
	At       time.Time                // when the source was written: the time of what has none of its own
	Whole    bool                     // read from the beginning, whatever was read before
	Live     bool                     // what is new in the source happens now: thresholds fire
	Relaxed  bool                     // nothing waits for the disk: [Service.SecureImports] does, once for many sources
	Progress func(ImportAnswer)       // told after each step
	Skipped  func(transcript.Skipped) // told of each part that could not be used
}

// Tally counts things that were new and things that were there already.
type Tally struct {
	Taken int `json:"taken"`
	Known int `json:"known"`
}

// ImportAnswer says what an import did.
type ImportAnswer struct {
	Name      string   `json:"name"`
	Format    string   `json:"format"`
	Sessions  []string `json:"sessions,omitempty"` // wake's ids of the sessions it touched
	Events    Tally    `json:"events"`
	Contexts  Tally    `json:"contexts"`
	Links     Tally    `json:"links"`
	Others    Tally    `json:"others"`    // accesses, outcomes, checkpoints, hand-offs
	Distilled int      `json:"distilled"` // contexts made of decisions in the sessions

	Projects map[string]*Share `json:"projects,omitempty"` // what each project got
	Skipped  int               `json:"skipped"`
	Offset   int64             `json:"offset"` // bytes of the source that were read
	Notes    []string          `json:"notes,omitempty"`

	undistilled []string // sessions with decisions of which no contexts were made yet
}

// Share is what one project got of an import.
type Share struct {
	Sessions []string `json:"sessions,omitempty"` // wake's ids of those that the import touched
	Events   int      `json:"events"`             // taken
	Contexts int      `json:"contexts"`           // taken, and made of decisions
}

// Import takes in a source, step by step: each step is committed with the place
// in the source that it reached, so that an import that was stopped goes on
// there, and one that is repeated adds nothing (I5). What cannot be used is
// skipped and counted; only a source that cannot be read at all, or in which
// nothing is of the format, is an error. [Service.DistilImport] goes on with what it
// answers.
func (s *Service) Import(ctx context.Context, req ImportRequest) (ImportAnswer, error) {
	return s.ReadImport(ctx, req).Store(ctx)
}

// Reading is a source of which the first part is read, and nothing stored yet.
type Reading struct {
	im    *importing
	parts <-chan sourceStretch
	end   func()
	err   error
}

// ReadImport is the first half of [Service.Import]: it reads ahead while other sources
// are stored. Where contexts name no project, FolderOf is asked for theirs here, so they
// are not to be read ahead of sources that may claim its name. [Reading.Store] ends what
// this begins; it is to be called once, with the same ctx, before the source is closed.
func (s *Service) ReadImport(ctx context.Context, req ImportRequest) *Reading {
	im := &importing{s: s, req: req, answer: ImportAnswer{Name: req.Name, Format: string(req.Format)},
		named: map[string]string{}, sessions: map[string]*importedSession{}, history: map[string]domain.ContextHistory{}}
	items, err := im.open(ctx)
	if err != nil {
		return &Reading{im: im, err: err}
	}
	parts, end := im.stretches(ctx, items)
	return &Reading{im: im, parts: parts, end: end}
}

// Store is the second half of [Service.Import].
func (r *Reading) Store(ctx context.Context) (ImportAnswer, error) {
	im := r.im
	if r.err != nil {
		return im.answer, r.err
	}
	defer r.end()
	if err := im.each(ctx, r.parts); err != nil {
		return im.answer, err
	}
	if im.reader != nil && im.reader.Strange() && !im.req.Live { // a client at work may only have begun to write
		return im.answer, domain.Invalid("nothing in it is of the format %s", im.req.Format)
	}
	return im.answer, im.findUndistilled(ctx)
}

// SecureImports waits until what relaxed imports have brought is safe from a power cut.
func (s *Service) SecureImports(ctx context.Context) error {
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.PutCursor(ctx, domain.IngestCursor{Source: "imports", UpdatedAt: s.now()}) // one without a change would not wait
	})
}

// each stores the source stretch by stretch. What was read before it failed is
// kept.
func (im *importing) each(ctx context.Context, parts <-chan sourceStretch) error {
	for part := range parts {
		for _, item := range part.items {
			im.take(item)
		}
		im.ready, im.said = part.ready, part.said
		im.cursor, im.answer.Offset, im.safe = part.cursor, part.offset, repository.Durability(part.last && !im.req.Relaxed)
		if err := im.step(ctx); err != nil {
			return err
		}
		if part.err != nil {
			return part.err
		}
	}
	return ctx.Err()
}

// importing is one import under way.
type importing struct {
	s        *Service
	req      ImportRequest
	reader   *transcript.Reader // nil where items come ready
	sessions map[string]*importedSession
	named    map[string]string // wake's ids of sessions that others named, by the source's
	order    []string          // client session ids in the order in which they appeared
	room     []domain.Event    // for waiting events: what the last ones took
	contexts []*domain.ContextSnapshot
	ready    map[*domain.ContextSnapshot]readyContext
	said     analysed
	links    []domain.Link
	history  map[string]domain.ContextHistory // of the waiting contexts
	accesses []domain.Access
	outcomes []domain.Outcome
	erased   []domain.Tombstone
	points   []transcript.Item     // checkpoints, hand-offs, thresholds
	read     domain.IngestCursor   // how far the source was read; the reader's alone once it runs
	earlier  string                // the session that the source had when it was last read
	project  string                // of contexts that name none
	folder   Folder                // that this project stands for
	cursor   *domain.IngestCursor  // the place reached, until it is kept
	last     bool                  // the commit under way is the step's last
	past     bool                  // what is read happened long ago
	safe     repository.Durability // of the step: what a power cut takes of an import is read again, but for the end
	answer   ImportAnswer
}

// open starts to read behind what was read before.
func (im *importing) open(ctx context.Context) (iter.Seq2[transcript.Item, error], error) {
	im.past = true
	err := im.settle(ctx)
	if err != nil {
		return nil, err
	}
	if im.req.Items != nil {
		return im.req.Items, nil
	}
	if !im.req.Whole {
		if im.read, err = im.s.Store.Cursor(ctx, im.source()); err != nil {
			return nil, err
		}
		im.earlier = im.read.SessionID
	}
	im.past = !im.req.Live || im.read.Offset == 0 // a source that is met for the first time may be old
	im.reader, err = transcript.NewReader(im.req.Format, im.req.Name, im.req.Source, im.read)
	if err != nil {
		return nil, err
	}
	return im.reader.Items(), nil
}

// settle finds the project of contexts that name none: that of the folder which the
// source as a whole tells of.
func (im *importing) settle(ctx context.Context) (err error) {
	im.project, im.folder = im.s.place()
	if im.req.FolderOf == nil {
		return nil
	}
	if f := im.req.FolderOf(""); f.Name != "" {
		im.folder = f
		im.project, err = f.NameIn(ctx, im.s.Store)
	}
	return err
}

// source names the cursor: the same file read as two formats has two.
func (im *importing) source() string { return string(im.req.Format) + ":" + im.req.Name }

// take puts one item where the next step finds it.
func (im *importing) take(item transcript.Item) {
	switch {
	case item.Skipped != nil:
		im.skip(*item.Skipped)
		return
	case item.Session != nil && im.req.Format == transcript.Wake:
		im.session(item.Session.ID).adopt = item.Session
	case item.Session != nil:
		im.session(item.Session.ClientSessionID).learn(*item.Session)
	case item.Event != nil:
		if item.Event.At.IsZero() {
			item.Event.At = im.req.At
		}
		from := im.session(item.Event.SessionID)
		if from.events == nil {
			from.events, im.room = im.room, nil
		}
		from.events = append(from.events, *item.Event)
	case item.Context != nil:
		if item.History != nil {
			im.history[item.Context.ID] = *item.History
		}
		im.contexts = append(im.contexts, item.Context)
	case item.Link != nil:
		im.links = append(im.links, *item.Link)
	case item.Access != nil:
		im.accesses = append(im.accesses, *item.Access)
	case item.Outcome != nil:
		im.outcomes = append(im.outcomes, *item.Outcome)
	case item.Tombstone != nil:
		im.erased = append(im.erased, *item.Tombstone)
	case item.Checkpoint != nil, item.Handoff != nil, item.Firing != nil:
		im.points = append(im.points, item)
	}
}

// share is what a project has got so far.
func (a *ImportAnswer) share(project string) *Share {
	if a.Projects == nil {
		a.Projects = map[string]*Share{}
	}
	if a.Projects[project] == nil {
		a.Projects[project] = &Share{}
	}
	return a.Projects[project]
}

func (im *importing) skip(what transcript.Skipped) {
	if !what.Unfinished {
		im.answer.Skipped++
	}
	if im.req.Skipped != nil {
		im.req.Skipped(what)
	}
}

// step commits what waits: contexts and links first, then each session's events,
// the last with the place reached. A step that is cut off between two of its
// commits is repeated by the next import, and the keys make repeats one.
func (im *importing) step(ctx context.Context) error {
	before := im.answer
	if err := im.storeContexts(ctx); err != nil {
		return err
	}
	if err := im.storeEvents(ctx); err != nil {
		return err
	}
	if err := im.storePoints(ctx); err != nil {
		return err
	}
	if err := im.remember(ctx); err != nil {
		return err
	}
	if !im.req.Live { // there a client waits, and a server keeps the index
		im.s.indexGrew(ctx, im.answer.Contexts.Taken-before.Contexts.Taken+im.answer.Events.Taken-before.Events.Taken)
	}
	if im.req.Progress != nil {
		im.req.Progress(im.answer)
	}
	return nil
}

// remember keeps the place reached, where no other commit has.
func (im *importing) remember(ctx context.Context) error {
	if im.cursor == nil {
		return nil
	}
	cursor := *im.cursor
	im.cursor = nil
	return im.s.Store.Write(ctx, im.safe, func(tx repository.Tx) error { return tx.PutCursor(ctx, cursor) })
}
