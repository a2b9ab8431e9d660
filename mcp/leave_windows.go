package mcp

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// parent is the process that started this one. It is opened as early as possible, because
// the client may be gone before the database is open, and another process have its number.
var parent, _ = openParent() // without it, only the end of input tells that the client is gone

// leavePoll is the length of one wait for the parent.
const leavePoll = time.Second

// watchClient calls leave when the process that started this one has ended. A closed
// output is noticed at the next write.
func watchClient(ctx context.Context, _ io.Writer, leave func(error)) {
	for parent != 0 && ctx.Err() == nil {
		event, err := windows.WaitForSingleObject(parent, uint32(leavePoll.Milliseconds()))
		if err != nil {
			return
		}
		if event == windows.WAIT_OBJECT_0 {
			leave(errParentGone)
			return
		}
	}
}

// openParent opens the process that started this one. A process that began after this one
// only has its number.
func openParent() (windows.Handle, error) {
	p, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(os.Getppid()))
	if err != nil {
		return 0, err
	}
	its, err := beganAt(p)
	own, ownErr := beganAt(windows.CurrentProcess())
	if err != nil || ownErr != nil || its > own {
		return 0, windows.CloseHandle(p)
	}
	return p, nil
}

// beganAt is when a process began, in nanoseconds.
func beganAt(p windows.Handle) (int64, error) {
	var began, ended, kernel, user windows.Filetime
	err := windows.GetProcessTimes(p, &began, &ended, &kernel, &user)
	return began.Nanoseconds(), err
}
