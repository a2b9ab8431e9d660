package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
	"wake/transcript"
)

// A client waits for its hooks, so a hook has little time: less at a session's
// end, where all hooks together have a second and a half.
const (
	hookTime    = 5 * time.Second
	hookEndTime = 800 * time.Millisecond
	hookBusy    = 2 * time.Second // waiting for the database's lock
)

const hookLong = `Takes in what an assistant reports at certain moments, as JSON on standard input, and
answers what the assistant's model should be told. wake setup writes the hooks into the
client's configuration; there is no need to run this by hand.

It always exits 0 and never holds the client up: what cannot be stored now waits in a
spool folder and is taken in later.`

func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "hook CLIENT",
		Short:     "Take in what an assistant reports (run by the assistant)",
		Long:      hookLong,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: transcript.HookClients(),
		Run:       func(c *cobra.Command, args []string) { a.hook(c.Context(), args) },
	}
}

// hook answers a client. Whatever happens, it says so on standard error at most:
// a memory must never break the program it serves.
func (a *app) hook(ctx context.Context, args []string) {
	data, err := io.ReadAll(io.LimitReader(a.in, domain.MaxMessage))
	if err != nil || len(args) != 1 {
		fmt.Fprintf(a.err, "wake: a hook takes one client (%v) and JSON on standard input\n", transcript.HookClients())
		return
	}
	h, err := transcript.ReadHook(args[0], data)
	if err != nil {
		fmt.Fprintf(a.err, "wake: %s\n", printable(err.Error()))
		return
	}
	text, err := a.answerHook(ctx, h, data)
	if err != nil {
		fmt.Fprintf(a.err, "wake: %s\n", printable(err.Error()))
	}
	if out := hookOutput(h, text); out != "" {
		fmt.Fprint(a.out, out)
	}
}

// answerHook does the work within the hook's time. What could not be stored goes
// to the spool.
func (a *app) answerHook(ctx context.Context, h transcript.Hook, data []byte) (string, error) {
	set, err := a.settings()
	if err != nil {
		return "", err
	}
	limit := hookTime
	if h.Moment == transcript.HookEnd {
		limit = hookEndTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1) // a disk that hangs must not hang the hook
	go func() {
		text, err := a.storeHook(ctx, set, h)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			return r.text, nil
		}
		return r.text, a.spoolHook(set.DB, h, data, r.err)
	case <-ctx.Done():
		return "", a.spoolHook(set.DB, h, data, ctx.Err())
	}
}

// storeHook hands the hook to the memory, after what waits in the spool. It opens
// one connection, builds no server, calls no model and starts no job.
func (a *app) storeHook(ctx context.Context, set settings, h transcript.Hook) (text string, err error) {
	s, closeStore, err := a.hookMemory(ctx, set, h)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	a.drainSpool(ctx, set.DB, s)
	answer, err := s.Hook(ctx, a.hookRequest(h, s.DefaultProject, time.Time{}))
	return answer.Text, err
}

func (a *app) hookMemory(ctx context.Context, set settings, h transcript.Hook) (*memory.Service, func() error, error) {
	store, err := openStore(ctx, set.DB, hookBusy)
	if err != nil {
		return nil, nil, err
	}
	set.Model, set.EmbedModel = "", ""
	s, err := a.service(ctx, store, set)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	if h.Folder != "" && set.Project == "" {
		f := projectFolder(h.Folder, a.env("HOME"))
		s.ProjectPath = f.path
		if s.DefaultProject, err = store.ProjectName(ctx, f.name, f.path); err != nil {
			return nil, nil, errors.Join(err, store.Close())
		}
	}
	return s, func() error { return errors.Join(s.Close(context.WithoutCancel(ctx)), store.Close()) }, nil
}

// hookRequest opens the transcripts that the hook names. One that cannot be
// opened is not there yet: clients write them late.
func (a *app) hookRequest(h transcript.Hook, project string, at time.Time) memory.HookRequest {
	req := memory.HookRequest{Hook: h, Project: project, At: at}
	if f, err := os.Open(h.TranscriptPath); err == nil {
		req.Transcript = f // the process ends soon and closes it
	}
	if f, err := os.Open(h.AgentTranscript); err == nil {
		req.AgentTranscript = f
	}
	return req
}

// hookOutput is what the client's contract lets a hook print: Claude Code gives
// plain text to the model, the others want JSON.
func hookOutput(h transcript.Hook, text string) string {
	switch h.Client {
	case "claude-code":
		return text
	case "cursor":
		return cursorOutput(h, text)
	}
	if text == "" {
		return ""
	}
	return jsonLine(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": h.Name, "additionalContext": text}})
}

func cursorOutput(h transcript.Hook, text string) string {
	switch {
	case h.Moment == transcript.HookPrompt:
		return jsonLine(map[string]any{"continue": true})
	case h.Moment == transcript.HookStart && text != "":
		return jsonLine(map[string]any{"additional_context": text})
	}
	return "{}\n"
}

func jsonLine(v any) string {
	data, err := json.Marshal(v)
	if err != nil { // maps of strings always marshal
		return ""
	}
	return string(data) + "\n"
}

// spoolHook keeps what could not be stored; err says why it could not.
func (a *app) spoolHook(db string, h transcript.Hook, data []byte, why error) error {
	if domain.KindOf(why) == domain.KindInvalid {
		return why // it would not be stored later either
	}
	if err := a.spool(db).put(h, data, time.Now()); err != nil {
		return fmt.Errorf("%w; and it could not be kept for later: %w", why, err)
	}
	return fmt.Errorf("%w; it was kept in %s for later", why, a.spool(db).dir)
}

// spool is the folder of what waits for the database at an address.
func (a *app) spool(db string) spool {
	state := a.env("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(a.env("HOME"), ".local", "state")
	}
	return spool{dir: filepath.Join(state, "wake", "spool", domain.HashText(db)[:16])}
}

// drainSpool takes in what waits, oldest first, until something cannot be stored.
func (a *app) drainSpool(ctx context.Context, db string, s *memory.Service) {
	for _, waiting := range a.spool(db).list() {
		h, err := transcript.ReadHook(waiting.Client, waiting.Input)
		if err == nil {
			project := s.DefaultProject
			if h.Folder != "" {
				f := projectFolder(h.Folder, a.env("HOME"))
				project, err = s.Store.ProjectName(ctx, f.name, f.path)
			}
			if err == nil {
				_, err = s.Hook(ctx, a.hookRequest(h, project, waiting.At))
			}
		}
		if err != nil && domain.KindOf(err) != domain.KindInvalid {
			return
		}
		waiting.remove()
	}
}
