package mcp

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"
)

// leavePoll is the length of one wait for the parent.
const leavePoll = time.Second

// watchClient calls leave when the process that started this one has ended. A closed
// output is noticed at the next write.
func watchClient(ctx context.Context, _ io.Writer, leave func(error)) {
	handle, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(os.Getppid()))
	if err != nil {
		return // the parent cannot be watched; the end of input remains
	}
	defer func() { _ = syscall.CloseHandle(handle) }()
	for ctx.Err() == nil {
		event, err := syscall.WaitForSingleObject(handle, uint32(leavePoll.Milliseconds()))
		if err != nil {
			return
		}
		if event == syscall.WAIT_OBJECT_0 {
			leave(errParentGone)
			return
		}
	}
}
