// Command wake keeps what AI assistants decide and why, and gives it back in
// later sessions: as an MCP server (wake mcp, wake serve) and as a command line
// for people and scripts.
//
// The rules of its terminal interface are:
//
//   - Answers go to standard output, everything else to standard error, errors
//     with a "wake:" prefix and a hint at what to do next.
//   - The exit code is 0 when done, 1 when it failed, 2 when it was used wrongly.
//   - With --json every answer is JSON lines and nothing is coloured.
//   - Colour and progress bars appear on terminals only, colour never under
//     NO_COLOR.
//   - Times are shown in local time, and in UTC in JSON.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := newApp().run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
