package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/repository"
	"wake/transcript"
)

// awayError marks what keeps wake from its database, whatever its kind: what the
// client said is good, and will be stored once that is mended.
type awayError struct{ error }

func (e awayError) Unwrap() error { return e.error }

// storeHook hands the hook to the memory, after what waits in the spool. It opens
// one connection, builds no server, calls no model and starts no job.
func (a *app) storeHook(ctx context.Context, h transcript.Hook, drainUntil time.Time) (text string, err error) {
	set, err := a.settings()
	if err != nil {
		return "", awayError{err}
	}
	s, closeStore, err := a.hookMemory(ctx, set, h)
	if err != nil {
		return "", awayError{err}
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	a.drainSpool(ctx, set.DB, s, drainUntil)
	answer, err := s.Hook(ctx, a.hookRequest(h, s.DefaultProject, time.Time{}))
	return answer.Text, err
}

func (a *app) hookMemory(ctx context.Context, set settings, h transcript.Hook) (*memory.Service, func() error, error) {
	store, err := openForHook(ctx, set.DB)
	if err != nil {
		return nil, nil, err
	}
	set.Model, set.EmbedModel = "", ""
	var at memory.Folder
	if h.Folder != "" && set.Project == "" {
		at = projectFolder(h.Folder, a.home())
		if set.Project, err = nameIn(ctx, store, at); err != nil {
			return nil, nil, errors.Join(err, store.Close())
		}
	}
	s, err := a.service(ctx, store, set)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	s.Hurried = true
	if at.Path != "" {
		s.Folder = at
	}
	return s, func() error { return errors.Join(s.Close(ctx), store.Close()) }, nil
}

// nameIn is the name that a folder's project has in a database.
func nameIn(ctx context.Context, store repository.ContextReader, f memory.Folder) (string, error) {
	return store.ProjectName(ctx, f.Name, f.Path, f.TakesFrom)
}

// hookRequest opens the transcripts that the hook names. One that cannot be
// opened is not there yet: clients write them late.
func (a *app) hookRequest(h transcript.Hook, project string, at time.Time) memory.HookRequest {
	req := memory.HookRequest{Hook: h, Project: project, At: at}
	if f := openRegular(h.TranscriptPath); f != nil {
		req.Transcript = f // the process ends soon and closes it
	}
	if f := openRegular(h.AgentTranscript); f != nil {
		req.AgentTranscript = f
	}
	return req
}

// openRegular opens a file that is no pipe or folder.
func openRegular(path string) *os.File {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	return f
}

// spoolHook keeps what could not be stored; why says why it could not.
func (a *app) spoolHook(h transcript.Hook, data []byte, why error) error {
	if away := (awayError{}); domain.KindOf(why) == domain.KindInvalid && !errors.As(why, &away) {
		return why // it would not be stored later either
	}
	set := a.known()
	s := a.spool(set.DB)
	if err := s.put(h, set.Project, data, time.Now()); err != nil {
		return fmt.Errorf("%w; and it could not be kept for later: %w", why, err)
	}
	return fmt.Errorf("%w; it was kept in %s for later", why, s.dir)
}

// known are the settings as far as they can be told when the configuration cannot be
// read.
func (a *app) known() settings {
	if set, err := a.settings(); err == nil {
		return set
	}
	return a.withDefaults(a.flags.or(envSettings(a.env)))
}

// drainSpool takes in what waits, oldest first, until something cannot be stored, it
// was enough at once or the time is over.
func (a *app) drainSpool(ctx context.Context, db string, s *memory.Service, until time.Time) {
	taken := 0
	for waiting := range a.spool(db).oldest(time.Now()) {
		if taken == spoolAtOnce || time.Now().After(until) {
			return
		}
		if !waiting.claim() {
			continue // another process takes it in
		}
		a.taking.Store(waiting)
		if waiting.read() != nil {
			waiting.release() // what cannot be read is left where it is
			continue
		}
		if err := a.takeSpooled(ctx, s, waiting); err != nil && domain.KindOf(err) != domain.KindInvalid {
			waiting.release()
			return
		}
		waiting.remove()
		taken++
	}
}

func (a *app) takeSpooled(ctx context.Context, s *memory.Service, w *spooled) error {
	h, err := transcript.ReadHook(w.Client, w.Input)
	if err != nil {
		return err
	}
	project := cmp.Or(w.Project, s.DefaultProject)
	if w.Project == "" && h.Folder != "" {
		if project, err = nameIn(ctx, s.Store, projectFolder(h.Folder, a.home())); err != nil {
			return err
		}
	}
	_, err = s.Hook(ctx, a.hookRequest(h, project, w.At))
	return err
}
