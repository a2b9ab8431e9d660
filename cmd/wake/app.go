package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"wake/domain"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// app is one run of the command line, with its streams and global flags.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string

	flags          settings // from the command line only
	json           bool
	verbose        bool
	project        string                  // from flag, environment or file; "" means this folder's
	currentProject string                  // the project in effect; * means all
	storing        atomic.Pointer[spooled] // the spooled hook that is being stored
	draining       sync.Mutex              // held while spooled hooks are stored
	spooled        chan struct{}           // tells a server's jobs that it has put a hook into the spool
	outputErr      error                   // why an answer, or part of it, could not be written
	noHelp         error                   // why --help could not be given
	running        bool                    // a command has begun, so later errors are not usage errors
}

func newApp() *app {
	return &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv, spooled: make(chan struct{}, 1)}
}

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	if len(args) == 2 && args[0] == hookName && !strings.HasPrefix(args[1], "-") {
		a.hook(ctx, args[1:]) // a client waits, so no command tree is built
		return exitDone
	}
	if len(args) > 0 && args[0] == "--version" {
		args[0] = "version"
	}
	root := a.rootCommand()
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		unquoteUsage(root)
	}
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	err = cmp.Or(err, a.noHelp)
	if err == nil && a.outputErr != nil {
		a.running, err = true, a.outputErr // the command itself is done
	}
	if err == nil {
		return exitDone
	}
	return a.failed(ctx, command, err)
}

// failed tells why a command failed, where somebody reads that, and returns the exit code.
func (a *app) failed(ctx context.Context, command *cobra.Command, err error) int {
	if a.readerGone(err) {
		return exitFailed
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = withHint(domain.Unavailable("it was stopped before it was done"), "start it again")
	}
	if command.Name() == hookName {
		a.warn(err)
		return exitDone // clients give other codes a meaning: after 2 the model does not get the prompt
	}
	a.complain(command, err)
	return a.exitCode(err)
}

// readerGone reports whether a command failed because the reader of its output is gone,
// as head is after its ten lines. That is no failure.
func (a *app) readerGone(err error) bool {
	var at *fs.PathError
	return isReaderGone(err) && (isReaderGone(a.outputErr) || errors.As(err, &at) && at.Path == os.Stdout.Name())
}

// exitCode returns the exit code of an error. An invalid request is a usage error.
func (a *app) exitCode(err error) int {
	if !a.running || domain.KindOf(err) == domain.KindInvalid {
		return exitUsage
	}
	return exitFailed
}

// complain prints an error of a command and a hint, if there is one.
func (a *app) complain(c *cobra.Command, err error) {
	fmt.Fprintf(a.err, "wake: %s\n", printable(inFlags(c, err)))
	switch hint := hintOf(err); {
	case hint != "":
		fmt.Fprintf(a.err, "hint: %s\n", hint)
	case !a.running && c.HasParent() && c.HasAvailableSubCommands():
		fmt.Fprintf(a.err, "hint: %s --help lists its commands\n", c.CommandPath())
	case !a.running && c.HasParent() && c.Name() != "help":
		fmt.Fprintf(a.err, "hint: %s; %s --help tells more\n", c.UseLine(), c.CommandPath())
	case !a.running:
		fmt.Fprintln(a.err, "hint: wake --help lists the commands, wake COMMAND --help its flags")
	}
}

// hintedError is an error with advice on what to do next.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// withHint adds advice to err. It returns nil for nil.
func withHint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hintedError{err, fmt.Sprintf(format, args...)}
}

// hintOf returns the advice of an error, "" if it has none.
func hintOf(err error) string {
	if h := (*hintedError)(nil); errors.As(err, &h) {
		return h.hint
	}
	if hint := commandWords.Say(domain.HintOf(err), ""); hint != "" {
		return hint
	}
	if isDiskFull(err) {
		return "free some space there, or name another place, then run it again"
	}
	return ""
}

// clock is time.Now shifted by an offset such as -72h, for demos and tests that span
// days; "" means no offset.
func clock(offset string) (func() time.Time, error) {
	if offset == "" {
		return time.Now, nil
	}
	d, err := time.ParseDuration(offset)
	if err != nil {
		return nil, domain.Invalid("WAKE_CLOCK=%q is not an offset; write it like -72h or +30m", offset)
	}
	return func() time.Time { return time.Now().Add(d) }, nil
}
