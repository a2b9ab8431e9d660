package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/transcript"
)

// A client waits for its hooks, so a hook has little time, least at the end of a
// session, where all hooks together have a second and a half. Part of the time is
// reserved for the spool.
const (
	hookTime    = 5 * time.Second
	hookEndTime = 800 * time.Millisecond
	spoolShare  = 4                      // a quarter of the time is for the spool
	spoolLeast  = 500 * time.Millisecond // for the spool, even if the time is over
	hookBusy    = 2 * time.Second        // waiting for the database's lock
)

const hookLong = `Takes in what an assistant reports at certain moments, as JSON on standard input, and
prints what the assistant's model should be told. wake setup writes the hooks into the
client's configuration; there is no need to run this by hand.

It always exits 0 and never holds the client up for long: what cannot be stored now waits
in a spool folder and is stored later.`

const hookName = "hook"

func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:       hookName + " CLIENT",
		Short:     "Take in what an assistant reports (assistants run this)",
		Long:      hookLong,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: transcript.HookClients(),
		Run:       func(c *cobra.Command, args []string) { a.hook(c.Context(), args) },
	}
}

// hook answers a client. Errors are only printed to standard error: a memory must
// never break the program it serves.
func (a *app) hook(ctx context.Context, args []string) {
	began := time.Now()
	h, call, err := a.hookInput(began, args)
	if err != nil {
		a.warn(err)
		return
	}
	if h.Borrowed || a.ofCodexAlone(h) {
		return
	}
	limit := hookTime
	if h.Moment == transcript.HookEnd {
		limit = hookEndTime
	}
	text, err := a.answerHook(ctx, h, call, began.Add(limit))
	if err != nil {
		a.warn(err)
	}
	if out := hookOutput(h, text); out != "" {
		fmt.Fprint(a.out, out)
	}
}

// ofCodexAlone reports whether Codex runs a hook for itself: for a thread without a rollout, in a
// folder of its own, in which a model sums up earlier sessions ("memories"). Nobody speaks there.
func (a *app) ofCodexAlone(h transcript.Hook) bool {
	return h.Client == transcript.ClientCodex && h.TranscriptPath == "" && strings.HasPrefix(filepath.Base(h.Folder), "memories") &&
		sameFile(filepath.Dir(h.Folder), cmp.Or(a.env("CODEX_HOME"), filepath.Join(a.home(), ".codex")))
}

// warn prints an error in one line.
func (a *app) warn(err error) { fmt.Fprintf(a.err, "wake: %s\n", oneLine(err.Error())) }

// hookCall is a hook in a form that any process can store: its own, a server, or later
// the one that empties the spool.
type hookCall struct {
	ID      string          `json:"id,omitempty"` // makes sure that the call is stored once
	Client  string          `json:"client"`
	Project string          `json:"project,omitempty"` // as set; "" means the folder's
	Root    string          `json:"root,omitempty"`    // the project's folder, where the client names it
	Dir     string          `json:"dir,omitempty"`     // where the hook ran; the client may name another folder
	At      time.Time       `json:"at,omitzero"`       // when it was reported; zero means now
	Again   bool            `json:"-"`                 // it may be stored already
	Heard   func() bool     `json:"-"`                 // that of [memory.HookRequest]
	Input   json.RawMessage `json:"input"`             // what the client sent
}

// hookInput reads the client's input, within the time that a hook has.
func (a *app) hookInput(began time.Time, args []string) (transcript.Hook, hookCall, error) {
	if len(args) != 1 {
		return transcript.Hook{}, hookCall{}, domain.Invalid("a hook takes one client (%s) and JSON on standard input", strings.Join(transcript.HookClients(), ", "))
	}
	data, err := within(began.Add(hookTime), func() ([]byte, error) {
		return io.ReadAll(io.LimitReader(a.in, domain.MaxMessage+1))
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return transcript.Hook{}, hookCall{}, domain.Unavailable("standard input did not end within %s; a hook is run by its client, which writes JSON there", hookTime)
	}
	if err != nil {
		return transcript.Hook{}, hookCall{}, fmt.Errorf("standard input cannot be read: %w", err)
	}
	if len(data) > domain.MaxMessage {
		return transcript.Hook{}, hookCall{}, domain.Invalid("standard input has more than %d MB; the transcript has what it says", domain.MaxMessage>>20)
	}
	h, err := transcript.ReadHook(args[0], data)
	return h, hookCall{ID: rand.Text(), Client: h.Client, Root: a.rootFor(h), Dir: a.workDir(), At: a.now(), Input: data}, err
}

// now is the time by the program's clock. An offset that cannot be read is reported where
// the memory is opened.
func (a *app) now() time.Time {
	if now, err := clock(a.env("WAKE_CLOCK")); err == nil {
		return now()
	}
	return time.Now()
}

// rootFor is the folder in which Claude Code was started, as its servers are. The folder
// that its hooks report is that of its model's shell, which may have gone into another
// repository, such as a submodule.
func (a *app) rootFor(h transcript.Hook) string {
	if h.Client != transcript.ClientClaudeCode || a.env(claudeRoot) == "" {
		return ""
	}
	return a.workDir()
}

// within waits for fn until a deadline, so that a hanging disk does not block the
// hook. fn goes on after that until the process ends.
func within[T any](deadline time.Time, fn func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := fn()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(time.Until(deadline)):
		var none T
		return none, context.DeadlineExceeded
	}
}

// answerHook handles a hook by the deadline. If it cannot be stored, it goes to the
// spool.
func (a *app) answerHook(ctx context.Context, h transcript.Hook, call hookCall, deadline time.Time) (string, error) {
	left := time.Until(deadline)
	storeBy := deadline.Add(-left / spoolShare)
	drainUntil := deadline.Add(-left * 5 / 8) // half of the time until storeBy
	// The process ends when the time is over, so the context need not end: with a
	// context that can end, the driver starts goroutines for each statement.
	ctx = context.WithoutCancel(ctx)
	text, err := within(storeBy, func() (string, error) {
		if !h.Heard() && a.isSilent() {
			return "", domain.Unavailable("the database did not answer a moment ago")
		}
		return a.deliverHook(ctx, h, call, storeBy, drainUntil)
	})
	if err == nil {
		return text, nil
	}
	silent := errors.Is(err, context.DeadlineExceeded)
	if silent {
		err = domain.Unavailable("the database did not answer in the time allowed for a hook")
	}
	why := err // what hangs may read it after the time is over
	_, err = within(spoolBy(deadline, time.Now()), func() (string, error) {
		if w := a.storing.Load(); w != nil {
			w.release() // it was interrupted
		}
		waits := call // what hangs may still read the call
		waits.Project = a.readableSettings().Project
		err := a.spoolHook(h, waits, why)
		if silent {
			a.noteSilence()
		}
		return "", err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w; and it could not be kept for later in time", why)
	}
	return text, err
}

// spoolBy is the time until which a hook may be put into the spool. It is later than the
// deadline if that has come already, because the client sent the input late or the hook was
// suspended: nothing else keeps what it says.
func spoolBy(deadline, now time.Time) time.Time {
	if least := now.Add(spoolLeast); least.After(deadline) {
		return least
	}
	return deadline
}

// hookOutput is what a hook prints according to the client's contract. Claude Code
// gives plain text to the model, but only at certain moments; so does our plugin for
// opencode. The others want JSON.
func hookOutput(h transcript.Hook, text string) string {
	switch h.Client {
	case transcript.ClientClaudeCode, transcript.ClientOpencode:
		return text
	case transcript.ClientCursor:
		return cursorOutput(h, text)
	}
	if text == "" {
		return ""
	}
	return jsonLine(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": h.Name, "additionalContext": text}})
}

func cursorOutput(h transcript.Hook, text string) string {
	fields := map[string]any{}
	if h.Moment == transcript.HookPrompt {
		fields["continue"] = true
	}
	if text != "" {
		fields["additional_context"] = text
	}
	return jsonLine(fields)
}

func jsonLine(v any) string {
	data, err := json.Marshal(v)
	if err != nil { // maps of strings always marshal
		return ""
	}
	return string(data) + "\n"
}
