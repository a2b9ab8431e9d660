// Command wake stores what AI assistants decide and why, and gives it back in later
// sessions. It is an MCP server (wake mcp, wake serve) and a command line for people
// and scripts.
//
// The rules of its terminal interface are:
//
//   - Answers go to standard output, everything else to standard error. Errors begin with
//     "wake:" and are followed by a hint at what to do next.
//   - The exit code is 0 for success, 1 for failure, 2 for wrong usage.
//   - With --json every answer is JSON lines, without colour.
//   - Colour and progress bars only appear on terminals, and colour not if NO_COLOR is
//     set.
//   - Times are shown in local time; in JSON, and where a Z follows them, they are in UTC.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The second Ctrl-C kills, because not everything looks at ctx: a write to a pipe waits for its reader.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	// If the reader of the output ends early, as head does, wake still stores what it has to, such as that a context was used.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := newApp().run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// endings lists the signals at which wake finishes what it is doing and ends. A terminal
// that closes sends SIGHUP, perhaps twice. nohup ignores that for what it starts, as a shell
// ignores Ctrl-C for what a script starts in the background: so does wake then.
func endings() []os.Signal {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}
