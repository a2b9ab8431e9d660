package mcp

import (
	"context"
	"os"
	"syscall"
	"time"
)

// parentPoll is how long one wait for the parent lasts.
const parentPoll = time.Second

// watchParent calls gone when the process that started this one has ended.
func watchParent(ctx context.Context, gone func()) {
	handle, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(os.Getppid()))
	if err != nil {
		return // it cannot be watched; the end of input remains
	}
	defer func() { _ = syscall.CloseHandle(handle) }()
	for ctx.Err() == nil {
		event, err := syscall.WaitForSingleObject(handle, uint32(parentPoll.Milliseconds()))
		if err != nil {
			return
		}
		if event == syscall.WAIT_OBJECT_0 {
			gone()
			return
		}
	}
}
