//go:build unix

package mcp

import (
	"context"
	"os"
	"time"
)

// parent is the process that started this one, asked for as early as can be: a
// client may be gone before the database is open.
var parent = os.Getppid()

// parentPoll is how often the parent is looked for: one system call a second.
const parentPoll = time.Second

// watchParent calls gone when the process that started this one has ended, which
// shows as another parent. A client that dies without closing the pipe (another
// process holds it open) is noticed in this way only.
func watchParent(ctx context.Context, gone func()) {
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if os.Getppid() != parent {
				gone()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
