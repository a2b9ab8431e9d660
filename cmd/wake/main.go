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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends at once what does not look at ctx, such as waiting for the reader of a pipe.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	// What reads the answer may go, as head does. What is still to be stored, such as that a context was used, is stored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := newApp().run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
