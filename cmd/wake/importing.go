package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

// importing is an import of several sources: while one is stored, the next is read,
// and the one before is distilled.
type importing struct {
	*app
	memory     *memory.Service
	flags      importFlags
	bar        *progress
	size       int64              // bytes of all sources
	done       int64              // bytes of the stored sources
	reading    *readSource        // the next one to be stored; may be nil
	distilling <-chan importedOne // delivers the source being distilled; nil if there is none
	total      importTotal
	failures   []error
	broken     error // why nothing more can be stored
	relaxed    bool  // a power cut may still lose something
	notDurable error // why it may
}

// readSource is a source that is being read.
type readSource struct {
	source
	reading *memory.Reading // nil if it could not be opened
	close   func() error
	err     error
}

// importedOne is a source with its result.
type importedOne struct {
	path   string
	answer memory.ImportAnswer
	err    error
}

// take begins to read one source, unless the import is interrupted, and stores the one
// before.
func (im *importing) take(ctx context.Context, src source) {
	if ctx.Err() != nil || im.broken != nil {
		return
	}
	if src.mustWait() {
		im.store(ctx)
	}
	next := im.read(ctx, src)
	im.store(ctx)
	im.reading = next
}

// read begins to read one source.
func (im *importing) read(ctx context.Context, src source) *readSource {
	req := memory.ImportRequest{By: by("import"), Format: src.format, Name: src.path, Project: recordsIn(im.project), Whole: im.flags.whole, Relaxed: true}
	req.FolderOf = func(dir string) memory.Folder { return workedIn(cmp.Or(dir, src.folder()), im.home()) }
	req.Progress = func(sofar memory.ImportAnswer) { im.show(min(sofar.Offset, src.size())) } // a packed file has more content than bytes
	if im.flags.lines {
		req.Skipped = func(sk transcript.Skipped) { fmt.Fprintf(im.err, "skipped %s\n", printable(sk.String())) }
	}
	next := &readSource{source: src, err: src.fault}
	if src.fault != nil {
		return next
	}
	if next.close, next.err = src.open(ctx, &req); next.err == nil {
		next.reading = im.memory.ReadImport(ctx, req)
	}
	return next
}

// store stores the source that was read, if any, and settles the one before.
func (im *importing) store(ctx context.Context) {
	if im.reading == nil {
		return
	}
	src := im.reading
	im.reading = nil
	if im.broken != nil {
		src.discard()
		return
	}
	im.show(0)
	answer, err := src.store(ctx)
	if src.err == nil && domain.KindOf(err) == domain.KindUnavailable && !domain.IsDamaged(err) {
		im.broken = err
	}
	im.done += src.size()
	im.settle(ctx)
	open := make(chan importedOne, 1)
	go func() {
		if err == nil {
			err = im.memory.DistilImport(ctx, &answer)
		}
		open <- importedOne{src.path, answer, err}
	}()
	im.distilling = open
}

func (src *readSource) store(ctx context.Context) (memory.ImportAnswer, error) {
	if src.err != nil {
		return memory.ImportAnswer{}, src.err
	}
	answer, err := src.reading.Store(ctx)
	return answer, errors.Join(err, src.close())
}

// discard closes a source that is not stored.
func (src *readSource) discard() {
	if src.err == nil {
		_ = src.close()
	}
}

// settle waits for the source being distilled, if any, and adds up its result. Errors
// are kept for the end, except after an interruption, since the next run continues.
func (im *importing) settle(ctx context.Context) {
	if im.distilling == nil {
		return
	}
	got := <-im.distilling
	im.distilling = nil
	im.total.add(got.answer)
	im.relaxed = im.relaxed || seen(got.answer).Taken+got.answer.Distilled > 0
	if got.err != nil && (ctx.Err() != nil || im.broken != nil) {
		return
	}
	im.total.Sources++
	if got.err != nil {
		im.total.Failed++
		im.total.Failures = append(im.total.Failures, importFailure{got.path, got.err.Error()})
		im.failures = append(im.failures, failureOf(got.path, got.err))
		return
	}
	if seen(got.answer) == (memory.Tally{}) && got.answer.Skipped == 0 {
		im.total.Unchanged++
	}
	if im.flags.lines {
		im.tell(ctx, got.answer)
	}
}

// stopPatience is how long an interrupted import waits for other writers to make its
// result durable. (The next run repeats what a power cut loses.)
const stopPatience = time.Second

// tell prints the result of one source once it is durable.
func (im *importing) tell(ctx context.Context, answer memory.ImportAnswer) {
	im.makeDurable(ctx)
	im.bar.end()
	if err := printOne(im.app, answer, printSource); err != nil && im.outputErr == nil {
		im.outputErr = err
	}
}

// makeDurable makes the result durable.
func (im *importing) makeDurable(ctx context.Context) {
	if !im.relaxed {
		return
	}
	if ctx.Err() != nil {
		var cancel func()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
	}
	im.notDurable = nil
	if err := im.memory.SecureImports(ctx); err != nil {
		im.notDurable = fmt.Errorf("some of what was imported may not be on disk, so import it again: %w", err)
	}
	im.relaxed = im.notDurable != nil
}

// finish stores and settles the remaining sources and makes the result durable.
func (im *importing) finish(ctx context.Context) {
	im.store(ctx)
	im.settle(ctx)
	im.makeDurable(ctx)
}

// show draws the progress bar at an offset of the current source.
func (im *importing) show(offset int64) {
	im.bar.show("importing kB", int((im.done+offset)>>10), int(im.size>>10))
}

// stopped says what stopped an import of so many sources or, if a person did, how far it
// came; a database that failed may have taken back some of what was counted.
func (im *importing) stopped(sources int) error {
	how := fmt.Sprintf("; %d of %d sources are complete; this run took in %s and %s", im.total.Sources, sources,
		domain.Many(im.total.Events.Taken, "event"), domain.Many(im.total.Contexts.Taken+im.total.Distilled, "context"))
	if im.broken != nil {
		how = ": " + im.broken.Error()
	}
	return withHint(domain.Unavailable("the import was stopped%s", how), "start it again to go on from here")
}

// failureOf says which file could not be read, and why. A bad file is no wrong use of
// wake.
func failureOf(path string, err error) error {
	if why := err.Error(); strings.Contains(why, path) {
		return errors.New(why)
	}
	return fmt.Errorf("%s: %v", path, err)
}
