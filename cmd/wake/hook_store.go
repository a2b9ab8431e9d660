package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"wake/files"
	"wake/memory"
	"wake/transcript"
)

// noDatabaseError marks an error of any kind that keeps wake from its database. The hook
// itself is valid and can be stored later.
type noDatabaseError struct{ error }

func (e noDatabaseError) Unwrap() error { return e.error }

// deliverHook has a server store the hook by a time or, if none does, stores it itself.
func (a *app) deliverHook(ctx context.Context, h transcript.Hook, call hookCall, by, drainUntil time.Time) (string, error) {
	set, err := a.settings()
	if err != nil {
		return "", noDatabaseError{err}
	}
	call.Project = set.Project
	text, state := a.sendHook(set, h, call, by)
	switch state {
	case hookStored:
		return text, nil
	case hookUncertain:
		call.Again = true
	}
	own, err := a.storeHook(ctx, set, h, call, state == hookUncertain || a.isHeld(set), drainUntil)
	return cmp.Or(own, text), err // some texts are given once, and the server may have given this one
}

// storeHook stores the spooled hooks and then this one. It opens one connection,
// builds no server, calls no model and starts no job. held is that of [openForHook].
func (a *app) storeHook(ctx context.Context, set settings, h transcript.Hook, call hookCall, held bool, drainUntil time.Time) (text string, err error) {
	s, closeStore, err := a.hookMemory(ctx, set, held)
	if err != nil {
		return "", noDatabaseError{err}
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	drain, stop := context.WithDeadline(ctx, drainUntil) // a long transcript of another session may take a minute
	a.drainSpool(drain, set.DB, s, time.Until(drainUntil))
	stop()
	answer, err := a.remember(ctx, s, h, call, nil)
	return answer.Text, err
}

func (a *app) hookMemory(ctx context.Context, set settings, held bool) (*memory.Service, func() error, error) {
	store, err := openForHook(ctx, set.DB, held)
	if err != nil {
		return nil, nil, err
	}
	set.Model, set.EmbedModel = "", ""
	s, err := a.assemble(store, set)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	s.Hurried = true
	return s, func() error { return errors.Join(s.Close(ctx), store.Close()) }, nil
}

// remember stores a hook together with the transcripts it names. A transcript that
// cannot be opened does not exist yet, since clients write them late. A panic becomes
// an error: a server must survive it, and the exit code of a panicking process would
// make Claude Code refuse the prompt. waiting is that of [memory.HookRequest].
func (a *app) remember(ctx context.Context, s *memory.Service, h transcript.Hook, call hookCall, waiting func()) (answer memory.HookAnswer, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.Log.Error("a hook panicked", "hook", h.Name, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("taking it in panicked: %v", r)
		}
	}()
	if h.Client == transcript.ClientGoose { // it numbers the sessions of a day, the same way on each machine
		h.SessionID += "@" + machine()
	}
	h.Prompt = cmp.Or(typedCommand(h, call.At), h.Prompt)
	req := memory.HookRequest{Hook: h, ID: call.ID, Project: recordsIn(call.Project), At: call.At, Again: call.Again, Heard: call.Heard, Waiting: waiting}
	if req.Project == "" {
		req.Folder = projectFolder(cmp.Or(call.Root, h.Folder, call.Dir, a.workDir()), a.home())
	}
	if f := openRegular(h.TranscriptPath); f != nil {
		defer f.Close()
		req.Transcript = f
	}
	if f := openRegular(h.AgentTranscript); f != nil {
		defer f.Close()
		req.AgentTranscript = f
	}
	if h.Moment == transcript.HookStop || h.Moment == transcript.HookEnd {
		req.Agents, req.AgentAt = agentFiles(h), agentFile
	}
	return s.Hook(ctx, req)
}

// agentFiles lists the transcripts of the session's sub-agents, last changed first.
func agentFiles(h transcript.Hook) (found []memory.AgentFile) {
	dir := h.AgentFolder()
	entries, _ := os.ReadDir(dir) // most sessions have none
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !transcript.IsAgentFile(e.Name()) {
			continue
		}
		if f := agentFile(path); f != nil {
			found = append(found, *f)
		}
	}
	slices.SortFunc(found, func(a, b memory.AgentFile) int { return b.Changed.Compare(a.Changed) })
	return found
}

// agentFile is a sub-agent's transcript, nil if it is no file.
func agentFile(path string) *memory.AgentFile {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return &memory.AgentFile{Name: path, Size: info.Size(), Changed: info.ModTime(), Open: func() io.ReadSeekCloser {
		if f := openRegular(path); f != nil {
			return f
		}
		return nil
	}}
}

// logEnd is how much of the end of a client's log is read for a command.
const logEnd = 64 << 10

// typedCommand returns the command of which the client made the prompt of a hook, "" if it
// is not known to have.
func typedCommand(h transcript.Hook, at time.Time) string {
	f := openRegular(h.LogPath())
	if f == nil {
		return ""
	}
	defer f.Close()
	if at.IsZero() {
		at = time.Now()
	}
	if info, err := f.Stat(); err == nil && info.Size() > logEnd {
		_, _ = f.Seek(-logEnd, io.SeekEnd) // what fails shows in reading
	}
	log, err := io.ReadAll(io.LimitReader(f, logEnd))
	if err != nil {
		return ""
	}
	return h.Command(log, at)
}

// openRegular opens a regular file, which its owner can replace meanwhile; nil if it
// cannot.
func openRegular(path string) *os.File {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := files.Open(path)
	if err != nil {
		return nil
	}
	return f
}
