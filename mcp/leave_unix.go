//go:build unix

package mcp

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// parent is the process that started this one. It is read as early as possible,
// because the client may be gone before the database is open.
var parent = os.Getppid()

// leavePoll is how often watchClient looks for the client.
const leavePoll = time.Second

// watchClient calls leave when there is nobody left to serve: the parent process has
// changed, because the one that started this process has ended, or nobody holds the
// other end of out. It is the only way to notice that a client has died while another
// process keeps the input open.
func watchClient(ctx context.Context, out io.Writer, leave func(error)) {
	tick := time.NewTicker(leavePoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if os.Getppid() != parent {
				leave(errParentGone)
				return
			}
			if hungUp(out) {
				leave(errOutputClosed)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// hungUp reports whether the other end of a pipe or socket is closed.
func hungUp(out io.Writer) bool {
	f, ok := out.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		// Linux reports a closed end unasked, macOS only to who asks for something.
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		if n, err := unix.Poll(poll, 0); err == nil && n > 0 {
			closed = poll[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	})
	return err == nil && closed
}
