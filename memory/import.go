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

// ImportRequest asks to import one source of another product, or of wake's own.
type ImportRequest struct {
	By      Caller
	Format  transcript.Format
	Name    string    // path of the source; it also names the cursor from which the next import continues
	Source  io.Reader // the file; not used if Items is set
	Items   iter.Seq2[transcript.Item, error]
	Project string // "" means what the source says, else the project of the session's folder, else the default
	// FolderOf returns the folder of the project of a session that worked in dir. dir
	// is "" if the source does not say, and for contexts. FolderOf may be nil.
	FolderOf func(dir string) Folder
	At       time.Time                // when the source was written: the time of items that have none
	Whole    bool                     // read from the beginning, whatever was read before
	Live     bool                     // new items happen now, so thresholds fire
	Relaxed  bool                     // commits do not wait for the disk; [Service.SecureImports] does, once for many sources
	Progress func(ImportAnswer)       // called after each step
	Skipped  func(transcript.Skipped) // called for each part that could not be used
}

// Tally counts the items that were new and those that were known already.
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
	Distilled int      `json:"distilled"` // contexts distilled from the sessions

	Projects map[string]*Share `json:"projects,omitempty"` // by project
	Skipped  int               `json:"skipped"`
	Offset   int64             `json:"offset"` // bytes of the source that were read
	Notes    []string          `json:"notes,omitempty"`

	undistilled []undistilled
}

// Share is what one project got from an import.
type Share struct {
	Sessions []string `json:"sessions,omitempty"` // wake's ids of the sessions it touched
	Events   int      `json:"events"`             // new ones
	Contexts int      `json:"contexts"`           // new ones, distilled ones included
}

// Import takes in a source step by step. Each step is committed together with the
// place it reached in the source, so an interrupted import continues there, and a
// repeated one adds nothing (I5). What cannot be used is skipped and counted. It is an
// error only if the source cannot be read at all or nothing in it has the format.
// [Service.DistilImport] is the next step after it.
func (s *Service) Import(ctx context.Context, req ImportRequest) (ImportAnswer, error) {
	return s.ReadImport(ctx, req).Store(ctx)
}

// Reading is a source that is being read ahead, of which nothing is stored yet.
type Reading struct {
	im    *importing
	parts <-chan sourceStretch
	end   func()
	err   error
}

// ReadImport is the first half of [Service.Import]: it reads ahead while other sources
// are stored. For contexts that name no project it asks FolderOf already, so such a
// source must not be read ahead of others that may claim the same name.
// [Reading.Store] must be called once, with the same ctx, before the source is closed.
func (s *Service) ReadImport(ctx context.Context, req ImportRequest) *Reading {
	im := &importing{s: s, req: req, answer: ImportAnswer{Name: req.Name, Format: string(req.Format)},
		leftOut: map[string]bool{}, named: map[string]string{}, sessions: map[string]*importedSession{}}
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
	if im.reader != nil && im.reader.Strange() && !im.req.Live { // a live client may only have begun to write
		return im.answer, domain.Invalid("nothing in it is of the format %s, so nothing was taken", im.req.Format)
	}
	return im.answer, im.findUndistilled(ctx)
}

// SecureImports waits until everything from relaxed imports is on disk.
func (s *Service) SecureImports(ctx context.Context) error {
	return s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.PutCursor(ctx, domain.IngestCursor{Source: "imports", UpdatedAt: s.now()}) // a commit without a change would not wait
	})
}

// importing is an import in progress. Its source is read ahead by two goroutines (see
// stretches), which only read what is set before they run.
type importing struct {
	s       *Service
	req     ImportRequest
	past    bool   // the items are not happening now
	project string // of contexts that name none
	folder  Folder // of that project
	earlier string // the session of the last import of this source

	// Owned by the goroutine that decodes, once it runs.
	reader *transcript.Reader  // nil if the request has Items
	read   domain.IngestCursor // how far the source was read

	// Owned by the goroutine that stores.
	sessions map[string]*importedSession // by the source's ids
	leftOut  map[string]bool             // contexts that another file of the source deleted, or that quote what was purged here
	named    map[string]string           // wake's ids of sessions that other items refer to, by the source's ids
	order    []string                    // client session ids in the order of their first item
	purged   []string                    // hashes of titles that its sessions must not have
	room     []domain.Event              // a buffer to reuse for the next events
	whole    *wholeSession               // the session that the last commit stored, if it stored all of it
	answer   ImportAnswer
}

// open prepares to read the source from the end of the last import on.
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
	im.past = !im.req.Live || im.read.Offset == 0 // a source seen for the first time may be old
	im.reader, err = transcript.NewReader(im.req.Format, im.req.Name, im.req.Source, im.read)
	if err != nil {
		return nil, err
	}
	return im.reader.Items(), nil
}

// settle finds the project of contexts that name none: that of the source's folder,
// else the default.
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

// source names the cursor. A file that is read as two formats has two cursors.
func (im *importing) source() string { return cursorOf(im.req.Format, im.req.Name) }

func cursorOf(format transcript.Format, name string) string { return string(format) + ":" + name }

// share returns what a project got so far.
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
